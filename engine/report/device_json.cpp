#include "engine/report/device_json.hpp"

#include <nlohmann/json.hpp>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

bool told(const DeviceState& state) {
  return state.sm_clock_mhz || state.memory_clock_mhz || state.temperature_c || state.throttled_by;
}

Json state_json(const DeviceState& state) {
  const auto or_null = [](const auto& figure) { return figure ? Json(*figure) : Json(nullptr); };
  return {{"sm_clock_mhz", or_null(state.sm_clock_mhz)},
          {"memory_clock_mhz", or_null(state.memory_clock_mhz)},
          {"temperature_c", or_null(state.temperature_c)},
          {"throttled_by", or_null(state.throttled_by)}};
}

}  // namespace

std::string device_json(const DeviceFacts& facts, const DeviceState& before, const DeviceState& after) {
  Json device{{"kind", text_of(facts.kind)},
              {"name", facts.name},
              {"instructions", facts.instructions},
              {"threads", facts.threads},
              {"memory_bytes", facts.memory_bytes}};
  if (!facts.driver.empty()) device["driver"] = facts.driver;
  if (!facts.runtime.empty()) device["runtime"] = facts.runtime;
  if (!facts.path.empty()) device["path"] = facts.path;
  if (told(before)) device["state_before"] = state_json(before);
  if (told(after)) device["state_after"] = state_json(after);
  return device.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spira
