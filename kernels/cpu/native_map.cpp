// Builds the maps of native layers: the inputs of an output are found from exact positions (sections 3.2
// and 3.3 of the PointCNN++ paper).
#include "engine/map/neighbourhood.hpp"
#include "engine/voxel/positions.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/map_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace spira::cpu {
namespace {

using Pair = std::array<std::int32_t, 2>;  // {output row, input row}

/// Searches a window of cells of the input level around the cell that contains the position of an output.
template <class Key> class Window {
 public:
  Window(const CoordSet& in, const CoordSet& out, const MapRequest& request)
      : inputs_(keys_of<Key>(in)),
        outputs_(keys_of<Key>(out)),
        in_words_(request.in_positions->words.host_span<std::uint64_t>()),
        out_words_(request.out_positions->words.host_span<std::uint64_t>()),
        pack_(in.pack),
        stride_(in.rule.stride()[0]),
        ascending_(in.rule == out.rule),
        test_(request.offsets->kernel().neighbourhood, request.offsets->kernel().size[0], stride_,
              on_grid(request) ? PositionKind::grid : PositionKind::nearest) {
    for (int x = -test_.window; x <= test_.window; ++x) {
      for (int y = -test_.window; y <= test_.window; ++y)
        lines_.push_back({delta({x, y, -test_.window}), x * edge(), y * edge()});
    }
  }
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }

