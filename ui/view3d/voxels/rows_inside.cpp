#include "ui/view3d/voxels/rows_inside.hpp"

#include <QImage>
#include <QPainter>

#include <cmath>

namespace spira::ui {

std::vector<std::int32_t> rows_inside(const DrawnOutline& drawn, const std::stop_token& stop) {
  // Paint the outline once as a mask; each voxel then looks up its pixel.
  QImage mask(static_cast<int>(std::ceil(drawn.picture.width)),
              static_cast<int>(std::ceil(drawn.picture.height)), QImage::Format_Grayscale8);
  mask.fill(0);
  QPainter painter(&mask);
  painter.setPen(Qt::NoPen);
  painter.setBrush(Qt::white);
  painter.drawPolygon(drawn.outline, Qt::WindingFill);
  painter.end();
  std::vector<std::int32_t> rows;
  for (std::int64_t row = 0; row < drawn.mesh->voxels; ++row) {
    if (row % 65'536 == 0 && stop.stop_requested()) return {};
    if (drawn.mesh->hides(static_cast<std::size_t>(row))) continue;
    const float* centre = drawn.mesh->centres.data() + (3 * row);
    const auto at = on_picture(drawn.from, drawn.picture, {centre[0], centre[1], centre[2]});
    if (!at || at->x < 0 || at->y < 0 || at->x >= mask.width() || at->y >= mask.height()) continue;
    if (mask.constScanLine(static_cast<int>(at->y))[static_cast<int>(at->x)] != 0)
      rows.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

}  // namespace spira::ui
