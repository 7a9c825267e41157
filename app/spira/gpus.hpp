// Selects the GPU of this process, and runs a command on all GPUs of the machine, with one process for each.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace spira::app {

/// Hides all other GPUs from this process. Must be called before the first use of CUDA. `index` counts the
/// CUDA devices of `spira devices`. Throws `Error(usage)` if CUDA_VISIBLE_DEVICES contains fewer GPUs.
void use_only_gpu(int index);

/// Returns the arguments of a command for one GPU: those of this process, without the program and without
/// --json and --devices, and with `added`.
[[nodiscard]] std::vector<std::string> process_arguments(const std::vector<std::string>& command_line,
                                                         const std::vector<std::string>& added);

/// What a process printed to stdout, and its exit code. 128 + N means that signal N ended it.
struct ProcessResult {
  std::string output;
  int exit_code = 0;
};

/// Starts this program once for each list of arguments, and waits for all. The processes write to the same
/// stderr. After a stop request, sends SIGTERM to all processes. Throws `Error(device)` if a process cannot
/// be started, and ends the others.
[[nodiscard]] std::vector<ProcessResult> run_processes(const std::vector<std::vector<std::string>>& arguments,
                                                       const std::stop_token& stop);

}  // namespace spira::app
