// Measures the highest rates of memory copies and matrix products on the device.
#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "kernels/cuda/baseline/baseline.hpp"
#include "kernels/cuda/device/cublas.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cuda_fp16.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace spira::cuda {
namespace {

constexpr int warmup = 3, times = 15;
/// Maximum size of a copy. It is much larger than the L2 cache. Devices with little memory copy less.
constexpr std::size_t max_copied_bytes = std::size_t{1} << 30U;
/// Side lengths of the square matrices. Matrix units reach nearly their peak rate only with the larger size.
/// Products in fp32 and products on older devices already reach their peak rate with the smaller size. With
/// the larger size, they would take seconds.
constexpr int large_side = 8192, small_side = 4096;

/// Runs `run` several times and returns its times. The times come from CUDA events, so they do not include
/// the launch overhead.
std::vector<double> samples_of(StageSource& stages, const std::function<void()>& run, Job& job) {
  Recorder recorder(stages);
  for (int round = 0; round < warmup; ++round)
    run();
  for (int round = 0; round < times; ++round) {
    job.checkpoint({"measuring the device", round, times});
    {
      const Recorder::Scope scope(&recorder, "rate");
      run();
    }
    recorder.next_repetition();
  }
  return recorder.take().nodes.front().samples_ms;
}

DeviceRate copy_rate(const Device& device, StageSource& stages, Job& job) {
  std::size_t free_bytes = 0, all_bytes = 0;
  SPIRA_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
  const std::size_t bytes = std::min(max_copied_bytes, all_bytes / 16);
  Buffer from(device.pool, bytes), to(device.pool, bytes);
  SPIRA_CUDA(cudaMemsetAsync(from.data(), 1, bytes, device.stream));
  const auto copy = [&] {
    SPIRA_CUDA(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, device.stream));
  };
  return rate_of(2.0 * static_cast<double>(bytes),
                 "copy of " + bytes_text(bytes) + " inside the device's memory",
                 samples_of(stages, copy, job));
}

/// Fills a buffer with values in [-1, 1). They are computed from a hash of the index. With zeros, the rates
/// would be too high, because matrix units use less power for zeros and therefore run faster.
template <class T> void fill(const Device& device, Buffer& buffer) {
  auto* to = values<T>(buffer);
  for_each(device, static_cast<std::int64_t>(buffer.bytes() / sizeof(T)), [=] __device__(std::int64_t at) {
    auto bits = static_cast<std::uint32_t>(at) * 2654435761U;
    bits = (bits ^ (bits >> 15U)) * 2246822519U;
    to[at] = T((static_cast<float>((bits ^ (bits >> 13U)) >> 8U) * 0x1p-23F) - 1.0F);
  });
}

DeviceRate product_rate(const Device& device, StageSource& stages, Precision precision, Job& job) {
  if (!device.cublas->why_not().empty()) return {{}, "not measured: " + device.cublas->why_not(), {}};
  const bool fp16 = precision == Precision::fp16;
  const int side = fp16 && device.sm >= 80 ? large_side : small_side;
  const auto values_of_matrix = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  Buffer left(device.pool, values_of_matrix * bytes_of(precision)),
      right(device.pool, values_of_matrix * bytes_of(precision)),
      product(device.pool, values_of_matrix * bytes_of(precision));
  for (Buffer* buffer : {&left, &right})
    fp16 ? fill<__half>(device, *buffer) : fill<float>(device, *buffer);
  const ProductShape shape{side, side, side, precision, precision};
  const std::string n = std::to_string(side);
  const auto multiply = [&] { device.cublas->multiply(shape, left.data(), right.data(), product.data()); };
  return rate_of(
      2.0 * side * side * side,
      n + " x " + n + " x " + n + " in " + std::string(text_of(precision)) + " with sums in fp32 by cuBLAS",
      samples_of(stages, multiply, job));
}

}  // namespace

DeviceRates measure_rates(const Device& device, StageSource& stages, Precision precision, Job& job) {
  return {rate_or_why([&] { return copy_rate(device, stages, job); }),
          rate_or_why([&] { return product_rate(device, stages, precision, job); })};
}

}  // namespace spira::cuda
