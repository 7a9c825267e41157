// Reads and writes plans as JSON. Each row contains the name of its layer or unit.
#include "engine/backend/plan_json.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/passes.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/bev/blocks.hpp"
#include "engine/bev/unit.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace spira {
namespace {

using Json = nlohmann::json;

MapLayout parse_layout(const std::string& text, const Error& otherwise) {
  for (const auto layout : {MapLayout::output_major, MapLayout::offset_major, MapLayout::z_runs}) {
    if (text == text_of(layout)) return layout;
  }
  throw otherwise;
}

void read_row(const Json& row, const std::string& path, const std::string& file, const Network& network,
              Plan& plan) {
  const auto bad = [&](const std::string& text) {
    return Error(ErrorKind::input, file + ": " + path + text);
  };
  if (!row.is_object() || !row.contains("layer") || !row["layer"].is_string())
    throw bad(".layer: expected the name of a layer");
  const int index = network.index_of(row["layer"].get<std::string>());
  if (index < 0)
    throw bad(".layer: network " + network.name + " has no layer '" +
              shortened(row["layer"].get_ref<const std::string&>()) + "'");
  LayerPlan& here = plan.layers[static_cast<std::size_t>(index)];
  // The reached rule gives more voxels than the floor rule. Therefore settings for one rule may be slow with
  // the other rule.
  const OutputRule rule = network.layers[static_cast<std::size_t>(index)].rule;
  if (const Json planned = row.value("rule", Json(text_of(OutputRule::floor))); planned != text_of(rule))
    throw bad(".rule: the plan is for the rule " + shortened(planned.dump()) + ", but layer " +
              network.layers[static_cast<std::size_t>(index)].name + " has the rule \"" +
              std::string(text_of(rule)) + "\"");
  for (const auto& [key, value] : row.items()) {
    if (key == "layer" || key == "rule") continue;
    if (key == "threshold" && value.is_number_integer()) {
      constexpr std::int64_t beyond_any = 1000;
      here.set_threshold(
          static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), -1, beyond_any)));
      const auto why = why_not_threshold(network.layers[static_cast<std::size_t>(index)], here.threshold);
      if (!why.empty()) throw bad(".threshold: " + why);
    } else if (key == "dataflow" && value.is_string()) {
      if (row.contains("threshold")) throw bad(".dataflow: use either a dataflow or a threshold");
      try {
        here = with_dataflow(network.layers[static_cast<std::size_t>(index)], here, value.get<std::string>());
      } catch (const Error& error) {
        throw bad(std::string(".dataflow: ") + error.what());
      }
    } else if (key == "map" && value.is_string()) {
      try {
        here.algorithm = parse_map_algorithm(value.get<std::string>());
      } catch (const Error& error) {
        throw bad(std::string(".map: ") + error.what());
      }
    } else if ((key == text_of(LayerPass::dgrad) || key == text_of(LayerPass::wgrad)) && value.is_string()) {
      continue;  // Depends on the settings of the forward pass, which are not complete yet.
    } else if (key == "dense_layout" && value.is_string()) {
      here.dense_layout = parse_layout(value.get<std::string>(),
                                       bad(".dense_layout: expected output-major, offset-major or z-runs"));
    } else {
      throw bad("." + shortened(key) + ": unknown key, or a value of the wrong type");
    }
  }
  const Layer& layer = network.layers[static_cast<std::size_t>(index)];
  if (const auto why = why_not_plan(layer, here); !why.empty()) throw bad(": " + why);
  if (row.contains("dataflow") && row["dataflow"] != dataflow_text(layer, here))
    throw bad(".dense_layout: " + std::string(text_of(here.dense_layout)) +
              " is not a layout of the dataflow " + row["dataflow"].get<std::string>());
}

/// Reads the settings of dgrad and wgrad. Must be called after the forward settings of all layers were read.
void read_passes(const Json& row, const std::string& path, const std::string& file, const Network& network,
                 Plan& plan) {
  const auto at = static_cast<std::size_t>(network.index_of(row["layer"].get<std::string>()));
  for (const LayerPass pass : {LayerPass::dgrad, LayerPass::wgrad}) {
    const std::string key(text_of(pass));
    if (!row.contains(key)) continue;
    const std::string dataflow = row[key].get<std::string>();
    try {
      set_pass(plan, network, at, pass, dataflow);
    } catch (const Error& error) {
      throw Error(ErrorKind::input, file + ": " + path + "." + key + ": dataflow '" + shortened(dataflow) +
                                        "': " + error.what());
    }
  }
}

/// Reads the members "units", "mask" and "area" of a plan for a bird's-eye view. Units without a row run
/// dense.
void read_units(const JsonFields& fields, const Network& network, Plan& plan) {
  const std::vector<BevUnit> units = units_of(network);
  constexpr std::size_t most_units = 10'000;
  plan.units.assign(units.size(), UnitPlan{});
  std::vector<double> computed(units.size(), 1.0);
  const bool tuned = fields.has("mask");
  for (const JsonFields& row : fields.rows("units", most_units)) {
    const std::string name = row.text("unit");
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const BevUnit& one) { return one.name == name; });
    if (unit == units.end())
      row.fail("unit", "network " + network.name + " has no unit '" + shortened(name) + "'");
    const auto at = static_cast<std::size_t>(unit - units.begin());
    plan.units[at] = unit_plan_from(row);
    computed[at] = tuned && in_blocks(plan.units[at]) ? row.number("computed_share", 0, 1) : 1.0;
  }
  if (tuned) plan.tuned_mask = TunedMask{fields.text("mask"), fields.text("area"), std::move(computed)};
}

