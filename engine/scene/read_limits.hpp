// Limits for reading a file: the share of the points that is read, and the available memory.
#pragma once

#include "engine/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spira {

struct ReadLimits {
  std::int64_t every = 1;  ///< reads every n-th point of the file, beginning with the first
  /// Available memory for the points, in bytes. Empty if not known: all points are tried.
  std::optional<std::uint64_t> free_bytes;
};

/// Thrown if points need more memory than is available, before it is allocated. The message ends with the
/// share that would fit; each program adds how to request it.
class NotEnoughMemory : public Error {
 public:
  /// `every` is the share of the file that fits: every n-th point. 0 if no share fits.
  NotEnoughMemory(const std::string& message, std::int64_t every)
      : Error(ErrorKind::memory, message), every_(every) {}
  [[nodiscard]] std::int64_t every() const noexcept { return every_; }

 private:
  std::int64_t every_;
};

/// Returns "every 2nd" or "every 21st", or "all" for 1.
[[nodiscard]] std::string every_text(std::int64_t every);

/// Returns the smallest `every` such that every n-th of `items` fits, with `item_bytes` each. Returns 0 if
/// the fitting share is too small to represent the whole.
[[nodiscard]] std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes,
                                           std::uint64_t free_bytes);

}  // namespace spira
