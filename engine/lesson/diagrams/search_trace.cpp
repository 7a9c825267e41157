#include "engine/lesson/diagrams/search_trace.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "engine/run/replay/hash_slots.hpp"

#include <algorithm>
#include <limits>

namespace spira {
namespace {

Voxel moved(Voxel voxel, Voxel by) {
  return {voxel[0] + by[0], voxel[1] + by[1], voxel[2] + by[2]};
}

std::int64_t query(const CoordSet& in, Voxel output, const KernelOffsets& offsets, int column) {
  return static_cast<std::int64_t>(in.pack.pack(output)) + packed_offset(offsets.offset(column), in.pack);
}

std::string text_of(Voxel voxel) {
  return "(" + std::to_string(voxel[0]) + ", " + std::to_string(voxel[1]) + ", " + std::to_string(voxel[2]) +
         ")";
}

Voxel above(Voxel voxel, int stride) {
  return moved(voxel, {0, 0, stride});
}

std::optional<Neighbours> neighbours_at(const CoordSet& level, std::int64_t row) {
  const Voxel low = voxel_at(level, row), high = above(low, level.stride);
  const auto found = row_of_voxel(level, high);
  if (!found) return std::nullopt;
  return Neighbours{row, *found, low, high, key_at(level, row), key_at(level, *found)};
}

/// Returns the first pair of neighbours, beginning with `first`, whose lower voxel has an input at each
/// offset of the z-group. Returns an empty value if there is none.
std::optional<Neighbours> full_group_from(const CoordSet& level, const Neighbours& first,
                                          const KernelOffsets& offsets, int group, Job& job) {
  for (std::int64_t row = first.low_row; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0)
      job.checkpoint({"finding a full column of voxels", row, size_of(level)});
    const auto pair = neighbours_at(level, row);
    if (pair && trace_group(level, pair->low, offsets, group).misses.empty()) return pair;
  }
  return std::nullopt;
}

CoordSet with_voxel(const CoordSet& level, std::int64_t before, Voxel voxel) {
  std::vector<std::uint64_t> keys;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row == before) keys.push_back(level.pack.pack(voxel));
    keys.push_back(key_at(level, row));
  }
  return made_level(level.pack, level.stride, keys);
}

}  // namespace

BracketTrace trace_bracket(const CoordSet& in, Voxel output, const KernelOffsets& offsets, int column) {
  const LevelKeys keys(in);
  const std::int64_t wanted = query(in, output, offsets, column);
  BracketTrace trace;
  trace.wanted = moved(output, offsets.offset(column));
  trace.column = column;
  trace.at = keys.lower_bound(wanted, [&](std::int64_t begin, std::int64_t end, std::int64_t middle) {
    trace.steps.push_back({begin, end, middle, voxel_at(in, middle), keys[middle] < wanted});
  });
  trace.found = trace.at < keys.size() && keys[trace.at] == wanted;
  return trace;
}

GroupTrace trace_group(const CoordSet& in, Voxel output, const KernelOffsets& offsets, int group) {
  const LevelKeys keys(in);
  const int k = offsets.z_cells();
  GroupTrace trace;
  trace.group = group;
  trace.anchor = trace_bracket(in, output, offsets, group * k);
  const std::int64_t wanted = query(in, output, offsets, group * k);
  const std::int64_t reach = std::int64_t{k - 1} * offsets.stride()[2];
  const std::int64_t end = std::min(keys.size(), trace.anchor.at + k);
  std::vector<bool> hit(static_cast<std::size_t>(k), false);
  for (std::int64_t row = trace.anchor.at; row < end; ++row) {
    const std::int64_t dz = keys[row] - wanted;
    const bool within = dz <= reach && dz % offsets.stride()[2] == 0;
    const auto iz = static_cast<int>(dz / offsets.stride()[2]);
    trace.scan.push_back({row, voxel_at(in, row), within ? (group * k) + iz : -1});
    if (within) hit[static_cast<std::size_t>(iz)] = true;
    if (dz > reach) break;
  }
  for (int iz = 0; iz < k; ++iz) {
    if (!hit[static_cast<std::size_t>(iz)]) trace.misses.push_back((group * k) + iz);
  }
  return trace;
}

ProbeTrace trace_probes(const CoordSet& in, const HashSlots& table, Voxel output,
                        const KernelOffsets& offsets, int column) {
  const std::int64_t wanted = query(in, output, offsets, column);
  const std::int64_t largest = in.pack.word_bits() == 32 ? std::numeric_limits<std::uint32_t>::max()
                                                         : std::numeric_limits<std::int64_t>::max();
  ProbeTrace trace{moved(output, offsets.offset(column)), column, wanted >= 0 && wanted <= largest, {}};
  if (!trace.asked) return trace;
  for (std::size_t slot = table.first_slot(wanted);; slot = table.next_slot(slot)) {
    const std::int64_t row = table.position(slot);
    const bool match = table.holds(slot, wanted);
    trace.steps.push_back(
        {static_cast<std::int64_t>(slot), row, row < 0 ? Voxel{} : voxel_at(in, row), match});
    if (match || row < 0) return trace;
  }
}

std::optional<Neighbours> neighbours_from(const CoordSet& level, std::int64_t row) {
  const std::int64_t size = size_of(level);
  for (std::int64_t step = 0; step < size; ++step) {
    if (auto found = neighbours_at(level, (std::max<std::int64_t>(row, 0) + step) % size)) return found;
  }
  return std::nullopt;
}

NeighbourCount count_neighbours(const CoordSet& level, Job& job) {
  NeighbourCount count;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"finding neighbours", row, size_of(level)});
    const auto found = neighbours_at(level, row);
    if (!found) continue;
    ++count.pairs;
    count.side_by_side += found->high_row == row + 1 ? 1 : 0;
  }
  return count;
}

void require_on_stride_grid(const CoordSet& level) {
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    const Voxel voxel = voxel_at(level, row);
    const bool on_grid = std::all_of(voxel.begin(), voxel.end(),
                                     [&](std::int32_t component) { return component % level.stride == 0; });
    SPIRA_ASSERT(on_grid, "voxel " + text_of(voxel) + " in row " + std::to_string(row) +
                              " is off the grid of stride " + std::to_string(level.stride) +
                              ": a local scan of K keys can end before the end of its column of voxels");
  }
}

std::optional<BrokenGrid> break_stride_grid(const CoordSet& level, std::int64_t row, int kernel_size,
                                            Job& job) {
  const auto any = neighbours_from(level, row);
  if (!any || level.stride < 2) return std::nullopt;
  const KernelOffsets offsets(kernel_size, level.stride);
  const int group = offsets.centred() ? (offsets.z_groups() - 1) / 2 : 0;
  BrokenGrid broken;
  broken.between = full_group_from(level, *any, offsets, group, job).value_or(*any);
  broken.intruder = above(broken.between.low, 1);
  const CoordSet copy = with_voxel(level, broken.between.low_row + 1, broken.intruder);
  try {
    require_on_stride_grid(copy);
  } catch (const Error& error) {
    broken.assertion = error.what();
  }
  const GroupTrace sound = trace_group(level, broken.between.low, offsets, group);
  broken.scan = trace_group(copy, broken.between.low, offsets, group);
  for (const int column : broken.scan.misses) {
    if (std::find(sound.misses.begin(), sound.misses.end(), column) == sound.misses.end())
      broken.missed.push_back(column);
  }
  return broken;
}

}  // namespace spira
