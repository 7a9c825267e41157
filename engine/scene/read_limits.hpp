// How much of a file is read, and what it may cost.
#pragma once

#include "engine/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spira {

struct ReadLimits {
  std::int64_t every = 1;                   ///< every n-th point of the file, the first one with it
  std::optional<std::uint64_t> free_bytes;  ///< that points may take; empty: not known, all is tried
};

/// More memory than there is. What would fit is known before anything is taken; its text ends with it, and
/// each program adds how it is asked for.
class NotEnoughMemory : public Error {
 public:
  /// `every`: a share of the file that fits, every n-th point; 0: none does.
  NotEnoughMemory(const std::string& message, std::int64_t every)
      : Error(ErrorKind::memory, message), every_(every) {}
  [[nodiscard]] std::int64_t every() const noexcept { return every_; }

 private:
  std::int64_t every_;
};

/// "every 2nd", "every 21st"; "all" of 1.
[[nodiscard]] std::string every_text(std::int64_t every);

/// The smallest share of `items` that fits, each of them of `item_bytes`: every n-th; 0: none that is still a
/// picture of the whole.
[[nodiscard]] std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes,
                                           std::uint64_t free_bytes);

}  // namespace spira
