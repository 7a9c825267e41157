#include "engine/run/neighbour_facts.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/network/network.hpp"
#include "engine/run/voxel_scene.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace spira {
namespace {

/// The voxels of a level and the positions in them.
class Placed {
 public:
  Placed(const VoxelScene& scene, int stride)
      : voxels_(all_voxels(scene.level(stride))),
        words_(positions_of(scene, stride).words.host_span<std::uint64_t>()) {}
  [[nodiscard]] const Voxel& voxel(std::int32_t row) const { return voxels_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] std::array<std::int32_t, 3> in_voxel(std::int32_t row) const {
    return position_fields(words_[static_cast<std::size_t>(row)]);
  }

 private:
  std::vector<Voxel> voxels_;
  std::span<const std::uint64_t> words_;
};

/// Counts one triplet after another.
class TripletCounter {
 public:
  TripletCounter(const VoxelScene& scene, const MapKey& key, const KernelOffsets& offsets)
      : inputs_(scene, key.stride_in),
        outputs_(scene, key.stride_out),
        offsets_(offsets),
        test_(key.kernel.neighbourhood, key.kernel.size[0], offsets.stride()[0]) {}

  void count(std::int32_t output, int column, std::int32_t input, NeighbourCounts& counts) const {
    const Voxel &from = outputs_.voxel(output), &to = inputs_.voxel(input);
    const auto at_output = outputs_.in_voxel(output), at_input = inputs_.in_voxel(input);
    Voxel step{};
    std::array<std::int32_t, 3> distance{};
    bool near = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      step[axis] = to[axis] - from[axis];
      near = near && std::abs(step[axis]) <= test_.half * offsets_.stride()[axis];
      distance[axis] =
          (step[axis] * static_cast<std::int32_t>(position_one)) + at_input[axis] - at_output[axis];
    }
    counts.folded += test_.outside(distance[0], distance[1], distance[2]) ? 1 : 0;
    counts.in_voxel_map += near ? 1 : 0;
    counts.same_column += step == offsets_.offset(column) ? 1 : 0;
  }

 private:
  Placed inputs_, outputs_;
  const KernelOffsets& offsets_;
  NeighbourTest test_;
};

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// Returns the smallest number that `share` of the sorted numbers do not exceed.
std::int64_t percentile(const std::vector<std::uint16_t>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

bool voxels_would_do(const NeighbourCounts& counts) noexcept {
  constexpr double least_kept = 0.95, most_fan_in = 1.05;
  return counts.triplets > 0 && counts.fan_in() < most_fan_in &&
         static_cast<double>(counts.same_column) >= least_kept * static_cast<double>(counts.triplets);
}

NeighbourCounts neighbour_counts(const VoxelScene& scene, const MapKey& key, const KernelMap& map) {
  SPIRA_ASSERT(map.many(), "only the map of a native kernel has these counts");
  const TripletCounter counter(scene, key, *map.offsets);
  NeighbourCounts counts;
  counts.triplets = sum_of(triplets_per_column(map));
  counts.groups = sum_of(matches_per_column(map));
  const auto neighbours = matches_per_output(map);
  if (!neighbours.empty()) counts.most_neighbours = *std::max_element(neighbours.begin(), neighbours.end());
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    counter.count(output, column, input, counts);
  });
  return counts;
}

std::int64_t NeighbourFacts::list_bytes() const noexcept {
  return counts.triplets * static_cast<std::int64_t>(2 * sizeof(std::int32_t));
}

std::int64_t NeighbourFacts::position_bytes() const noexcept {
  return position_rows * static_cast<std::int64_t>(sizeof(std::uint64_t));
}

std::int64_t NeighbourFacts::explicit_bytes(int channels, std::size_t value_bytes) const noexcept {
  const auto row = sizeof(std::int32_t) + (static_cast<std::size_t>(channels) * value_bytes);
  return outputs * counts.most_neighbours * static_cast<std::int64_t>(row);
}

NeighbourFacts neighbour_facts(const VoxelScene& scene, const MapKey& key, const KernelMap& map) {
  NeighbourFacts facts;
  facts.counts = neighbour_counts(scene, key, map);
  facts.outputs = map.outputs;
  facts.inputs = map.inputs;
  facts.position_rows = key.submanifold() ? map.outputs : map.outputs + map.inputs;
  std::vector<bool> read(static_cast<std::size_t>(map.inputs), false);
  for_each_pair(map,
                [&](std::int32_t, int, std::int32_t input) { read[static_cast<std::size_t>(input)] = true; });
  facts.unread = std::count(read.begin(), read.end(), false);
  auto neighbours = matches_per_output(map);
  std::sort(neighbours.begin(), neighbours.end());
  constexpr std::array shares{0.5, 0.9, 0.99};
  std::transform(shares.begin(), shares.end(), facts.percentiles.begin(),
                 [&](double share) { return percentile(neighbours, share); });
  return facts;
}

PositionFacts position_facts(const VoxelScene& scene) {
  const Positions& positions = positions_of(scene, 1);
  PositionFacts facts;
  facts.kind = positions.kind;
  facts.merged = scene.kept - size_of(scene.level(1));
  std::vector<double> distances;
  double sum = 0;
  for (const std::uint64_t word : positions.words.host_span<std::uint64_t>()) {
    const auto fields = position_fields(word);
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cells = (static_cast<double>(fields[axis]) / static_cast<double>(position_one)) - 0.5;
      squared += cells * scene.grid.voxel_m[axis] * cells * scene.grid.voxel_m[axis];
    }
    sum += squared;
    distances.push_back(std::sqrt(squared));
  }
  if (distances.empty()) return facts;
  facts.rms_m = std::sqrt(sum / static_cast<double>(distances.size()));
  constexpr double share = 0.95;
  std::sort(distances.begin(), distances.end());
  facts.p95_m = quantile(distances, share);
  return facts;
}

std::string text_of(const PositionFacts& positions, LengthUnit unit) {
  constexpr int decimals = 4;
  const auto length = [unit](double value) { return with_unit(fixed(value, decimals), unit); };
  return std::string(text_of(positions.kind)) + ", distance to the centre: rms " + length(positions.rms_m) +
         ", p95 " + length(positions.p95_m) + "; " + counted_text(positions.merged, "point", "points") +
         " merged";
}

}  // namespace spira
