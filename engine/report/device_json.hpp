// The device of a report or bench as a JSON object.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <string>

namespace spira {

/// kind, name, instructions, threads, memory_bytes; driver, runtime, path, state_before and state_after where
/// the device tells them. In a state, figures that it does not tell are null.
[[nodiscard]] std::string device_json(const DeviceFacts& facts, const DeviceState& before,
                                      const DeviceState& after);

}  // namespace spira