  /// Calls found(column, input) for the inputs of an output, in ascending order. `at` contains the position
  /// of the last search of each line of cells, and is updated. `next` is true if the last search was for the
  /// previous output.
  template <class Found>
  void zdelta(std::size_t output, bool next, std::vector<std::size_t>& at, const Found& found) const {
    const Centre centre = centre_of(output);
    const std::int64_t reach = std::int64_t{2} * test_.window * stride_;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (test_.too_far(gap(lines_[line].x, centre.in_cell[0]), gap(lines_[line].y, centre.in_cell[1])))
        continue;
      const std::int64_t first = centre.key + lines_[line].delta;
      at[line] = next && ascending_ ? walk(at[line], first) : seek(at[line], first);
      for (std::size_t input = at[line]; input < inputs_.size(); ++input) {
        const std::int64_t dz = key(input) - first;
        if (dz > reach) break;
        test(centre, lines_[line], static_cast<std::int32_t>(dz), input, found);
      }
    }
  }

  /// Like zdelta(), but looks up every cell of the window in a table.
  template <class Found>
  void hash(std::size_t output, const HashTable<Key>& table, const Found& found) const {
    const Centre centre = centre_of(output);
    for (const Line& line : lines_) {
      if (test_.too_far(gap(line.x, centre.in_cell[0]), gap(line.y, centre.in_cell[1]))) continue;
      for (std::int32_t dz = 0; dz <= 2 * test_.window * stride_; dz += stride_) {
        const std::int64_t wanted = centre.key + line.delta + dz;
        if (static_cast<std::uint64_t>(wanted) > std::numeric_limits<Key>::max()) continue;
        if (const std::int32_t input = table.find(static_cast<Key>(wanted)); input >= 0)
          test(centre, line, dz, static_cast<std::size_t>(input), found);
      }
    }
  }

 private:
  /// The cell of the input level that contains an output, and the position of the output in this cell.
  struct Centre {
    std::int64_t key = 0;
    std::array<std::int32_t, 3> in_cell{};
  };
  /// A line of cells along z with the same x and y. `delta` leads to its first cell, from the cell of the
  /// output.
  struct Line {
    std::int64_t delta;
    std::int32_t x, y;  ///< In position units.
  };

  [[nodiscard]] static bool on_grid(const MapRequest& request) noexcept {
    return request.in_positions->kind == PositionKind::grid &&
           request.out_positions->kind == PositionKind::grid;
  }
  /// Returns the smallest distance on one axis from a position in the cell of an output to any position in a
  /// cell at the distance `to_cell`.
  [[nodiscard]] std::int32_t gap(std::int32_t to_cell, std::int32_t in_cell) const noexcept {
    if (to_cell == 0) return 0;
    return to_cell > 0 ? to_cell - in_cell : in_cell - (to_cell + edge() - 1);
  }
  [[nodiscard]] std::int32_t edge() const noexcept {
    return stride_ * static_cast<std::int32_t>(position_one);
  }
  /// Returns the packed, signed difference of cells.
  [[nodiscard]] std::int64_t delta(const std::array<int, 3>& cells) const noexcept {
    const std::int64_t x = std::int64_t{cells[0]} * stride_, y = std::int64_t{cells[1]} * stride_,
                       z = std::int64_t{cells[2]} * stride_;
    return (x * (std::int64_t{1} << (pack_.y_bits + pack_.z_bits))) +
           (y * (std::int64_t{1} << pack_.z_bits)) + z;
  }
  [[nodiscard]] std::int64_t key(std::size_t input) const noexcept {
    return static_cast<std::int64_t>(inputs_[input]);
  }

  [[nodiscard]] Centre centre_of(std::size_t output) const noexcept {
    Centre centre{static_cast<std::int64_t>(outputs_[output]), position_fields(out_words_[output])};
    if (ascending_) return centre;
    // The position of a coarse output is in one of the cells of the input level inside its voxel.
    std::array<int, 3> cells{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cells[axis] = centre.in_cell[axis] / edge();
      centre.in_cell[axis] %= edge();
    }
    centre.key += delta(cells);
    return centre;
  }

  /// Returns the position of the first input that is not less than `wanted`. `at` is the result for the
  /// previous output. The cells of outputs ascend if they are on the level of the inputs.
  [[nodiscard]] std::size_t walk(std::size_t at, std::int64_t wanted) const noexcept {
    while (at < inputs_.size() && key(at) < wanted)
      ++at;
    return at;
  }
  /// The same if the cells of the outputs do not ascend. Searches near `at` first.
  [[nodiscard]] std::size_t seek(std::size_t at, std::int64_t wanted) const noexcept {
    const std::size_t count = inputs_.size();
    std::size_t low = at,
                high = at;  // All inputs before `low` are less than wanted, all from `high` on are not.
    for (std::size_t step = 1; low > 0 && key(low - 1) >= wanted; step *= 2) {
      high = low - 1;
      low = low > step ? low - step : 0;
    }
    for (std::size_t step = 1; high < count && key(high) < wanted; step *= 2) {
      low = high + 1;
      high = std::min(count, high + step);
    }
    while (low < high) {
      const std::size_t middle = low + ((high - low) / 2);
      if (key(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  template <class Found>
  void test(const Centre& centre, const Line& line, std::int32_t dz, std::size_t input,
            const Found& found) const {
    const auto in_cell = position_fields(in_words_[input]);
    const std::int32_t z = (dz - (test_.window * stride_)) * static_cast<std::int32_t>(position_one);
    const int column =
        test_.column(line.x + in_cell[0] - centre.in_cell[0], line.y + in_cell[1] - centre.in_cell[1],
                     z + in_cell[2] - centre.in_cell[2]);
    if (column >= 0) found(column, static_cast<std::int32_t>(input));
  }

  std::span<const Key> inputs_, outputs_;
  std::span<const std::uint64_t> in_words_, out_words_;
  PackSpec pack_;
  std::int32_t stride_;
  bool ascending_;
  NeighbourTest test_;
  std::vector<Line> lines_;
};

/// The triplets of a block of outputs, sorted by column, output and input.
struct Block {
  std::vector<std::int32_t> counts;  ///< Shape: [columns].
  std::vector<Pair> pairs;
};

Block sorted_by_column(std::span<const std::int32_t> columns_of, std::span<const Pair> found, int columns) {
  Block block{std::vector<std::int32_t>(static_cast<std::size_t>(columns), 0),
              std::vector<Pair>(found.size())};
  for (const std::int32_t column : columns_of)
    ++block.counts[static_cast<std::size_t>(column)];
  std::vector<std::int32_t> next(block.counts.size(), 0);
  std::exclusive_scan(block.counts.begin(), block.counts.end(), next.begin(), 0);
  for (std::size_t at = 0; at < found.size(); ++at) {
    std::int32_t& to = next[static_cast<std::size_t>(columns_of[at])];
    block.pairs[static_cast<std::size_t>(to++)] = found[at];
  }
  return block;
}

template <class Key>
std::vector<Block> search(ThreadPool& threads, const CoordSet& in, const CoordSet& out,
                          const MapRequest& request, Job& job) {
  const Window<Key> window(in, out, request);
  std::optional<HashTable<Key>> table;
  if (request.algorithm == MapAlgorithm::hash) {
    const auto stage = job.stage("preprocess");
    table.emplace(keys_of<Key>(in));
  }
  const auto stage = job.stage("search");
  const std::int64_t outputs = out.size.value();
  std::vector<Block> blocks(static_cast<std::size_t>((outputs + outputs_per_block - 1) / outputs_per_block));
  const auto search_block = [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<std::int32_t> columns;
    std::vector<Pair> pairs;
    std::vector<std::size_t> at(window.lines(), 0);
    for (std::int64_t output = begin; output < end; ++output) {
      const auto found = [&](int column, std::int32_t input) {
        columns.push_back(column);
        pairs.push_back({static_cast<std::int32_t>(output), input});
      };
      table ? window.hash(static_cast<std::size_t>(output), *table, found)
            : window.zdelta(static_cast<std::size_t>(output), output != begin, at, found);
    }
    blocks[static_cast<std::size_t>(begin / outputs_per_block)] =
        sorted_by_column(columns, pairs, request.offsets->columns());
  };
  threads.for_blocks(outputs, outputs_per_block, search_block, job.stop_token());
  job.checkpoint({"searching the kernel map", 0, 0});
  return blocks;
}

}  // namespace

KernelMap::Part native_part(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const CoordSet& in,
                            const CoordSet& out, const MapRequest& request, Job& job) {
  std::vector<Block> blocks =
      visit_key(in.pack, [&]<class Key>(Key) { return search<Key>(threads, in, out, request, job); });
  const auto stage = job.stage("filter");
  const auto columns = static_cast<std::size_t>(request.offsets->columns());
  KernelMap::Part part;
  part.layout = MapLayout::pair_lists;
  part.columns.resize(columns);
  std::iota(part.columns.begin(), part.columns.end(), 0);
  part.counts = Buffer(pool, columns * sizeof(std::int32_t));
  const auto counts = part.counts.host_span<std::int32_t>();
  std::fill(counts.begin(), counts.end(), 0);
  for (const Block& block : blocks) {
    for (std::size_t column = 0; column < block.counts.size(); ++column)
      counts[column] += block.counts[column];
  }
  // The place of the first triplet of each block, by column.
  std::vector<std::size_t> next(columns, 0);
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::size_t{0});
  std::vector<std::size_t> starts;
  starts.reserve(blocks.size() * columns);
  for (const Block& block : blocks) {
    for (std::size_t column = 0; column < columns; ++column) {
      starts.push_back(next[column]);
      next[column] += block.counts.empty() ? 0 : static_cast<std::size_t>(block.counts[column]);
    }
  }
  part.entries = Buffer(pool, next.back() * sizeof(Pair));
  const auto entries = part.entries.host_span<Pair>();
  threads.for_blocks(
      std::ssize(blocks), 1,
      [&](std::int64_t begin, std::int64_t, int) {
        Block& block = blocks[static_cast<std::size_t>(begin)];
        auto from = block.pairs.begin();
        for (std::size_t column = 0; column < block.counts.size(); ++column) {
          const std::size_t start = starts[(static_cast<std::size_t>(begin) * columns) + column];
          std::copy_n(from, block.counts[column], entries.begin() + static_cast<std::ptrdiff_t>(start));
          from += block.counts[column];
        }
        block = {};
      },
      job.stop_token());
  job.checkpoint({"writing the kernel map", 0, 0});
  return part;
}

}  // namespace spira::cpu
