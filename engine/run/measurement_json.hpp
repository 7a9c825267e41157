// Converts the parts of a measurement to JSON and back. Reports and sweeps consist of these parts.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/replay/search_counters.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace spira {

constexpr std::size_t max_samples = 1'000'000;  ///< Maximum number of samples in a series that is read.

[[nodiscard]] nlohmann::ordered_json stats_json(std::span<const double> samples);
/// Writes a state only if the device reported at least one of its values.
[[nodiscard]] nlohmann::ordered_json device_document(const DeviceFacts& device,
                                                     const DeviceState& before = {},
                                                     const DeviceState& after = {});
/// Order of sampling: a series is sampled as a whole, or interleaved with the series that it is compared
/// with.
enum class SampleOrder : std::uint8_t { one_after_another, interleaved };
[[nodiscard]] nlohmann::ordered_json protocol_json(const SamplingProtocol& protocol, SampleOrder order);
/// Writes one row per node. The full path names the node: "map[conv1].search".
[[nodiscard]] nlohmann::ordered_json stages_json(const StageTree& tree);
[[nodiscard]] nlohmann::ordered_json timeline_json(const Timeline& timeline);

// Each function throws `Error(input)` as Fields does. Statistics are not read because they follow from the
// samples.
[[nodiscard]] DeviceFacts device_from(const Fields& fields);
[[nodiscard]] DeviceState state_from(const Fields& fields);
[[nodiscard]] Clock clock_from(const Fields& fields, const std::string& key);
[[nodiscard]] SamplingProtocol protocol_from(const Fields& fields);
[[nodiscard]] StageTree stages_from(const Fields& fields, const std::string& key, Clock clock);
[[nodiscard]] Timeline timeline_from(const Fields& fields);

/// Returns the member "counters" of a report: all maps together, then each map.
[[nodiscard]] nlohmann::ordered_json counters_json(const SearchCounters& counters);
/// Reads only the maps. SearchCounters::whole() computes their totals again. Throws `Error(input)` as Fields
/// does.
[[nodiscard]] SearchCounters counters_from(const Fields& fields);

}  // namespace spira
