// Defines the only exception type of the project, and the table that maps each kind of error to an exit code
// and a title.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace spira {

enum class ErrorKind {
  failed_check,
  usage,
  input,
  does_not_fit,
  device,
  device_memory,  ///< The memory pool of a back end, on the host or on a GPU, has too little memory.
  memory,
  internal,
  slower,
  undecided,
  cancelled
};

/// An error with a message of one line. The message contains the file or layer, the actual value, the
/// expected value, and the suggested fix.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// Returns true for errors of a device or of its memory. After such an error, another back end may still be
/// able to do the work.
[[nodiscard]] constexpr bool is_device_fault(ErrorKind kind) noexcept {
  return kind == ErrorKind::device || kind == ErrorKind::device_memory;
}

struct ErrorKindFacts {
  ErrorKind kind;
  int exit_code;
  std::string_view title;  ///< The title of the error banner in the window.
};
[[nodiscard]] const ErrorKindFacts& facts(ErrorKind kind) noexcept;

}  // namespace spira

/// Throws `Error(internal)` with `message` if `condition` is false, in debug and in release builds.
#define SPIRA_ASSERT(condition, message)                                             \
  do {                                                                               \
    if (!(condition)) throw ::spira::Error(::spira::ErrorKind::internal, (message)); \
  } while (false)

namespace spira {

/// Returns the exception that is being handled as an `Error`. `std::bad_alloc` becomes `ErrorKind::memory`;
/// any other exception becomes `ErrorKind::internal`. Must be called in a catch block.
[[nodiscard]] Error current_error();

}  // namespace spira
