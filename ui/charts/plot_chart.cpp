#include "ui/charts/plot_chart.hpp"

#include "ui/charts/chart_theme.hpp"
#include "ui/theme/theme.hpp"

#include <QVBoxLayout>
#include <qcustomplot.h>

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

}  // namespace spira::ui
