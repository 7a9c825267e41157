// The naive version of native layers: positions as triplets of integers, and all points near an output are
// tried.
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/scene/batch.hpp"
#include "kernels/reference/reference_backend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace spira::reference {
namespace {

using Place = std::array<std::int64_t, 3>;  ///< In position units.

Positions stored(const std::shared_ptr<MemoryPool>& pool, PositionKind kind,
                 const std::vector<Place>& in_voxel, const std::vector<std::int32_t>& points) {
  Positions made{kind, Buffer(pool, in_voxel.size() * sizeof(std::uint64_t)),
                 Buffer(pool, points.size() * sizeof(std::int32_t))};
  for (std::size_t row = 0; row < in_voxel.size(); ++row) {
    made.words.host_span<std::uint64_t>()[row] =
        position_word(kind == PositionKind::grid ? Place{} : in_voxel[row]);
    made.points.host_span<std::int32_t>()[row] = points[row];
  }
  return made;
}

std::int64_t squared_distance(const Place& a, const Place& b) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    sum += (a.at(axis) - b.at(axis)) * (a.at(axis) - b.at(axis));
  return sum;
}

/// Returns the frame and the absolute positions of all rows.
std::vector<std::pair<int, Place>> places_of(const CoordSet& level, const Positions& positions) {
  std::vector<std::pair<int, Place>> places;
  const auto voxels = all_batch_voxels(level);
  for (std::size_t row = 0; row < voxels.size(); ++row) {
    const auto fields = position_fields(positions.words.host_span<std::uint64_t>()[row]);
    Place place{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      place.at(axis) = (std::int64_t{voxels[row].at(axis + 1)} * position_one) + fields[axis];
    places.emplace_back(voxels[row][0], place);
  }
  return places;
}

}  // namespace

Positions nearest_points(const std::shared_ptr<MemoryPool>& pool, const PointCloud& cloud, const Grid& grid,
                         const std::vector<std::vector<std::size_t>>& points_of) {
  std::vector<Place> chosen;
  std::vector<std::int32_t> indices;
  const Place centre{position_one / 2, position_one / 2, position_one / 2};
  for (const auto& points : points_of) {
    std::vector<std::tuple<std::int64_t, std::size_t, Place>> by_distance;
    for (const std::size_t point : points) {
      Place in_voxel{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double place = cloud.positions[point][axis] / grid.voxel_m[axis];
        in_voxel.at(axis) = static_cast<std::int64_t>(std::floor(place * static_cast<double>(position_one))) -
                            (static_cast<std::int64_t>(std::floor(place)) * position_one);
      }
      by_distance.emplace_back(squared_distance(in_voxel, centre), point, in_voxel);
    }
    const auto& [distance, point, in_voxel] = *std::min_element(by_distance.begin(), by_distance.end());
    chosen.push_back(in_voxel);
    indices.push_back(static_cast<std::int32_t>(point));
  }
  return stored(pool, grid.positions, chosen, indices);
}

Positions coarser_positions(const std::shared_ptr<MemoryPool>& pool, const CoordSet& fine,
                            const Positions& of_fine, const CoordSet& coarse) {
  const std::int64_t stride = coarse.rule.stride()[0];
  const auto places = places_of(fine, of_fine);
  std::map<std::pair<int, Place>, std::vector<std::size_t>> rows_of;
  const auto voxels = all_batch_voxels(fine);
  for (std::size_t row = 0; row < voxels.size(); ++row) {
    Place corner{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      corner.at(axis) = voxels[row].at(axis + 1) / stride * stride * position_one;
    rows_of[{voxels[row][0], corner}].push_back(row);
  }
  std::vector<Place> chosen;
  std::vector<std::int32_t> points;
  SPIRA_ASSERT(std::ssize(rows_of) == size_of(coarse), "the coarse level does not belong to the fine level");
  for (const auto& [voxel, rows] : rows_of) {
    const Place& corner = voxel.second;
    std::vector<std::pair<std::int64_t, std::size_t>> by_distance;
    for (const std::size_t row : rows) {
      Place centre = corner;
      for (std::int64_t& component : centre)
        component += stride * position_one / 2;
      by_distance.emplace_back(squared_distance(places[row].second, centre), row);
    }
    const std::size_t nearest = std::min_element(by_distance.begin(), by_distance.end())->second;
    Place in_voxel = places[nearest].second;
    for (std::size_t axis = 0; axis < 3; ++axis)
      in_voxel.at(axis) -= corner.at(axis);
    chosen.push_back(in_voxel);
    points.push_back(of_fine.points.host_span<std::int32_t>()[nearest]);
  }
  return stored(pool, of_fine.kind, chosen, points);
}

std::vector<Triplet> native_triplets(const CoordSet& in, const CoordSet& out, const MapRequest& request,
                                     Job& job) {
  const KernelShape& kernel = request.offsets->kernel();
  const Neighbourhood& neighbourhood = kernel.neighbourhood;
  const int size = kernel.size[0], half = (size - 1) / 2;
  const std::int64_t edge = std::int64_t{neighbourhood.cell} * in.rule.stride()[0] * position_one;
  const std::int64_t most_squared = NeighbourTest(neighbourhood, size, in.rule.stride()[0]).most_squared;
  const auto inputs = places_of(in, *request.in_positions), outputs = places_of(out, *request.out_positions);
  // All inputs of an output are in the boxes around it: the edge of a box is larger than the window.
  const std::int64_t box =
      (std::int64_t{neighbourhood.window(size)} + 1) * in.rule.stride()[0] * position_one;
  std::map<std::pair<int, Place>, std::vector<std::int32_t>> in_box;
  const auto box_of = [box](const Place& place) {
    return Place{place[0] / box, place[1] / box, place[2] / box};
  };
  for (std::size_t input = 0; input < inputs.size(); ++input)
    in_box[{inputs[input].first, box_of(inputs[input].second)}].push_back(static_cast<std::int32_t>(input));
  std::vector<Triplet> triplets;
  const auto test = [&](std::size_t output, std::int32_t input) {
    const Place &from = outputs[output].second, &to = inputs[static_cast<std::size_t>(input)].second;
    int column = 0;
    bool outside = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // nearbyint() rounds halves to the nearest even number.
      const auto cell = static_cast<int>(
          std::nearbyint(static_cast<double>(to.at(axis) - from.at(axis)) / static_cast<double>(edge)));
      outside = outside || cell < -half || cell > half;
      column = (column * size) + std::clamp(cell, -half, half) + half;
    }
    const bool near =
        neighbourhood.shape == NeighbourShape::cube ? !outside : squared_distance(from, to) <= most_squared;
    if (near) triplets.push_back({column, static_cast<std::int32_t>(output), input});
  };
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    constexpr std::size_t rows_between_checks = 256;
    if (output % rows_between_checks == 0) job.checkpoint({"reference map", 0, 0});
    const Place centre = box_of(outputs[output].second);
    for (int near = 0; near < 27; ++near) {
      const Place at{centre[0] + (near / 9) - 1, centre[1] + (near / 3 % 3) - 1, centre[2] + (near % 3) - 1};
      const auto found = in_box.find({outputs[output].first, at});
      if (found == in_box.end()) continue;
      for (const std::int32_t input : found->second)
        test(output, input);
    }
  }
  std::sort(triplets.begin(), triplets.end());
  return triplets;
}

}  // namespace spira::reference
