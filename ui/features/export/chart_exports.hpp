// Exports the charts of the window as pictures: to a file or to the clipboard.
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
  /// Finds all charts in the window of `context`, also charts that are added later.
  ChartExports(const FeatureContext& context, ExportFiles& files, const OpenRun& run);

  /// Returns the charts that have content, in the order of their names.
  [[nodiscard]] std::vector<const Chart*> charts() const;
  /// Returns `nullptr` if charts() does not contain this name.
  [[nodiscard]] const Chart* chartNamed(const QString& name) const;
  /// Writes immediately. Throws Error(input) if the file cannot be written.
  void save(const Chart& chart, const PictureRequest& how, const QString& file) const;
  /// Adds the actions of the chart to its context menu.
  void addTo(QMenu& menu, Chart& chart);

 private:
  [[nodiscard]] bool anyChart();
  /// Shows the picture dialog for `chosen`, or for the visible chart if `chosen` is `nullptr`.
  void ask(const Chart* chosen);
  void copy(const Chart& chart) const;

  FeatureContext context_;
  ExportFiles& files_;
  const OpenRun& run_;
  QPointer<const Chart> shown_;  // The chart with content that the last anyChart() found.
  PictureRequest last_;          // The last request of the user.
};

}  // namespace spira::ui
