#include "engine/run/voxel_scene.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/measurement.hpp"
#include "engine/scene/batch.hpp"

#include <algorithm>

namespace spira {

const CoordSet& VoxelScene::level(int stride) const {
  std::string there;
  for (const auto& coords : levels) {
    if (coords->stride == stride) return *coords;
    there += (there.empty() ? "" : ", ") + level_text(*this, coords->stride);
  }
  if (stride >= first_numbered_level)
    throw Error(ErrorKind::usage,
                "the scene was voxelised without this level of the network; available strides: " + there);
  throw Error(ErrorKind::usage, "no level has stride " + std::to_string(stride) + "; available: " + there);
}

namespace {

/// Returns the first row of a frame. The rows are sorted by frame.
std::int64_t first_row(const CoordSet& level, int frame) {
  std::int64_t low = 0, high = size_of(level);
  while (low < high) {
    const std::int64_t middle = low + ((high - low) / 2);
    if (frame_at(level, middle) < frame) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class Word>
void copy_keys(const CoordSet& from, std::int64_t first, std::uint64_t first_key, CoordSet& to) {
  const auto keys = to.keys.host_span<Word>();
  for (std::int64_t row = 0; row < *to.size; ++row)
    keys[static_cast<std::size_t>(row)] = static_cast<Word>(key_at(from, first + row) - first_key);
}

std::shared_ptr<const CoordSet> frame_level(const CoordSet& level, int frame) {
  const std::int64_t first = first_row(level, frame), end = first_row(level, frame + 1);
  const auto pool = make_host_pool();
  auto result = std::make_shared<CoordSet>();
  result->pack = level.pack.with_batch(1);
  result->stride = level.stride;
  result->rule = level.rule;
  result->capacity = end - first;
  result->size = end - first;
  constexpr std::size_t byte_bits = 8;
  const std::size_t word_bytes = static_cast<std::size_t>(result->pack.word_bits()) / byte_bits;
  result->keys = Buffer(pool, static_cast<std::size_t>(end - first) * word_bytes);
  result->count = Buffer(pool, sizeof(std::int64_t));
  result->count.host_span<std::int64_t>()[0] = end - first;
  const std::uint64_t first_key = level.pack.first_key(frame);
  if (word_bytes == sizeof(std::uint32_t)) {
    copy_keys<std::uint32_t>(level, first, first_key, *result);
  } else {
    copy_keys<std::uint64_t>(level, first, first_key, *result);
  }
  return result;
}

/// The rows of one frame in a level of a batch.
struct FrameRows {
  FrameRows(const CoordSet& level, int frame)
      : first(first_row(level, frame)), count(first_row(level, frame + 1) - first) {}
  std::int64_t first, count;
};

/// Fills the part with the pair lists of a native map. An output can have several inputs in a column.
void fill_lists(const KernelMap& map, const FrameRows& outputs, const FrameRows& inputs,
                KernelMap::Part& part) {
  part.layout = MapLayout::pair_lists;
  part.counts = Buffer(make_host_pool(), part.columns.size() * sizeof(std::int32_t));
  const auto counts = part.counts.host_span<std::int32_t>();
  std::fill(counts.begin(), counts.end(), 0);
  std::vector<std::array<std::int32_t, 2>> pairs;
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    const std::int64_t row = output - outputs.first;
    if (row < 0 || row >= outputs.count) return;
    pairs.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(input - inputs.first)});
    ++counts[static_cast<std::size_t>(column)];
  });
  part.entries = Buffer(make_host_pool(), pairs.size() * sizeof(pairs[0]));
  std::copy(pairs.begin(), pairs.end(), part.entries.host_span<std::array<std::int32_t, 2>>().begin());
}

