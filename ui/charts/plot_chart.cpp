#include "ui/charts/plot_chart.hpp"

#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QLocale>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>

namespace spira::ui {

PlotChart::PlotChart(Theme* theme, const QString& what, const QSize& least, QWidget* parent)
    : Chart(theme, what, parent), plot_(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setMinimumSize(least);
  plot_->setAttribute(Qt::WA_TransparentForMouseEvents);
}

void PlotChart::addLegendAbove() {
  const bool on_screen = !theme_->paper();
  auto* row = new QCPLayoutGrid;
  plot_->plotLayout()->insertRow(0);
  plot_->plotLayout()->addElement(0, 0, row);
  row->addElement(0, 0, plot_->legend);
  row->setMinimumSize(0, on_screen ? plot_->fontMetrics().height() + 8 : 0);
  plot_->plotLayout()->setRowStretchFactor(0, 0.001);
  plot_->plotLayout()->setRowSpacing(0);
  plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot_->legend->setWrap(0);
  plot_->legend->setMargins(QMargins(4, 1, 4, 1));
  plot_->legend->setIconSize(14, 12);
  plot_->legend->setVisible(on_screen);
}

void PlotChart::paintChart(QCPPainter& painter) {
  plot_->toPainter(&painter, width(), height());
}

void PlotChart::restyle() {
  apply_theme(*plot_, *theme_);
  rebuild();
}

void PlotChart::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  rebuild();
}

void replot_charts(QWidget& within, double ratio) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  for (auto* plot : within.findChildren<QCustomPlot*>()) {
    if (ratio > 0) plot->setBufferDevicePixelRatio(ratio);
    plot->replot(QCustomPlot::rpRefreshHint);
  }
}

void apply_theme(QCustomPlot& plot, const Theme& theme) {
  const Palette& p = theme.palette();
  plot.setBackground(p.panel);
  QLocale locale = theme.paper() ? QLocale::c() : QLocale();
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  plot.setLocale(locale);
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2}) {
    axis->setBasePen(QPen(p.line));
    axis->setTickPen(QPen(p.line));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(p.faint_text);
    axis->setLabelColor(p.text);
    axis->setTickLabelFont(plot.font());
    axis->setLabelFont(plot.font());
    axis->grid()->setPen(QPen(p.line, 1, Qt::DotLine));
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
  plot.xAxis->grid()->setVisible(false);
  plot.legend->setBrush(Qt::NoBrush);
  plot.legend->setBorderPen(Qt::NoPen);
  plot.legend->setTextColor(p.text);
  plot.legend->setFont(plot.font());
}

int ticks_for(int plot_height) noexcept {
  // In pixels: `around` for names and margins, `each` for one tick label.
  constexpr int around = 70, each = 26;
  return std::clamp((plot_height - around) / each, 2, 6);
}

}  // namespace spira::ui
