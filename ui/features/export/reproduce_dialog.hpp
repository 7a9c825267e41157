// A dialog with the command line that measures a number again. The user can copy the command, and notes
// explain how to run it on another machine.
#pragma once

#include "ui/model/measured/measured_subject.hpp"

#include <QDialog>

class QHBoxLayout;

namespace spira::ui {

class ReproduceDialog : public QDialog {
  Q_OBJECT
 public:
  /// `command` measures `what`, and `notes` are shown below the command. The second constructor creates the
  /// command and the notes for a number of a run. `recorded` is true if the number comes from a report, whose
  /// scene may have another path on this machine.
  ReproduceDialog(QString command, const QString& what, const QStringList& notes, QWidget* parent);
  ReproduceDialog(const MeasuredWith& how, const MeasuredSubject& subject, bool recorded, QWidget* parent);
  [[nodiscard]] const QString& command() const noexcept { return command_; }

 signals:
  /// Requests to save the network as a file, because the command needs this file.
  void networkFileRequested();

 private:
  QString command_;
  QHBoxLayout* buttons_;
};

}  // namespace spira::ui
