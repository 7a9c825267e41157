#include "engine/map/map_view.hpp"

#include <algorithm>
#include <bit>

namespace spira {
namespace {

using Pair = std::array<std::int32_t, 2>;  // An output and an input.

/// A decoded word of a z_runs part.
struct Run {
  std::uint32_t mask = 0;
  std::int32_t first = 0;
  [[nodiscard]] bool has(int iz) const noexcept { return ((mask >> iz) & 1U) != 0; }
  [[nodiscard]] std::int32_t input(int iz) const noexcept {
    return has(iz) ? first + std::popcount(mask & ((1U << iz) - 1U)) : -1;
  }
};

Run run_at(const KernelMap& map, const KernelMap::Part& part, std::int64_t output, int group) {
  const int k = map.offsets->z_cells();
  const auto index = static_cast<std::size_t>(output * map.offsets->z_groups() + group);
  const std::uint64_t word = part.word_bits == 32 ? part.entries.host_span<std::uint32_t>()[index]
                                                  : part.entries.host_span<std::uint64_t>()[index];
  return {static_cast<std::uint32_t>(word & ((1ULL << k) - 1ULL)), static_cast<std::int32_t>(word >> k)};
}

/// Returns the pairs of one stored column of a pair_lists part. `slot` is its index in the part.
std::span<const Pair> list_at(const KernelMap::Part& part, std::size_t slot) {
  const auto counts = part.counts.host_span<std::int32_t>();
  std::size_t begin = 0;
  for (std::size_t before = 0; before < slot; ++before)
    begin += static_cast<std::size_t>(counts[before]);
  return part.entries.host_span<Pair>().subspan(begin, static_cast<std::size_t>(counts[slot]));
}

/// Returns the number of outputs of a list of a native map. An output with several inputs is counted once.
std::int64_t groups_of(std::span<const Pair> list) {
  std::int64_t groups = 0;
  for (std::size_t at = 0; at < list.size(); ++at)
    groups += at == 0 || list[at][0] != list[at - 1][0] ? 1 : 0;
  return groups;
}

/// Returns true if the column belongs to a symmetric pair in a half map. Only one column of the pair is then
/// stored; the pairs of the other column follow from it.
bool implied(const KernelMap& map, int column) {
  return map.half && column != map.offsets->partner(column);
}

std::int32_t entry_of(const KernelMap& map, const KernelMap::Part& part, std::size_t slot,
                      std::int64_t output) {
  const auto columns = static_cast<std::int64_t>(part.columns.size());
  const auto at = static_cast<std::int64_t>(slot);
  const auto entries = part.entries.host_span<std::int32_t>();
  const std::int64_t index =
      part.layout == MapLayout::output_major ? output * columns + at : at * map.outputs + output;
  return entries[static_cast<std::size_t>(index)];
}

/// Returns the pairs of one output in a list that is sorted by output.
std::span<const Pair> pairs_of_output(std::span<const Pair> list, std::int32_t output) {
  const auto begin = std::lower_bound(list.begin(), list.end(), output,
                                      [](const Pair& p, std::int32_t o) { return p[0] < o; });
  auto end = begin;
  while (end != list.end() && (*end)[0] == output)
    ++end;
  return {begin, end};
}

std::int32_t input_of(const KernelMap& map, const KernelMap::Part& part, std::size_t slot,
                      std::int32_t output) {
  if (part.layout == MapLayout::z_runs) {
    const int k = map.offsets->z_cells(), column = part.columns[slot];
    return run_at(map, part, output, column / k).input(column % k);
  }
  if (part.layout != MapLayout::pair_lists) return entry_of(map, part, slot, output);
  const auto found = pairs_of_output(list_at(part, slot), output);
  return found.empty() ? -1 : found.front()[1];
}

/// Returns the input of `output` in the partner of a stored column. In the partner, output and input are
/// exchanged. Therefore the function searches for `output` among the inputs of the stored list. These inputs
/// ascend too.
std::int32_t input_of_partner(const KernelMap::Part& part, std::size_t slot, std::int32_t output) {
  const auto list = list_at(part, slot);
  const auto found = std::lower_bound(list.begin(), list.end(), output,
                                      [](const Pair& p, std::int32_t o) { return p[1] < o; });
  return found != list.end() && (*found)[1] == output ? (*found)[0] : -1;
}

/// Calls visit(output, slot, input) for all entries of a mask_sorted part in memory order, without the
/// padding. Includes the entries with input -1.
template <class Visit>
void for_each_sorted_entry(const KernelMap& map, const KernelMap::Part& part, Visit&& visit) {
  const auto entries = part.entries.host_span<std::int32_t>(), order = part.order.host_span<std::int32_t>();
  const auto columns = part.columns.size();
  const auto length = static_cast<std::size_t>(columns_per_split(static_cast<int>(columns), part.splits));
  const auto rows = static_cast<std::size_t>(padded_rows_of(map.outputs));
  for (std::size_t first = 0, split = 0; first < columns; first += length, ++split) {
    for (std::size_t row = split * rows; row < (split * rows) + static_cast<std::size_t>(map.outputs);
         ++row) {
      for (std::size_t slot = first; slot < std::min(first + length, columns); ++slot)
        visit(order[row], slot, entries[(row * length) + slot - first]);
    }
  }
}

/// Calls visit(output, slot, input) for all entries of a dense part in memory order, including the entries
/// with input -1.
template <class Visit> void for_each_entry(const KernelMap& map, const KernelMap::Part& part, Visit&& visit) {
  if (part.layout == MapLayout::mask_sorted) return for_each_sorted_entry(map, part, visit);
  const auto entries = part.entries.host_span<std::int32_t>();
  const auto outputs = static_cast<std::int32_t>(map.outputs);
  std::size_t at = 0;
  if (part.layout == MapLayout::output_major) {
    for (std::int32_t output = 0; output < outputs; ++output) {
      for (std::size_t slot = 0; slot < part.columns.size(); ++slot)
        visit(output, slot, entries[at++]);
    }
  } else {
    for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
      for (std::int32_t output = 0; output < outputs; ++output)
        visit(output, slot, entries[at++]);
    }
  }
}

/// Calls visit(output, slot, input) for the stored pairs of one part.
template <class Visit>
void for_each_stored(const KernelMap& map, const KernelMap::Part& part, Visit&& visit) {
  if (part.layout != MapLayout::pair_lists && part.layout != MapLayout::z_runs) {
    for_each_entry(map, part, [&](std::int32_t output, std::size_t slot, std::int32_t input) {
      if (input >= 0) visit(output, slot, input);
    });
    return;
  }
  for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
    if (part.layout == MapLayout::pair_lists) {
      for (const auto& [output, input] : list_at(part, slot))
        visit(output, slot, input);
      continue;
    }
    for (std::int32_t output = 0; output < map.outputs; ++output) {
      const std::int32_t input = input_of(map, part, slot, output);
      if (input >= 0) visit(output, slot, input);
    }
  }
}

