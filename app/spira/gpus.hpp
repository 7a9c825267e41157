// Selects the GPU of this process, and runs a command on all GPUs of the machine, with one process for each.
#pragma once

#include <string>
#include <vector>

namespace spira::app {

/// Hides all other GPUs from this process. Must be called before the first use of CUDA. `index` counts the
/// GPUs of `spira devices`.
void use_only_gpu(int index);

/// What a process printed to stdout, and its exit code.
struct ProcessResult {
  std::string output;
  int exit_code = 0;
};

/// Starts this program once for each list of arguments, and waits for all. The processes write to the same
/// stderr. A signal from the terminal reaches them too. Throws `Error(device)` if a process cannot be
/// started.
[[nodiscard]] std::vector<ProcessResult> run_processes(
    const std::vector<std::vector<std::string>>& arguments);

}  // namespace spira::app
