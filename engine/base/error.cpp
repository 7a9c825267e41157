#include "engine/base/error.hpp"

#include <array>
#include <new>

namespace spira {

const ErrorKindFacts& facts(ErrorKind kind) noexcept {
  static constexpr std::array<ErrorKindFacts, 11> table{{
      {ErrorKind::failed_check, 1, "A check failed"},
      {ErrorKind::usage, 2, "Invalid request"},
      {ErrorKind::input, 3, "The file could not be read"},
      {ErrorKind::does_not_fit, 4, "The data does not fit"},
      {ErrorKind::device, 5, "Device or memory error"},
      {ErrorKind::device_memory, 5, "Not enough memory"},
      {ErrorKind::memory, 5, "Not enough memory"},
      {ErrorKind::internal, 1, "Internal error"},
      {ErrorKind::slower, 6, "Slower than the limit"},
      {ErrorKind::undecided, 7, "Undecided"},
      {ErrorKind::cancelled, 130, "Cancelled"},
  }};
  for (const auto& row : table) {
    if (row.kind == kind) return row;
  }
  return table[7];
}

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::memory, "not enough memory; the open scene or report is unchanged"};
  } catch (const std::exception& error) {
    return {ErrorKind::internal, error.what()};
  } catch (...) {
    return {ErrorKind::internal, "unknown exception"};
  }
}

}  // namespace spira
