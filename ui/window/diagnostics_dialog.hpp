// What a report of a fault needs to say about this machine and this program, as text to copy. Names and paths
// of files are left out unless they are asked for; the name of the user and of the machine are never in it.
#pragma once

#include <QDialog>
#include <QString>

class QCheckBox;
class QPlainTextEdit;

namespace spira::ui {

struct Diagnostics {
  QString facts;  ///< without any name of a file
  QString files;  ///< what is open, recent and logged, with paths
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
