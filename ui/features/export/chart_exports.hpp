// Exports the charts of the window as pictures, to a file or to the clipboard.
#pragma once

#include "ui/charts/chart_picture.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QPointer>

#include <vector>

class QMenu;

namespace spira::ui {

class Chart;
class ExportFiles;
class OpenRun;

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
  QPointer<const Chart> shown_;  // Chart with content that anyChart() found last.
  PictureRequest last_;          // Settings of the last export that the user requested.
};

}  // namespace spira::ui
