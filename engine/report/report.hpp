// A report stores the results of a run: facts about the scene (no coordinates), network, plan, measurement,
// densities and sweeps. It can be shown without the scene and without the device.
#pragma once

#include "engine/base/host_facts.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/network/network.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/trust.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/tune/sweep.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {

class Session;
struct VoxelScene;

struct SceneFacts {
  std::string name, format;
  /// Description of how the file was read, such as "read as KITTI x,y,z,intensity; 124,668 points". Empty if
  /// not known.
  std::string reading;
  std::uint64_t fingerprint = 0;  ///< hash64() of the level-0 keys. 0 if it was not computed.
  std::int64_t points = 0, dropped_non_finite = 0, voxels = 0;
  std::int64_t every = 1;        ///< Every n-th point of the file was read.
  std::int64_t kept = 0;         ///< Number of points inside the crop, or of all points if there is no crop.
  std::optional<Bounds> crop_m;  ///< The upper corner is not part of the crop.
  /// Copy of VoxelScene::origin. Images and coordinate features are relative to this point.
  Point display_origin_m{};
  std::array<double, 3> voxel_m{};
  PackSpec pack;
  std::array<std::int64_t, 3> span{};  ///< Size of the scene in cells: high - low + 1.
  /// Number of cells from 0, after the shift of the coordinates. The packing must have room for them.
  std::array<std::int64_t, 3> fit_extent{};
  std::array<std::int64_t, 3> fit_limit{};  ///< Maximum number of cells per axis that fits the packing.
};
/// Returns the facts without the fingerprint and the display origin, which require a pass over all keys and
/// points.
[[nodiscard]] SceneFacts scene_facts(const VoxelScene& scene);

struct Report {
  std::string created;  ///< Time in UTC, as ISO 8601.
  std::string tool_version;
  std::optional<BuildFacts> build;  ///< Empty if not known (reports before version 1.6).
  std::optional<HostFacts> host;    ///< Empty if not known.
  std::vector<std::string> command;
  SceneFacts scene;
  Network network;
  std::string weights;
  Measurement measurement;
  std::vector<Densities> layer_densities;  ///< One entry per layer of the network.
  /// Sweeps of the whole network on the device of the report. `nullptr` if a sweep was not measured.
  std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
  /// Notes of the reader about ignored content. Not written to files.
  std::vector<std::string> notes;
  // The members below are facts about the file that was read. They are not written to files.
  /// JsonFields that only a later minor version knows, such as "layers[].energy_mj".
  std::vector<std::string> ignored;
  /// Missing parts of a truncated file. Empty if the file is complete.
  std::vector<std::string> lost;
};
[[nodiscard]] Report make_report(const Session& session, const Measurement& measurement,
                                 std::vector<std::string> command);
/// Returns the trust grade of the measurement, with its reasons. Also considers whether the scene fits the
/// packing.
[[nodiscard]] Trust trust_of(const Report& report);
/// Returns 16 digits that identify a run. They depend on the time, the machine, the scene and the samples.
/// Writing and reading the report does not change them.
[[nodiscard]] std::string report_id(const Report& report);

struct ReportedMap {
  MapKey key;
  int built_by = 0;
  /// Indices of the layers that read the map, ascending. The first index is `built_by`.
  std::vector<int> used_by;
  std::size_t bytes = 0;
};
/// Returns the maps of the network in the order in which they were built. The maps are derived from the
/// layers: a layer with a shared map reads the last map with the same key that an earlier layer built. Maps
/// with the same settings are preferred.
[[nodiscard]] std::vector<ReportedMap> kernel_maps(const Report& report);

}  // namespace spira
