// Error handling of `spira` and `spirascope`. A fatal error prints one line on stderr and sets an exit code
// that depends on the kind of error.
#pragma once

namespace spira::app {

/// Must be called first in main(). After this call, a write beyond the file size limit fails instead of
/// ending the program with a signal. An unhandled exception prints one line and sets an exit code instead of
/// aborting the program. `program` must remain valid until the process ends.
void prepare_for_faults(const char* program);

/// Prints the exception that is currently handled and returns its exit code.
[[nodiscard]] int report_fault(const char* program);

}  // namespace spira::app
