#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/facts/facts.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace spira {
namespace {

/// Adds the facts about one point of the voxel to `facts`: the point that comes first in the file.
void add_point(std::vector<Fact>& facts, const LessonInput& input, std::int64_t row) {
  const VoxelScene& scene = *input.scene;
  const auto found = std::find(scene.voxel_of_point.begin(), scene.voxel_of_point.end(), row);
  if (found == scene.voxel_of_point.end()) return;
  const Point& p = scene.cloud->positions[static_cast<std::size_t>(found - scene.voxel_of_point.begin())];
  for (std::size_t axis = 0; axis < 3; ++axis)
    facts.push_back(exact_fact(of_axis("selection.point", axis), p.at(axis), "m"));
}

void add_voxel(std::vector<Fact>& facts, const LessonInput& input) {
  const VoxelScene& scene = *input.scene;
  const CoordSet& level = scene.level(input.stride);
  const Voxel voxel = *input.voxel;
  const auto row = row_of_voxel(level, voxel);
  if (!row) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.push_back(count_fact(of_axis("selection.voxel", axis), voxel.at(axis)));
    facts.push_back(count_fact(of_axis("selection.unshifted", axis), voxel.at(axis) + scene.shift.at(axis)));
  }
  const std::uint64_t key = key_at(level, *row);
  facts.push_back(count_fact("selection.row", *row));
  // Words from this value on may not be exact as a double.
  constexpr std::uint64_t exact_below = 1ULL << 53U;
  if (key < exact_below) facts.push_back(exact_fact("selection.key", static_cast<double>(key)));
  facts.push_back(count_fact("selection.ones", std::popcount(key)));
  const KernelOffsets offsets(input.kernel_size, input.stride);
  std::int64_t matches = 0;
  for (int column = 0; column < offsets.columns(); ++column) {
    const Voxel d = offsets.offset(column);
    const Voxel query{voxel[0] + d[0], voxel[1] + d[1], voxel[2] + d[2]};
    matches += row_of_voxel(level, query).has_value() ? 1 : 0;
  }
  facts.push_back(count_fact("selection.matches", matches));
  if (input.stride != 1) return;
  facts.push_back(count_fact("selection.points", scene.points_per_voxel.at(static_cast<std::size_t>(*row))));
  add_point(facts, input, *row);
}

void add_offset(std::vector<Fact>& facts, const LessonInput& input) {
  const KernelOffsets offsets(input.kernel_size, input.stride);
  if (input.columns.size() != 1 || input.columns.front() >= offsets.columns()) return;
  const int column = input.columns.front();
  const Voxel offset = offsets.offset(column);
  for (std::size_t axis = 0; axis < 3; ++axis)
    facts.push_back(count_fact(of_axis("selection.offset", axis), offset.at(axis) / input.stride));
  facts.push_back(count_fact("selection.l1", offsets.l1(column)));
  const SortedVoxels voxels = sorted_voxels(input.scene->level(input.stride));
  const std::int64_t matches = count_matches(voxels, voxels, offset);
  facts.push_back(count_fact("selection.overlap", matches));
  facts.push_back(
      exact_fact("selection.density", static_cast<double>(matches) / static_cast<double>(voxels.size())));
}

/// Adds the facts about the selected voxels to `facts`. The selected voxels are the outputs, and all voxels
/// of the level are the inputs.
void add_rows(std::vector<Fact>& facts, const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  SortedVoxels chosen;
  for (const std::int32_t row : input.rows)
    chosen.push_back(voxel_at(level, row));
  const KernelOffsets offsets(3, input.stride);
  const auto matches = count_matches(sorted_voxels(level), chosen, offsets, job);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double density = 0;
    for (int column = 0; column < offsets.columns(); ++column) {
      if (offsets.l1(column) == 1 && offsets.offset(column).at(axis) != 0)
        density += static_cast<double>(matches[static_cast<std::size_t>(column)]) / 2.0;
    }
    facts.push_back(
        exact_fact(of_axis("selection.axis", axis), density / static_cast<double>(chosen.size())));
  }
}

}  // namespace

std::vector<std::string> selection_fact_names() {
  std::vector<std::string> names{"selection.row",     "selection.key",     "selection.ones",
                                 "selection.matches", "selection.points",  "selection.l1",
                                 "selection.overlap", "selection.density", "selection.columns",
                                 "selection.voxels",  "selection.stride",  "selection.kernel_size"};
  for (const char* name :
       {"selection.voxel", "selection.unshifted", "selection.point", "selection.offset", "selection.axis"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> selection_facts(const LessonInput& input, Job& job) {
  std::vector<Fact> facts{count_fact("selection.columns", std::ssize(input.columns)),
                          count_fact("selection.voxels", std::ssize(input.rows)),
                          count_fact("selection.stride", input.stride),
                          count_fact("selection.kernel_size", input.kernel_size)};
  if (input.voxel) add_voxel(facts, input);
  add_offset(facts, input);
  if (!input.rows.empty()) add_rows(facts, input, job);
  return facts;
}

namespace {

/// Merges two sorted runs and returns the number of comparisons. When one run is exhausted, the rest of the
/// other run is copied without comparisons.
std::int64_t merge(const std::vector<std::uint64_t>& from, std::size_t begin, std::size_t middle,
                   std::size_t end, std::vector<std::uint64_t>& to) {
  std::int64_t comparisons = 0;
  std::size_t left = begin, right = middle, at = begin;
  while (left < middle && right < end) {
    ++comparisons;
    to[at++] = from[right] < from[left] ? from[right++] : from[left++];
  }
  while (left < middle)
    to[at++] = from[left++];
  while (right < end)
    to[at++] = from[right++];
  return comparisons;
}

}  // namespace

std::int64_t merge_comparisons(std::vector<std::uint64_t> words, Job& job) {
  std::vector<std::uint64_t> merged(words.size());
  std::int64_t comparisons = 0;
  for (std::size_t run = 1; run < words.size(); run *= 2) {
    job.checkpoint({"sorting the words", static_cast<std::int64_t>(run), std::ssize(words)});
    for (std::size_t begin = 0; begin < words.size(); begin += 2 * run)
      comparisons += merge(words, begin, std::min(words.size(), begin + run),
                           std::min(words.size(), begin + (2 * run)), merged);
    words.swap(merged);
  }
  return comparisons;
}

std::vector<std::uint64_t> words_in_file_order(const VoxelScene& scene, int stride, Job& job) {
  const CoordSet& finest = scene.level(1);
  const std::uint64_t mask = scene.pack.round_down_mask(stride);
  std::unordered_set<std::uint64_t> met;
  std::vector<std::uint64_t> words;
  std::int64_t at = 0;
  for (const std::int32_t row : scene.voxel_of_point) {
    if (at++ % rows_per_checkpoint == 0)
      job.checkpoint({"reading the file order", at, std::ssize(scene.voxel_of_point)});
    if (row < 0) continue;  // The crop removed this point.
    const std::uint64_t word = key_at(finest, row) & mask;
    if (met.insert(word).second) words.push_back(word);
  }
  return words;
}

}  // namespace spira
