// One file that carries a run: scene facts (no coordinates), network, plan, measurement, densities.
#pragma once

#include "engine/map/densities.hpp"
#include "engine/run/session.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace spira {

struct SceneFacts {
  std::string name, format;
  std::uint64_t fingerprint = 0;  ///< hash64 of the level-0 keys
  std::int64_t points = 0, dropped_non_finite = 0, voxels = 0;
  std::array<double, 3> voxel_m{};
  PackSpec pack;
  std::array<std::int64_t, 3> span{};        ///< cells of the scene, high - low + 1
  std::array<std::int64_t, 3> fit_extent{};  ///< cells from the shifted zero on: what the packing must hold
};
struct Report {
  std::string created;  ///< ISO 8601, UTC
  std::string tool_version;
  std::vector<std::string> command;
  SceneFacts scene;
  Network network;
  std::string weights;
  Measurement measurement;
  std::vector<Densities> layer_densities;  ///< one a layer
};
[[nodiscard]] Report make_report(const Session& session, const Measurement& measurement,
                                 std::vector<std::string> command);
[[nodiscard]] std::string report_json(const Report& report);
void write_report(const std::filesystem::path& file, const Report& report);  ///< temporary name, then rename
/// One tidy table, RFC 4180: layer, stage, n, median_ms, q1_ms, q3_ms, min_ms, max_ms.
[[nodiscard]] std::string measurements_csv(const Report& report);

}  // namespace spira
