#include "ui/view3d/match_values.hpp"

#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <limits>
#include <numeric>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

QString share_text(std::int64_t part, std::int64_t all) {
  const double percent = all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0.0;
  return tr("%1, %2 %").arg(onScreen(count_text(part)), onScreen(percent, 'f', 1));
}

}  // namespace

VoxelValues threshold_side_values(const KernelMap& map, int threshold, const std::array<Rgb, 2>& sides) {
  constexpr Rgb half{190, 190, 190};  // seen on light and dark grounds
  const auto all = matches_per_output(map);
  const auto dense = matches_per_output(map, map.offsets->dense_columns(threshold));
  VoxelValues values;
  values.title = tr("weight-stationary matches at t = %1, %").arg(threshold);
  values.amount.reserve(all.size());
  for (std::size_t row = 0; row < all.size(); ++row) {
    values.amount.push_back(all[row] == 0 ? std::numeric_limits<float>::quiet_NaN()
                                          : 100.0F * static_cast<float>(all[row] - dense[row]) /
                                                static_cast<float>(all[row]));
  }
  const auto total = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  const auto left = std::accumulate(dense.begin(), dense.end(), std::int64_t{0});
  values.scale = OwnScale{{sides[0], half, sides[1]},
                          {0, 100},
                          tr("0 %, dense (OS)"),
                          tr("100 %, sparse (WS)"),
                          tr("dense: %1\nsparse: %2").arg(share_text(left, total), share_text(total - left, total))};
  return values;
}

}  // namespace spira::ui
