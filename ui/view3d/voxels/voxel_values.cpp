#include "ui/view3d/voxels/voxel_values.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

std::vector<float> heights(const VoxelScene& scene, int stride) {
  const CoordSet& level = scene.level(stride);
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(size_of(level)));
  for (std::int64_t row = 0; row < size_of(level); ++row)
    result.push_back(static_cast<float>(scene.centre_m(voxel_at(level, row), stride)[2]));
  return result;
}

VoxelValues values_of(const VoxelScene& scene, int stride, ColourBy colour_by, const ColourSources& sources) {
  VoxelValues values;
  switch (colour_by) {
    case ColourBy::height:
      values.title = height_title(scene.cloud->unit());
      values.amount = heights(scene, stride);
      break;
    case ColourBy::intensity:
      values.title = tr("intensity, mean");
      values.amount = mean_intensities(scene, stride);
      break;
    case ColourBy::colour:
      values.title = tr("point colour");
      values.rgb = mean_colours(scene, stride);
      break;
    case ColourBy::label:
      values.title = tr("label");
      values.label = voxel_labels(scene, stride);
      values.label_format = scene.cloud->format;
      break;
    case ColourBy::points_per_voxel: {
      const auto points = points_in_voxels(scene, stride);
      values.title = tr("points per voxel");
      values.amount.assign(points.begin(), points.end());
      break;
    }
    case ColourBy::match_count: {
      const auto matches = matches_per_output(*sources.map);
      values.title =
          sources.map->many() ? tr("neighbours (triplets of the kernel map)") : tr("pairs of the kernel map");
      values.amount.assign(matches.begin(), matches.end());
      break;
    }
    case ColourBy::feature_norm: {
      const auto norms = feature_norms(*sources.layer->features);
      values.title = tr("feature norm");
      values.amount.assign(norms.begin(), norms.end());
      break;
    }
    case ColourBy::threshold_sides:
      return threshold_side_values(*sources.map, sources.threshold, sources.sides);
    case ColourBy::density:
      return density_values(*sources.map);
    case ColourBy::offset_match:
      return offset_match_values(*sources.map, sources.columns);
    case ColourBy::changed:
      return changed_values(scene, stride, *sources.other);
    case ColourBy::centre_distance:
      return centre_distance_values(scene, stride);
    case ColourBy::changed_neighbours:
      return changed_neighbour_values(scene, stride, *sources.map);
  }
  return values;
}

}  // namespace

QString colouring_unavailable_reason(ColourBy colour_by, const VoxelScene& scene, int stride,
                                     const ColourSources& sources) {
  const PointCloud& cloud = *scene.cloud;
  if (colour_by == ColourBy::intensity && cloud.intensity.empty()) return tr("the scene has no intensity");
  if (colour_by == ColourBy::colour && cloud.colour.empty()) return tr("the scene has no colours");
  if (colour_by == ColourBy::label && cloud.label.empty()) return tr("the scene has no labels");
  const bool of_map = colour_by == ColourBy::match_count || colour_by == ColourBy::density ||
                      colour_by == ColourBy::offset_match;
  if (of_map && !sources.map) return tr("no pair counts at this stride yet");
  if (colour_by == ColourBy::changed && !sources.other)
    return tr("no other scene: press B to set the open run as the baseline, then open the next scene");
  if (colour_by == ColourBy::changed && sources.other->grid.voxel_m != scene.grid.voxel_m)
    return tr("the other scene has a different voxel size");
  // The other scene may belong to a smaller network, which has fewer levels.
  if (colour_by == ColourBy::changed && !has_same_level(scene, *sources.other, stride))
    return tr("the other scene has no level of this stride");
  if (colour_by == ColourBy::centre_distance && !scene.positions.contains(stride))
    return tr("the scene has no positions at this stride: choose Cube or Ball as neighbours");
  if (colour_by == ColourBy::changed_neighbours && (!sources.map || !sources.map->many()))
    return tr("no map of points at this stride: choose Cube or Ball as neighbours");
  if (colour_by == ColourBy::threshold_sides && (!sources.map || sources.threshold < 0))
    return tr("no threshold t at this stride: select a layer that was run");
  if (colour_by == ColourBy::feature_norm && !sources.layer)
    return tr("no features at this stride: select a layer that was run");
  return {};
}

QString height_title(LengthUnit unit) {
  return tr("height, %1").arg(unitOnScreen(unit));
}

