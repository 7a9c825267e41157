// Shows the command line that measures a number again, to read and to copy, with notes for running it on
// another machine.
#pragma once

#include "ui/model/measured/measured_subject.hpp"

#include <QDialog>

class QHBoxLayout;

namespace spira::ui {

class ReproduceDialog : public QDialog {
  Q_OBJECT
 public:
  /// `command` measures `what`; `notes` are sentences below it. The second constructor makes them for a
  /// number of a run. `recorded` is true if the number comes from a report. Then the scene may have another
  /// path here.
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
