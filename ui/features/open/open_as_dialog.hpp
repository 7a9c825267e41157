// A dialog that asks for the format of a file. It shows the detected format and, for each format, the first
// values read with this format.
#pragma once

#include "ui/jobs/tasks.hpp"

#include <QByteArray>
#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace spira {

struct Reading;

}  // namespace spira

namespace spira::ui {

class OpenAsDialog : public QDialog {
  Q_OBJECT
 public:
  OpenAsDialog(Tasks& tasks, const QString& file, QWidget* parent = nullptr);

  /// Returns the row description that the user entered, or the format of the selected row if there is no
  /// description. Returns an empty string if there is neither a description nor a selected row.
  [[nodiscard]] QString format() const;

 private:
  void fill(const std::vector<Reading>& readings);
  void addDescription();
  void previewRows();  ///< Shows the first points, read with the row description that the user entered.

  QString file_;
  QLineEdit* rows_ = nullptr;
  QLabel* preview_ = nullptr;
  QLabel* word_;
  QTreeWidget* list_;
  QPushButton* open_;
  TaskSlot guessing_, previewing_;
};

// A dialog that shows the first bytes of a file that could not be read, in hexadecimal, as text and as
// float32. Most binary scans contain float32.

/// Returns one line for each 16 bytes: offset, hexadecimal bytes, characters, and four float32 numbers.
[[nodiscard]] QString bytes_text(const QByteArray& bytes);

class FirstBytesDialog : public QDialog {
  Q_OBJECT
 public:
  FirstBytesDialog(const QString& file, QWidget* parent);
};

}  // namespace spira::ui
