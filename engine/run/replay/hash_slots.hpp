// Defines the hash table of the search replays. It has the same slots as the table of the hash search in
// kernels/cuda and counts probes.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/replay/level_keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace spira {

/// A hash table with open addressing and linear probing. At most half of its slots are used. On a device,
/// each slot contains a key (8 bytes). A separate array contains the position of the input (4 bytes) for each
/// slot; it is read only after a match. This class stores only the positions and reads the keys from the
/// level.
class HashSlots {
 public:
  /// Builds the table. The level of `keys` must outlive the table.
  HashSlots(const LevelKeys& keys, Job& job)
      : keys_(keys),
        positions_(std::bit_ceil(std::max<std::size_t>(16, static_cast<std::size_t>(keys.size()) * 2)), -1) {
    constexpr std::int64_t keys_per_checkpoint = 65'536;
    for (std::int64_t at = 0; at < keys.size(); ++at) {
      if (at % keys_per_checkpoint == 0) job.checkpoint({"building the hash table", at, keys.size()});
      std::size_t slot = first_slot(keys[at]);
      for (++build_probes_; positions_[slot] >= 0; ++build_probes_)
        slot = next_slot(slot);
      positions_[slot] = static_cast<std::int32_t>(at);
    }
  }

  [[nodiscard]] std::int64_t slots() const noexcept { return static_cast<std::int64_t>(positions_.size()); }
  /// Returns how many slots were probed to build the table. This number does not depend on the order of the
  /// keys.
  [[nodiscard]] std::int64_t build_probes() const noexcept { return build_probes_; }
  [[nodiscard]] std::size_t first_slot(std::int64_t key) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL) >> 32U) &
           (positions_.size() - 1);
  }
  [[nodiscard]] std::size_t next_slot(std::size_t slot) const noexcept {
    return (slot + 1) & (positions_.size() - 1);
  }
  /// Returns the position of the input in a slot, or -1 if the slot is empty.
  [[nodiscard]] std::int32_t position(std::size_t slot) const noexcept { return positions_[slot]; }
  [[nodiscard]] bool holds(std::size_t slot, std::int64_t key) const noexcept {
    return positions_[slot] >= 0 && keys_[positions_[slot]] == key;
  }

 private:
  LevelKeys keys_;
  std::vector<std::int32_t> positions_;
  std::int64_t build_probes_ = 0;
};

// The class below simulates 32 GPU threads in lockstep. It counts their comparisons and the different 32-byte
// sectors that they read in each step.

/// Simulates one warp for the search replays. In each step, every thread reads at most one word. A sector is
/// counted once per step, even if several threads read from it. No cache is simulated: the next step counts
/// the sector again.
class Lockstep {
 public:
  static constexpr int threads = 32;
  static constexpr std::int64_t sector_bytes = 32;
  enum class Array : std::uint8_t { keys, slots, positions };

  /// Records that one thread reads and compares the word at `index` of an array.
  void compare(Array array, std::int64_t index, std::int64_t word_bytes) {
    read(array, index, word_bytes);
    ++comparisons_;
  }
  void read(Array array, std::int64_t index, std::int64_t word_bytes) {
    step_[static_cast<std::size_t>(readers_++)] =
        (static_cast<std::int64_t>(array) << 56) + (index * word_bytes / sector_bytes);
  }
  /// Ends a step. Returns false if no thread has read a word in this step: all threads have finished.
  bool end_step() {
    if (readers_ == 0) return false;
    const auto end = step_.begin() + readers_;
    if (!std::is_sorted(step_.begin(), end)) std::sort(step_.begin(), end);
    sectors_ += std::unique(step_.begin(), end) - step_.begin();
    readers_ = 0;
    return true;
  }

  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }
  [[nodiscard]] std::int64_t sectors() const noexcept { return sectors_; }

 private:
  std::array<std::int64_t, threads> step_{};
  int readers_ = 0;
  std::int64_t comparisons_ = 0, sectors_ = 0;
};

}  // namespace spira
