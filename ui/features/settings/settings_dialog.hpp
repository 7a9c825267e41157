// A searchable list of all settings. Changes apply immediately, and each setting can be reset.
#pragma once

#include "ui/settings/settings.hpp"

#include <QDialog>

#include <functional>
#include <vector>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace spira::ui {

class SettingsDialog : public QDialog {
  Q_OBJECT
 public:
  SettingsDialog(Settings* settings, QWidget* parent);
  /// Scrolls to the setting and gives it the focus. Ignores an unknown id.
  void focusSetting(const QString& id);

 signals:
  void keysRequested();  ///< Requests that the dialog for keyboard shortcuts is opened.

 private:
  struct Row {
    QString id, words;  ///< `words` is the text that the search compares with the typed words.
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
  QScrollArea* scroll_;
  QPushButton* reset_all_;
  std::vector<Row> rows_;
  std::vector<QLabel*> headings_;
};

}  // namespace spira::ui
