#include "engine/map/redundancy.hpp"

#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace spira {
namespace {

constexpr int mask_bits = 64;

/// For each output, one bit per column: 1 if the output has an input. Shape: [outputs * words].
class Masks {
 public:
  explicit Masks(const KernelMap& map)
      : words_(static_cast<std::size_t>((map.offsets->columns() + mask_bits - 1) / mask_bits)),
        bits_(static_cast<std::size_t>(map.outputs) * words_) {
    for_each_pair(map, [this](std::int32_t output, int column, std::int32_t) {
      const auto bit = static_cast<std::size_t>(column);
      bits_[(static_cast<std::size_t>(output) * words_) + (bit / mask_bits)] |= std::uint64_t{1}
                                                                                << (bit % mask_bits);
    });
  }

  /// Returns the bits of the columns `first` to `first + count - 1` of each output. `count` is at most 64.
  [[nodiscard]] std::vector<std::uint64_t> part(int first, int count) const {
    const auto word = static_cast<std::size_t>(first / mask_bits);
    const int shift = first % mask_bits;
    const std::uint64_t kept = count == mask_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    std::vector<std::uint64_t> found(bits_.size() / words_);
    for (std::size_t row = 0; row < found.size(); ++row) {
      const std::uint64_t* words = &bits_[row * words_];
      std::uint64_t mask = words[word] >> shift;
      if (shift > 0 && word + 1 < words_) mask |= words[word + 1] << (mask_bits - shift);
      found[row] = mask & kept;
    }
    return found;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

std::int64_t active_columns(const std::vector<std::uint64_t>& masks, int tile_rows) {
  std::int64_t active = 0;
  const auto tile = static_cast<std::size_t>(tile_rows);
  for (std::size_t begin = 0; begin < masks.size(); begin += tile) {
    std::uint64_t any = 0;
    for (std::size_t row = begin; row < std::min(begin + tile, masks.size()); ++row)
      any |= masks[row];
    active += std::popcount(any);
  }
  return active;
}

std::int64_t active_columns(const Masks& masks, int columns, const RowSorting& sorting) {
  const int length = sorting.splits == 0 ? mask_bits : columns_per_split(columns, sorting.splits);
  std::int64_t active = 0;
  for (int first = 0; first < columns; first += length) {
    std::vector<std::uint64_t> part = masks.part(first, std::min(length, columns - first));
    if (sorting.splits > 0) std::sort(part.begin(), part.end(), std::greater<>());
    active += active_columns(part, sorting.tile_rows);
  }
  return active;
}

}  // namespace

namespace {

/// Throws `Error(usage)` if the map cannot be sorted in this way.
void require_sorting(const KernelMap& map, const RowSorting& sorting) {
  SPIRA_ASSERT(sorting.tile_rows > 0, "a tile needs at least one row");
  if (const std::string why =
          sorting.splits == 0 ? "" : why_not_splits(map.offsets->columns(), sorting.splits);
      !why.empty())
    throw Error(ErrorKind::usage, why);
}

/// Returns the outputs in descending order of their masks. Equal masks keep the order of the outputs.
std::vector<std::int32_t> sorted_outputs(const std::vector<std::uint64_t>& masks) {
  std::vector<std::int32_t> order(masks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return masks[static_cast<std::size_t>(a)] > masks[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Draws the columns `first` to `first + count - 1`. `masks` has the masks of these columns, in the order of
/// the positions.
void draw_columns(RowsPicture& picture, const std::vector<std::uint64_t>& masks, int first, int count) {
  const auto tile = static_cast<std::size_t>(picture.sorting.tile_rows);
  std::uint64_t any = 0;
  for (std::size_t position = 0; position < masks.size(); ++position) {
    if (position % tile == 0) {
      any = 0;
      for (std::size_t row = position; row < std::min(position + tile, masks.size()); ++row)
        any |= masks[row];
    }
    const auto line = static_cast<std::size_t>(picture.bin_of(static_cast<std::int64_t>(position))) *
                      static_cast<std::size_t>(picture.columns);
    for (int bit = 0; bit < count; ++bit) {
      const std::size_t cell = line + static_cast<std::size_t>(first + bit);
      picture.filled[cell] += static_cast<float>((masks[position] >> bit) & 1U);
      picture.multiplied[cell] += static_cast<float>((any >> bit) & 1U);
    }
  }
}

}  // namespace

std::int64_t RowsPicture::first_position(int bin) const noexcept {
  return (outputs * bin + bins - 1) / std::max(1, bins);
}

int RowsPicture::bin_of(std::int64_t position) const noexcept {
  return static_cast<int>(position * bins / std::max<std::int64_t>(1, outputs));
}

std::vector<std::int32_t> RowsPicture::outputs_of(int bin, int column) const {
  std::vector<std::int32_t> found;
  const std::int64_t start = order.empty() ? 0 : split_of(column) * outputs;
  for (std::int64_t position = first_position(bin); position < first_position(bin + 1); ++position)
    found.push_back(order.empty() ? static_cast<std::int32_t>(position)
                                  : order[static_cast<std::size_t>(start + position)]);
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> RowsPicture::bins_of(std::int32_t output) const {
  if (order.empty()) return {bin_of(output)};
  std::vector<int> found;
  for (auto split = order.begin(); split != order.end(); split += outputs)
    found.push_back(bin_of(std::find(split, split + outputs, output) - split));
  return found;
}

RowsPicture rows_picture(const KernelMap& map, const RowSorting& sorting, int max_bins) {
  require_sorting(map, sorting);
  RowsPicture picture{sorting, map.outputs, 0, map.offsets->columns(), 0, {}, {}, {}};
  picture.bins = static_cast<int>(std::clamp<std::int64_t>(map.outputs, 1, std::max(1, max_bins)));
  picture.split_columns =
      sorting.splits == 0 ? picture.columns : columns_per_split(picture.columns, sorting.splits);
  const auto cells = static_cast<std::size_t>(picture.bins) * static_cast<std::size_t>(picture.columns);
  picture.filled.resize(cells);
  picture.multiplied.resize(cells);
  const Masks masks(map);
  const int length = sorting.splits == 0 ? mask_bits : picture.split_columns;
  for (int first = 0; first < picture.columns; first += length) {
    const int count = std::min(length, picture.columns - first);
    std::vector<std::uint64_t> part = masks.part(first, count);
    if (sorting.splits > 0) {
      const std::vector<std::int32_t> order = sorted_outputs(part);
      std::vector<std::uint64_t> sorted;
      for (const std::int32_t output : order)
        sorted.push_back(part[static_cast<std::size_t>(output)]);
      part = std::move(sorted);
      picture.order.insert(picture.order.end(), order.begin(), order.end());
    }
    draw_columns(picture, part, first, count);
  }
  for (int bin = 0; bin < picture.bins; ++bin) {
    const auto rows = static_cast<float>(picture.first_position(bin + 1) - picture.first_position(bin));
    for (int column = 0; column < picture.columns; ++column) {
      const auto cell = static_cast<std::size_t>(bin * picture.columns + column);
      picture.filled[cell] /= std::max(1.0F, rows);
      picture.multiplied[cell] /= std::max(1.0F, rows);
    }
  }
  return picture;
}

std::vector<RowSorting> shown_row_orders(int columns, std::span<const int> tile_rows) {
  std::vector<RowSorting> orders;
  for (const int splits : shown_splits) {
    if (splits > 0 && !why_not_splits(columns, splits).empty()) continue;
    for (const int rows : tile_rows)
      orders.push_back({splits, rows});
  }
  return orders;
}

std::string sorting_text(int splits) {
  return splits == 0 ? "unsorted" : "mask-sorted:" + std::to_string(splits);
}

double Redundancy::slots_per_pair() const noexcept {
  return pairs == 0 ? 0
                    : static_cast<double>(sorting.tile_rows) * static_cast<double>(active) /
                          static_cast<double>(pairs);
}

std::vector<Redundancy> redundancy(const KernelMap& map, std::span<const RowSorting> wanted) {
  const int columns = map.offsets->columns();
  for (const RowSorting& sorting : wanted)
    require_sorting(map, sorting);
  const Masks masks(map);
  const std::int64_t pairs = [&map] {
    std::int64_t sum = 0;
    for (const std::int64_t matches : matches_per_column(map))
      sum += matches;
    return sum;
  }();
  std::vector<Redundancy> found;
  for (const RowSorting& sorting : wanted)
    found.push_back({sorting, active_columns(masks, columns, sorting), pairs});
  return found;
}

}  // namespace spira
