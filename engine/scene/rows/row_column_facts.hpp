// Properties of the values in the columns of raw rows, and reasons why they cannot be coordinates.
#pragma once

#include "engine/scene/bytes.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace spira {

/// Sampled values of each column, as bits.
using ColumnSamples = std::vector<std::vector<std::uint64_t>>;

[[nodiscard]] std::uint64_t bits_at(const std::byte* from, std::size_t width) noexcept;
/// `type` must be f16, f32 or f64.
[[nodiscard]] double number_of(std::uint64_t bits, Scalar type) noexcept;

struct ColumnFacts {
  double smallest = std::numeric_limits<double>::infinity();  ///< Smallest magnitude other than 0.
  double low = 0, middle = 0, high = 0;  ///< 5 %, 50 % and 95 % quantiles of the finite values
  double least = 0, most = 0;
  double garbage = 0;  ///< share of NaN patterns that no program writes
  double finite = 0;   ///< share of finite values
  double huge = 0, tiny = 0;
  bool constant = false, whole = true;
  [[nodiscard]] double spread() const noexcept { return high - low; }
};

[[nodiscard]] ColumnFacts facts_of(const std::vector<std::uint64_t>& column, Scalar type);

/// Returns the reason why these values cannot be numbers of this type, or an empty string if they can.
[[nodiscard]] std::string type_fault(const ColumnFacts& facts);
/// Returns the reason why the first three columns are not x, y and z, judged together with the other columns.
/// Returns an empty string if they can be.
[[nodiscard]] std::string position_fault(const std::vector<ColumnFacts>& facts, const ColumnSamples& columns,
                                         Scalar type);
/// Returns the share of rows in which the three columns that start at `first` are a vector of length 1.
[[nodiscard]] double unit_share(const ColumnSamples& columns, std::size_t first, Scalar type);
/// Returns true if the columns of `more` are the columns of `less` twice. The correct layout is then `less`,
/// and a row of `more` contains two rows.
[[nodiscard]] bool repeats(std::span<const ColumnFacts> less, std::span<const ColumnFacts> more);

/// Returns the bits of an adaptive code for `keys`, whose order does not matter. Each key has `key_bits`
/// bits. The code learns the frequency of every bit given the bits above it. Keys with common exponents and
/// leading digits need few bits, and random keys need about `key_bits` each. Sorts `keys`.
[[nodiscard]] double code_length(std::span<std::uint64_t> keys, int key_bits);

}  // namespace spira
