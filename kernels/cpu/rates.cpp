#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/measure/statistics.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace spira::cpu {
namespace {

/// Size in bytes of the copied buffer. It is much larger than a last-level cache.
constexpr std::size_t copied_bytes = 268'435'456;
constexpr std::int64_t copied_block = 4'194'304;
/// Number of rows that a thread multiplies at once, as in the layers. The weight matrix is as large as in the
/// widest layers.
constexpr std::int64_t rows_per_block = 512;
constexpr int product_channels = 512;

/// Each rate is measured with seven samples after one warm-up run, and the median sample determines it.
constexpr SamplingProtocol how{.warmup = 1, .min_samples = 7, .max_samples = 7, .max_time_ms = 1000};

DeviceRate copy_rate(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, Job& job) {
  Buffer from(pool, copied_bytes), to(pool, copied_bytes);
  // Write all pages first. The system maps all pages that were never written to a single physical page.
  std::memset(from.data(), 1, copied_bytes);
  const auto copy = [&](std::int64_t begin, std::int64_t end, int) {
    std::memcpy(static_cast<std::byte*>(to.data()) + begin, static_cast<std::byte*>(from.data()) + begin,
                static_cast<std::size_t>(end - begin));
  };
  const Samples samples = sample([&] { threads.for_blocks(copied_bytes, copied_block, copy); }, how, job);
  return rate_of(2.0 * copied_bytes, "copy of " + bytes_text(copied_bytes) + " on all threads", samples.ms);
}

DeviceRate product_rate(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, Job& job) {
  const std::int64_t rows = rows_per_block * 2 * threads.threads();
  const auto matrix = [&](std::int64_t height) {
    return Buffer(pool, static_cast<std::size_t>(height) * product_channels * sizeof(float));
  };
  Buffer left = matrix(rows), right = matrix(product_channels), product = matrix(rows);
  Random random(1);
  for (Buffer* buffer : {&left, &right}) {
    for (float& value : buffer->host_span<float>())
      value = static_cast<float>(random.uniform(-1, 1));
  }
  const PanelKernels& kernels = panel_kernels();
  const std::string channels = std::to_string(product_channels);
  const auto multiply = [&](std::int64_t begin, std::int64_t end, int) {
    kernels.multiply(left.host_span<float>().data() + (begin * product_channels), end - begin,
                     product_channels, right.host_span<float>().data(), product_channels,
                     product.host_span<float>().data() + (begin * product_channels));
  };
  const Samples samples = sample([&] { threads.for_blocks(rows, rows_per_block, multiply); }, how, job);
  return rate_of(2.0 * static_cast<double>(rows) * product_channels * product_channels,
                 std::to_string(rows) + " x " + channels + " x " + channels + " in fp32 by Eigen, " +
                     kernels.instructions + ", on all threads",
                 samples.ms);
}

}  // namespace

DeviceRates measure_rates(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, Job& job) {
  return {rate_or_why([&] { return copy_rate(threads, pool, job); }),
          rate_or_why([&] { return product_rate(threads, pool, job); })};
}

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

/// Returns true if each core has only one possible frequency. This is the case if its limits are equal, or if
/// it has the performance governor and turbo is off. Returns `std::nullopt` if the limits cannot be read.
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

/// Returns the number of threads that run or are ready to run, from /proc/loadavg. Example: 3 for "1.00 0.50
/// 0.20 3/99 23531".
std::optional<int> ready_threads(const fs::path& proc) {
  std::ifstream in(proc / "loadavg");
  std::string minute, five, quarter;
  int ready = 0;
  if (!(in >> minute >> five >> quarter >> ready)) return std::nullopt;
  return ready;
}

/// Returns true if the state of a thread is R (running or ready). The file contains a line such as "17
/// (thread name) R ...", in which the state follows the last closing bracket.
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
