// Asks for the names of exported files and writes the files. The status bar and the log report each written
// file, and the banner shows errors.
#pragma once

#include "ui/charts/chart_picture.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/file_jobs.hpp"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <span>
#include <string>
#include <vector>

class QMenu;

namespace spira::ui {

class Chart;
class OpenRun;

[[nodiscard]] std::span<const CommandFacts> export_commands() noexcept;

class ExportFiles : public QObject {
  Q_OBJECT
 public:
  explicit ExportFiles(const FeatureContext& context);

  [[nodiscard]] FileWriter& writer() noexcept { return writer_; }
  /// Returns a file name that contains the open scene and network, for example "scan-resn21.report.pdf".
  [[nodiscard]] QString nameFor(const QString& content) const;
  /// Asks the user for a file name. Returns an empty string if the user cancels.
  [[nodiscard]] QString ask(const QString& title, const QString& name, const QString& filter);
  /// Asks the user for a file name. The writer thread then calls `bytes` and writes the result to the file.
  void saveAs(const QString& title, const QString& name, const QString& filter,
              std::function<std::string()> bytes);

 private:
  FeatureContext context_;
  FileWriter writer_;
};

/// Exports the charts of the window as pictures, to a file or to the clipboard.
class ChartExports : public QObject {
  Q_OBJECT
 public:
  /// Offers all charts in the window of `context`, including charts that are created later.
  ChartExports(const FeatureContext& context, ExportFiles& files, const OpenRun& run);

  /// Returns the charts that have content, sorted by name.
  [[nodiscard]] std::vector<const Chart*> charts() const;
  /// Returns the chart of charts() with this name, or `nullptr` if there is none.
  [[nodiscard]] const Chart* chartNamed(const QString& name) const;
  /// Writes the file before it returns. Throws Error(input) if the file cannot be written.
  void save(const Chart& chart, const PictureRequest& how, const QString& file) const;
  /// Adds the export actions of the chart to its context menu.
  void addTo(QMenu& menu, Chart& chart);

 private:
  [[nodiscard]] bool anyChart();
  /// Shows the export dialog for `chosen`, or for the visible chart if `chosen` is `nullptr`.
  void ask(const Chart* chosen);
  void copy(const Chart& chart) const;

  FeatureContext context_;
  ExportFiles& files_;
  const OpenRun& run_;
  QPointer<const Chart> shown_;  // The last chart that anyChart() found.
  PictureRequest last_;          // Settings of the last export that the user requested.
};

}  // namespace spira::ui
