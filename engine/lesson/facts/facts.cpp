#include "engine/lesson/facts/facts.hpp"

#include "engine/base/error.hpp"
#include "engine/lesson/diagrams/shapes.hpp"
#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/facts/native_facts.hpp"
#include "engine/lesson/facts/pack_facts.hpp"
#include "engine/lesson/facts/sorting_facts.hpp"
#include "engine/run/voxel_scene.hpp"

#include <algorithm>
#include <array>

namespace spira {
namespace {

constexpr auto groups = std::to_array<FactGroup>({
    {"scene", scene_fact_names, scene_facts_of},
    {"voxels", voxel_fact_names, voxel_facts},
    {"pack", pack_fact_names, pack_facts},
    {"overflow", overflow_fact_names, overflow_facts},
    {"border", border_fact_names, border_facts},
    {"levels", level_fact_names, level_facts},
    {"density", density_fact_names, density_facts},
    {"shuffled", shuffled_fact_names, shuffled_facts},
    {"strides", stride_fact_names, stride_facts},
    {"shapes", shape_fact_names, shape_facts},
    {"selection", selection_fact_names, selection_facts},
    {"search", search_fact_names, search_facts},
    {"search_shuffled", shuffled_search_fact_names, shuffled_search_facts},
    {"work", work_fact_names, work_facts},
    {"work_shuffled", shuffled_work_fact_names, shuffled_work_facts},
    {"sorting", sorting_fact_names, sorting_facts},
    {"sorted_rows", sorted_row_fact_names, sorted_row_facts},
    {"channels", channel_fact_names, channel_facts},
    {"indexing", indexing_fact_names, indexing_facts},
    {"network", network_fact_names, network_facts},
    {"threshold", threshold_fact_names, threshold_facts},
    {"search_times", search_time_fact_names, search_time_facts},
    {"layer_times", layer_time_fact_names, layer_time_facts},
    {"traced", traced_fact_names, traced_facts},
    {"layer", layer_fact_names, layer_facts},
    {"positions", position_fact_names, position_facts_of},
    {"neighbours", neighbour_fact_names, neighbour_facts_of},
    {"neighbour_row", neighbour_row_fact_names, neighbour_row_facts},
});

}  // namespace

KernelOffsets offsets_of(const LessonInput& input) {
  require_kernel(*input.scene, input.kernel_size);
  return {input.kernel_size, input.stride};
}

std::span<const FactGroup> fact_groups() noexcept {
  return groups;
}

std::vector<std::string> fact_names() {
  std::vector<std::string> names;
  for (const FactGroup& group : groups) {
    for (std::string& name : group.names())
      names.push_back(std::move(name));
  }
  return names;
}

std::string_view group_of_fact(std::string_view name) noexcept {
  return name.substr(0, name.find('.'));
}

std::vector<Fact> compute_facts(std::string_view name, const LessonInput& input, Job& job) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const FactGroup& group) { return group.name == name; });
  if (found == groups.end()) throw Error(ErrorKind::usage, "unknown fact group '" + std::string(name) + "'");
  return found->compute(input, job);
}

}  // namespace spira
