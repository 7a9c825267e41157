// Shows the command line that measures a number again, so that the user can copy it. Notes explain how to run
// the command on another machine.
#pragma once

#include "ui/model/measured/measured_subject.hpp"

#include <QDialog>

class QHBoxLayout;

namespace spira::ui {

class ReproduceDialog : public QDialog {
  Q_OBJECT
 public:
  /// `command` measures `what`; `notes` are the sentences below the command. The second constructor creates
  /// both for a number of a run. `recorded` is true if the number comes from a report. The scene may then
  /// have another path on this machine.
  ReproduceDialog(QString command, const QString& what, const QStringList& notes, QWidget* parent);
  ReproduceDialog(const MeasuredWith& how, const MeasuredSubject& subject, bool recorded, QWidget* parent);
  [[nodiscard]] const QString& command() const noexcept { return command_; }

 signals:
  /// Emitted if the user wants to save the network as a file, because the command needs this file.
  void networkFileRequested();

 private:
  QString command_;
  QHBoxLayout* buttons_;
};

}  // namespace spira::ui
