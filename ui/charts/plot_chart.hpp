// Base class of charts that QCustomPlot draws, and functions that all plots use. The base class handles mouse
// events itself.
#pragma once

#include "ui/charts/chart.hpp"

class QCustomPlot;
class QWidget;
class QCPAxis;

namespace spira::ui {

class PlotChart : public Chart {
  Q_OBJECT
 public:
  PlotChart(Theme* theme, const QString& what, const QSize& least, QWidget* parent);

  void paintChart(QCPPainter& painter) override;
  void restyle() override;

 protected:
  /// Places the legend above the plot, so that the legend does not cover the plot. On paper, ChartPicture
  /// draws the keys instead.
  void addLegendAbove();
  virtual void rebuild() = 0;
  void resizeEvent(QResizeEvent* event) override;

  QCustomPlot* plot_;
};

/// Lays out `within` and repaints all its charts immediately, so that the next grab shows the current
/// numbers. `ratio` is the number of pixels per point for pictures larger than the screen; 0 keeps the ratio
/// of the screen.
void replot_charts(QWidget& within, double ratio = 0);

void apply_theme(QCustomPlot& plot, const Theme& theme);

/// Returns how many tick labels fit on the vertical axis of a plot with this height, in pixels.
[[nodiscard]] int ticks_for(int plot_height) noexcept;

}  // namespace spira::ui
