#include "ui/charts/plot_chart.hpp"

#include "ui/charts/chart_theme.hpp"

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
