#include "engine/report/device_json.hpp"

#include "engine/run/measurement_json.hpp"

namespace spira {

std::string device_json(const DeviceFacts& facts, const DeviceState& before, const DeviceState& after) {
  using Json = nlohmann::ordered_json;
  return device_document(facts, before, after).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spira
