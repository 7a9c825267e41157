// Measures how well numbers separate into columns, as the length of a code that learns each column
// separately.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spira {

/// Returns the bits of an adaptive code for `keys`, whose order does not matter. Each key has `key_bits`
/// bits. The code learns the frequency of every bit given the bits above it. Keys that share exponents and
/// leading digits are cheap, and random keys cost about `key_bits` each. Sorts `keys`.
[[nodiscard]] double code_length(std::span<std::uint64_t> keys, int key_bits);

}  // namespace spira
