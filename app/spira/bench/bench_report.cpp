#include "app/spira/bench/bench.hpp"
#include "engine/base/text.hpp"
#include "engine/run/measurement_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace spira::app {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> times_floor(const BenchRow& row, const DeviceRates& rates) {
  const auto floor = floors_of(row.work, rates).larger_ms();
  if (!floor) return {};
  return row.ratio_ms() / *floor;
}

const char* ratio_text(RatioOf ratio_of) {
  return ratio_of == RatioOf::wall ? "wall" : "stages";
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json samples_json(const std::vector<double>& samples) {
  Json document = stats_json(samples);
  document["samples"] = samples;
  return document;
}

Json row_json(const BenchRow& row, const DeviceRates& rates) {
  const Statistics wall = row.wall.stats();
  const Floors floors = floors_of(row.work, rates);
  return {{"group", row.group},
          {"subject", row.subject},
          {"n", wall.n},
          {"median_ms", wall.median},
          {"iqr_ms", wall.iqr()},
          {"stages_ms", statistics(row.stages_ms()).median},
          {"graph", row.graph},
          {"ratio_of", ratio_text(row.ratio_of)},
          {"times_first", row.first_ms > 0 ? Json(row.ratio_ms() / row.first_ms) : Json(nullptr)},
          {"bytes", row.work.bytes},
          {"flops", row.work.flops},
          {"floor_bytes_ms", or_null(floors.bytes_ms)},
          {"floor_flops_ms", or_null(floors.flops_ms)},
          {"times_floor", or_null(times_floor(row, rates))},
          {"wall", samples_json(row.wall.ms)},
          {"sum_of_stages", samples_json(row.stages_ms())},
          {"stages", stages_json(row.stages)}};
}

Json scene_json(const VoxelScene& scene) {
  Json document{{"name", scene.cloud->name},
                {"points", scene.cloud->size()},
                {"voxels", scene.level(1).size.value()},
                {"voxel_m", scene.grid.voxel_m},
                {"packing", scene.pack.text()}};
  if (scene.cloud->batch() > 1) document["batch"] = scene.cloud->batch();
  if (const LengthUnit unit = scene.cloud->unit(); unit == LengthUnit::cells)
    document["unit"] = text_of(unit);
  return document;
}

std::string cell(const std::optional<double>& value, int decimals) {
  return value ? fixed(*value, decimals) : "";
}

Json claims_json(const std::vector<BenchClaim>& claims) {
  Json document = Json::array();
  for (const BenchClaim& claim : claims)
    document.push_back({{"claim", claim.claim},
                        {"theirs", claim.theirs},
                        {"ours", claim.ours},
                        {"result", text_of(claim.result)}});
  return document;
}

}  // namespace

std::vector<std::vector<std::string>> bench_table(const Bench& bench) {
  std::vector<std::vector<std::string>> table{{"group", "subject", "n", "median_ms", "iqr_ms", "stages_ms",
                                               "ratio_of", "times_first", "floor_bytes_ms", "floor_flops_ms",
                                               "times_floor"}};
  const int batch = bench.has_scene() ? bench.scene().cloud->batch() : 1;
  if (batch > 1) table.front().emplace_back("ms_per_frame");
  for (const BenchRow& row : bench.rows()) {
    const Statistics wall = row.wall.stats();
    const Floors floors = floors_of(row.work, bench.rates());
    table.push_back(
        {row.group, row.subject, std::to_string(wall.n), fixed(wall.median, 3), fixed(wall.iqr(), 3),
         fixed(statistics(row.stages_ms()).median, 3), ratio_text(row.ratio_of),
         row.first_ms > 0 ? fixed(row.ratio_ms() / row.first_ms, 2) : "", cell(floors.bytes_ms, 4),
         cell(floors.flops_ms, 4), cell(times_floor(row, bench.rates()), 2)});
    if (batch > 1) table.back().push_back(fixed(wall.median / batch, 3));
  }
  return table;
}

std::string claims_text(const Bench& bench) {
  std::string text;
  for (const BenchClaim& claim : bench.claims())
    text += "\nclaim    " + claim.claim + "\npaper    " + claim.theirs + "\nthis run " + claim.ours +
            "\nresult   " + std::string(text_of(claim.result)) + "\n";
  return text;
}

std::string bench_json(const Bench& bench, const std::string& suite,
                       const std::vector<std::string>& command_line) {
  Backend& backend = bench.backend();
  const SamplingProtocol how = bench.protocol();
  Json document;
  document["schema"] = "spira.bench";
  document["schema_version"] = "1.3";
  document["created"] = utc_text_now();
  document["tool"] = {{"name", "spira"}, {"version", SPIRA_VERSION}};
  document["command"] = command_line;
  document["suite"] = suite;
  document["device"] =
      device_document(backend.facts(), bench.state_before(), backend.state(StateDetail::all));
  document["protocol"] = {{"timer", clock_text(backend.facts().clock)},
                          {"timer_resolution_us", bench.timer().resolution_us},
                          {"timer_overhead_us", bench.timer().overhead_us},
                          {"mode", "interleaved"},
                          {"warmup", how.warmup + 1},
                          {"min_samples", how.min_samples},
                          {"max_samples", how.max_samples},
                          {"precision", text_of(bench.precision())}};
  document["rates"] = rates_json(bench.rates());
  if (bench.has_scene()) document["scene"] = scene_json(bench.scene());
  const int batch = bench.has_scene() ? bench.scene().cloud->batch() : 1;
  document["notes"] = bench.notes();
  if (!bench.claims().empty()) document["claims"] = claims_json(bench.claims());
  document["rows"] = Json::array();
  for (const BenchRow& row : bench.rows()) {
    document["rows"].push_back(row_json(row, bench.rates()));
    if (batch > 1) document["rows"].back()["median_ms_per_frame"] = row.wall.stats().median / batch;
  }
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spira::app
