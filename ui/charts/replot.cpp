#include "ui/charts/replot.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <qcustomplot.h>

namespace spira::ui {

void replot_charts(QWidget& within, double ratio) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  for (auto* plot : within.findChildren<QCustomPlot*>()) {
    if (ratio > 0) plot->setBufferDevicePixelRatio(ratio);
    plot->replot(QCustomPlot::rpRefreshHint);
  }
}

}  // namespace spira::ui
