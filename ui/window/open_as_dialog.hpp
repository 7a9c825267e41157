// Asks in which format a file is to be read, with the guess and the first values in each.
#pragma once

#include <QDialog>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace spira {
struct Reading;
}  // namespace spira

namespace spira::ui {

class JobRunner;

class OpenAsDialog : public QDialog {
  Q_OBJECT
 public:
  explicit OpenAsDialog(const QString& file, QWidget* parent = nullptr);
  ~OpenAsDialog() override;
  OpenAsDialog(const OpenAsDialog&) = delete;
  OpenAsDialog& operator=(const OpenAsDialog&) = delete;

  [[nodiscard]] QString format() const;  ///< id of the row that is chosen; empty: none is

 private:
  void fill(const std::vector<Reading>& readings);

  JobRunner* runner_;
  QLabel* word_;
  QTreeWidget* list_;
  QPushButton* open_;
};

}  // namespace spira::ui
