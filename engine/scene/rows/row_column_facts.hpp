// Computes properties of the values in the columns of raw rows, and reasons why columns cannot be
// coordinates.
#pragma once

#include "engine/scene/bytes.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace spira {

/// Sampled values of each column, as unsigned words.
using ColumnSamples = std::vector<std::vector<std::uint64_t>>;

[[nodiscard]] std::uint64_t bits_at(const std::byte* from, std::size_t width) noexcept;
/// Returns the number that these bits represent. `type` must be f16, f32 or f64.
[[nodiscard]] double number_of(std::uint64_t bits, Scalar type) noexcept;

struct ColumnFacts {
  /// Smallest magnitude of all values except 0.
  double smallest = std::numeric_limits<double>::infinity();
  double low = 0, middle = 0, high = 0;  ///< The 5 %, 50 % and 95 % quantiles of the finite values.
  double least = 0, most = 0;
  double garbage = 0;  ///< Share of NaN values that no program writes.
  double finite = 0;   ///< Share of finite values.
  double huge = 0, tiny = 0;
  bool constant = false, whole = true;
  [[nodiscard]] double spread() const noexcept { return high - low; }
};

[[nodiscard]] ColumnFacts facts_of(const std::vector<std::uint64_t>& column, Scalar type);

/// Returns the reason why the values cannot have this type, or an empty string if they can.
[[nodiscard]] std::string type_fault(const ColumnFacts& facts);
/// Returns the reason why the first three columns cannot be x, y and z, or an empty string if they can. Also
/// uses the other columns.
[[nodiscard]] std::string position_fault(const std::vector<ColumnFacts>& facts, const ColumnSamples& columns,
                                         Scalar type);
/// Returns the share of rows in which the columns `first` to `first` + 2 are a vector of length 1.
[[nodiscard]] double unit_share(const ColumnSamples& columns, std::size_t first, Scalar type);
/// Returns true if the columns of `more` are the columns of `less`, repeated once. The correct layout is then
/// `less`, and a row of `more` contains two rows.
[[nodiscard]] bool repeats(std::span<const ColumnFacts> less, std::span<const ColumnFacts> more);

/// Returns the length of `keys` in an adaptive code, in bits. Each key has `key_bits` bits, and the order of
/// the keys does not matter. The code learns the frequency of every bit, given the higher bits of the key.
/// Keys with common exponents and leading digits need few bits; random keys need about `key_bits` bits each.
/// Sorts `keys`.
[[nodiscard]] double code_length(std::span<std::uint64_t> keys, int key_bits);

}  // namespace spira
