#include "ui/view3d/voxels/scene_colours.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

/// Returns the colour range. If the mode is `typed` but the user has typed no range for this colouring, sets
/// `mode` to `all` and returns the range of all voxels.
ValueRange range_of(const ColourRequest& request, const VoxelValues& values, RangeMode& mode) {
  if (values.scale) return values.scale->range;
  if (values.amount.empty()) return {};
  const auto known = request.look.typed.find(request.key.colour_by);
  if (mode == RangeMode::typed && known != request.look.typed.end())
    return {known->second.first, known->second.second};
  if (mode == RangeMode::typed) mode = RangeMode::all;
  if (mode == RangeMode::all) return request.held ? request.held->range : middle_range(values.amount);
  return range_in_view(values.amount, *request.mesh, request.from);
}

std::shared_ptr<const Colouring> colouring_of(const ColourRequest& request) {
  const auto& known = request.known;
  const bool in_view = request.look.range == RangeMode::view;
  const bool same_values = known && known->key == request.key;
  if (same_values && known->look == request.look && known->held == request.held &&
      (!in_view || (known->from == request.from && known->seen == request.mesh)))
    return known;
  auto made = std::make_shared<Colouring>();
  made->key = request.key;
  made->look = request.look;
  made->held = request.held;
  made->values = same_values ? known->values
                             : voxel_values(*request.key.scene, request.key.stride, request.key.colour_by,
                                            request.key.sources);
  RangeMode mode = request.look.range;
  const ValueRange range = range_of(request, made->values, mode);
  if (mode == RangeMode::view && !made->values.amount.empty() && !made->values.scale) {
    made->from = request.from;
    made->seen = request.mesh;
  }
  made->colours = paint(made->values, request.look.map, range);
  if (made->values.scale) return made;
  if (!made->values.amount.empty())
    made->histogram = same_values ? known->histogram
                                  : std::make_shared<const ValueHistogram>(histogram_of(made->values.amount));
  made->colours.legend.histogram = made->histogram;
  made->of_all = mode == RangeMode::all && !request.held && !made->values.amount.empty();
  if (mode == RangeMode::all && request.held)
    made->colours.legend.range_text = request.held->frame == HeldRange::all_scenes
                                          ? tr("middle 98 % of all scenes")
                                          : tr("middle 98 % of frame %1").arg(request.held->frame + 1);
  else
    made->colours.legend.range_text = text_of(mode);
  return made;
}

/// Returns the number of matches of each voxel at the highlighted offsets. Returns an empty list if no offset
/// is highlighted.
std::vector<std::uint16_t> matches_of(const ColourRequest& request) {
  const auto& map = request.key.sources.map;
  return map && !request.columns.empty() ? matches_per_output(*map, request.columns)
                                         : std::vector<std::uint16_t>();
}

/// Returns a flag for each voxel: true if it is highlighted. Returns an empty list if there is no highlight.
std::vector<bool> kept_rows(const ColourRequest& request, const std::vector<std::uint16_t>& matches) {
  std::vector<bool> keep;
  for (const std::uint16_t count : matches)
    keep.push_back(count > 0);
  if (!request.chosen || request.chosen->scene != request.key.scene) return keep;
  std::vector<bool> chosen(static_cast<std::size_t>(request.mesh->voxels), false);
  for (const std::int32_t row : rows_at(*request.chosen, request.key.stride))
    chosen[static_cast<std::size_t>(row)] = keep.empty() || keep[static_cast<std::size_t>(row)];
  return chosen;
}

