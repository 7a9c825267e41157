// Converts the exception that is being handled to an `Error`.
#pragma once

#include "engine/base/error.hpp"

namespace spira {

/// Returns the exception that is being handled as an `Error`: memory that ran out as `ErrorKind::memory`, and
/// any exception that is not an `Error` as `ErrorKind::internal`. Must be called from a catch block.
[[nodiscard]] Error current_error();

}  // namespace spira
