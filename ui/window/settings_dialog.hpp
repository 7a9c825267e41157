// All settings in one list that can be searched; each acts at once and can be set back.
#pragma once

#include "ui/settings/settings.hpp"

#include <QDialog>

#include <functional>
#include <vector>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace spira::ui {

class SettingsDialog : public QDialog {
  Q_OBJECT
 public:
  SettingsDialog(Settings* settings, QWidget* parent);

 signals:
  void keysRequested();  ///< the dialog of the keys

 private:
  struct Row {
    QString id, words;  ///< what it is found by
    QString group;
    QWidget *title, *editor;
    QToolButton* reset;
    std::function<void()> follow;
  };
  void addRow(QGridLayout& grid, const SettingFacts& facts);
  [[nodiscard]] QWidget* editorOf(const SettingFacts& facts, std::function<void()>& follow);
  void find(const QString& words);
  void follow();

  Settings* settings_;
  QLineEdit* words_;
  QLabel* none_;
  QPushButton* reset_all_;
  std::vector<Row> rows_;
  std::vector<QLabel*> headings_;
};

}  // namespace spira::ui
