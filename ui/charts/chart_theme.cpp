#include "ui/charts/chart_theme.hpp"

#include "ui/theme/theme.hpp"

#include <QLocale>
#include <qcustomplot.h>

#include <algorithm>

namespace spira::ui {

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
  constexpr int around = 70, each = 26;  // pixels: names and margins, and one tick label
  return std::clamp((plot_height - around) / each, 2, 6);
}

}  // namespace spira::ui
