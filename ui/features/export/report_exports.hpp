// Exports the run, its sweeps, the features of a layer and the comparison. The file formats are JSON reports,
// PDF and tables.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/model/measured/measured_here.hpp"

#include <QDialog>
#include <QObject>
#include <QString>

#include <map>
#include <memory>

class QHBoxLayout;

namespace spira {
struct Report;
}

namespace spira::ui {

class Comparing;
class ExportFiles;
class OpenRun;

class ReportExports : public QObject {
  Q_OBJECT
 public:
  ReportExports(const FeatureContext& context, ExportFiles& files, const OpenRun& run,
                const Comparing& comparing);

  /// Writes the file before it returns. Throws Error(input) if the file cannot be written.
  void savePdf(const QString& file) const;

 signals:
  /// Emitted after the report of a measurement was written to a file.
  void reportSaved(const std::shared_ptr<const spira::Report>& report);

 private:
  void bindReports();
  void bindTables();
  void bindSweeps();
  void bindComparison();
  void bindOutputs();
  void saveReport();
  void saveOutputs();
  /// Paints the report page by page while a progress bar with a cancel button is shown. The writer thread
  /// then writes the file.
  void writePdf(const QString& file);
  [[nodiscard]] QString titleOf(const char* command) const;
  [[nodiscard]] QString whyNoRun() const;
  [[nodiscard]] QString whyNoSweeps() const;
  [[nodiscard]] QString whyNoDensities() const;
  [[nodiscard]] QString whyNoComparison() const;
  [[nodiscard]] QString whyNoOutputs() const;

  FeatureContext context_;
  ExportFiles& files_;
  const OpenRun& run_;
  const Comparing& comparing_;
  std::map<QString, std::shared_ptr<const Report>> saving_;  // Reports that are being written, by file name.
};

/// A dialog with the command line that repeats the measurement of a number. The user can copy the command,
/// and notes explain how to run it on another machine.
class ReproduceDialog : public QDialog {
  Q_OBJECT
 public:
  /// `command` measures `what`, and `notes` are shown below the command. The second constructor creates the
  /// command and the notes for a number of a run. `recorded` is true if the number comes from a report, whose
  /// scene may have a different path on this machine.
  ReproduceDialog(QString command, const QString& what, const QStringList& notes, QWidget* parent);
  ReproduceDialog(const MeasuredWith& how, const MeasuredSubject& subject, bool recorded, QWidget* parent);
  [[nodiscard]] const QString& command() const noexcept { return command_; }

 signals:
  /// Requests that the network is saved as a file. The command in the dialog needs this file.
  void networkFileRequested();

 private:
  QString command_;
  QHBoxLayout* buttons_;
};

}  // namespace spira::ui
