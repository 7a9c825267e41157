#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/device_rate.hpp"
#include "engine/measure/sampling.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace spira::cpu {
namespace {

/// Size of the copied buffer. It is much larger than a last-level cache.
constexpr std::size_t copied_bytes = 268'435'456;
constexpr std::int64_t copied_block = 4'194'304;
/// Number of rows that a thread multiplies at once, as in the layers. The weight matrix has the size of the
/// widest layers.
constexpr std::int64_t rows_per_block = 512;
constexpr int product_channels = 512;

/// Measures seven samples after a warm-up; the median counts. All samples together take less than a second.
constexpr SamplingProtocol how{.warmup = 1, .min_samples = 7, .max_samples = 7, .max_time_ms = 1000};

DeviceRate copy_rate(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, Job& job) {
  Buffer from(pool, copied_bytes), to(pool, copied_bytes);
  // Writes all pages first, because pages that were never written share one physical page.
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

}  // namespace spira::cpu
