#include "engine/lesson/diagrams/search_motion.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/search_trace.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/run/replay/hash_slots.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace spira {
namespace {

constexpr std::int64_t threads = 32, sector_bytes = 32, slot_bytes = 8;

/// The level, kernel, voxel and offset that an animation shows.
struct Asked {
  const CoordSet& level;
  KernelOffsets offsets;
  Voxel output;
  int column;

  [[nodiscard]] Voxel query(int wanted) const {
    const Voxel d = offsets.offset(wanted);
    return {output[0] + d[0], output[1] + d[1], output[2] + d[2]};
  }
  /// Returns the cell of a query. The mark of the cell shows whether the query found a voxel.
  [[nodiscard]] MarkedCell answer(int wanted) const {
    const Voxel cell = query(wanted);
    const auto row = row_of_voxel(level, cell);
    return {row ? SearchMark::hit : SearchMark::miss, cell, row.value_or(-1)};
  }
};

using Moments = std::vector<SearchMoment>;

Moments queries(const Asked& asked) {
  Moments moments;
  const int k = asked.offsets.z_cells();
  for (int group = 0; group < asked.offsets.z_groups(); ++group) {
    SearchMoment moment;
    for (int iz = 0; iz < k; ++iz)
      moment.cells.push_back(asked.answer((group * k) + iz));
    moments.push_back(std::move(moment));
  }
  return moments;
}

/// Returns the animation of a binary search. The first moment shows the wanted cell. Each further moment
/// compares the wanted cell with the voxel in the middle of the range.
Moments halvings(const BracketTrace& trace, std::int64_t inputs) {
  Moments moments(1);
  moments.front().cells.push_back({SearchMark::wanted, trace.wanted, -1});
  moments.front().end = inputs;
  for (const BracketStep& step : trace.steps) {
    SearchMoment moment;
    moment.cells.push_back({SearchMark::compared, step.voxel, step.middle});
    moment.positions = {step.middle};
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
  if (trace.at < size_of(asked.level)) last.positions = {trace.at};
  moments.push_back(std::move(last));
  return moments;
}

/// Returns one moment per query. Each moment marks the voxels that the query compares, and the result.
Moments searches(const Asked& asked) {
  Moments moments;
  std::int64_t comparisons = 0;
  for (int column = 0; column < asked.offsets.columns(); ++column) {
    const BracketTrace trace = trace_bracket(asked.level, asked.output, asked.offsets, column);
    SearchMoment moment;
    for (const BracketStep& step : trace.steps) {
      moment.cells.push_back({SearchMark::compared, step.voxel, step.middle});
      moment.positions.push_back(step.middle);
    }
    if (trace.at < size_of(asked.level)) moment.positions.push_back(trace.at);
    moment.cells.push_back(asked.answer(column));
    comparisons += std::ssize(moment.positions);
    moment.comparisons = comparisons;
    moments.push_back(std::move(moment));
  }
  return moments;
}

Moments anchors(const Asked& asked) {
  Moments moments;
  for (int group = 0; group < asked.offsets.z_groups(); ++group) {
    SearchMoment moment;
    moment.cells.push_back({SearchMark::wanted, asked.query(group * asked.offsets.z_cells()), -1});
    moments.push_back(std::move(moment));
  }
  return moments;
}

/// Appends one moment to `moments` for each key that the scan reads, and one moment for all misses, because
/// they need no further comparisons.
void add_scan(const GroupTrace& trace, const Asked& asked, Moments& moments) {
  for (const ScanStep& step : trace.scan) {
    SearchMoment moment;
    moment.cells.push_back({step.column < 0 ? SearchMark::compared : SearchMark::hit, step.voxel, step.row});
    moment.positions = {step.row};
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
      trace_group(asked.level, asked.output, asked.offsets, asked.column / asked.offsets.z_cells());
  Moments moments = halvings(trace.anchor, size_of(asked.level));
  add_scan(trace, asked, moments);
  return moments;
}

/// Returns the `grid` animation. The rows in its moments refer to the level of the scene, which does not
/// contain the inserted voxel.
Moments broken_grid(Asked& asked, std::int64_t row, Job& job) {
  const auto broken = break_stride_grid(asked.level, row, asked.offsets.z_cells(), job);
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

/// Returns the moments in which the voxels are stored in the hash table, in the order of their words. A
/// stored key never moves, so storing a key probes all slots from its first slot to the slot where it is
/// stored. A moment covers many voxels and marks only some of them.
Moments building(const CoordSet& level, const HashSlots& table) {
  constexpr std::int64_t parts = 8, marked_of_part = 48;
  const LevelKeys keys(level);
  std::vector<std::size_t> slot_of(static_cast<std::size_t>(keys.size()));
  for (std::size_t slot = 0; slot < static_cast<std::size_t>(table.slots()); ++slot) {
    if (table.position(slot) >= 0) slot_of[static_cast<std::size_t>(table.position(slot))] = slot;
  }
  Moments moments;
  std::int64_t looked_at = 0, row = 0;
  for (std::int64_t part = 1; part <= parts; ++part) {
    SearchMoment moment;
    moment.built = keys.size() * part / parts;
    const std::int64_t step = std::max<std::int64_t>(1, (moment.built - row) / marked_of_part);
    for (std::int64_t at = 0; row < moment.built; ++row, ++at) {
      const std::size_t slot = slot_of[static_cast<std::size_t>(row)];
      for (std::size_t looked = table.first_slot(keys[row]); looked != slot; looked = table.next_slot(looked))
        ++looked_at;
      ++looked_at;
      if (at % step != 0) continue;
      moment.positions.push_back(static_cast<std::int64_t>(slot));
      moment.cells.push_back({SearchMark::stored, voxel_at(level, row), row});
    }
    moment.comparisons = looked_at;
    moment.in_table = true;
    if (moment.built > 0) moments.push_back(std::move(moment));
  }
  return moments;
}

Moments probes(const Asked& asked, const HashSlots& table) {
  const ProbeTrace trace = trace_probes(asked.level, table, asked.output, asked.offsets, asked.column);
  Moments moments = building(asked.level, table);
  moments.emplace_back();
  moments.back().cells.push_back({SearchMark::wanted, trace.wanted, -1});
  for (const ProbeStep& step : trace.steps) {
    SearchMoment moment;
    if (step.row >= 0 && !step.match) moment.cells.push_back({SearchMark::compared, step.voxel, step.row});
    if (step.row < 0 || step.match) moment.cells.push_back(asked.answer(asked.column));
    moment.comparisons = moments.back().comparisons + 1;
    moment.positions = {step.slot};
    moment.in_table = true;
    moments.push_back(std::move(moment));
  }
  return moments;
}

/// Returns the first position of each memory sector that contains at least one of the given positions.
std::vector<std::int64_t> sectors_of(const std::vector<std::int64_t>& positions, std::int64_t bytes) {
  const std::int64_t in_one = sector_bytes / bytes;
  std::set<std::int64_t> firsts;
  for (const std::int64_t position : positions)
    firsts.insert(position / in_one * in_one);
  return {firsts.begin(), firsts.end()};
}

/// Returns three animation steps for 32 threads. Step 1 marks the voxels of the threads. Step 2 marks the
/// positions that the z-delta search reads: one per thread, where the search for the anchor of the z-group
/// ends. Step 3 marks the hash table slot that each thread probes first. Steps 2 and 3 mark all voxels of
/// each memory sector that is read.
Moments sectors(const Asked& asked, const HashSlots& table, std::int64_t row) {
  const LevelKeys keys(asked.level);
  const std::vector<std::int64_t> words = packed_offsets(asked.offsets, asked.level.pack);
  const int k = asked.offsets.z_cells();
  const auto anchor = words[static_cast<std::size_t>(asked.column / k * k)],
             wanted = words[static_cast<std::size_t>(asked.column)];
  const std::int64_t first = row / threads * threads, end = std::min(keys.size(), first + threads);
  Moments moments(3);
  std::vector<std::int64_t> rows, slots;
  for (std::int64_t output = first; output < end; ++output) {
    moments[0].cells.push_back({SearchMark::asks, voxel_at(asked.level, output), output});
    const std::int64_t at =
        keys.lower_bound(keys[output] + anchor, [](std::int64_t, std::int64_t, std::int64_t) {});
    if (at < keys.size()) rows.push_back(at);
    if (keys[output] + wanted >= 0)
      slots.push_back(static_cast<std::int64_t>(table.first_slot(keys[output] + wanted)));
  }
  moments[1].positions = sectors_of(rows, keys.bytes_of_key());
  for (const std::int64_t from : moments[1].positions) {
    const std::int64_t to = std::min(keys.size(), from + (sector_bytes / keys.bytes_of_key()));
    for (std::int64_t at = from; at < to; ++at)
      moments[1].cells.push_back({SearchMark::read, voxel_at(asked.level, at), at});
  }
  moments[2].positions = sectors_of(slots, slot_bytes);
  moments[2].in_table = true;
  for (const std::int64_t from : moments[2].positions) {
    for (std::int64_t slot = from; slot < from + (sector_bytes / slot_bytes); ++slot) {
      const std::int32_t at = table.position(static_cast<std::size_t>(slot));
      if (at >= 0) moments[2].cells.push_back({SearchMark::read_slot, voxel_at(asked.level, at), at});
    }
  }
  for (SearchMoment& moment : moments)
    moment.sectors = std::ssize(moment.positions);
  return moments;
}

Moments in_table(const Asked& asked, SearchMotion& motion, std::int64_t row, Job& job) {
  const HashSlots table(LevelKeys(asked.level), job);
  motion.table = table.slots();
  return motion.kind == SearchMotionKind::probes ? probes(asked, table) : sectors(asked, table, row);
}

}  // namespace

SearchMotion search_motion(SearchMotionKind kind, const LessonInput& input, Job& job) {
  job.checkpoint({"tracing the searches of one voxel", 0, 0});
  SearchMotion motion;
  motion.kind = kind;
  motion.stride = input.stride;
  const CoordSet& level = input.scene->level(input.stride);
  motion.rows = size_of(level);
  if (motion.rows == 0) return motion;
  const std::int64_t row = traced_row(input);
  Asked asked{level, offsets_of(input), voxel_at(level, row), traced_column(input)};
  switch (kind) {
    case SearchMotionKind::queries:
      motion.moments = queries(asked);
      break;
    case SearchMotionKind::bracket:
      motion.moments = bracket(asked);
      break;
    case SearchMotionKind::searches:
      motion.moments = searches(asked);
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
    case SearchMotionKind::sectors:
      motion.moments = in_table(asked, motion, row, job);
      break;
  }
  motion.output = {SearchMark::hit, asked.output, row_of_voxel(level, asked.output).value_or(-1)};
  return motion;
}

}  // namespace spira
