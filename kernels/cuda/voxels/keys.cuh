// Device functions for packed coordinates: they search sorted keys and create the coordinate set of a level.
#pragma once

#include "engine/voxel/coord_set.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace spira::cuda {

/// Calls visit(Key{}), where Key is the word type of the packing: uint32_t or uint64_t.
template <class Visit> decltype(auto) visit_key(const PackSpec& pack, Visit&& visit) {
  return pack.word_bits() == 32 ? visit(std::uint32_t{}) : visit(std::uint64_t{});
}

/// Returns the position of the first key >= wanted among the ascending keys [begin, end). Keys are compared
/// as signed 64-bit words, so a query outside the scene is smaller or larger than every key.
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

/// Returns a range of at most `wide` positions. The position of the first key >= wanted() is in this range or
/// at its end. Must be called by all lanes of a warp together. Each step divides the range into 33 parts, so
/// the search needs few dependent reads. The first read of keys does not depend on wanted(), so this read and
/// the reads in wanted() can be in flight together.
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

using Extent = std::array<std::int64_t, 3>;

[[nodiscard]] inline std::size_t bytes_of_keys(const PackSpec& pack, std::int64_t count) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(pack.word_bits() / 8);
}

/// Returns how many low bits of a key can be nonzero inside the extent. The x field is in the top bits, so
/// the bits above its largest value are zero.
[[nodiscard]] inline int bits_in_use(const PackSpec& pack, const std::optional<Extent>& extent) {
  const int below = pack.y_bits + pack.z_bits;
  if (!extent) return below + pack.x_bits + pack.batch_bits;
  return below + std::bit_width(static_cast<std::uint64_t>(extent->at(0) - 1));
}

/// Returns the coordinate set of a level. `count` contains the number of keys in device memory. If `count` is
/// empty, the function creates it from `size`.
[[nodiscard]] inline CoordSet coord_set(const Device& device, const PackSpec& pack, const SceneLevel& level,
                                        const std::optional<Extent>& extent, Buffer keys, std::int64_t size,
                                        Buffer count = {}) {
  CoordSet coords;
  coords.pack = pack;
  coords.stride = level.number;
  coords.rule = level.rule;
  coords.capacity = size;
  coords.keys = std::move(keys);
  coords.count =
      count.bytes() != 0 ? std::move(count) : table_copy(device, std::span<const std::int64_t>(&size, 1));
  coords.size = size;
  coords.extent = extent;
  return coords;
}

/// Returns a copy of the first `bytes` bytes of `from`, which was allocated for the largest possible result.
[[nodiscard]] inline Buffer trimmed(const Device& device, const Buffer& from, std::size_t bytes) {
  Buffer exact(device.pool, bytes);
  if (bytes != 0) {
    SPIRA_CUDA(cudaMemcpyAsync(exact.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, device.stream));
  }
  return exact;
}

}  // namespace spira::cuda
