// A hash table of packed keys on the device.
#pragma once

#include "kernels/cuda/device/launch.cuh"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace spira::cuda {

/// A hash table with open addressing and linear probing. It is at most half full. find() returns -1 for a
/// missing key.
template <class Key> struct HashSlots {
  /// The value ~0 marks a free slot. No key has this value: 64-bit keys never have the top bit set, and other
  /// keys have only 32 bits.
  unsigned long long* keys;
  std::int32_t* positions;
  std::uint32_t mask;

  [[nodiscard]] __device__ static std::uint32_t first_slot(Key key) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL) >> 32U);
  }
  __device__ void insert(Key key, std::int32_t position) const {
    for (std::uint32_t slot = first_slot(key) & mask;; slot = (slot + 1) & mask) {
      if (atomicCAS(keys + slot, ~0ULL, static_cast<unsigned long long>(key)) != ~0ULL) continue;
      positions[slot] = position;
      return;
    }
  }
  [[nodiscard]] __device__ std::int32_t find(Key key) const {
    for (std::uint32_t slot = first_slot(key) & mask;; slot = (slot + 1) & mask) {
      if (keys[slot] == static_cast<unsigned long long>(key)) return positions[slot];
      if (keys[slot] == ~0ULL) return -1;
    }
  }
};

/// A hash table and its memory.
template <class Key> struct HashTable {
  Buffer keys, positions;
  HashSlots<Key> slots{};
};

/// Returns a hash table with the positions of `count` keys.
template <class Key>
[[nodiscard]] HashTable<Key> hash_table(const Device& device, const Key* inputs, std::int64_t count) {
  const auto capacity = static_cast<std::uint32_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(16, count * 2))));
  HashTable<Key> table{Buffer(device.pool, capacity * sizeof(std::uint64_t)),
                       Buffer(device.pool, capacity * sizeof(std::int32_t))};
  SPIRA_CUDA(cudaMemsetAsync(table.keys.data(), 0xFF, table.keys.bytes(), device.stream));
  const HashSlots<Key> slots{values<unsigned long long>(table.keys), values<std::int32_t>(table.positions),
                             capacity - 1};
  for_each(device, count,
           [=] __device__(std::int64_t at) { slots.insert(inputs[at], static_cast<std::int32_t>(at)); });
  table.slots = slots;
  return table;
}

}  // namespace spira::cuda