/// Writes the inputs of one output of a mask_sorted part to `inputs`. Searches the row of the output in each
/// split.
void read_sorted_row(const KernelMap& map, const KernelMap::Part& part, std::int32_t output,
                     std::vector<std::int32_t>& inputs) {
  const auto entries = part.entries.host_span<std::int32_t>(), order = part.order.host_span<std::int32_t>();
  const auto columns = part.columns.size();
  const auto length = static_cast<std::size_t>(columns_per_split(static_cast<int>(columns), part.splits));
  const auto rows = static_cast<std::size_t>(padded_rows_of(map.outputs));
  for (std::size_t first = 0, split = 0; first < columns; first += length, ++split) {
    const auto own = order.subspan(split * rows, rows);
    const auto row = static_cast<std::size_t>(std::find(own.begin(), own.end(), output) - own.begin());
    for (std::size_t slot = first; slot < std::min(first + length, columns); ++slot)
      inputs[static_cast<std::size_t>(part.columns[slot])] =
          entries[(((split * rows) + row) * length) + slot - first];
  }
}

/// Returns true for each row of the map that is in `outputs`.
std::vector<bool> selection(const KernelMap& map, std::span<const std::int32_t> outputs) {
  std::vector<bool> wanted(static_cast<std::size_t>(map.outputs), false);
  for (const std::int32_t output : outputs) {
    SPIRA_ASSERT(output >= 0 && output < map.outputs, "matches_per_column: no such output");
    wanted[static_cast<std::size_t>(output)] = true;
  }
  return wanted;
}