std::shared_ptr<const KernelMap> frame_map(const KernelMap& map, const FrameRows& outputs,
                                           const FrameRows& inputs) {
  auto result = std::make_shared<KernelMap>();
  result->offsets = map.offsets;
  result->outputs = outputs.count;
  result->inputs = inputs.count;
  result->submanifold = map.submanifold;
  result->algorithm = map.algorithm;
  const auto columns = static_cast<std::size_t>(map.offsets->columns());
  KernelMap::Part& part = result->parts.emplace_back();
  for (int column = 0; column < map.offsets->columns(); ++column)
    part.columns.push_back(column);
  if (map.many()) {
    fill_lists(map, outputs, inputs, part);
    return result;
  }
  part.entries =
      Buffer(make_host_pool(), static_cast<std::size_t>(outputs.count) * columns * sizeof(std::int32_t));
  const auto entries = part.entries.host_span<std::int32_t>();
  std::fill(entries.begin(), entries.end(), -1);
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    const std::int64_t row = output - outputs.first;
    if (row < 0 || row >= outputs.count) return;
    const std::size_t at = (static_cast<std::size_t>(row) * columns) + static_cast<std::size_t>(column);
    entries[at] = static_cast<std::int32_t>(input - inputs.first);
  });
  return result;
}

/// Returns the positions of one frame. `first_point` is the index of its first point in the batch.
std::shared_ptr<const Positions> frame_positions(const Positions& positions, const FrameRows& rows,
                                                 std::int64_t first_point) {
  auto result = std::make_shared<Positions>();
  result->kind = positions.kind;
  const auto first = static_cast<std::size_t>(rows.first), count = static_cast<std::size_t>(rows.count);
  result->words = Buffer(make_host_pool(), count * sizeof(std::uint64_t));
  const auto words = positions.words.host_span<std::uint64_t>().subspan(first, count);
  std::copy(words.begin(), words.end(), result->words.host_span<std::uint64_t>().begin());
  result->points = Buffer(make_host_pool(), count * sizeof(std::int32_t));
  const auto points = positions.points.host_span<std::int32_t>().subspan(first, count);
  std::transform(
      points.begin(), points.end(), result->points.host_span<std::int32_t>().begin(),
      [first_point](std::int32_t point) { return static_cast<std::int32_t>(point - first_point); });
  return result;
}

std::shared_ptr<const Features> frame_features(const Features& features, const FrameRows& rows) {
  auto result = std::make_shared<Features>();
  result->rows = rows.count;
  result->channels = features.channels;
  result->precision = features.precision;
  const std::size_t row_bytes = static_cast<std::size_t>(features.channels) * bytes_of(features.precision);
  result->data = Buffer(make_host_pool(), static_cast<std::size_t>(rows.count) * row_bytes);
  const auto from = features.data.host_span<std::uint8_t>().subspan(
      static_cast<std::size_t>(rows.first) * row_bytes, static_cast<std::size_t>(rows.count) * row_bytes);
  std::copy(from.begin(), from.end(), result->data.host_span<std::uint8_t>().begin());
  return result;
}

}  // namespace

std::shared_ptr<const LayerResult> frame_result(const LayerResult& result,
                                                const std::shared_ptr<const VoxelScene>& frame) {
  const CoordSet& level = result.scene->level(result.levels.stride_out);
  if (!result.map || level.rule.is_points()) return nullptr;
  const CoordSet& in = result.scene->level(result.levels.map.stride_in);
  const CoordSet& out = result.scene->level(result.levels.map.stride_out);
  if (in.rule.is_points() || out.rule.is_points()) return nullptr;
  auto part = std::make_shared<LayerResult>(result);
  part->scene = frame->batch == result.scene ? frame : frame_scene(result.scene, frame->frame);
  part->map = frame_map(*result.map, FrameRows(out, frame->frame), FrameRows(in, frame->frame));
  if (result.features) part->features = frame_features(*result.features, FrameRows(level, frame->frame));
  return part;
}

