// Writes sweeps of bird's-eye view networks, and the plans that follow from them, as JSON.
#include "engine/run/measurement_json.hpp"
#include "engine/tune/bev_sweep.hpp"

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

Json plan_json(const UnitPlan& plan) {
  Json row{{"method", text_of(plan.method)}};
  if (plan.core > 0) row["core"] = plan.core;
  return row;
}

Json samples_of(const std::vector<double>& samples) {
  Json row = stats_json(samples);
  row["samples_ms"] = samples;
  return row;
}

Json setting_json(const BevSweepSetting& setting) {
  Json row = plan_json(setting.plan);
  row["wall"] = samples_of(setting.wall.ms);
  row["verdict"] = text_of(setting.verdict);
  if (setting.modelled_ms) row["modelled_ms"] = *setting.modelled_ms;
  row["stages"] = stages_json(setting.stages);
  return row;
}

Json shape_json(const BevShape& shape) {
  Json row{{"first_unit", shape.name},
           {"units", shape.units.size()},
           {"layers", layers_text(shape.shape)},
           {"cells", shape.shape.cells},
           {"rows", Json::array()}};
  for (std::size_t at = 0; at < shape.rows.size(); ++at) {
    const BevShape::Row& one = shape.rows[at];
    Json here = plan_json(one.times.plan);
    here["mask_share"] = one.shares.mask;
    here["computed_share"] = one.shares.computed;
    here["read_share"] = one.shares.read;
    here["blocks"] = one.shares.blocks;
    here["all_units"] = samples_of(one.times.ms);
    if (one.modelled_ms) here["modelled_ms"] = *one.modelled_ms;
    here["verdict"] = text_of(shape.choice.verdicts.at(at));
    row["rows"].push_back(std::move(here));
  }
  row["choice"] = plan_json(shape.choice.plan);
  row["why"] = text_of(shape.choice.why);
  return row;
}

Json sweep_json_of(const BevSweep& sweep) {
  Json document;
  document["schema"] = "spira.bev_sweep 1";
  document["network"] = sweep.network;
  document["device"] = device_document(sweep.device);
  document["protocol"] = protocol_json(sweep.protocol, SampleOrder::interleaved);
  document["precision"] = text_of(sweep.precision);
  document["rates"] = rates_json(sweep.rates);
  document["bev"] = bev_json(sweep.facts);
  document["settings"] = Json::array();
  for (const BevSweepSetting& setting : sweep.settings)
    document["settings"].push_back(setting_json(setting));
  document["shapes"] = Json::array();
  for (const BevShape& shape : sweep.shapes)
    document["shapes"].push_back(shape_json(shape));
  return document;
}

std::string dumped(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string bev_sweep_json(const BevSweep& sweep) {
  return dumped(sweep_json_of(sweep));
}

std::string bev_tuning_json(const BevTuning& tuning) {
  Json document = sweep_json_of(tuning.sweep);
  document["schema"] = "spira.bev_tuning 1";
  Json plan = Json::array();
  const auto& units = tuning.sweep.facts.units;
  for (std::size_t at = 0; at < units.size(); ++at) {
    Json row = plan_json(tuning.plan.units.at(at));
    row["unit"] = units[at].name;
    row["computed_share"] = tuning.plan.tuned_mask->computed.at(at);
    plan.push_back(std::move(row));
  }
  document["plan"] = std::move(plan);
  if (const auto found = tuning.verdict_over_dense())
    document["second_series"] = {{"dense", samples_of(tuning.dense_wall.ms)},
                                 {"chosen", samples_of(tuning.chosen_wall.ms)},
                                 {"verdict", text_of(*found)},
                                 {"rejected", tuning.rejected}};
  return dumped(document);
}

}  // namespace spira
