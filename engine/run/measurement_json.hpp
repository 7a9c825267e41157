// The parts of a measurement as JSON, in both directions: reports and sweeps are made of them.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/run/measurement.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace spira {

constexpr std::size_t most_samples = 1'000'000;  ///< of one series that is read

[[nodiscard]] nlohmann::ordered_json stats_json(std::span<const double> samples);
/// States are written where the device told any figure of them.
[[nodiscard]] nlohmann::ordered_json device_document(const DeviceFacts& device,
                                                     const DeviceState& before = {},
                                                     const DeviceState& after = {});
/// Whether a series was taken alone, or in turns with those it is compared with.
enum class SampleOrder : std::uint8_t { one_after_another, interleaved };
[[nodiscard]] nlohmann::ordered_json protocol_json(const SamplingProtocol& protocol, SampleOrder order);
/// One row a node, by its whole path: "map[conv1].search".
[[nodiscard]] nlohmann::ordered_json stages_json(const StageTree& tree);
[[nodiscard]] nlohmann::ordered_json timeline_json(const Timeline& timeline);

// Each throws Error(input) as Fields does. Statistics are not read: they follow from the samples.
[[nodiscard]] DeviceFacts device_from(const Fields& fields);
[[nodiscard]] DeviceState state_from(const Fields& fields);
[[nodiscard]] Clock clock_from(const Fields& fields, const std::string& key);
[[nodiscard]] SamplingProtocol protocol_from(const Fields& fields);
[[nodiscard]] StageTree stages_from(const Fields& fields, const std::string& key, Clock clock);
[[nodiscard]] Timeline timeline_from(const Fields& fields);

}  // namespace spira