/// Colours voxels by their number of matches, from one match to matches at all offsets of the group. Voxels
/// without a match are faded later.
void colour_group(const ColourRequest& request, const std::vector<std::uint16_t>& matches,
                  SceneColours& result) {
  if (request.columns.size() < 2 || matches.empty()) return;
  // Keep colours that have a fixed meaning, because the user needs them. The group is still visible, because
  // all other voxels are faded.
  if (result.legend.fixed()) return;
  const auto most = static_cast<double>(request.columns.size());
  ColourLegend legend;
  legend.title = tr("pairs at the %1 highlighted offsets").arg(request.columns.size());
  legend.map = request.look.map;
  legend.range = {1, most};
  legend.bar = true;
  for (std::size_t row = 0; row < matches.size(); ++row) {
    if (matches[row] > 0) result.shown[row] = colour_of(legend.map, (matches[row] - 1) / (most - 1));
  }
  result.group = std::move(legend);
}

Rgb faded(const Rgb& colour, const Rgb& background) {
  Rgb result{};
  for (std::size_t c = 0; c < 3; ++c)
    result[c] = static_cast<std::uint8_t>((colour[c] + (7 * background[c])) / 8);
  return result;
}

/// Returns the mean colour of the voxels that each point represents. If some of these voxels are highlighted,
/// averages only the highlighted voxels, so that the highlight stays visible.
std::vector<Rgb> mean_colours(const VoxelMesh& mesh, const LevelOfDetail& detail,
                              const std::vector<Rgb>& shown, const std::vector<bool>& keep) {
  if (!detail.mesh) return {};
  struct Sum {
    std::array<std::uint32_t, 3> of{};
    std::uint32_t count = 0;
    bool kept = false;
  };
  std::vector<Sum> sums(static_cast<std::size_t>(detail.mesh->voxels));
  for (std::size_t row = 0; row < shown.size(); ++row) {
    if (mesh.hides(row) || detail.of_row[row] < 0) continue;
    Sum& sum = sums[static_cast<std::size_t>(detail.of_row[row])];
    const bool kept = !keep.empty() && keep[row];
    if (sum.kept && !kept) continue;
    if (kept && !sum.kept) sum = {{}, 0, true};
    for (std::size_t c = 0; c < 3; ++c)
      sum.of[c] += shown[row][c];
    ++sum.count;
  }
  std::vector<Rgb> colours(sums.size());
  for (std::size_t row = 0; row < sums.size(); ++row) {
    for (std::size_t c = 0; c < 3; ++c)
      colours[row][c] = static_cast<std::uint8_t>(sums[row].of[c] / std::max(1U, sums[row].count));
  }
  return colours;
}

std::shared_ptr<const MovingColouring> moving_colouring_of(const ColourRequest& request,
                                                           std::shared_ptr<const Colouring> colouring) {
  const VoxelMesh& mesh = *request.mesh;
  if (!mesh.moving.mesh) return nullptr;
  const auto& known = request.known_moving;
  const bool same_mesh = known && known->mesh == request.mesh;
  const auto& map = request.key.sources.map;
  if (same_mesh && known->colouring == colouring && known->map == map) return known;
  auto made = std::make_shared<MovingColouring>();
  made->mesh = request.mesh;
  made->map = map;
  made->colours = mean_colours(mesh, mesh.moving, colouring->colours.colour, {});
  if (same_mesh && known->map == map) {
    made->columns = known->columns;
  } else if (map) {
    made->columns = columns_of_groups(*map, mesh.moving.of_row, mesh.moving.mesh->voxels);
  }
  made->colouring = std::move(colouring);
  return made;
}

}  // namespace

bool ColouringKey::operator==(const ColouringKey& other) const {
  const bool of_map = colour_by == ColourBy::match_count || colour_by == ColourBy::density ||
                      colour_by == ColourBy::offset_match || colour_by == ColourBy::threshold_sides;
  ColourSources used = sources, other_used = other.sources;
  for (ColourSources* one : {&used, &other_used}) {
    if (!of_map) one->map.reset();
    if (colour_by != ColourBy::feature_norm) one->layer.reset();
  }
  return scene == other.scene && stride == other.stride && colour_by == other.colour_by && used == other_used;
}

