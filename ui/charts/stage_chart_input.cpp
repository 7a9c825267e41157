// Mouse and keyboard input of the stage chart.
#include "ui/charts/stage_chart.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <cmath>

namespace spira::ui {

int StageChart::rowAt(const QPointF& at) const {
  if (!plot_->axisRect()->rect().contains(at.toPoint())) return -1;
  const int bar = static_cast<int>(std::lround(plot_->xAxis->pixelToCoord(at.x())));
  return bar >= 0 && bar < static_cast<int>(bars_.size()) ? bar : -1;
}

void StageChart::chooseRow(int row) {
  if (row < 0 || row >= static_cast<int>(bars_.size())) return;  // the last row of the table is the total
  if (const int layer = bars_[static_cast<std::size_t>(row)].layer; layer >= 0) emit layerClicked(layer);
  emit barClicked(row);
}

void StageChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int bar = rowAt(event->position());
  chooseRow(bar);
  if (bar >= 0) emit phaseClicked(partAt(event->position()));
}

void StageChart::mouseMoveEvent(QMouseEvent* event) {
  emit layerHovered(subjectOf(rowAt(event->position())).layer);
}

void StageChart::leaveEvent(QEvent*) {
  emit layerHovered(-1);
}

bool StageChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PlotChart::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int bar = rowAt(help->pos());
  QToolTip::showText(help->globalPos(), bar < 0 ? QString() : bars_[static_cast<std::size_t>(bar)].tip(),
                     this);
  return true;
}

}  // namespace spira::ui
