// Limits how a file is read: the share of the points that is read, and the memory that is available.
#pragma once

#include "engine/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spira {

struct ReadLimits {
  std::int64_t every = 1;  ///< Every n-th point is read, beginning with the first.
  /// Memory that is available for the points, in bytes. Empty if not known; all points are then read.
  std::optional<std::uint64_t> free_bytes;
};

/// Thrown before memory is allocated if points need more memory than is available. The message ends with the
/// share of the points that fits in memory. The window and the command line add how the user can read only
/// this share.
class NotEnoughMemory : public Error {
 public:
  /// `every` is the smallest n for which every n-th point of the file fits in memory, or 0 if there is no
  /// such n.
  NotEnoughMemory(const std::string& message, std::int64_t every)
      : Error(ErrorKind::memory, message), every_(every) {}
  [[nodiscard]] std::int64_t every() const noexcept { return every_; }

 private:
  std::int64_t every_;
};

/// Returns a text such as "every 2nd" or "every 21st". Returns "all" for 1.
[[nodiscard]] std::string every_text(std::int64_t every);

/// Returns the smallest n such that every n-th of `items` items fits in memory, with `item_bytes` bytes each.
/// Returns 0 if so few items would not represent the scene.
[[nodiscard]] std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes,
                                           std::uint64_t free_bytes);

}  // namespace spira