enum class Count : std::uint8_t { pairs, groups };

/// Counts the pairs or the groups of each column of a native map, of the given outputs.
std::vector<std::int64_t> pairs_of_some(const KernelMap& map, std::span<const std::int32_t> outputs,
                                        Count what) {
  const std::vector<bool> wanted = selection(map, outputs);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(map.offsets->columns()), 0);
  for (std::size_t column = 0; column < counts.size(); ++column) {
    std::int32_t last = -1;
    for (const auto& [output, input] : list_at(map.parts.front(), column)) {
      if (wanted[static_cast<std::size_t>(output)] && (what == Count::pairs || output != last))
        ++counts[column];
      last = output;
    }
  }
  return counts;
}

/// Counts, for each output of a z_runs part, the matches in the requested columns. Reads one word per output
/// and z-group.
template <class Wants>
void count_runs(const KernelMap& map, const KernelMap::Part& part, const Wants& wants,
                std::vector<std::uint16_t>& matches) {
  const int k = map.offsets->z_cells();
  const auto groups = static_cast<std::size_t>(map.offsets->z_groups());
  std::vector<std::uint64_t> wanted(groups, 0);
  for (const int column : part.columns) {
    if (wants(column)) wanted[static_cast<std::size_t>(column / k)] |= 1ULL << (column % k);
  }
  const auto count = [&](const auto words) {
    for (std::size_t group = 0; group < groups; ++group) {
      if (wanted[group] == 0) continue;
      for (std::size_t output = 0; output < matches.size(); ++output) {
        const std::uint64_t hits = words[(output * groups) + group] & wanted[group];
        matches[output] = static_cast<std::uint16_t>(matches[output] + std::popcount(hits));
      }
    }
  };
  if (part.word_bits == 32) {
    count(part.entries.host_span<std::uint32_t>());
  } else {
    count(part.entries.host_span<std::uint64_t>());
  }
}

}  // namespace

void for_each_pair(const KernelMap& map, const std::function<void(std::int32_t, int, std::int32_t)>& visit) {
  for (const auto& part : map.parts) {
    for_each_stored(map, part, [&](std::int32_t output, std::size_t slot, std::int32_t input) {
      const int column = part.columns[slot];
      visit(output, column, input);
      if (part.layout == MapLayout::pair_lists && implied(map, column))
        visit(input, map.offsets->partner(column), output);
    });
  }
}

std::vector<std::int64_t> matches_per_column(const KernelMap& map) {
  std::vector<std::int64_t> matches(static_cast<std::size_t>(map.offsets->columns()), 0);
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::z_runs) {
      const int k = map.offsets->z_cells();
      std::vector<std::int64_t> all(matches.size(), 0);
      for (std::int64_t output = 0; output < map.outputs; ++output) {
        for (int group = 0; group < map.offsets->z_groups(); ++group) {
          for (std::uint32_t mask = run_at(map, part, output, group).mask; mask != 0; mask &= mask - 1) {
            ++all[static_cast<std::size_t>(group * k + std::countr_zero(mask))];
          }
        }
      }
      for (const int column : part.columns)
        matches[static_cast<std::size_t>(column)] = all[static_cast<std::size_t>(column)];
      continue;
    }
    if (part.layout != MapLayout::pair_lists) {
      std::vector<std::int64_t> stored(part.columns.size(), 0);
      for_each_entry(map, part, [&](std::int32_t, std::size_t slot, std::int32_t input) {
        stored[slot] += input >= 0 ? 1 : 0;
      });
      for (std::size_t slot = 0; slot < stored.size(); ++slot)
        matches[static_cast<std::size_t>(part.columns[slot])] = stored[slot];
      continue;
    }
    for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
      const int column = part.columns[slot];
      const std::int64_t count =
          map.many() ? groups_of(list_at(part, slot)) : part.counts.host_span<std::int32_t>()[slot];
      matches[static_cast<std::size_t>(column)] = count;
      if (implied(map, column)) matches[static_cast<std::size_t>(map.offsets->partner(column))] = count;
    }
  }
  return matches;
}

