#include "ui/panels/scene/neighbour_cube.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace spira::ui {

NeighbourCube::NeighbourCube(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMinimumHeight(96);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setAccessibleName(tr("Neighbours of the voxel"));
  connect(theme_, &Theme::changed, this, qOverload<>(&NeighbourCube::update));
}

void NeighbourCube::show(std::shared_ptr<const KernelOffsets> offsets,
                         std::vector<std::vector<std::int32_t>> inputs) {
  offsets_ = std::move(offsets);
  inputs_ = std::move(inputs);
  update();
}

void NeighbourCube::setMarked(std::vector<int> columns) {
  if (columns == marked_) return;
  marked_ = std::move(columns);
  update();
}

void NeighbourCube::mouseMoveEvent(QMouseEvent* event) {
  emit columnHovered(columnAt(event->position().toPoint()));
}

void NeighbourCube::leaveEvent(QEvent*) {
  emit columnHovered(-1);
}

QRect NeighbourCube::cellOf(int column) const {
  const PerAxis& k = offsets_->kernel().size;
  const int ix = column / (k[1] * k[2]), iy = column / k[2] % k[1], iz = column % k[2];
  constexpr int gap = 10, label = 18;
  const int wide = (width() - (gap * (k[2] - 1))) / (k[0] * k[2]), high = (height() - label) / k[1];
  const int cell = std::clamp(std::min(wide, high), 6, 26);
  return {(iz * ((k[0] * cell) + gap)) + (ix * cell), label + ((k[1] - 1 - iy) * cell), cell - 1, cell - 1};
}

/// Returns the heading of a slice, such as "dz = -1". If the headings would overlap, only the first heading
/// contains "dz".
QString NeighbourCube::sliceText(int dz) const {
  QString whole = QString("dz = %1").arg(dz);
  const int step = cellOf(1).left() - cellOf(0).left();  // Horizontal distance to the next slice.
  constexpr int apart = 8;
  if (fontMetrics().horizontalAdvance(whole) + apart <= step) return whole;
  return dz == offsets_->offset(0)[2] ? QString("dz %1").arg(dz) : QString::number(dz);
}

void NeighbourCube::paintEvent(QPaintEvent*) {
  if (!offsets_) return;
  QPainter painter(this);
  const int k = offsets_->z_cells();
  for (int column = 0; column < offsets_->columns(); ++column) {
    const QRect area = cellOf(column);
    const std::size_t hits = inputs_[static_cast<std::size_t>(column)].size();
    painter.fillRect(area, hits > 0 ? theme_->palette().match : theme_->palette().raised);
    const Voxel d = offsets_->offset(column);
    if (d == Voxel{0, 0, 0}) {
      painter.setPen(QPen(theme_->palette().error, 2));
      painter.drawRect(area.adjusted(1, 1, -1, -1));
    }
    const QString number = QString::number(hits);
    if (hits > 1 && painter.fontMetrics().horizontalAdvance(number) < area.width()) {
      painter.setPen(theme_->palette().panel);
      painter.drawText(area, Qt::AlignCenter, number);
    }
    if (std::find(marked_.begin(), marked_.end(), column) != marked_.end()) {
      painter.setPen(QPen(theme_->palette().text, 2));
      painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
    if (column % (k * k) < k && column / (k * k) == 0) {
      painter.setPen(theme_->palette().faint_text);
      painter.drawText(QRect(area.left(), 0, 80, 16), Qt::AlignLeft, sliceText(d[2]));
    }
  }
}

int NeighbourCube::columnAt(const QPoint& at) const {
  for (int column = 0; offsets_ && column < offsets_->columns(); ++column) {
    if (cellOf(column).contains(at)) return column;
  }
  return -1;
}

void NeighbourCube::mousePressEvent(QMouseEvent* event) {
  const int column = columnAt(event->position().toPoint());
  if (column >= 0) emit columnClicked(column);
}

bool NeighbourCube::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int column = columnAt(help->pos());
  if (column < 0) {
    QToolTip::hideText();
    return true;
  }
  const Voxel d = offsets_->offset(column);
  QStringList inputs;
  for (const std::int32_t input : inputs_[static_cast<std::size_t>(column)])
    inputs += QString::number(input);
  QToolTip::showText(help->globalPos(),
                     tr("\u03b4 = (%1, %2, %3): %4")
                         .arg(d[0])
                         .arg(d[1])
                         .arg(d[2])
                         .arg(inputs.isEmpty()     ? tr("no input")
                              : inputs.size() == 1 ? tr("input row %1").arg(inputs.front())
                                                   : tr("input rows %1").arg(inputs.join(", "))));
  return true;
}

}  // namespace spira::ui
