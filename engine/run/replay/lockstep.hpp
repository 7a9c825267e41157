// Models 32 GPU threads in lockstep. Counts their comparisons and the distinct 32-byte sectors that each step
// reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace spira {

/// Models one warp for the search replays. In each step, every thread reads one word. Words in the same
/// sector are read once. No sector stays in a cache after the step.
class Lockstep {
 public:
  static constexpr int threads = 32;
  static constexpr std::int64_t sector_bytes = 32;
  enum class Array : std::uint8_t { keys, slots, positions };  ///< The arrays that threads read.

  /// Records that one thread reads the word at `index` of an array and compares it.
  void compare(Array array, std::int64_t index, std::int64_t word_bytes) {
    read(array, index, word_bytes);
    ++comparisons_;
  }
  void read(Array array, std::int64_t index, std::int64_t word_bytes) {
    step_[static_cast<std::size_t>(readers_++)] =
        (static_cast<std::int64_t>(array) << 56) + (index * word_bytes / sector_bytes);
  }
  /// Ends a step. Returns false if no thread has read a word in this step, because all threads are then done.
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
