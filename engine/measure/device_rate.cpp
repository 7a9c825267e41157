#include "engine/measure/device_rate.hpp"

#include "engine/base/error.hpp"
#include "engine/measure/statistics.hpp"

#include <utility>

namespace spira {

DeviceRate rate_of(double work, std::string how, std::vector<double> samples_ms) {
  DeviceRate rate{{}, std::move(how), std::move(samples_ms)};
  const double median_ms = statistics(rate.samples_ms).median;
  if (median_ms > 0) rate.per_second = work / median_ms * 1e3;
  return rate;
}

DeviceRate rate_or_why(const std::function<DeviceRate()>& measure) {
  try {
    return measure();
  } catch (const Error& error) {
    if (!is_device_fault(error.kind())) throw;
    return {{}, std::string("not measured: ") + error.what(), {}};
  }
}

}  // namespace spira
