
#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/search_trace.hpp"
#include "engine/lesson/facts/fact_list.hpp"
#include "engine/run/replay/hash_slots.hpp"
#include "engine/run/voxel_scene.hpp"

#include <algorithm>

namespace spira {
namespace {

/// Returns the number of comparisons of a binary search: one for each step, and one to check the voxel at
/// the final position.
std::int64_t comparisons_of(const BracketTrace& trace, std::int64_t inputs) {
  return std::ssize(trace.steps) + (trace.at < inputs ? 1 : 0);
}

/// Totals over all queries of one voxel.
struct Sums {
  std::int64_t hits = 0, bracket_comparisons = 0, group_comparisons = 0, probes = 0;
};

Sums sums_of(const CoordSet& level, const HashSlots& table, Voxel output, const KernelOffsets& offsets) {
  Sums sums;
  for (int column = 0; column < offsets.columns(); ++column) {
    const BracketTrace trace = trace_bracket(level, output, offsets, column);
    sums.hits += trace.found ? 1 : 0;
    sums.bracket_comparisons += comparisons_of(trace, size_of(level));
    sums.probes += std::ssize(trace_probes(level, table, output, offsets, column).steps);
  }
  for (int group = 0; group < offsets.z_groups(); ++group) {
    const GroupTrace trace = trace_group(level, output, offsets, group);
    sums.group_comparisons += std::ssize(trace.anchor.steps) + std::ssize(trace.scan);
  }
  return sums;
}

void add_norms(std::vector<Fact>& facts, const LessonInput& input, const KernelOffsets& offsets) {
  std::vector<int> norms;
  for (const int column : input.columns) {
    if (column < offsets.columns()) norms.push_back(offsets.l1(column));
  }
  if (norms.empty()) return;
  const auto [lowest, highest] = std::minmax_element(norms.begin(), norms.end());
  facts.push_back(count_fact("traced.offsets.lowest_l1", *lowest));
  facts.push_back(count_fact("traced.offsets.highest_l1", *highest));
}

void add_broken_grid(std::vector<Fact>& facts, const LessonInput& input, Job& job) {
  const int stride = std::max(input.stride, 2);
  if (!has_level(*input.scene, stride)) return;
  const CoordSet& level = input.scene->level(stride);
  const std::int64_t row = stride == input.stride ? traced_row(input) : 0;
  const auto broken = break_stride_grid(level, row, input.kernel_size, job);
  if (!broken) return;
  facts.push_back(count_fact("traced.broken.stride", stride));
  facts.push_back(count_fact("traced.broken.fires", broken->assertion.empty() ? 0 : 1));
  facts.push_back(count_fact("traced.broken.missed", std::ssize(broken->missed)));
}

}  // namespace

std::int64_t traced_row(const LessonInput& input) {
  const CoordSet& level = input.scene->level(input.stride);
  const std::int64_t middle = size_of(level) / 2;
  return input.voxel ? row_of_voxel(level, *input.voxel).value_or(middle) : middle;
}

int traced_column(const LessonInput& input) {
  const KernelOffsets offsets(input.kernel_size, input.stride);
  if (input.columns.size() == 1 && input.columns.front() < offsets.columns()) return input.columns.front();
  const int origin = offsets.centred() ? offsets.centre() : 0;
  return std::min(origin + 1, offsets.columns() - 1);
}

std::vector<std::string> traced_fact_names() {
  std::vector<std::string> names{"traced.row",
                                 "traced.hits",
                                 "traced.bsearch.comparisons",
                                 "traced.zdelta.comparisons",
                                 "traced.hash.probes",
                                 "traced.one.found",
                                 "traced.one.halvings",
                                 "traced.one.position",
                                 "traced.one.scan_keys",
                                 "traced.one.group_hits",
                                 "traced.one.probes",
                                 "traced.offsets.lowest_l1",
                                 "traced.offsets.highest_l1",
                                 "traced.broken.stride",
                                 "traced.broken.fires",
                                 "traced.broken.missed"};
  for (const char* name : {"traced.voxel", "traced.offset", "traced.anchor"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> traced_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"following one voxel", 0, 0});
  const CoordSet& level = input.scene->level(input.stride);
  if (size_of(level) == 0) return {};
  const KernelOffsets offsets = offsets_of(input);
  const std::int64_t row = traced_row(input);
  const int column = traced_column(input);
  const Voxel output = voxel_at(level, row), offset = offsets.offset(column);
  const HashSlots table(LevelKeys(level), job);
  const Sums sums = sums_of(level, table, output, offsets);
  const BracketTrace one = trace_bracket(level, output, offsets, column);
  const GroupTrace group = trace_group(level, output, offsets, column / input.kernel_size);
  const ProbeTrace probes = trace_probes(level, table, output, offsets, column);
  std::vector<Fact> facts{
      count_fact("traced.row", row),
      count_fact("traced.hits", sums.hits),
      count_fact("traced.bsearch.comparisons", sums.bracket_comparisons),
      count_fact("traced.zdelta.comparisons", sums.group_comparisons),
      count_fact("traced.hash.probes", sums.probes),
      count_fact("traced.one.found", one.found ? 1 : 0),
      count_fact("traced.one.halvings", std::ssize(one.steps)),
      count_fact("traced.one.position", one.at),
      count_fact("traced.one.scan_keys", std::ssize(group.scan)),
      count_fact("traced.one.group_hits", input.kernel_size - std::ssize(group.misses)),
      count_fact("traced.one.probes", std::ssize(probes.steps)),
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.push_back(count_fact(of_axis("traced.voxel", axis), output.at(axis)));
    facts.push_back(count_fact(of_axis("traced.offset", axis), offset.at(axis)));
    facts.push_back(count_fact(of_axis("traced.anchor", axis), group.anchor.wanted.at(axis)));
  }
  add_norms(facts, input, offsets);
  add_broken_grid(facts, input, job);
  return facts;
}

std::vector<std::string> layer_fact_names() {
  return {"layer.chosen",     "layer.kernel_size", "layer.stride_in", "layer.stride_out",
          "layer.transposed", "layer.threshold",   "layer.hybrid",    "layer.map_shared",
          "layer.map_bytes",  "layer.outputs",     "layer.pairs",     "layer.max_threshold"};
}

std::vector<Fact> layer_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the layer", 0, 0});
  std::vector<Fact> facts{count_fact("layer.chosen", input.layer ? 1 : 0)};
  if (!input.layer) return facts;
  const LayerResult& layer = *input.layer;
  const KernelOffsets& offsets = *layer.map->offsets;
  const int threshold = layer.levels.transposed ? 0 : layer.plan.threshold;
  const bool hybrid = threshold > 0 && threshold < offsets.max_threshold();
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
           {"kernel_size", offsets.kernel_size()},
           {"stride_in", layer.levels.stride_in},
           {"stride_out", layer.levels.stride_out},
           {"transposed", layer.levels.transposed ? 1 : 0},
           {"threshold", threshold},
           {"max_threshold", offsets.max_threshold()},
           {"hybrid", hybrid ? 1 : 0},
           {"map_shared", layer.map_shared ? 1 : 0},
           {"outputs", layer.features->rows},
           {"pairs", layer.densities.pairs}})
    facts.push_back(count_fact(std::string("layer.") + name, value));
  facts.push_back(exact_fact("layer.map_bytes", static_cast<double>(layer.map->bytes()), "B"));
  return facts;
}

}  // namespace spira
