// A report describes a run: facts about the scene (no coordinates), network, plan, measurement, densities
// and sweeps. A report can be shown without the scene and the device.
#pragma once

#include "engine/base/host_facts.hpp"
#include "engine/map/densities.hpp"
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
  /// Describes how the file was read, such as "read as KITTI x,y,z,intensity; 124,668 points". Empty if not
  /// known.
  std::string reading;
  std::uint64_t fingerprint = 0;  ///< Result of hash64() for the level-0 keys. 0 if not computed.
  std::int64_t points = 0, dropped_non_finite = 0, voxels = 0;
  std::int64_t every = 1;        ///< Only every n-th point of the file was read.
  std::int64_t kept = 0;         ///< Points inside the crop. All points if the scene is not cropped.
  std::optional<Bounds> crop_m;  ///< Half-open.
  /// Copy of VoxelScene::origin. Pictures and coordinate features are relative to this point.
  Point display_origin_m{};
  std::array<double, 3> voxel_m{};
  PackSpec pack;
  std::array<std::int64_t, 3> span{};  ///< Cells of the scene: high - low + 1.
  /// Cells from 0 after the shift. The packing must hold them.
  std::array<std::int64_t, 3> fit_extent{};
  std::array<std::int64_t, 3> fit_limit{};  ///< Largest number of cells per axis that fits the packing.
};
/// Returns all facts except the fingerprint and the display origin, which need a pass over keys and points.
[[nodiscard]] SceneFacts scene_facts(const VoxelScene& scene);

struct Report {
  std::string created;  ///< Time in UTC, as ISO 8601.
  std::string tool_version;
  std::optional<BuildFacts> build;  ///< Empty if not known (reports before 1.6).
  std::optional<HostFacts> host;    ///< Empty if not known.
  std::vector<std::string> command;
  SceneFacts scene;
  Network network;
  std::string weights;
  Measurement measurement;
  std::vector<Densities> layer_densities;  ///< One entry per layer of the network.
  /// Sweeps of the whole network on the report's device. `nullptr` if they were not measured.
  std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
  /// Notes of the reader about content that it ignored. They are not written to files.
  std::vector<std::string> notes;
  // Facts about the file that was read. They are not written to files.
  /// Fields of a later minor version that this program does not know, such as "layers[].energy_mj".
  std::vector<std::string> ignored;
  /// Missing parts of a truncated file. Empty if the file is complete.
  std::vector<std::string> lost;
};
[[nodiscard]] Report make_report(const Session& session, const Measurement& measurement,
                                 std::vector<std::string> command);
/// Returns the trust in the measurement of a report. Also checks whether the scene fits the packing.
[[nodiscard]] Trust trust_of(const Report& report);
/// Returns 16 digits that identify a run. They depend on the time, the machine, the scene and the samples.
/// The digits are the same after the report is written and read.
[[nodiscard]] std::string report_id(const Report& report);

struct ReportedMap {
  MapKey key;
  int built_by = 0;          ///< Index of the layer that built the map.
  std::vector<int> used_by;  ///< Ascending layer indices. The first index is `built_by`.
  std::size_t bytes = 0;
};
/// Returns the maps in the order in which they were built, derived from the layers. A layer with a shared
/// map reads the last map with the same key that was built before this layer. Maps with the same settings
/// are preferred.
[[nodiscard]] std::vector<ReportedMap> kernel_maps(const Report& report);

}  // namespace spira
