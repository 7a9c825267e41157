// Sorted unique packed coordinates of one level.
#pragma once

#include "engine/memory/buffer.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira {

/// `keys` holds `capacity` words of pack.word_bits() bits, the first `count` of them valid, sorted, unique.
struct CoordSet {
  PackSpec pack;
  int stride = 1;                    ///< every component is a multiple of it
  std::int64_t capacity = 0;         ///< upper bound known on the host without asking the device
  Buffer keys, count;                ///< count: one int64 in the same space; the truth
  std::optional<std::int64_t> size;  ///< set once the host knows it; always set by the CPU back ends
  std::optional<std::array<std::int64_t, 3>> extent{};  ///< every component is below it; empty: not known
};

}  // namespace spira
