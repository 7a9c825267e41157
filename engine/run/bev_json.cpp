// Writes and reads the facts about a bird's-eye view network as JSON.
#include "engine/backend/plan_json.hpp"
#include "engine/base/text.hpp"
#include "engine/bev/unit.hpp"
#include "engine/run/bev_facts.hpp"
#include "engine/run/measurement_json.hpp"

#include <algorithm>
#include <limits>

namespace spira {
namespace {

constexpr double no_limit_of_bev = std::numeric_limits<double>::max();

nlohmann::ordered_json unit_json(const UnitFacts& unit) {
  nlohmann::ordered_json row{{"unit", unit.name}, {"method", text_of(unit.plan.method)}};
  if (unit.plan.core > 0) {
    row["core"] = unit.plan.core;
    row["blocks"] = unit.shares.blocks;
    row["computed_share"] = unit.shares.computed;
    row["read_share"] = unit.shares.read;
    row["covered_share"] = unit.shares.covered;
  }
  row["mask_share"] = unit.shares.mask;
  row["flops"] = unit.flops;
  row["useful_flops"] = unit.useful_flops;
  if (unit.difference)
    row["difference_from_dense"] = {{"mask_rel", unit.difference->mask_rel},
                                    {"deep_cells", unit.difference->deep_cells},
                                    {"deep_rel", unit.difference->deep_rel}};
  return row;
}

UnitFacts unit_from(const JsonFields& fields, const BevUnit& unit) {
  constexpr double most_read = 1000;
  UnitFacts facts;
  facts.name = fields.text("unit");
  if (facts.name != unit.name)
    fields.fail("unit", "\"" + facts.name + "\"; expected \"" + unit.name + "\", the unit of this network");
  facts.first_layer = unit.first;
  facts.last_layer = unit.last;
  facts.plan = unit_plan_from(fields);
  facts.shares.covered = facts.shares.computed = facts.shares.read = 1;
  if (in_blocks(facts.plan)) {
    facts.shares.blocks = fields.count("blocks");
    facts.shares.computed = fields.number("computed_share", 0, 1);
    facts.shares.read = fields.number("read_share", 0, most_read);
    facts.shares.covered = fields.number("covered_share", 0, 1);
  }
  facts.shares.mask = fields.number("mask_share", 0, 1);
  if (facts.plan.method == UnitMethod::rows) facts.shares.computed = facts.shares.read = facts.shares.mask;
  facts.flops = fields.count("flops");
  facts.useful_flops = fields.count("useful_flops");
  if (!fields.has("difference_from_dense")) return facts;
  const JsonFields difference = fields.at("difference_from_dense");
  facts.difference =
      DenseDifference{difference.number("mask_rel", 0, no_limit_of_bev), difference.count("deep_cells"),
                      difference.number("deep_rel", 0, no_limit_of_bev)};
  return facts;
}

Area area_from(const JsonFields& fields) {
  constexpr double farthest_m = 1e9;
  constexpr std::int64_t farthest = std::int64_t{1} << 40U;
  Area area;
  area.cell_m = fields.number("cell_m", 0, farthest_m);
  if (area.cell_m <= 0) fields.fail("cell_m", "expected a number above 0");
  const auto& first = fields.value("first_cell");
  const auto& z = fields.value("z_m");
  const auto cells = fields.counts("cells", 2);
  if (cells.size() != 2 || cells[0] < 1 || cells[1] < 1)
    fields.fail("cells", "expected two counts of at least 1");
  if (!first.is_array() || first.size() != 2 || !z.is_array() || z.size() != 2)
    fields.fail("first_cell", "first_cell and z_m must have two numbers each");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (!first[axis].is_number_integer() ||
        std::abs(first[axis].get<double>()) > static_cast<double>(farthest))
      fields.fail("first_cell", "expected two whole numbers");
    if (!z[axis].is_number() || std::abs(z[axis].get<double>()) > farthest_m)
      fields.fail("z_m", "expected two numbers in metres");
    area.first.at(axis) = first[axis].get<std::int64_t>();
    area.cells.at(axis) = cells[axis];
    area.z_m.at(axis) = z[axis].get<double>();
  }
  return area;
}

}  // namespace

nlohmann::ordered_json bev_json(const BevFacts& facts) {
  nlohmann::ordered_json document;
  document["area"] = {{"cell_m", facts.area.cell_m},
                      {"first_cell", facts.area.first},
                      {"cells", facts.area.cells},
                      {"z_m", facts.area.z_m}};
  document["mask"] = facts.mask;
  document["mask_cells"] = facts.mask_cells;
  document["mask_fingerprint"] = fingerprint_text(facts.mask_fingerprint);
  document["densities"] = nlohmann::ordered_json::array();
  for (const MaskDensity& one : facts.densities)
    document["densities"].push_back({{"stride", one.stride}, {"cells", one.cells}, {"density", one.density}});
  document["units"] = nlohmann::ordered_json::array();
  for (const UnitFacts& unit : facts.units)
    document["units"].push_back(unit_json(unit));
  return document;
}

BevFacts bev_from(const JsonFields& fields, const Network& network) {
  constexpr std::size_t most_strides = 8, most_units = 10'000;
  BevFacts facts;
  facts.area = area_from(fields.at("area"));
  facts.mask = fields.text("mask");
  facts.mask_cells = fields.whole("mask_cells", 0, facts.area.size());
  facts.mask_fingerprint = fields.fingerprint("mask_fingerprint");
  for (const JsonFields& row : fields.rows("densities", most_strides))
    facts.densities.push_back({static_cast<int>(row.whole("stride", 1, max_level_stride)),
                               row.whole("cells", 0, facts.area.size()), row.number("density", 0, 1)});
  const std::vector<BevUnit> units = units_of(network);
  const auto rows = fields.rows("units", most_units);
  if (rows.size() != units.size())
    fields.fail("units",
                std::to_string(rows.size()) + " units; the network has " + std::to_string(units.size()));
  for (std::size_t at = 0; at < units.size(); ++at)
    facts.units.push_back(unit_from(rows[at], units[at]));
  return facts;
}

}  // namespace spira