std::shared_ptr<const VoxelScene> frame_scene(const std::shared_ptr<const VoxelScene>& batch, int frame) {
  const PointCloud& points = *batch->cloud;
  if (points.batch() == 1) return batch;
  auto scene = std::make_shared<VoxelScene>();
  scene->cloud = std::make_shared<const PointCloud>(frame_of(points, frame));
  scene->grid = batch->grid;
  scene->pack = batch->pack.with_batch(1);
  scene->fit = batch->fit;
  scene->span = batch->span;
  scene->shift = batch->shift;
  scene->origin = batch->origin;
  scene->notes = batch->notes;
  for (const auto& level : batch->levels) {
    // The keys of points are numbers of rows and contain no batch index.
    if (!level->rule.is_points()) scene->levels.push_back(frame_level(*level, frame));
  }
  const std::int64_t first = first_row(batch->level(1), frame);
  const auto from = batch->points_per_voxel.begin() + first;
  scene->points_per_voxel.assign(from, from + size_of(scene->level(1)));
  const auto at = static_cast<std::size_t>(frame);
  for (const auto& [stride, positions] : batch->positions) {
    // Positions of a level that the network does not have only serve to choose those of the next level.
    if (has_level(*batch, stride))
      scene->positions[stride] =
          frame_positions(*positions, FrameRows(batch->level(stride), frame), points.frame_starts[at]);
  }
  for (std::int64_t point = points.frame_starts[at]; point < points.frame_starts[at + 1]; ++point) {
    const std::int32_t row = batch->voxel_of_point[static_cast<std::size_t>(point)];
    scene->voxel_of_point.push_back(row < 0 ? row : static_cast<std::int32_t>(row - first));
    scene->kept += row < 0 ? 0 : 1;
  }
  scene->stages = batch->stages;
  scene->batch = batch;
  scene->frame = frame;
  return scene;
}

const std::shared_ptr<const VoxelScene>& whole_scene(
    const std::shared_ptr<const VoxelScene>& scene) noexcept {
  return scene && scene->batch ? scene->batch : scene;
}

std::vector<std::int64_t> voxels_of_frames(const VoxelScene& batch) {
  const CoordSet& level = batch.level(1);
  std::vector<std::int64_t> voxels;
  for (int frame = 0; frame < batch.cloud->batch(); ++frame)
    voxels.push_back(first_row(level, frame + 1) - first_row(level, frame));
  return voxels;
}

bool has_level(const VoxelScene& scene, int stride) noexcept {
  return std::any_of(scene.levels.begin(), scene.levels.end(),
                     [stride](const auto& one) { return one->stride == stride && !one->rule.is_points(); });
}

std::string level_text(const VoxelScene& scene, int number) {
  if (number < first_numbered_level) return std::to_string(number);
  std::vector<SceneLevel> levels;
  for (const auto& level : scene.levels)
    levels.emplace_back(level->stride, level->rule);
  return level_text(levels, number);
}

bool has_same_level(const VoxelScene& one, const VoxelScene& other, int number) noexcept {
  return has_level(one, number) && has_level(other, number) &&
         one.level(number).rule == other.level(number).rule;
}

const CoordSet& coarsest_floor_level(const VoxelScene& scene) {
  const CoordSet* coarsest = &scene.level(1);
  for (const auto& level : scene.levels) {
    if (level->stride < first_numbered_level && level->stride > coarsest->stride) coarsest = level.get();
  }
  return *coarsest;
}

Voxel cell_around(Voxel voxel, const PerAxis& stride) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis)
    voxel[axis] -= voxel[axis] % stride[axis];
  return voxel;
}

Point VoxelScene::centre_m(Voxel voxel, int stride) const {
  Point centre{};
  const PerAxis step = level(stride).rule.stride();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell =
        static_cast<double>(voxel[axis]) + static_cast<double>(shift[axis]) + (0.5 * step[axis]);
    centre[axis] = cell * grid.voxel_m[axis];
  }
  return centre;
}

const Positions& positions_of(const VoxelScene& scene, int stride) {
  const auto found = scene.positions.find(stride);
  if (found == scene.positions.end())
    throw Error(ErrorKind::usage,
                "the scene was voxelised without positions of points at stride " + std::to_string(stride));
  return *found->second;
}

MapRequest with_positions(MapRequest request, const VoxelScene& scene, const MapKey& key) {
  if (!key.kernel.native()) return request;
  request.in_positions = &positions_of(scene, key.stride_in);
  request.out_positions = &positions_of(scene, key.stride_out);
  return request;
}

void require_kernel(const VoxelScene& scene, const KernelShape& kernel) {
  const auto& axes = scene.fit.axes;
  const SearchedCells cells = searched_cells(kernel);
  int coarsest = 1;
  std::array<std::int64_t, 3> guard{};
  for (const auto& level : scene.levels) {
    coarsest = std::max(coarsest, level->rule.stride().largest());
    const auto own = guard_cells(cells.below, cells.above, level->rule.stride());
    for (std::size_t axis = 0; axis < 3; ++axis)
      guard.at(axis) = std::max(guard.at(axis), own.at(axis));
  }
  PackNeeds needs = needs_of({kernel, 1, coarsest}).with_batch(scene.cloud->batch());
  needs.guard = guard;
  require_fit({axes[0].extent, axes[1].extent, axes[2].extent}, scene.pack, needs);
}