bool gives_same_colours(const ColourRequest& one, const ColourRequest& other) {
  const bool in_view = one.look.range == RangeMode::view;
  // A mesh with points for moving frames needs the map to highlight offsets quickly.
  const bool uses_map = !one.columns.empty() || one.mesh->moving.mesh;
  return one.mesh == other.mesh && one.key == other.key && one.look == other.look && one.held == other.held &&
         (!in_view || one.from == other.from) && one.columns == other.columns &&
         (!uses_map || one.key.sources.map == other.key.sources.map) && one.chosen == other.chosen &&
         one.hidden_labels == other.hidden_labels && one.alarm == other.alarm &&
         one.background == other.background;
}

SceneColours colour_scene(const ColourRequest& request, const std::stop_token& stop) {
  SceneColours result;
  result.mesh = request.mesh;
  result.colouring = colouring_of(request);
  if (stop.stop_requested()) return result;
  result.legend = result.colouring->colours.legend;
  for (auto& one : result.legend.classes)
    one.hidden = result.legend.labels ? request.hidden_labels.count(one.label) > 0 : one.hidden;
  result.moving_colouring = moving_colouring_of(request, result.colouring);
  if (stop.stop_requested()) return result;
  result.shown = result.colouring->colours.colour;
  const std::vector<std::uint16_t> matches = matches_of(request);
  colour_group(request, matches, result);
  const std::vector<bool> keep = kept_rows(request, matches);
  const bool alarm = request.chosen && request.chosen->past;
  for (std::size_t row = 0; row < keep.size(); ++row) {
    if (!keep[row]) {
      result.shown[row] = faded(result.shown[row], request.background);
    } else if (alarm) {
      result.shown[row] = request.alarm;
    }
  }
  if (stop.stop_requested()) return result;
  result.moving = mean_colours(*request.mesh, request.mesh->moving, result.shown, keep);
  result.still = mean_colours(*request.mesh, request.mesh->still, result.shown, keep);
  return result;
}

std::vector<Rgb> colour_moving(const ColourRequest& request) {
  const auto& known = request.known_moving;
  const auto& map = request.key.sources.map;
  if (!known || known->mesh != request.mesh || request.chosen || !request.known) return {};
  if (known->colouring != request.known || !(request.known->key == request.key) ||
      !(request.known->look == request.look))
    return {};
  if (request.columns.empty()) return known->colours;
  if (!map || known->map != map || known->columns.empty()) return {};
  const int k = map->offsets->z_cells();
  const auto groups = static_cast<std::size_t>(map->offsets->z_groups());
  std::map<std::size_t, std::uint32_t> wanted;  // Bit mask of the highlighted offsets in each z-group.
  for (const int column : request.columns) {
    if (column < map->offsets->columns()) wanted[static_cast<std::size_t>(column / k)] |= 1U << (column % k);
  }
  const std::vector<std::pair<std::size_t, std::uint32_t>> bits(wanted.begin(), wanted.end());
  std::vector<Rgb> colours = known->colours;
  for (std::size_t at = 0; at < colours.size(); ++at) {
    // Number of offsets at which at least one voxel of the point has a match. A single voxel may have fewer
    // matches.
    int matched = 0;
    for (const auto& [group, mask] : bits)
      matched += std::popcount(known->columns[(at * groups) + group] & mask);
    if (matched == 0) {
      colours[at] = faded(colours[at], request.background);
    } else if (request.columns.size() > 1 && !request.known->colours.legend.fixed()) {
      colours[at] =
          colour_of(request.look.map, (matched - 1) / static_cast<double>(request.columns.size() - 1));
    }
  }
  return colours;
}

std::optional<HeldRange> HeldRanges::of(int frame, ColourBy by, int stride) const {
  const auto found = ranges_.find({by, stride});
  if (found == ranges_.end() || found->second.frame == frame) return std::nullopt;
  return found->second;
}

}  // namespace spira::ui
