// Computes statistics of the columns of raw rows. Explains why columns cannot be coordinates.
#pragma once

#include "engine/scene/bytes.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace spira {

/// For each column, the sampled values as unsigned words.
using ColumnSamples = std::vector<std::vector<std::uint64_t>>;

[[nodiscard]] std::uint64_t bits_at(const std::byte* from, std::size_t width) noexcept;
/// Returns the number that `bits` represent. `type` must be f16, f32 or f64.
[[nodiscard]] double number_of(std::uint64_t bits, Scalar type) noexcept;

struct ColumnFacts {
  /// The smallest magnitude of all values that are not 0.
  double smallest = std::numeric_limits<double>::infinity();
  double low = 0, middle = 0, high = 0;  ///< The 5 %, 50 % and 95 % quantiles of the finite values.
  double least = 0, most = 0;
  /// Share of NaN values with unusual bit patterns. A large share suggests a wrong type.
  double garbage = 0;
  double finite = 0;  ///< Share of finite values.
  double huge = 0, tiny = 0;
  bool constant = false, whole = true;
  [[nodiscard]] double spread() const noexcept { return high - low; }
};

[[nodiscard]] ColumnFacts facts_of(const std::vector<std::uint64_t>& column, Scalar type);

/// Returns the reason why the values cannot have this type, or an empty string if they can.
[[nodiscard]] std::string type_fault(const ColumnFacts& facts);
/// Returns the reason why the first three columns cannot be x, y and z, or an empty string if they can. The
/// other columns are used as evidence.
[[nodiscard]] std::string position_fault(const std::vector<ColumnFacts>& facts, const ColumnSamples& columns,
                                         Scalar type);
/// Returns the share of rows in which `first` and the next two columns form a vector of length 1.
[[nodiscard]] double unit_share(const ColumnSamples& columns, std::size_t first, Scalar type);
/// Returns true if the columns of `more` repeat the columns of `less` twice. In this case, `less` is the
/// right layout, and each row of `more` consists of two real rows.
[[nodiscard]] bool repeats(std::span<const ColumnFacts> less, std::span<const ColumnFacts> more);

/// Returns the number of bits that an adaptive code needs for `keys`. Each key has `key_bits` bits; the order
/// of the keys does not matter. The code predicts each bit from the higher bits of the key and learns while
/// it codes. Keys with similar exponents and leading digits therefore need few bits, and random keys need
/// about `key_bits` bits each. Sorts `keys`.
[[nodiscard]] double code_length(std::span<std::uint64_t> keys, int key_bits);

}  // namespace spira
