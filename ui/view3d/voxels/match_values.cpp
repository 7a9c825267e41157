#include "ui/view3d/voxels/match_values.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

QString share_text(std::int64_t part, std::int64_t all) {
  const double percent = all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0.0;
  return tr("%1, %2 %").arg(onScreen(count_text(part)), onScreen(percent, 'f', 1));
}

QString offset_text(const KernelMap& map, int column) {
  const Voxel d = map.offsets->offset(column);
  return QStringLiteral("(%1, %2, %3)").arg(d[0]).arg(d[1]).arg(d[2]);
}

constexpr Rgb without_match{150, 150, 150};

/// Creates one class for each subset of the offsets. Bit n of a label is set if the voxel has a match at the
/// n-th offset.
VoxelValues match_sets(const KernelMap& map, const std::vector<int>& columns) {
  VoxelValues values;
  values.title = tr("matches at the chosen offsets");
  values.label.assign(static_cast<std::size_t>(map.outputs), 0);
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const auto matches = matches_per_output(map, std::span(&columns[at], 1));
    for (std::size_t row = 0; row < matches.size(); ++row)
      values.label[row] |= matches[row] > 0 ? 1U << at : 0U;
  }
  const std::uint32_t sets = 1U << columns.size();
  const auto colours = class_colours({1, 2, 3, 4, 5, 6, 7});
  values.classes.push_back({tr("no match"), without_match});
  for (std::uint32_t set = 1; set < sets; ++set) {
    QStringList offsets;
    for (std::size_t at = 0; at < columns.size(); ++at) {
      if (((set >> at) & 1U) != 0) offsets << offset_text(map, columns[at]);
    }
    values.classes.push_back({offsets.join(QStringLiteral(" + ")), colours.at(set)});
  }
  return values;
}

/// Creates one class for each L1 norm. Label 0 means that the voxel has no match.
VoxelValues nearest_matches(const KernelMap& map, const std::vector<int>& columns) {
  const int most = map.offsets->max_l1();
  VoxelValues values;
  values.title = columns.empty() ? tr("L1 distance to nearest neighbour")
                                 : counted(std::ssize(columns), tr("L1 distance to nearest match (1 offset)"),
                                           tr("L1 distance to nearest match (%1 offsets)"));
  values.label.assign(static_cast<std::size_t>(map.outputs), 0);
  values.classes.push_back({tr("no match"), without_match});
  for (int l1 = 1; l1 <= most; ++l1) {
    std::vector<int> ring;
    for (int column = 0; column < map.offsets->columns(); ++column) {
      const bool wanted =
          columns.empty() || std::find(columns.begin(), columns.end(), column) != columns.end();
      if (wanted && map.offsets->l1(column) == l1) ring.push_back(column);
    }
    const auto matches = matches_per_output(map, ring);
    for (std::size_t row = 0; row < matches.size(); ++row) {
      if (matches[row] > 0 && values.label[row] == 0) values.label[row] = static_cast<std::uint32_t>(l1);
    }
    const double share = most > 1 ? 1.0 - (0.7 * (l1 - 1) / (most - 1)) : 1.0;
    values.classes.push_back({tr("L1 = %1").arg(l1), colour_of(ColourMap::viridis, share)});
  }
  return values;
}

}  // namespace

VoxelValues density_values(const KernelMap& map) {
  const int columns = map.offsets->columns();
  VoxelValues values;
  values.title = tr("density, % of %1 neighbours").arg(columns);
  for (const std::uint16_t matches : matches_per_output(map))
    values.amount.push_back(100.0F * static_cast<float>(matches) / static_cast<float>(columns));
  return values;
}

VoxelValues offset_match_values(const KernelMap& map, const std::vector<int>& columns) {
  constexpr std::size_t max_named = 3;
  const bool named = !columns.empty() && columns.size() <= max_named;
  return named ? match_sets(map, columns) : nearest_matches(map, columns);
}

VoxelValues threshold_side_values(const KernelMap& map, int threshold, const std::array<Rgb, 2>& sides) {
  constexpr Rgb half{190, 190, 190};  // colour of 50 %; visible on light and dark backgrounds
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
  values.scale =
      OwnScale{{sides[0], half, sides[1]},
               {0, 100},
               tr("0 %, dense (OS)"),
               tr("100 %, sparse (WS)"),
               tr("dense: %1\nsparse: %2").arg(share_text(left, total), share_text(total - left, total))};
  return values;
}

VoxelValues changed_values(const VoxelScene& scene, int stride, const VoxelScene& other) {
  const CoordSet& own = scene.level(stride);
  const CoordSet* theirs = has_level(other, stride) ? &other.level(stride) : nullptr;
  const std::int64_t there = theirs != nullptr ? size_of(*theirs) : 0;
  VoxelValues values;
  values.title = tr("compared with the other scene");
  values.label.reserve(static_cast<std::size_t>(size_of(own)));
  std::int64_t common = 0;
  for (std::int64_t row = 0; row < size_of(own); ++row) {
    Voxel voxel = voxel_at(own, row);
    for (std::size_t axis = 0; axis < 3; ++axis)
      voxel[axis] += static_cast<std::int32_t>(scene.shift[axis] - other.shift[axis]);
    const bool outside = std::any_of(voxel.begin(), voxel.end(), [](std::int32_t at) { return at < 0; });
    const bool both = theirs != nullptr && !outside && row_of_voxel(*theirs, voxel);
    common += both ? 1 : 0;
    values.label.push_back(both ? 0 : 1);
  }
  values.classes = {{tr("in both"), {150, 150, 150}},
                    {tr("only in this scene"), {200, 0, 120}},
                    {tr("only in the other scene (not drawn)"), {150, 150, 150}, there - common}};
  return values;
}

}  // namespace spira::ui
