// A dialog to apply, rename and delete named layouts.
#pragma once

#include <QDialog>

class QLabel;
class QListWidget;
class QListWidgetItem;
class QPushButton;

namespace spira::ui {

class LayoutMenu;

class LayoutsDialog : public QDialog {
  Q_OBJECT
 public:
  explicit LayoutsDialog(LayoutMenu* layouts, QWidget* parent = nullptr);

 private:
  void fill();
  void renamed(const QListWidgetItem* item);
  [[nodiscard]] QString chosen() const;

  LayoutMenu* layouts_;
  QListWidget* list_;
  QLabel* word_;
  QPushButton *apply_, *rename_, *remove_;
  bool filling_ = false;
};

}  // namespace spira::ui
