// Packed coordinates on the device.
#pragma once

#include "engine/voxel/coord_set.hpp"
#include "kernels/cuda/device.hpp"

#include <cstdint>

namespace spira::cuda {

/// visit(Key{}) with the word of the packing: uint32_t or uint64_t.
template <class Visit> decltype(auto) visit_key(const PackSpec& pack, Visit&& visit) {
  return pack.word_bits() == 32 ? visit(std::uint32_t{}) : visit(std::uint64_t{});
}

/// Position of the first key >= wanted among `count` ascending keys. Keys are compared as signed 64-bit
/// words: a query that leaves the scene is then just smaller or larger than every key.
template <class Key>
__device__ std::int64_t lower_bound(const Key* keys, std::int64_t begin, std::int64_t end,
                                    std::int64_t wanted) {
  while (begin < end) {
    const std::int64_t middle = begin + ((end - begin) >> 1);
    if (static_cast<std::int64_t>(keys[middle]) < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

struct Range {
  std::int64_t begin, end;
};

/// At most `wide` positions that lower_bound(wanted()) is among, or their end; by all lanes of a warp
/// together: 33 parts a step, so a few dependent reads instead of many. The first of them do not wait for
/// what wanted() reads.
template <class Key, class Wanted>
__device__ Range warp_range(const Key* keys, std::int64_t count, const Wanted& wanted_now,
                            std::int64_t wide) {
  const int lane = static_cast<int>(threadIdx.x & 31U);
  std::int64_t begin = 0, end = count, step = 0, at = 0;
  Key key{};
  const auto read = [&] {
    step = ((end - begin) + 32) / 33;
    at = begin + (step * (lane + 1)) - 1;
    if (at >= begin && at < end) key = keys[at];
  };
  read();
  const std::int64_t wanted = wanted_now();
  while (end - begin > wide) {
    const bool below = at < end && static_cast<std::int64_t>(key) < wanted;
    const int smaller = __popc(__ballot_sync(0xFFFFFFFFU, below));
    if (smaller < 32) end = min(end, begin + (step * (smaller + 1)) - 1);
    begin = min(end, begin + (step * smaller));
    read();
  }
  return {begin, end};
}
template <class Key>
__device__ std::int64_t warp_lower_bound(const Key* keys, std::int64_t count, std::int64_t wanted) {
  return warp_range(
             keys, count, [&] { return wanted; }, 0)
      .begin;
}

}  // namespace spira::cuda
