#include "engine/map/redundancy.hpp"

#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"

#include <algorithm>
#include <bit>
#include <functional>

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

double Redundancy::slots_per_pair() const noexcept {
  return pairs == 0 ? 0
                    : static_cast<double>(sorting.tile_rows) * static_cast<double>(active) /
                          static_cast<double>(pairs);
}

std::vector<Redundancy> redundancy(const KernelMap& map, std::span<const RowSorting> wanted) {
  const int columns = map.offsets->columns();
  for (const RowSorting& sorting : wanted) {
    SPIRA_ASSERT(sorting.tile_rows > 0, "a tile needs at least one row");
    if (const std::string why = sorting.splits == 0 ? "" : why_not_splits(columns, sorting.splits);
        !why.empty())
      throw Error(ErrorKind::usage, why);
  }
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
