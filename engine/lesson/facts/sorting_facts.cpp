#include "engine/lesson/facts/sorting_facts.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/map/redundancy.hpp"
#include "engine/memory/memory_pool.hpp"
#include "engine/run/replay/level_keys.hpp"

#include <array>
#include <memory>
#include <numeric>

namespace spira {
namespace {

constexpr int kernel_tile_rows = 16;  // The lowest tile of the kernels.

/// Returns "unsorted", or "s2" for two splits.
std::string name_of(int splits) {
  return splits == 0 ? "unsorted" : "s" + std::to_string(splits);
}

std::vector<std::string> names_of(const std::string& group) {
  std::vector<std::string> names{group + "outputs", group + "pairs", group + "tile_rows"};
  for (const int splits : shown_splits) {
    for (const char* name : {".slots", ".slots_per_pair"})
      names.push_back(group + name_of(splits) + name);
  }
  return names;
}

std::vector<Fact> counts_of(const std::string& group, const KernelMap& map, int tile_rows) {
  const std::vector<RowSorting> wanted = shown_row_orders(map.offsets->columns(), std::array{tile_rows});
  const std::vector<Redundancy> found = redundancy(map, wanted);
  std::vector<Fact> facts{count_fact(group + "outputs", map.outputs),
                          count_fact(group + "pairs", found.front().pairs),
                          count_fact(group + "tile_rows", tile_rows)};
  for (const Redundancy& one : found) {
    const std::string name = group + name_of(one.sorting.splits);
    facts.push_back(count_fact(name + ".slots", tile_rows * one.active));
    facts.push_back(exact_fact(name + ".slots_per_pair", one.slots_per_pair()));
  }
  return facts;
}

}  // namespace

KernelMap map_of_outputs(const LessonInput& input, std::span<const std::int64_t> outputs, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  KernelMap map;
  map.offsets = std::make_shared<const KernelOffsets>(offsets_of(input));
  map.outputs = std::ssize(outputs);
  map.inputs = size_of(level);
  map.parts.emplace_back();
  KernelMap::Part& part = map.parts.front();
  const auto columns = static_cast<std::size_t>(map.offsets->columns());
  part.columns.resize(columns);
  std::iota(part.columns.begin(), part.columns.end(), 0);
  part.entries = Buffer(make_host_pool(), outputs.size() * columns * sizeof(std::int32_t));
  const LevelKeys keys(level);
  const std::vector<std::int64_t> delta = packed_offsets(*map.offsets, level.pack);
  const std::span<std::int32_t> entries = part.entries.host_span<std::int32_t>();
  for (std::size_t column = 0; column < columns; ++column) {
    job.checkpoint(
        {"building the map", static_cast<std::int64_t>(column), static_cast<std::int64_t>(columns)});
    std::int64_t at = -1;  // The queries ascend with the outputs, so the search only moves forward.
    for (std::size_t row = 0; row < outputs.size(); ++row) {
      const std::int64_t wanted = keys[outputs[row]] + delta[column];
      if (at < 0) at = keys.lower_bound(wanted, [](auto, auto, auto) {});
      while (at < map.inputs && keys[at] < wanted)
        ++at;
      entries[(row * columns) + column] =
          at < map.inputs && keys[at] == wanted ? static_cast<std::int32_t>(at) : -1;
    }
  }
  return map;
}

std::vector<std::string> sorting_fact_names() {
  return names_of("sorting.");
}

std::vector<Fact> sorting_facts(const LessonInput& input, Job& job) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size_of(input.scene->level(input.stride))));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return counts_of("sorting.", map_of_outputs(input, all, job), kernel_tile_rows);
}

std::vector<std::string> sorted_row_fact_names() {
  return names_of("sorted_rows.");
}

std::vector<Fact> sorted_row_facts(const LessonInput& input, Job& job) {
  return counts_of("sorted_rows.", map_of_outputs(input, sampled_outputs(input), job), drawn_tile_rows);
}

}  // namespace spira