std::vector<std::int64_t> matches_per_column(const KernelMap& map, std::span<const std::int32_t> outputs) {
  if (map.many()) return pairs_of_some(map, outputs, Count::groups);
  std::vector<std::int64_t> matches(static_cast<std::size_t>(map.offsets->columns()), 0);
  const std::vector<bool> wanted = selection(map, outputs);
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::z_runs) {
      for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
        for (const std::int32_t output : outputs)
          matches[static_cast<std::size_t>(part.columns[slot])] += input_of(map, part, slot, output) >= 0;
      }
      continue;
    }
    for_each_stored(map, part, [&](std::int32_t output, std::size_t slot, std::int32_t input) {
      const int column = part.columns[slot];
      if (wanted[static_cast<std::size_t>(output)]) ++matches[static_cast<std::size_t>(column)];
      if (part.layout == MapLayout::pair_lists && implied(map, column) &&
          wanted[static_cast<std::size_t>(input)])
        ++matches[static_cast<std::size_t>(map.offsets->partner(column))];
    });
  }
  return matches;
}

std::vector<std::int64_t> triplets_per_column(const KernelMap& map) {
  if (!map.many()) return matches_per_column(map);
  const auto counts = map.parts.front().counts.host_span<std::int32_t>();
  return {counts.begin(), counts.end()};
}

std::vector<std::int64_t> triplets_per_column(const KernelMap& map, std::span<const std::int32_t> outputs) {
  return map.many() ? pairs_of_some(map, outputs, Count::pairs) : matches_per_column(map, outputs);
}

std::vector<std::int32_t> row_of(const KernelMap& map, std::int32_t output) {
  SPIRA_ASSERT(output >= 0 && output < map.outputs, "row_of: no such output");
  std::vector<std::int32_t> row(static_cast<std::size_t>(map.offsets->columns()), -1);
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::mask_sorted) {
      read_sorted_row(map, part, output, row);
      continue;
    }
    for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
      const int column = part.columns[slot];
      row[static_cast<std::size_t>(column)] = input_of(map, part, slot, output);
      if (part.layout == MapLayout::pair_lists && implied(map, column)) {
        row[static_cast<std::size_t>(map.offsets->partner(column))] = input_of_partner(part, slot, output);
      }
    }
  }
  return row;
}

std::vector<std::int32_t> column_of(const KernelMap& map, int wanted) {
  std::vector<std::int32_t> inputs(static_cast<std::size_t>(map.outputs), -1);
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::mask_sorted) {
      for_each_stored(map, part, [&](std::int32_t output, std::size_t slot, std::int32_t input) {
        if (part.columns[slot] == wanted) inputs[static_cast<std::size_t>(output)] = input;
      });
      continue;
    }
    for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
      const int column = part.columns[slot];
      const bool lists = part.layout == MapLayout::pair_lists;
      const bool partner = lists && implied(map, column) && map.offsets->partner(column) == wanted;
      if (column != wanted && !partner) continue;
      if (lists) {
        for (const auto& [output, input] : list_at(part, slot)) {
          std::int32_t& first = inputs[static_cast<std::size_t>(partner ? input : output)];
          if (first < 0) first = partner ? output : input;
        }
      } else {
        for (std::int32_t output = 0; output < map.outputs; ++output) {
          inputs[static_cast<std::size_t>(output)] = input_of(map, part, slot, output);
        }
      }
    }
  }
  return inputs;
}

std::vector<std::int32_t> inputs_of(const KernelMap& map, std::int32_t output, int column) {
  std::vector<std::int32_t> inputs;
  if (!map.many()) {
    const std::int32_t input = row_of(map, output).at(static_cast<std::size_t>(column));
    if (input >= 0) inputs.push_back(input);
    return inputs;
  }
  SPIRA_ASSERT(output >= 0 && output < map.outputs, "inputs_of: no such output");
  for (const Pair& pair :
       pairs_of_output(list_at(map.parts.front(), static_cast<std::size_t>(column)), output))
    inputs.push_back(pair[1]);
  return inputs;
}

