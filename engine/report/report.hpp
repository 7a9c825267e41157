// Defines Report, the results of a run: facts about the scene (no coordinates), network, plan, measurement,
// densities and sweeps. A report can be shown without the scene and without the device.
#pragma once

#include "engine/base/host_facts.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/map/relation_map.hpp"
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

class BevRun;
class RelationRun;
class Session;
struct VoxelScene;

/// One relation of a graph.
struct RelationFacts {
  std::string name;
  std::int64_t triples = 0;
  std::int64_t nodes = 0;  ///< Number of nodes with at least one source in this relation.
};

/// The triples of a relational run. Its nodes take the place of voxels: they are the cells of one row, and
/// have no coordinates. The layers of its network are the relational convolutions.
struct TripleFacts {
  std::int64_t nodes = 0, triples = 0;
  std::int64_t duplicates = 0;  ///< Triples of the file that were removed because they occur more than once.
  std::int64_t self_loops = 0;
  /// Number of relations, including the inverse ones if `inverse` is true.
  std::int64_t relations = 0;
  std::int64_t rows = 0;          ///< RelationMap::rows()
  std::int64_t most_sources = 0;  ///< RelationMap::most_sources
  Normalise normalise = Normalise::mean;
  bool inverse = false;
  /// All relations, in the order of their numbers. Empty in reports before 1.18.
  std::vector<RelationFacts> each{};
  /// Number of rows by their number of sources. Element b counts the rows with 2^b to 2^(b+1) - 1 sources.
  /// Empty in reports before 1.18.
  std::vector<std::int64_t> rows_by_sources{};

  /// Returns the counts, such as "135 nodes, 6,529 triples, 46 relations, mean of the sources".
  [[nodiscard]] std::string text() const;
};

struct SceneFacts {
  std::string name, format;
  /// Unit of the lengths and coordinates below, whose names end in "_m".
  LengthUnit unit = LengthUnit::metres;
  /// How the file was read, such as "read as KITTI x,y,z,intensity; 124,668 points". Empty if not known.
  std::string reading;
  std::uint64_t fingerprint = 0;  ///< hash64() of the level-0 keys. 0 if it was not computed.
  std::int64_t points = 0, dropped_non_finite = 0, voxels = 0;
  int batch = 1;                 ///< Number of frames that ran together.
  std::int64_t every = 1;        ///< The value n: every n-th point of the file was read.
  std::int64_t kept = 0;         ///< Number of points inside the crop, or of all points if there is no crop.
  std::optional<Bounds> crop_m;  ///< The upper corner does not belong to the crop.
  /// The value of VoxelScene::origin. Images and coordinate features are relative to this point.
  Point display_origin_m{};
  std::array<double, 3> voxel_m{};
  PackSpec pack;
  std::array<std::int64_t, 3> span{};  ///< Size of the scene in cells: high - low + 1.
  /// Number of cells from coordinate 0 to the highest voxel, after the shift. The packing must hold them.
  std::array<std::int64_t, 3> fit_extent{};
  std::array<std::int64_t, 3> fit_limit{};   ///< The largest number of cells per axis that fits the packing.
  std::optional<TripleFacts> triples{};      ///< Empty for scenes of points or voxels.
  std::optional<PositionFacts> positions{};  ///< Empty unless the network has native layers.
};
/// Returns the facts about a scene, except the fingerprint and the display origin, which need a pass over all
/// keys and points.
[[nodiscard]] SceneFacts scene_facts(const VoxelScene& scene);

struct Report {
  std::string created;  ///< Time in UTC, as ISO 8601.
  std::string tool_version;
  std::optional<BuildFacts> build;  ///< Empty if not known, as in reports before version 1.6.
  std::optional<HostFacts> host;    ///< Empty if not known.
  std::vector<std::string> command;
  SceneFacts scene;
  Network network;
  std::string weights;
  Measurement measurement;
  std::vector<Densities> layer_densities;  ///< One entry per layer of the network.
  /// Sweeps of the whole network on the same device. `nullptr` if a sweep was not measured.
  std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
  /// Notes about content that the reader ignored. They are not written to files.
  std::vector<std::string> notes;
  // The members below describe the file that was read. They are not written to files.

  /// Fields that only a later minor version knows, such as "layers[].energy_mj".
  std::vector<std::string> ignored;
  /// The missing parts of a truncated file. Empty if the file is complete.
  std::vector<std::string> lost;
  /// The graph of a relational run of this process. `nullptr` in all other reports. It is not written to
  /// files.
  std::shared_ptr<const Triples> graph;
};
[[nodiscard]] Report make_report(const Session& session, const Measurement& measurement,
                                 std::vector<std::string> command);
[[nodiscard]] Report make_report(const RelationRun& run, const Measurement& measurement,
                                 std::vector<std::string> command);
[[nodiscard]] Report make_report(const BevRun& run, const Measurement& measurement,
                                 std::vector<std::string> command);
/// Returns the trust grade of the measurement and its reasons. Considers whether the scene fits the packing.
[[nodiscard]] Trust trust_of(const Report& report);
/// Returns 16 digits that identify a run. They are computed from the time, the machine, the scene and the
/// samples. They stay the same if the report is written and read again.
[[nodiscard]] std::string report_id(const Report& report);

struct ReportedMap {
  MapKey key;
  int built_by = 0;
  /// Indices of the layers that read the map, in ascending order. The first of them is `built_by`.
  std::vector<int> used_by;
  std::size_t bytes = 0;
};
/// Returns the maps of the network in the order in which they were built. Reports do not store this list; it
/// is computed from the layers. A layer with a shared map reads the last map with the same key that an
/// earlier layer built, preferably one with the same settings.
[[nodiscard]] std::vector<ReportedMap> kernel_maps(const Report& report);

}  // namespace spira
