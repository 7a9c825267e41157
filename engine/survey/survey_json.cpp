#include "engine/base/text.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/scene/shard_json.hpp"
#include "engine/survey/frame_neighbours_json.hpp"
#include "engine/survey/survey.hpp"

#include <nlohmann/json.hpp>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "spira.survey";
constexpr const char* schema_version = "1.6";

Json spread_json(const Spread& s) {
  if (s.n == 0) return nullptr;
  return {{"n", s.n},           {"min", s.min}, {"p5", s.p5},   {"q1", s.q1},
          {"median", s.median}, {"q3", s.q3},   {"p95", s.p95}, {"max", s.max}};
}

Json spreads_json(const std::array<Spread, 3>& axes) {
  return Json::array({spread_json(axes[0]), spread_json(axes[1]), spread_json(axes[2])});
}

Json summary_json(const Survey& survey) {
  const SurveySummary& all = survey.summary;
  Json here{{"points", spread_json(all.points)},
            {"voxels", spread_json(all.voxels)},
            {"extent_cells", spreads_json(all.cells)},
            {"bits", spreads_json(all.bits)},
            {"bits_sum", spread_json(all.bits_sum)},
            {"by_l1", Json::array()},
            {"packings", Json::array()},
            {"outliers", Json::array()}};
  for (const DensitySpread& group : all.densities)
    here["by_l1"].push_back(
        {{"l1", group.l1}, {"offsets", group.offsets}, {"density", spread_json(group.mean)}});
  for (const PackingTally& tally : all.packings) {
    here["packings"].push_back({{"packing", tally.pack.text()},
                                {"always_fits", tally.always_fits()},
                                {"frames_fitting", tally.fitting},
                                {"frames_failing", tally.failing}});
  }
  for (const Outlier& outlier : all.outliers) {
    here["outliers"].push_back({{"frame", survey.rows.at(outlier.frame).name},
                                {"measure", outlier.measure},
                                {"value", outlier.value},
                                {"low_fence", outlier.low},
                                {"high_fence", outlier.high}});
  }
  if (survey.request.neighbours_of)
    here["neighbours"] = {{"triplets_per_output", spread_json(all.triplets_per_output)},
                          {"fan_in", spread_json(all.fan_in)}};
  here["outliers_judged"] = all.outliers_judged;
  here["outlier_rule"] = outlier_rule();
  return here;
}

Json densities_json(const FrameDensities& found) {
  Json here{{"voxels", found.voxels}, {"map_entries", found.pairs}, {"by_l1", Json::array()}};
  for (const L1Density& group : found.groups) {
    here["by_l1"].push_back({{"l1", group.l1},
                             {"offsets", group.offsets},
                             {"mean", group.mean},
                             {"min", group.min},
                             {"max", group.max}});
  }
  return here;
}

Json row_json(const FrameRow& row, const std::vector<PackSpec>& packings) {
  Json here{{"frame", row.name}};
  if (row.points) here["points"] = *row.points;
  if (row.voxels) here["voxels"] = *row.voxels;
  if (row.extent) {
    here["extent_cells"] = row.extent->span;
    here["fit_cells"] = row.extent->fit_cells;
    here["bits"] = row.extent->bits;
  }
  if (row.densities) here["densities"] = densities_json(*row.densities);
  if (row.neighbours) here["neighbours"] = frame_neighbours_json(*row.neighbours);
  if (!row.fits.empty()) {
    here["packings_that_fit"] = Json::array();
    for (std::size_t at = 0; at < packings.size(); ++at) {
      if (row.fits.at(at)) here["packings_that_fit"].push_back(packings[at].text());
    }
  }
  if (!row.notes.empty()) here["notes"] = row.notes;
  if (row.fault_kind) here["fault"] = row.fault;
  return here;
}

/// Returns the shard with the settings that are not in other members.
Json shard_of_survey_json(const SurveyRequest& asked) {
  Json here = shard_json(*asked.shard);
  if (!asked.format.empty()) here["format"] = asked.format;
  if (asked.pack) here["pack"] = asked.pack->text();
  if (!asked.network.empty()) here["network_fingerprint"] = fingerprint_text(asked.network_fingerprint);
  return here;
}

}  // namespace

std::string survey_json(const Survey& survey) {
  const SurveyRequest& asked = survey.request;
  Json document{
      {"schema", schema_name},
      {"schema_version", schema_version},
      {"folder", asked.folder},
      {"frames_found", asked.shard ? asked.shard->frames : std::ssize(asked.frames)},
      {"partial", survey.partial()},
      {"faults", survey.summary.faults},
      {"grid_m", nullptr},
      {"grid_from", survey.grid_from},
      {"judged", {{"kernel_size", asked.judged_kernel_size}, {"max_stride", asked.judged_max_stride}}},
      {"densities_of", nullptr}};
  if (!asked.network.empty()) document["judged"]["network"] = asked.network;
  if (survey.unit == LengthUnit::cells) document["unit"] = text_of(survey.unit);
  if (survey.grid) document["grid_m"] = survey.grid->voxel_m;
  if (asked.crop_m) document["crop"] = {{"low_m", asked.crop_m->low}, {"high_m", asked.crop_m->high}};
  if (asked.density_kernel_size > 0)
    document["densities_of"] = {{"kernel_size", asked.density_kernel_size}, {"stride", asked.density_stride}};
  if (asked.neighbours_of) {
    Json key;
    add_map_key(key, *asked.neighbours_of);
    key["positions"] = text_of(asked.positions);
    document["neighbours_of"] = std::move(key);
  }
  if (asked.shard) document["shard"] = shard_of_survey_json(asked);
  document["summary"] = summary_json(survey);
  document["frames"] = Json::array();
  for (const FrameRow& row : survey.rows)
    document["frames"].push_back(row_json(row, survey.packings));
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spira