std::vector<std::uint16_t> matches_per_output(const KernelMap& map, std::span<const int> columns) {
  std::vector<std::uint16_t> matches(static_cast<std::size_t>(map.outputs), 0);
  const auto wants = [&](int column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  const auto count = [&](std::int64_t output) { ++matches[static_cast<std::size_t>(output)]; };
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::z_runs) {
      count_runs(map, part, wants, matches);
      continue;
    }
    if (part.layout == MapLayout::mask_sorted) {
      for_each_stored(map, part, [&](std::int32_t output, std::size_t slot, std::int32_t) {
        if (wants(part.columns[slot])) count(output);
      });
      continue;
    }
    for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
      const int column = part.columns[slot];
      const bool lists = part.layout == MapLayout::pair_lists;
      const bool stored = wants(column);
      const bool partner = lists && implied(map, column) && wants(map.offsets->partner(column));
      if (!stored && !partner) continue;
      if (lists) {
        for (const auto& [output, input] : list_at(part, slot)) {
          if (stored) count(output);
          if (partner) count(input);
        }
        continue;
      }
      for (std::int64_t output = 0; output < map.outputs; ++output) {
        if (entry_of(map, part, slot, output) >= 0) count(output);
      }
    }
  }
  return matches;
}

std::vector<std::uint32_t> columns_of_groups(const KernelMap& map,
                                             std::span<const std::int32_t> group_of_output,
                                             std::int64_t groups) {
  SPIRA_ASSERT(std::ssize(group_of_output) == map.outputs,
               "columns_of_groups: one group per output is needed");
  const int k = map.offsets->z_cells(), z_groups = map.offsets->z_groups();
  std::vector<std::uint32_t> words(static_cast<std::size_t>(groups * z_groups), 0);
  const auto word = [&](std::int32_t output, int z_group) -> std::uint32_t* {
    const std::int64_t group = group_of_output[static_cast<std::size_t>(output)];
    return group < 0 ? nullptr : &words[static_cast<std::size_t>((group * z_groups) + z_group)];
  };
  const auto add = [&](std::int32_t output, int column) {
    if (std::uint32_t* at = word(output, column / k)) *at |= 1U << (column % k);
  };
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::z_runs) {
      std::vector<std::uint32_t> stored(static_cast<std::size_t>(z_groups), 0);
      for (const int column : part.columns)
        stored[static_cast<std::size_t>(column / k)] |= 1U << (column % k);
      for (std::int32_t output = 0; output < map.outputs; ++output) {
        for (int z_group = 0; z_group < z_groups; ++z_group) {
          if (std::uint32_t* at = word(output, z_group))
            *at |= run_at(map, part, output, z_group).mask & stored[static_cast<std::size_t>(z_group)];
        }
      }
      continue;
    }
    for_each_stored(map, part, [&](std::int32_t output, std::size_t slot, std::int32_t input) {
      const int column = part.columns[slot];
      add(output, column);
      if (part.layout == MapLayout::pair_lists && implied(map, column))
        add(input, map.offsets->partner(column));
    });
  }
  return words;
}

std::vector<std::uint16_t> matches_per_output(const KernelMap& map) {
  std::vector<std::uint16_t> matches(static_cast<std::size_t>(map.outputs), 0);
  const auto count = [&](std::int32_t output) { ++matches[static_cast<std::size_t>(output)]; };
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::z_runs) {
      const int k = map.offsets->z_cells();
      std::vector<std::uint32_t> used(static_cast<std::size_t>(map.offsets->z_groups()), 0);
      for (const int column : part.columns)
        used[static_cast<std::size_t>(column / k)] |= 1U << (column % k);
      for (std::int64_t output = 0; output < map.outputs; ++output) {
        int sum = 0;
        for (int group = 0; group < map.offsets->z_groups(); ++group) {
          sum += std::popcount(run_at(map, part, output, group).mask & used[static_cast<std::size_t>(group)]);
        }
        matches[static_cast<std::size_t>(output)] =
            static_cast<std::uint16_t>(matches[static_cast<std::size_t>(output)] + sum);
      }
      continue;
    }
    for_each_stored(map, part, [&](std::int32_t output, std::size_t slot, std::int32_t input) {
      count(output);
      if (part.layout == MapLayout::pair_lists && implied(map, part.columns[slot])) count(input);
    });
  }
  return matches;
}

}  // namespace spira
