// A chart that QCustomPlot draws in all of its area. The mouse is the chart's own.
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
  /// Over the plot, so that it covers nothing; on paper the keys are written beside the chart.
  void addLegendAbove();
  /// Anew for other numbers, another theme or size.
  virtual void rebuild() = 0;
  void resizeEvent(QResizeEvent* event) override;

  QCustomPlot* plot_;
};

}  // namespace spira::ui
