// How both programs end after a fault: one line on stderr and the exit code of its kind.
#pragma once

namespace spira::app {

/// Call first in main(). A write beyond the limit of file sizes becomes an error instead of a signal, and
/// faults that no handler catches end with one line and an exit code instead of an abort.
/// `program` must outlive the process.
void prepare_for_faults(const char* program);

/// Prints the exception that is being handled and returns its exit code.
[[nodiscard]] int report_fault(const char* program);

}  // namespace spira::app
