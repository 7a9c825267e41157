
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/fact_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace spira {
std::vector<std::string> scene_fact_names() {
  std::vector<std::string> names{"scene.points", "scene.kept"};
  for (const char* name : {"scene.low", "scene.high", "scene.length"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> scene_facts_of(const LessonInput& input, Job& job) {
  const PointCloud& cloud = *input.scene->cloud;
  Point low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  for (std::int64_t at = 0; at < cloud.size(); ++at) {
    if (at % rows_per_checkpoint == 0) job.checkpoint({"measuring the extent", at, cloud.size()});
    const Point& p = cloud.positions[static_cast<std::size_t>(at)];
    if (!input.scene->grid.keeps(p)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low.at(axis) = std::min(low.at(axis), p.at(axis));
      high.at(axis) = std::max(high.at(axis), p.at(axis));
    }
  }
  std::vector<Fact> facts{count_fact("scene.points", cloud.size()),
                          count_fact("scene.kept", input.scene->kept)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.push_back(exact_fact(of_axis("scene.low", axis), low.at(axis), "m"));
    facts.push_back(exact_fact(of_axis("scene.high", axis), high.at(axis), "m"));
    facts.push_back(exact_fact(of_axis("scene.length", axis), high.at(axis) - low.at(axis), "m"));
  }
  return facts;
}

std::vector<std::string> voxel_fact_names() {
  std::vector<std::string> names{"voxels.count",  "voxels.points_per_voxel", "voxels.most_points",
                                 "voxels.merged", "voxels.with.1",           "voxels.with.2",
                                 "voxels.with.3", "voxels.with.4_or_more"};
  for (const char* name :
       {"voxels.size", "voxels.scale", "voxels.span", "voxels.shift", "voxels.lowest", "voxels.highest"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> voxel_facts(const LessonInput& input, Job& job) {
  const VoxelScene& scene = *input.scene;
  const CoordSet& level = scene.level(1);
  const std::int64_t voxels = size_of(level);
  std::array<std::int64_t, 4> with{};
  std::int32_t most = 0;
  for (const std::int32_t points : scene.points_per_voxel) {
    ++with.at(static_cast<std::size_t>(std::clamp(points, 1, 4) - 1));
    most = std::max(most, points);
  }
  Voxel lowest{INT32_MAX, INT32_MAX, INT32_MAX}, highest{INT32_MIN, INT32_MIN, INT32_MIN};
  for (std::int64_t row = 0; row < voxels; ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"examining the voxels", row, voxels});
    const Voxel voxel = voxel_at(level, row);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lowest.at(axis) = std::min(lowest.at(axis), voxel.at(axis));
      highest.at(axis) = std::max(highest.at(axis), voxel.at(axis));
    }
  }
  std::vector<Fact> facts{
      count_fact("voxels.count", voxels),
      exact_fact("voxels.points_per_voxel", static_cast<double>(scene.kept) / static_cast<double>(voxels)),
      count_fact("voxels.most_points", most),
      count_fact("voxels.merged", scene.kept - voxels),
      count_fact("voxels.with.1", with[0]),
      count_fact("voxels.with.2", with[1]),
      count_fact("voxels.with.3", with[2]),
      count_fact("voxels.with.4_or_more", with[3])};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = scene.grid.voxel_m.at(axis), first = input.first_voxel_m.at(axis);
    facts.push_back(exact_fact(of_axis("voxels.size", axis), size, "m"));
    facts.push_back(exact_fact(of_axis("voxels.scale", axis), first > 0 ? size / first : 1));
    facts.push_back(count_fact(of_axis("voxels.span", axis), scene.span.at(axis)));
    facts.push_back(count_fact(of_axis("voxels.shift", axis), scene.shift.at(axis)));
    facts.push_back(count_fact(of_axis("voxels.lowest", axis), lowest.at(axis)));
    facts.push_back(count_fact(of_axis("voxels.highest", axis), highest.at(axis)));
  }
  return facts;
}

}  // namespace spira
