// Stores a run in one file: scene facts (no coordinates), network, plan, measurement, densities, sweeps. A
// program can read the file without the scene and without the device.
#pragma once

#include "engine/base/build_facts.hpp"
#include "engine/base/host_facts.hpp"
#include "engine/map/densities.hpp"
#include "engine/run/session.hpp"
#include "engine/run/trust.hpp"
#include "engine/tune/sweep.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct SceneFacts {
  std::string name, format;
  /// How the file was read: "read as KITTI x,y,z,intensity; 124,668 points". Empty if not known.
  std::string reading;
  std::uint64_t fingerprint = 0;  ///< Result of hash64() for the level-0 keys. 0 if not computed.
  std::int64_t points = 0, dropped_non_finite = 0, voxels = 0;
  std::int64_t every = 1;        ///< Only every n-th point of the file was read.
  std::int64_t kept = 0;         ///< Points inside the crop. All points if the scene is not cropped.
  std::optional<Bounds> crop_m;  ///< Half-open.
  /// Copy of VoxelScene::origin, the origin of pictures and of coordinate features.
  Point display_origin_m{};
  std::array<double, 3> voxel_m{};
  PackSpec pack;
  std::array<std::int64_t, 3> span{};  ///< Cells of the scene: high - low + 1.
  /// Cells from 0 after the shift. The packing must hold them.
  std::array<std::int64_t, 3> fit_extent{};
  std::array<std::int64_t, 3> fit_limit{};  ///< Maximum cells that fit the packing.
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
  std::vector<Densities> layer_densities;  ///< One entry per layer.
  /// Sweeps of the whole network on the report's device. `nullptr` if they were not measured.
  std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
  /// Notes of the reader about content that it ignored. Not written.
  std::vector<std::string> notes;
  // Facts about the file that was read. Not written.
  /// Fields of a later minor version that this program does not know, such as "layers[].energy_mj".
  std::vector<std::string> ignored;
  /// Missing parts of a truncated file. Empty if the file is complete.
  std::vector<std::string> lost;
};
[[nodiscard]] Report make_report(const Session& session, const Measurement& measurement,
                                 std::vector<std::string> command);
/// Grades the measurement of a report, and checks whether the packing holds the scene.
[[nodiscard]] Trust trust_of(const Report& report);
/// Returns 16 digits that identify a run. They depend on the time, the machine, the scene and the samples. A
/// report that was read has the same digits.
[[nodiscard]] std::string report_id(const Report& report);
[[nodiscard]] std::string report_json(const Report& report);
/// Writes to a temporary name, then renames the file.
void write_report(const std::filesystem::path& file, const Report& report);
/// Returns one tidy table (RFC 4180) with one row per series. The columns are:
/// - report, device and scene;
/// - layer, phase, mode (isolated, wall, one graph), cache, t, word_bits;
/// - n, median and quartiles, iqr_rel, the clock, flags;
/// - the whole path of the stage, peak_bytes (empty if it was not measured) and percentiles.
/// The whole network has no layer. Its phases are "wall" and, if it was compiled, "one graph".
[[nodiscard]] std::string measurements_csv(const Report& report);
/// Returns the same series with one row per sample, in the order of measurement: layer, stage, sample (from
/// 0), ms.
[[nodiscard]] std::string samples_csv(const Report& report);
/// Returns the spans of the timeline as recorded, one row per span: mode, track, layer, stage, inside (the
/// enclosing stage), start_ms and end_ms since the reference mark. The length of the span in all repetitions
/// follows: n, median_ms, q1_ms, q3_ms, min_ms, max_ms. Never add these times to the times of
/// measurements_csv(): they come from another mode.
[[nodiscard]] std::string timeline_csv(const Report& report);
/// Returns one row per column of each kernel map: map (as in the report), dx, dy, dz, l1, matches, n_out,
/// density.
[[nodiscard]] std::string densities_csv(const Report& report);
/// Returns the rows of both sweeps as sweep_csv() writes them. Returns only the heading if there are no
/// sweeps. `nullptr` means that a sweep was not measured.
[[nodiscard]] std::string sweeps_csv(const Report& report);
[[nodiscard]] std::string sweeps_csv(const std::vector<std::shared_ptr<const Sweep>>& sweeps);
/// Returns lines that begin with #, for the head of a table: report, device, network and scene.
[[nodiscard]] std::string csv_comment(const Report& report);
/// Returns these facts and more as JSON, for a file next to the table `table` ("measurements").
[[nodiscard]] std::string csv_meta_json(const Report& report, const std::string& table);
/// Returns a trace for Perfetto with one X event per stage. A report holds durations and no times of day. The
/// medians are therefore laid end to end in a separate process, with children inside their parents; otherData
/// states this. A recorded timeline is process 1 (host) or 2 (GPU), with one thread per stream. Arrows lead
/// from each map to its first use. Throws `Error(input)` if spans of one stream overlap by more than the
/// resolution of the clock.
[[nodiscard]] std::string trace_json(const Report& report);
/// Returns a summary for people: environment, totals, slowest layers, busy time of the timeline's tracks,
/// fastest settings of the sweeps.
[[nodiscard]] std::string report_markdown(const Report& report);

/// Selects what happens with a file that is truncated after its first layer.
enum class IfTorn : std::uint8_t {
  refuse,
  /// Reads the complete layers and settings. `lost` lists the missing parts. The plan has all layers, with
  /// the defaults for lost layers. `measurement.layers` and `layer_densities` end before the lost layers.
  open
};

/// Reads the output of report_json() (docs/file-formats.md). Statistics, densities and standings are computed
/// again from samples and counts. Throws `Error(input)` such as "FILE: layers[2].pairs: missing" if the text
/// is not a valid report of major version 1. Fields of a later minor version are ignored, and `ignored` names
/// them.
[[nodiscard]] Report parse_report(std::string_view json, const std::string& file_name,
                                  IfTorn torn = IfTorn::refuse);
[[nodiscard]] Report read_report(const std::filesystem::path& file, IfTorn torn = IfTorn::refuse);
/// Returns true if the content of a file begins as a JSON object. No scene format begins in this way.
/// document_kind() determines the kind of the document.
[[nodiscard]] bool looks_like_json(const std::filesystem::path& file);

}  // namespace spira
