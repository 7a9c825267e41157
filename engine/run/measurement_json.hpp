// Converts parts of a measurement to JSON and back. Reports and sweeps contain these parts.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/replay/search_counters.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace spira {

/// A series with more samples than this is rejected when a file is read. No series of this program is as
/// long.
constexpr std::size_t max_samples = 1'000'000;

[[nodiscard]] nlohmann::ordered_json stats_json(std::span<const double> samples);
/// Returns a device as JSON. A device state is included only if the device reported at least one value of it.
[[nodiscard]] nlohmann::ordered_json device_document(const DeviceFacts& device,
                                                     const DeviceState& before = {},
                                                     const DeviceState& after = {});
/// Returns the two rates of a device with all samples. A rate that was not measured is null, and `how`
/// contains the reason.
[[nodiscard]] nlohmann::ordered_json rates_json(const DeviceRates& rates);
/// The order of the samples of several series: one series after another, or interleaved.
enum class SampleOrder : std::uint8_t { one_after_another, interleaved };
[[nodiscard]] nlohmann::ordered_json protocol_json(const SamplingProtocol& protocol, SampleOrder order);
/// Returns one row per stage. Each row contains the full path of the stage, such as "map[conv1].search".
[[nodiscard]] nlohmann::ordered_json stages_json(const StageTree& tree);
[[nodiscard]] nlohmann::ordered_json timeline_json(const Timeline& timeline);

// The functions below read parts of a measurement. They throw `Error(input)` like the getters of JsonFields.
// They do not read statistics, which are computed from the samples.
[[nodiscard]] DeviceFacts device_from(const JsonFields& fields);
[[nodiscard]] DeviceState state_from(const JsonFields& fields);
[[nodiscard]] DeviceRates rates_from(const JsonFields& fields);
[[nodiscard]] Clock clock_from(const JsonFields& fields, const std::string& key);
[[nodiscard]] SamplingProtocol protocol_from(const JsonFields& fields);
[[nodiscard]] StageTree stages_from(const JsonFields& fields, const std::string& key, Clock clock);
[[nodiscard]] Timeline timeline_from(const JsonFields& fields);

/// Returns the member "bev" of a report.
[[nodiscard]] nlohmann::ordered_json bev_json(const BevFacts& facts);
/// Reads the facts about a run of `network`. Throws `Error(input)` like the getters of JsonFields.
[[nodiscard]] BevFacts bev_from(const JsonFields& fields, const Network& network);

/// Returns the member "counters" of a report: first the totals over all maps, then the counters of each map.
[[nodiscard]] nlohmann::ordered_json counters_json(const SearchCounters& counters);
/// Reads the counters of each map. The totals are not read, because SearchCounters::whole() computes them.
/// Throws `Error(input)` like the getters of JsonFields.
[[nodiscard]] SearchCounters counters_from(const JsonFields& fields);

}  // namespace spira
