#include "kernels/cpu/cpu_backend.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace spira::cpu {
namespace {

namespace fs = std::filesystem;

/// Returns the first word of a file, or an empty string if the file does not exist.
std::string first_word(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

std::vector<fs::path> folders_of(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(parent, none))
    found.push_back(entry.path());
  return found;
}

/// Returns true if each core has only one possible frequency: its limits are equal, or it has the performance
/// governor and turbo is off. Returns no value if the limits cannot be read.
std::optional<bool> clocks_locked(const fs::path& processors) {
  const bool no_turbo = first_word(processors / "intel_pstate" / "no_turbo") == "1" ||
                        first_word(processors / "cpufreq" / "boost") == "0";
  bool any = false;
  for (const fs::path& policy : folders_of(processors / "cpufreq")) {
    const std::string low = first_word(policy / "scaling_min_freq"),
                      high = first_word(policy / "scaling_max_freq");
    if (low.empty() || high.empty()) continue;
    any = true;
    const bool held = no_turbo && first_word(policy / "scaling_governor") == "performance";
    if (low != high && !held) return false;
  }
  return any ? std::optional<bool>(true) : std::nullopt;
}

/// Returns the number of threads that run or are ready to run, which /proc/loadavg contains. Example: 3 for
/// "1.00 0.50 0.20 3/99 23531".
std::optional<int> ready_threads(const fs::path& proc) {
  std::ifstream in(proc / "loadavg");
  std::string minute, five, quarter;
  int ready = 0;
  if (!(in >> minute >> five >> quarter >> ready)) return std::nullopt;
  return ready;
}

/// Returns true if the thread's state is R (running or ready) in a line such as "17 (thread name) R ...". The
/// state follows the last bracket.
bool is_ready(const fs::path& thread) {
  std::ifstream in(thread / "stat");
  std::string line;
  std::getline(in, line);
  const auto bracket = line.rfind(") ");
  return bracket != std::string::npos && line.compare(bracket + 2, 1, "R") == 0;
}

std::optional<int> others_ready(const fs::path& proc) {
  const auto all = ready_threads(proc);
  const auto own = folders_of(proc / "self" / "task");
  if (!all || own.empty()) return std::nullopt;
  return std::max(0, *all - static_cast<int>(std::count_if(own.begin(), own.end(), is_ready)));
}

}  // namespace

DeviceState processor_state(const fs::path& proc, const fs::path& processors) {
  DeviceState state;
  state.clocks_locked = clocks_locked(processors);
  state.other_processes = others_ready(proc);
  return state;
}

}  // namespace spira::cpu
