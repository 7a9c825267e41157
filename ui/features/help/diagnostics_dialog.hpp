// A dialog with facts about the machine and the program, to copy into a bug report. File names and paths are
// included only if the user ticks a box. The names of the user and of the machine are never included.
#pragma once

#include <QDialog>
#include <QString>

class QCheckBox;
class QPlainTextEdit;

namespace spira::ui {

struct Diagnostics {
  QString facts;  ///< Text without file names.
  QString files;  ///< Paths of the open file and of the recent files, and the log.
};

class DiagnosticsDialog : public QDialog {
  Q_OBJECT
 public:
  DiagnosticsDialog(Diagnostics what, QWidget* parent);

 private:
  void fill();

  Diagnostics what_;
  QPlainTextEdit* text_;
  QCheckBox* with_files_;
};

}  // namespace spira::ui
