#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/facts/density_facts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spira {
namespace {

using Of = LessonCurves::Of;

constexpr std::array<std::pair<int, Of>, 5> curve_of_stride{
    {{1, Of::stride_1}, {2, Of::stride_2}, {4, Of::stride_4}, {8, Of::stride_8}, {16, Of::stride_16}}};

Densities densities_at(const LessonInput& input, int stride, Job& job) {
  const SortedVoxels voxels = sorted_voxels(input.scene->level(stride));
  return densities_of(voxels, voxels, KernelOffsets(input.kernel_size, stride), job);
}

std::string name_of(const Voxel& offset, int stride) {
  const auto step = [&](std::size_t axis) { return std::to_string(offset.at(axis) / stride); };
  return "(" + step(0) + ", " + step(1) + ", " + step(2) + ")";
}

}  // namespace

LessonColumns norm_columns(const LessonInput& input, Job& job) {
  Densities found = densities_at(input, input.stride, job);
  std::stable_sort(found.columns.begin(), found.columns.end(), [](const auto& a, const auto& b) {
    return std::pair(a.l1, -a.matches) < std::pair(b.l1, -b.matches);
  });
  LessonColumns columns;
  for (const ColumnDensity& one : found.columns)
    columns.columns.push_back({name_of(one.offset, input.stride), one.l1, one.density, one.column});
  return columns;
}

LessonCurves stride_curves(const LessonInput& input, Job& job) {
  constexpr double percent = 100;
  LessonCurves curves;
  curves.over = LessonCurves::Over::norm;
  curves.unit = "%";
  for (const auto& [stride, of] : curve_of_stride) {
    const auto is_there = [stride = stride](const auto& level) { return level->stride == stride; };
    if (std::none_of(input.scene->levels.begin(), input.scene->levels.end(), is_there)) continue;
    LessonCurves::Curve curve{of, {}};
    for (const L1Density& norm : densities_at(input, stride, job).groups) {
      if (norm.l1 > 0) curve.points.push_back({norm.l1, percent * norm.mean, 0});
    }
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace spira
