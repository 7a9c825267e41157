// A chart that QCustomPlot draws over its whole area. The chart itself handles mouse events.
#pragma once

#include "ui/charts/chart.hpp"

class QCustomPlot;

namespace spira::ui {

class PlotChart : public Chart {
  Q_OBJECT
 public:
  PlotChart(Theme* theme, const QString& what, const QSize& least, QWidget* parent);

  void paintChart(QCPPainter& painter) override;
  void restyle() override;

 protected:
  /// Places the legend above the plot, so that it covers nothing. On paper, ChartPicture draws the keys
  /// instead.
  void addLegendAbove();
  /// Builds the plot again after a change of numbers, theme or size.
  virtual void rebuild() = 0;
  void resizeEvent(QResizeEvent* event) override;

  QCustomPlot* plot_;
};

}  // namespace spira::ui
