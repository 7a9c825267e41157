// Limits for reading a file: the share of the points that is read, and the available memory.
#pragma once

#include "engine/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spira {

struct ReadLimits {
  std::int64_t every = 1;  ///< reads every n-th point of the file, beginning with the first
  /// Available memory for the points, in bytes. If empty, the available memory is not known, and all points
  /// are read.
  std::optional<std::uint64_t> free_bytes;
};

/// Thrown if points need more memory than is available, before it is allocated. The message ends with the
/// share of the points that fits in memory. Each program adds the option or command that reads this share.
class NotEnoughMemory : public Error {
 public:
  /// `every` is the smallest n for which every n-th point of the file fits. It is 0 if there is none.
  NotEnoughMemory(const std::string& message, std::int64_t every)
      : Error(ErrorKind::memory, message), every_(every) {}
  [[nodiscard]] std::int64_t every() const noexcept { return every_; }

 private:
  std::int64_t every_;
};

/// Returns "every 2nd" or "every 21st", or "all" for 1.
[[nodiscard]] std::string every_text(std::int64_t every);

/// Returns the smallest `every` such that every n-th of `items` fits, with `item_bytes` each. Returns 0 if
/// the share that fits is too small to represent the scene.
[[nodiscard]] std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes,
                                           std::uint64_t free_bytes);

}  // namespace spira
