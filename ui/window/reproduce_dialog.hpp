// The command line that measures a number again, to read and to copy, with what has to be known to run it
// elsewhere.
#pragma once

#include "ui/model/measured_subject.hpp"

#include <QDialog>

class QHBoxLayout;

namespace spira::ui {

class ReproduceDialog : public QDialog {
  Q_OBJECT
 public:
  /// Of a number of the run. `recorded`: the number comes from a report, so its scene may lie elsewhere.
  /// `command` is of `what`; `notes`: sentences below it.
  ReproduceDialog(QString command, const QString& what, const QStringList& notes, QWidget* parent);
  ReproduceDialog(const MeasuredWith& how, const MeasuredSubject& subject, bool recorded, QWidget* parent);
  [[nodiscard]] const QString& command() const noexcept { return command_; }

 signals:
  void networkFileRequested();  ///< the command needs the network as a file

 private:
  QString command_;
  QHBoxLayout* buttons_;
};

}  // namespace spira::ui