VoxelValues voxel_values(const VoxelScene& scene, int stride, ColourBy colour_by,
                         const ColourSources& sources) {
  const auto count = static_cast<std::size_t>(size_of(scene.level(stride)));
  QString why = colouring_unavailable_reason(colour_by, scene, stride, sources);
  if (why.isEmpty()) {
    VoxelValues values = values_of(scene, stride, colour_by, sources);
    const auto special = std::count_if(values.amount.begin(), values.amount.end(),
                                       [](float value) { return !std::isfinite(value); });
    // Other colourings use NaN for voxels without a value, so do not count NaN there.
    if (special > 0 && (colour_by == ColourBy::feature_norm || colour_by == ColourBy::intensity))
      values.note = tr("NaN or infinite: %1 of %2")
                        .arg(onScreen(count_text(special)), onScreen(count_text(std::ssize(values.amount))));
    if (values.size() == count) return values;
    why = colour_by == ColourBy::feature_norm ? tr("no features at this stride")
                                              : tr("no pair counts at this stride yet");
  }
  VoxelValues instead = values_of(scene, stride, ColourBy::height, {});
  instead.note = why;
  return instead;
}

ValueRange middle_range(std::vector<float> values) {
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  const auto at = [&](double share) {
    const auto nth =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return static_cast<double>(*nth);
  };
  const double low = at(0.01);
  return {low, at(0.99)};
}

ValueHistogram histogram_of(std::vector<float> values) {
  constexpr std::size_t max_bins = 64, min_bins = 16;
  ValueHistogram found;
  found.counts.assign(max_bins, 0);
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  found.values = std::ssize(values);
  if (values.empty()) return found;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double smallest = *least, largest = *most;
  const auto at = [&](double share) {
    const auto nth =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return static_cast<double>(*nth);
  };
  found.q1 = at(0.25);
  found.median = at(0.5);
  found.q3 = at(0.75);
  const double low = at(0.01), high = at(0.99), margin = (high - low) / 8;
  found.range = {std::max(smallest, low - margin), std::min(largest, high + margin)};
  // If all values are equal, they are in the middle of the histogram.
  if (found.range.high <= found.range.low) found.range = {smallest - 0.5, smallest + 0.5};
  const double width = (found.range.high - found.range.low) / static_cast<double>(max_bins);
  for (const float value : values) {
    if (value < found.range.low) {
      ++found.below;
    } else if (value > found.range.high) {
      ++found.above;
    } else {
      const auto bin = static_cast<std::size_t>((value - found.range.low) / width);
      ++found.counts[std::min(bin, max_bins - 1)];
    }
  }
  // Values with few steps, such as heights of voxels, leave many bins empty. Wider bins avoid these gaps.
  const auto empty = [&] { return std::count(found.counts.begin(), found.counts.end(), 0); };
  while (found.counts.size() > min_bins && 3 * empty() > std::ssize(found.counts)) {
    for (std::size_t bin = 0; bin < found.counts.size() / 2; ++bin)
      found.counts[bin] = found.counts[2 * bin] + found.counts[(2 * bin) + 1];
    found.counts.resize(found.counts.size() / 2);
  }
  return found;
}

ValueRange range_in_view(const std::vector<float>& values, const VoxelMesh& mesh, const ViewPoint& from) {
  constexpr std::size_t most = 200'000;  // A selection of this size takes some milliseconds.
  const std::size_t step = (values.size() / most) + 1;
  std::vector<float> seen;
  for (std::size_t row = 0; row < values.size(); row += step) {
    if (mesh.hides(row)) continue;
    const float* p = mesh.centres.data() + (3 * row);
    if (in_picture(from, {p[0], p[1], p[2]})) seen.push_back(values[row]);
  }
  if (seen.empty()) return middle_range(values);
  return middle_range(std::move(seen));
}

namespace {

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
  values.title = tr("pairs at the selected offsets");
  values.label.assign(static_cast<std::size_t>(map.outputs), 0);
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const auto matches = matches_per_output(map, std::span(&columns[at], 1));
    for (std::size_t row = 0; row < matches.size(); ++row)
      values.label[row] |= matches[row] > 0 ? 1U << at : 0U;
  }
  const std::uint32_t sets = 1U << columns.size();
  const auto colours = class_colours({1, 2, 3, 4, 5, 6, 7});
  values.classes.push_back({tr("no pair"), without_match});
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
  values.title =
      columns.empty()
          ? tr("L1 distance to nearest neighbour")
          : counted(std::ssize(columns), tr("L1 distance to nearest neighbour (only at the selected offset)"),
                    tr("L1 distance to nearest neighbour (only at the %1 selected offsets)"));
  values.label.assign(static_cast<std::size_t>(map.outputs), 0);
  values.classes.push_back({tr("no pair"), without_match});
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
  values.title = counted(columns, tr("density, % of 1 neighbour"), tr("density, % of %1 neighbours"));
  for (const std::uint16_t neighbours : groups_per_output(map))
    values.amount.push_back(100.0F * static_cast<float>(neighbours) / static_cast<float>(columns));
  return values;
}

VoxelValues offset_match_values(const KernelMap& map, const std::vector<int>& columns) {
  constexpr std::size_t max_named = 3;
  const bool named = !columns.empty() && columns.size() <= max_named;
  return named ? match_sets(map, columns) : nearest_matches(map, columns);
}

