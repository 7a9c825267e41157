// Makes the coordinate set of a level from device buffers, and computes properties of its keys.
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

using Extent = std::array<std::int64_t, 3>;

[[nodiscard]] inline std::size_t bytes_of_keys(const PackSpec& pack, std::int64_t count) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(pack.word_bits() / 8);
}

/// Returns the key bits in use if all keys are inside the extent. x is in the top bits, and its unused bits
/// are zero.
[[nodiscard]] inline int bits_in_use(const PackSpec& pack, const std::optional<Extent>& extent) {
  const int below = pack.y_bits + pack.z_bits;
  if (!extent) return below + pack.x_bits;
  return below + std::bit_width(static_cast<std::uint64_t>(extent->at(0) - 1));
}

/// Makes the coordinate set of a level. `count` contains the number of keys on the device. If `count` is
/// empty, it is made from `size`.
[[nodiscard]] inline CoordSet coord_set(const Device& device, const PackSpec& pack, int stride,
                                        const std::optional<Extent>& extent, Buffer keys, std::int64_t size,
                                        Buffer count = {}) {
  CoordSet coords;
  coords.pack = pack;
  coords.stride = stride;
  coords.capacity = size;
  coords.keys = std::move(keys);
  coords.count =
      count.bytes() != 0 ? std::move(count) : table_copy(device, std::span<const std::int64_t>(&size, 1));
  coords.size = size;
  coords.extent = extent;
  return coords;
}

/// Copies the first `bytes` of a buffer that was allocated for the largest possible result.
[[nodiscard]] inline Buffer trimmed(const Device& device, const Buffer& from, std::size_t bytes) {
  Buffer exact(device.pool, bytes);
  if (bytes != 0) {
    SPIRA_CUDA(cudaMemcpyAsync(exact.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, device.stream));
  }
  return exact;
}

}  // namespace spira::cuda