namespace {

/// Returns the mean of a point attribute for each voxel of a level.
template <class Value>
std::vector<float> point_means(const VoxelScene& scene, int stride, const Value& value) {
  const auto parents = parent_rows(scene, stride);
  const auto count = static_cast<std::size_t>(size_of(scene.level(stride)));
  std::vector<double> sums(count, 0.0), points(count, 0.0);
  for (std::size_t at = 0; at < scene.voxel_of_point.size(); ++at) {
    if (scene.voxel_of_point[at] < 0) continue;
    const std::int32_t parent = parents[static_cast<std::size_t>(scene.voxel_of_point[at])];
    if (parent < 0) continue;
    const auto row = static_cast<std::size_t>(parent);
    sums[row] += value(at);
    points[row] += 1.0;
  }
  std::vector<float> result(count);
  for (std::size_t row = 0; row < count; ++row)
    result[row] = static_cast<float>(sums[row] / std::max(1.0, points[row]));
  return result;
}

}  // namespace

std::vector<std::int32_t> parent_rows(const VoxelScene& scene, int stride) {
  const CoordSet& fine = scene.level(1);
  const CoordSet& coarse = scene.level(stride);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(size_of(fine)));
  const PerAxis step = coarse.rule.stride();
  Voxel cell{-1, -1, -1};
  int frame = 0;
  std::int32_t last = -1;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Voxel around = cell_around(voxel_at(fine, static_cast<std::int64_t>(row)), step);
    const int here = frame_at(fine, static_cast<std::int64_t>(row));
    if (around != cell || here != frame)
      last = static_cast<std::int32_t>(row_of_voxel(coarse, around, here).value_or(-1));
    cell = around;
    frame = here;
    rows[row] = last;
  }
  return rows;
}

std::vector<std::int32_t> points_in_voxels(const VoxelScene& scene, int stride) {
  const auto parents = parent_rows(scene, stride);
  std::vector<std::int32_t> points(static_cast<std::size_t>(size_of(scene.level(stride))), 0);
  for (std::size_t row = 0; row < parents.size(); ++row) {
    if (parents[row] >= 0) points[static_cast<std::size_t>(parents[row])] += scene.points_per_voxel[row];
  }
  return points;
}

std::vector<float> mean_intensities(const VoxelScene& scene, int stride) {
  return point_means(scene, stride,
                     [&](std::size_t at) { return static_cast<double>(scene.cloud->intensity[at]); });
}

std::vector<Colour> mean_colours(const VoxelScene& scene, int stride) {
  std::vector<Colour> result(static_cast<std::size_t>(size_of(scene.level(stride))));
  for (std::size_t c = 0; c < 3; ++c) {
    const auto channel = point_means(
        scene, stride, [&](std::size_t at) { return static_cast<double>(scene.cloud->colour[at][c]); });
    for (std::size_t row = 0; row < result.size(); ++row)
      result[row][c] = static_cast<std::uint8_t>(channel[row]);
  }
  return result;
}

std::vector<std::uint32_t> voxel_labels(const VoxelScene& scene, int stride) {
  const auto parents = parent_rows(scene, stride);
  std::vector<std::pair<std::int32_t, std::uint32_t>> pairs;
  for (std::size_t at = 0; at < scene.voxel_of_point.size(); ++at) {
    if (scene.voxel_of_point[at] < 0) continue;
    const std::int32_t parent = parents[static_cast<std::size_t>(scene.voxel_of_point[at])];
    if (parent >= 0) pairs.emplace_back(parent, scene.cloud->label[at]);
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(size_of(scene.level(stride))));
  std::ptrdiff_t most = 0;
  for (auto at = pairs.begin(); at != pairs.end();) {
    const auto next = std::upper_bound(at, pairs.end(), *at);
    const bool first = at == pairs.begin() || std::prev(at)->first != at->first;
    if (first || next - at > most) {
      most = next - at;
      labels[static_cast<std::size_t>(at->first)] = at->second;
    }
    at = next;
  }
  return labels;
}

}  // namespace spira