VoxelValues threshold_side_values(const KernelMap& map, int threshold, const std::array<Rgb, 2>& sides) {
  constexpr Rgb half{190, 190, 190};  // Colour of 50 %. It is visible on light and dark backgrounds.
  const auto all = matches_per_output(map);
  const auto dense = matches_per_output(map, map.offsets->dense_columns(threshold));
  VoxelValues values;
  values.title = tr("share of weight-stationary pairs at t = %1, %").arg(threshold);
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
                          tr("0 %: all OS"),
                          tr("100 %: all WS"),
                          tr("output-stationary (OS): %1\nweight-stationary (WS): %2")
                              .arg(share_text(left, total), share_text(total - left, total))};
  return values;
}

VoxelValues centre_distance_values(const VoxelScene& scene, int stride) {
  VoxelValues values;
  values.title = tr("distance to centre, %1").arg(unitOnScreen(scene.cloud->unit()));
  for (const std::uint64_t word : positions_of(scene, stride).words.host_span<std::uint64_t>()) {
    const auto fields = position_fields(word);
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cells =
          (static_cast<double>(fields[axis]) / static_cast<double>(position_one)) - (stride / 2.0);
      squared += std::pow(cells * scene.grid.voxel_m[axis], 2);
    }
    values.amount.push_back(static_cast<float>(std::sqrt(squared)));
  }
  values.amount.resize(static_cast<std::size_t>(size_of(scene.level(stride))));
  return values;
}

VoxelValues changed_neighbour_values(const VoxelScene& scene, int stride, const KernelMap& map) {
  const KernelOffsets voxel_offsets(map.offsets->kernel().size, map.offsets->stride());
  const std::vector<Voxel> outputs = all_voxels(scene.level(stride)),
                           inputs = all_voxels(scene.level(map.offsets->stride()[0]));
  std::vector<std::int64_t> all(outputs.size()), same(outputs.size());
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    const auto row = static_cast<std::size_t>(output);
    const Voxel &from = outputs[row], &to = inputs[static_cast<std::size_t>(input)];
    ++all[row];
    if (Voxel{to[0] - from[0], to[1] - from[1], to[2] - from[2]} == voxel_offsets.offset(column)) ++same[row];
  });
  VoxelValues values;
  values.title = tr("changed neighbours, %");
  for (std::size_t row = 0; row < all.size(); ++row) {
    values.amount.push_back(all[row] == 0 ? std::numeric_limits<float>::quiet_NaN()
                                          : 100.0F * static_cast<float>(all[row] - same[row]) /
                                                static_cast<float>(all[row]));
  }
  return values;
}

VoxelValues changed_values(const VoxelScene& scene, int stride, const VoxelScene& other) {
  const CoordSet& own = scene.level(stride);
  const CoordSet* theirs = has_same_level(scene, other, stride) ? &other.level(stride) : nullptr;
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

ColourSources colour_sources(const Workspace& workspace, const Selection& selection, int stride,
                             ColourBy colour_by) {
  const std::int64_t voxels = size_of(workspace.scene().voxels()->level(stride));
  const bool sides = colour_by == ColourBy::threshold_sides;
  const int chosen = sides && selection.tried() ? selection.tried()->layer : selection.layer();
  const auto& layer = workspace.results().layer(chosen, RunResults::Rows::shown);
  const auto shown =
      chosen == selection.layer() ? shown_map(workspace, selection) : workspace.shownMap(chosen);
  ColourSources sources;
  if (layer && layer->features->rows == voxels && layer->levels.stride_out == stride) sources.layer = layer;
  if (shown.map && shown.map->outputs == voxels && shown.stride_out == stride) sources.map = shown.map;
  if (sides && workspace.results().wasRun(chosen))
    sources.threshold = threshold_looked_at(workspace, selection, chosen);
  if (colour_by == ColourBy::changed) sources.other = workspace.baseline().voxels();
  if (colour_by == ColourBy::offset_match && sources.map) {
    const auto& over = selection.hover().columns;
    sources.columns = over.empty() ? selection.columns() : over;
    std::erase_if(sources.columns, [&](int column) { return column >= sources.map->offsets->columns(); });
  }
  return sources;
}

ColourBy colouring_now(const Workspace& workspace, const Selection& selection) {
  const bool sides = selection.tried() &&
                     colouring_unavailable_reason(ColourBy::threshold_sides, workspace, selection).isEmpty();
  return sides ? ColourBy::threshold_sides : selection.look().colourBy();
}

QString colouring_unavailable_reason(ColourBy colour_by, const Workspace& workspace,
                                     const Selection& selection) {
  const auto& scene = workspace.scene().voxels();
  if (!scene) return tr("no scene is open");
  const int stride = selection.stride();
  const ColourSources sources =
      has_level(*scene, stride) ? colour_sources(workspace, selection, stride, colour_by) : ColourSources{};
  return colouring_unavailable_reason(colour_by, *scene, stride, sources);
}

}  // namespace spira::ui
