#include "engine/tune/sweep_json.hpp"

#include "engine/base/error.hpp"
#include "engine/run/measurement_json.hpp"

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "spira.sweep 1";
constexpr std::size_t max_rows = 10'000;  // More than any sweep has. Files with more rows are rejected.
constexpr int max_threshold = 1000, max_layers = 10'000;

Json row_json(const SweepRow& row) {
  const Statistics s = row.wall.stats();
  Json here;
  here["setting"] = row.label;
  if (row.threshold >= 0) here["t"] = row.threshold;
  here["packing"] = row.pack.text();
  if (row.layers) here["layers"] = *row.layers;
  if (!row.why_not.empty()) here["why_not"] = row.why_not;
  if (s.n > 0) {
    here["samples_ms"] = row.wall.ms;
    here["reached_target"] = row.wall.reached_target;
    here["stats"] = {{"n", s.n},      {"median_ms", s.median}, {"q1_ms", s.q1},
                     {"q3_ms", s.q3}, {"min_ms", s.min},       {"max_ms", s.max}};
    here["standing"] = row.standing;
    if (row.slots_per_pair) here["slots_per_pair"] = *row.slots_per_pair;
  }
  if (!row.stages.nodes.empty()) here["stages"] = stages_json(row.stages);
  return here;
}

SweepRow row_from(const JsonFields& fields, Clock clock) {
  SweepRow row;
  row.label = fields.text("setting");
  if (fields.has("t")) row.threshold = static_cast<int>(fields.whole("t", 0, max_threshold));
  try {
    row.pack = parse_pack_spec(fields.text("packing"));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    fields.fail("packing", error.what());
  }
  row.why_not = fields.text_or("why_not", "");
  if (fields.has("layers")) row.layers = static_cast<int>(fields.whole("layers", 0, max_layers));
  if (fields.has("slots_per_pair")) row.slots_per_pair = fields.number("slots_per_pair", 0, 1e9);
  if (fields.has("samples_ms")) row.wall.ms = fields.numbers("samples_ms", max_samples);
  if (fields.has("reached_target")) row.wall.reached_target = fields.truth("reached_target");
  if (fields.has("stages")) row.stages = stages_from(fields, "stages", clock);
  row.stages.clock = clock;
  return row;
}

}  // namespace

Json sweep_document(const Sweep& sweep) {
  Json document;
  document["schema"] = schema_name;
  document["subject"] = sweep.subject;
  if (sweep.layer >= 0) document["layer"] = sweep.layer;
  if (sweep.t_max) document["t_max"] = *sweep.t_max;
  if (sweep.of_dataflows) document["of_dataflows"] = true;
  document["device"] = device_document(sweep.device);
  document["protocol"] = protocol_json(sweep.protocol, SampleOrder::interleaved);
  document["rows"] = Json::array();
  for (const SweepRow& row : sweep.rows)
    document["rows"].push_back(row_json(row));
  const auto name = [&](const char* field, int row) {
    if (row >= 0) document[field] = sweep.rows[static_cast<std::size_t>(row)].label;
  };
  name("fastest", sweep.fastest());
  name("pick", sweep.pick());
  return document;
}

Sweep sweep_from(const JsonFields& fields) {
  if (fields.text("schema") != schema_name)
    fields.fail("schema", std::string("expected \"") + schema_name + "\"");
  Sweep sweep;
  sweep.subject = fields.text("subject");
  if (fields.has("layer")) sweep.layer = static_cast<int>(fields.whole("layer", 0, max_layers));
  if (fields.has("t_max")) sweep.t_max = static_cast<int>(fields.whole("t_max", 0, max_threshold));
  if (fields.has("of_dataflows")) sweep.of_dataflows = fields.truth("of_dataflows");
  sweep.device = device_from(fields.at("device"));
  sweep.protocol = protocol_from(fields.at("protocol"));
  for (const JsonFields& row : fields.rows("rows", max_rows))
    sweep.rows.push_back(row_from(row, sweep.device.clock));
  judge(sweep);
  return sweep;
}

std::string sweep_json(const Sweep& sweep) {
  return sweep_document(sweep).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spira
