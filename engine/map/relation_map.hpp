// Defines RelationMap, which a relational convolution reads instead of a kernel map.
#pragma once

#include "engine/memory/buffer.hpp"
#include "engine/relation/triples.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spira {

/// The factor of the sources of an output in one relation: 1 / number of sources (mean), or 1 (sum).
enum class Normalise : std::uint8_t { mean, sum };
/// Returns "mean" or "sum".
[[nodiscard]] constexpr std::string_view text_of(Normalise normalise) noexcept {
  return normalise == Normalise::mean ? "mean" : "sum";
}

/// The sources of each output node, by relation. A kernel map has at most one input per output and column; an
/// output can have any number of sources in a relation. Each row is one (output, relation) with at least one
/// source. The rows of a relation are consecutive, and their outputs ascend.
struct RelationMap {
  std::int64_t nodes = 0;
  Normalise normalise = Normalise::mean;
  /// The first row of each relation, and the number of all rows at the end. Shape: [relations + 1].
  std::vector<std::int64_t> begins{0};
  Buffer counts;   ///< Number of rows of each relation, as int32. Shape: [relations].
  Buffer outputs;  ///< The output node of each row, as int32. Shape: [rows].
  Buffer first;    ///< The position of the first source of each row, as int32. Shape: [rows + 1].
  Buffer sources;  ///< The source nodes, as int32. They ascend in each row. Shape: [triples].
  std::int64_t most_sources = 0;  ///< The largest number of sources of a row.

  [[nodiscard]] int relations() const noexcept { return static_cast<int>(begins.size()) - 1; }
  [[nodiscard]] std::int64_t rows() const noexcept { return begins.back(); }
  [[nodiscard]] std::int64_t triples() const noexcept {
    return static_cast<std::int64_t>(sources.bytes() / sizeof(std::int32_t));
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return counts.bytes() + outputs.bytes() + first.bytes() + sources.bytes();
  }
};

/// Groups triples by relation and tail. The buffers are in host memory.
[[nodiscard]] RelationMap relation_map(const Triples& triples, Normalise normalise);

}  // namespace spira
