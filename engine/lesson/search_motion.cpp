#include "engine/lesson/search_motion.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/hash_slots.hpp"
#include "engine/lesson/search_trace.hpp"
#include "engine/lesson/traced_facts.hpp"

#include <utility>

namespace spira {
namespace {

/// What all pictures are of.
struct Asked {
  const CoordSet& level;
  KernelOffsets offsets;
  Voxel output;
  int column;

  [[nodiscard]] Voxel query(int wanted) const {
    const Voxel d = offsets.offset(wanted);
    return {output[0] + d[0], output[1] + d[1], output[2] + d[2]};
  }
  /// Hit or miss, as it is.
  [[nodiscard]] MarkedCell answer(int wanted) const {
    const Voxel cell = query(wanted);
    const auto row = row_of_voxel(level, cell);
    return {row ? SearchMark::hit : SearchMark::miss, cell, row.value_or(-1)};
  }
};

using Moments = std::vector<SearchMoment>;

Moments queries(const Asked& asked) {
  Moments moments;
  const int k = asked.offsets.kernel_size();
  for (int group = 0; group < asked.offsets.z_groups(); ++group) {
    SearchMoment moment;
    for (int iz = 0; iz < k; ++iz)
      moment.cells.push_back(asked.answer((group * k) + iz));
    moments.push_back(std::move(moment));
  }
  return moments;
}

/// The wanted cell, then a moment a halving, which compares the voxel in the middle.
Moments halvings(const BracketTrace& trace, std::int64_t inputs) {
  Moments moments(1);
  moments.front().cells.push_back({SearchMark::wanted, trace.wanted, -1});
  moments.front().end = inputs;
  for (const BracketStep& step : trace.steps) {
    SearchMoment moment;
    moment.cells.push_back({SearchMark::compared, step.voxel, step.middle});
    moment.begin = step.below ? step.middle + 1 : step.begin;
    moment.end = step.below ? step.end : step.middle;
    moment.comparisons = moments.back().comparisons + 1;
    moments.push_back(std::move(moment));
  }
  return moments;
}

Moments bracket(const Asked& asked) {
  const BracketTrace trace = trace_bracket(asked.level, asked.output, asked.offsets, asked.column);
  Moments moments = halvings(trace, size_of(asked.level));
  SearchMoment last;
  last.cells.push_back(asked.answer(asked.column));
  last.comparisons = moments.back().comparisons + (trace.at < size_of(asked.level) ? 1 : 0);
  moments.push_back(std::move(last));
  return moments;
}

Moments anchors(const Asked& asked) {
  Moments moments;
  for (int group = 0; group < asked.offsets.z_groups(); ++group) {
    SearchMoment moment;
    moment.cells.push_back({SearchMark::wanted, asked.query(group * asked.offsets.kernel_size()), -1});
    moments.push_back(std::move(moment));
  }
  return moments;
}

/// A moment a key that is read, then the misses, which cost nothing more.
void add_scan(const GroupTrace& trace, const Asked& asked, Moments& moments) {
  for (const ScanStep& step : trace.scan) {
    SearchMoment moment;
    moment.cells.push_back({step.column < 0 ? SearchMark::compared : SearchMark::hit, step.voxel, step.row});
    moment.comparisons = moments.back().comparisons + 1;
    moments.push_back(std::move(moment));
  }
  SearchMoment last;
  for (const int column : trace.misses)
    last.cells.push_back({SearchMark::miss, asked.query(column), -1});
  last.comparisons = moments.back().comparisons;
  moments.push_back(std::move(last));
}

Moments scan(const Asked& asked) {
  const GroupTrace trace =
      trace_group(asked.level, asked.output, asked.offsets, asked.column / asked.offsets.kernel_size());
  Moments moments = halvings(trace.anchor, size_of(asked.level));
  add_scan(trace, asked, moments);
  return moments;
}

/// Rows are those of the scene, which does not have the intruder.
Moments broken_grid(Asked& asked, std::int64_t row, Job& job) {
  const auto broken = break_stride_grid(asked.level, row, asked.offsets.kernel_size(), job);
  if (!broken) return {};
  asked.output = broken->between.low;
  Moments moments(3);
  moments[0].cells = {{SearchMark::hit, broken->between.low, broken->between.low_row},
                      {SearchMark::hit, broken->between.high, broken->between.high_row}};
  moments[1].cells = {{SearchMark::intruder, broken->intruder, -1}};
  for (const int column : broken->missed) {
    MarkedCell missed = asked.answer(column);
    missed.mark = SearchMark::miss;
    moments[2].cells.push_back(missed);
  }
  return moments;
}

Moments probes(const Asked& asked, Job& job) {
  const HashSlots table(LevelKeys(asked.level), job);
  const ProbeTrace trace = trace_probes(asked.level, table, asked.output, asked.offsets, asked.column);
  Moments moments(1);
  moments.front().cells.push_back({SearchMark::wanted, trace.wanted, -1});
  for (const ProbeStep& step : trace.steps) {
    SearchMoment moment;
    if (step.row >= 0 && !step.match) moment.cells.push_back({SearchMark::compared, step.voxel, step.row});
    if (step.row < 0 || step.match) moment.cells.push_back(asked.answer(asked.column));
    moment.comparisons = moments.back().comparisons + 1;
    moments.push_back(std::move(moment));
  }
  return moments;
}

}  // namespace

SearchMotion search_motion(SearchMotionKind kind, const LessonInput& input, Job& job) {
  job.checkpoint({"following one voxel", 0, 0});
  SearchMotion motion;
  motion.kind = kind;
  motion.stride = input.stride;
  const CoordSet& level = input.scene->level(input.stride);
  if (size_of(level) == 0) return motion;
  const std::int64_t row = traced_row(input);
  Asked asked{level, KernelOffsets(input.kernel_size, input.stride), voxel_at(level, row),
              traced_column(input)};
  switch (kind) {
    case SearchMotionKind::queries:
      motion.moments = queries(asked);
      break;
    case SearchMotionKind::bracket:
      motion.moments = bracket(asked);
      break;
    case SearchMotionKind::anchors:
      motion.moments = anchors(asked);
      break;
    case SearchMotionKind::scan:
      motion.moments = scan(asked);
      break;
    case SearchMotionKind::grid:
      motion.moments = broken_grid(asked, row, job);
      break;
    case SearchMotionKind::probes:
      motion.moments = probes(asked, job);
      break;
  }
  motion.output = {SearchMark::hit, asked.output, row_of_voxel(level, asked.output).value_or(-1)};
  return motion;
}

}  // namespace spira
