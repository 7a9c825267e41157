// Error handling of both programs: a fatal error prints one line on stderr and sets the exit code of its
// kind.
#pragma once

namespace spira::app {

/// Must be called first in main(). If a write exceeds the file size limit, the write fails instead of ending
/// the program by a signal. Exceptions that no handler catches print one line and set an exit code instead
/// of aborting. `program` must outlive the process.
void prepare_for_faults(const char* program);

/// Prints the exception that is being handled and returns its exit code.
[[nodiscard]] int report_fault(const char* program);

}  // namespace spira::app