nlohmann::ordered_json units_json(const Network& network, const Plan& plan) {
  auto rows = nlohmann::ordered_json::array();
  const std::vector<BevUnit> units = units_of(network);
  for (std::size_t at = 0; at < units.size(); ++at) {
    const UnitPlan& own = plan.units.at(at);
    nlohmann::ordered_json row{{"unit", units[at].name}, {"method", text_of(own.method)}};
    if (in_blocks(own)) {
      row["core"] = own.core;
      if (plan.tuned_mask) row["computed_share"] = plan.tuned_mask->computed.at(at);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

UnitPlan unit_plan_from(const JsonFields& row) {
  UnitPlan here;
  here.method = choice<UnitMethod>(row, "method",
                                   {{text_of(UnitMethod::dense), UnitMethod::dense},
                                    {text_of(UnitMethod::gathered), UnitMethod::gathered},
                                    {text_of(UnitMethod::fused), UnitMethod::fused},
                                    {text_of(UnitMethod::rows), UnitMethod::rows}});
  if (!in_blocks(here)) {
    if (row.has("core"))
      row.fail("core", "the method " + std::string(text_of(here.method)) + " has no core; remove this key");
    return here;
  }
  here.core = static_cast<int>(row.whole("core", block_cores.front(), block_cores.back()));
  if (std::find(block_cores.begin(), block_cores.end(), here.core) == block_cores.end())
    row.fail("core", std::to_string(here.core) + " is not one of 4, 8, 16, 32");
  return here;
}

Plan read_plan(const std::filesystem::path& file, const Network& network) {
  constexpr std::uint64_t max_bytes = 16ULL << 20U;
  const Json document = parse_json_object(read_text_file(file, max_bytes), file.string());
  const auto bad = [&](const std::string& text) {
    return Error(ErrorKind::input, file.string() + ": " + text);
  };
  if (document.value("schema", Json()) != "spira.plan 1") throw bad("schema: expected \"spira.plan 1\"");
  Plan plan = default_plan(network);
  plan.source = file.string();
  const auto precision = document.value("precision", Json("fp32"));
  if (precision != "fp32" && precision != "fp16") throw bad("precision: expected fp32 or fp16");
  plan.precision = precision == "fp16" ? Precision::fp16 : Precision::fp32;
  if (network.space == NetworkSpace::bev) {
    read_units(JsonFields(document, file.string(), ""), network, plan);
    return plan;
  }
  if (document.contains("units"))
    throw bad("units: the plan is for a bird's-eye view, but network " + network.name + " has voxels");
  const auto layers = document.find("layers");
  if (layers == document.end() || !layers->is_array()) throw bad("layers: expected an array");
  for (std::size_t at = 0; at < layers->size(); ++at) {
    read_row((*layers)[at], "layers[" + std::to_string(at) + "]", file.string(), network, plan);
  }
  for (std::size_t at = 0; at < layers->size(); ++at)
    read_passes((*layers)[at], "layers[" + std::to_string(at) + "]", file.string(), network, plan);
  return plan;
}

void write_plan(const std::filesystem::path& file, const Network& network, const Plan& plan) {
  nlohmann::ordered_json document;
  document["schema"] = "spira.plan 1";
  document["network"] = network.name;
  document["precision"] = text_of(plan.precision);
  if (network.space == NetworkSpace::bev) {
    if (plan.tuned_mask) {
      document["mask"] = plan.tuned_mask->mask;
      document["area"] = plan.tuned_mask->area;
    }
    document["units"] = units_json(network, plan);
    write_file(file, document.dump(1) + "\n");
    return;
  }
  document["layers"] = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const LayerPlan& row = plan.layers.at(at);
    document["layers"].push_back({{"layer", network.layers[at].name}, {"map", text_of(row.algorithm)}});
    const Layer& layer = network.layers[at];
    if (layer.convolution()) document["layers"].back()["dataflow"] = dataflow_text(layer, row);
    // The dataflow implies all other layouts.
    if (row.dense_layout == MapLayout::offset_major ||
        (row.dense_layout == MapLayout::output_major && dataflow_text(layer, row) != "unsorted"))
      document["layers"].back()["dense_layout"] = text_of(row.dense_layout);
    for (const LayerPass pass : {LayerPass::dgrad, LayerPass::wgrad}) {
      if (plan.backward.empty() || !layer.convolution() || !why_no_pass(network, at, pass).empty()) continue;
      const BackwardPlan& own = plan.backward.at(at);
      document["layers"].back()[std::string(text_of(pass))] =
          dataflow_text(layer, pass == LayerPass::dgrad ? own.dgrad : own.wgrad);
    }
    if (network.layers[at].rule != OutputRule::floor)
      document["layers"].back()["rule"] = text_of(network.layers[at].rule);
  }
  write_file(file, document.dump(1) + "\n");
}

}  // namespace spira
