// One file that carries a run: scene facts (no coordinates), network, plan, measurement, densities, sweeps.
// It can be read where there is neither the scene nor the device.
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
  std::string reading;            ///< "read as KITTI x,y,z,intensity; 124,668 points"; empty: not known
  std::uint64_t fingerprint = 0;  ///< hash64 of the level-0 keys; 0: not taken
  std::int64_t points = 0, dropped_non_finite = 0, voxels = 0;
  std::int64_t every = 1;        ///< only every n-th point of the file was read
  std::int64_t kept = 0;         ///< points inside the crop, all of them without one
  std::optional<Bounds> crop_m;  ///< half-open
  Point display_origin_m{};      ///< VoxelScene::origin: of pictures and of coordinates as features
  std::array<double, 3> voxel_m{};
  PackSpec pack;
  std::array<std::int64_t, 3> span{};        ///< cells of the scene, high - low + 1
  std::array<std::int64_t, 3> fit_extent{};  ///< cells from the shifted zero on: what the packing must hold
  std::array<std::int64_t, 3> fit_limit{};   ///< the most of them that fit
};
/// All but fingerprint and display origin, which take a pass over keys and points.
[[nodiscard]] SceneFacts scene_facts(const VoxelScene& scene);

struct Report {
  std::string created;  ///< ISO 8601, UTC
  std::string tool_version;
  std::optional<BuildFacts> build;  ///< empty: not known (reports before 1.6)
  std::optional<HostFacts> host;    ///< empty: not known
  std::vector<std::string> command;
  SceneFacts scene;
  Network network;
  std::string weights;
  Measurement measurement;
  std::vector<Densities> layer_densities;  ///< one a layer
  /// Of the whole network, with the report's device; null where they were not measured.
  std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
  std::vector<std::string> notes;  ///< what reading it left out; not written
  // Said of the file that it was read from; not written.
  std::vector<std::string> ignored;  ///< of a later minor version: fields unknown here, "layers[].energy_mj"
  std::vector<std::string> lost;     ///< of a file that is cut off: what is missing; empty: it is whole
};
[[nodiscard]] Report make_report(const Session& session, const Measurement& measurement,
                                 std::vector<std::string> command);
/// Of its measurement, and whether its packing holds the scene.
[[nodiscard]] Trust trust_of(const Report& report);
/// 16 digits that name this run: of when and where it was taken, of its scene and of its samples. The same
/// for a report that was read.
[[nodiscard]] std::string report_id(const Report& report);
[[nodiscard]] std::string report_json(const Report& report);
void write_report(const std::filesystem::path& file, const Report& report);  ///< temporary name, then rename
/// One tidy table, RFC 4180, a row a series: which report, device and scene; layer, phase, mode (isolated,
/// wall, one graph), cache, t, word_bits; n, median and quartiles, iqr_rel, the clock, flags; then the whole
/// stage, peak_bytes (empty where it was not taken) and percentiles. The whole network has no layer, and the
/// phases "wall" and, where there is one, "one graph".
[[nodiscard]] std::string measurements_csv(const Report& report);
/// The same series, a row a sample in the order they were taken: layer, stage, sample (from 0), ms.
[[nodiscard]] std::string samples_csv(const Report& report);
/// The spans of the timeline as they were recorded, a row a span: mode, track, layer, stage, inside (the
/// stage that it lies in), start_ms and end_ms since the reference mark, then its length in all repetitions:
/// n, median_ms, q1_ms, q3_ms, min_ms, max_ms. Times of a mode of their own: never to be added to those of
/// measurements_csv.
[[nodiscard]] std::string timeline_csv(const Report& report);
/// A row a column of each kernel map: map (as in the report), dx, dy, dz, l1, matches, n_out, density.
[[nodiscard]] std::string densities_csv(const Report& report);
/// The rows of both sweeps, as sweep_csv writes them; without sweeps the heading alone. Null: not measured.
[[nodiscard]] std::string sweeps_csv(const Report& report);
[[nodiscard]] std::string sweeps_csv(const std::vector<std::shared_ptr<const Sweep>>& sweeps);
/// Lines that begin with #, for the head of a table: report, device, network and scene.
[[nodiscard]] std::string csv_comment(const Report& report);
/// The same and more as JSON, for a file beside the table `table` ("measurements").
[[nodiscard]] std::string csv_meta_json(const Report& report, const std::string& table);
/// Trace for Perfetto: one X event a stage. A report holds durations and no times of day, so the medians are
/// laid end to end, children within their parents, in a process of their own; otherData says so. A recorded
/// timeline is process 1 (host) or 2 (GPU), with a thread a stream. Arrows go from each map to its first use.
/// Throws Error(input) where spans of one stream overlap by more than steps of the clock.
[[nodiscard]] std::string trace_json(const Report& report);
/// For people: environment, totals, slowest layers, busy time of the timeline's tracks, fastest settings of
/// the sweeps.
[[nodiscard]] std::string report_markdown(const Report& report);

/// What becomes of a file that is cut off after its first layer.
enum class IfTorn : std::uint8_t {
  refuse,
  open  ///< with the layers and settings that are whole: `lost` says what is not. Its plan has all layers,
        ///< the defaults for those that are lost; `measurement.layers` and `layer_densities` end before them.
};

/// Reads what report_json wrote (docs/file-formats.md). Statistics, densities and standings are made again
/// from samples and counts. Throws Error(input) "FILE: layers[2].pairs: missing" for anything that is not a
/// sound report of major version 1; of a later minor version, unknown fields are left out and `ignored` names
/// them.
[[nodiscard]] Report parse_report(std::string_view json, const std::string& file_name,
                                  IfTorn torn = IfTorn::refuse);
[[nodiscard]] Report read_report(const std::filesystem::path& file, IfTorn torn = IfTorn::refuse);
/// True for a file whose content begins as a JSON object, which no scene format does. document_kind() tells
/// what it is.
[[nodiscard]] bool looks_like_json(const std::filesystem::path& file);

}  // namespace spira
