#include "engine/report/compare/compare.hpp"

#include <nlohmann/json.hpp>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

Json facts_json(const ReportFacts& facts) {
  return {{"file", facts.file},
          {"created", facts.created},
          {"version", facts.tool_version},
          {"device", facts.device},
          {"driver", facts.driver},
          {"scene", facts.scene},
          {"network", facts.network},
          {"precision", facts.precision},
          {"trust", std::string(1, letter_of(facts.trust))}};
}

Json side_json(const Statistics& stats) {
  return {{"n", stats.n}, {"median_ms", stats.median}, {"q1_ms", stats.q1}, {"q3_ms", stats.q3}};
}

Json row_json(const ComparedRow& row) {
  Json document{{"layer", row.layer},
                {"stage", row.stage.text()},
                {"mode", text_of(row.pass)},
                {"baseline", side_json(row.baseline_ms)},
                {"current", side_json(row.current_ms)},
                {"ratio", nullptr},
                {"ratio_low", nullptr},
                {"ratio_high", nullptr},
                {"verdict", row.verdict ? text_of(*row.verdict) : "not comparable"},
                {"why", row.why}};
  if (row.ratio) {
    document["ratio"] = row.ratio->ratio();
    document["ratio_low"] = row.ratio->low;
    document["ratio_high"] = row.ratio->high;
  }
  return document;
}

}  // namespace

std::string compare_json(const Comparison& comparison) {
  Json document;
  document["schema"] = "spira.compare";
  document["schema_version"] = "1.2";
  document["baseline"] = facts_json(comparison.baseline);
  document["current"] = facts_json(comparison.current);
  document["devices_ignored"] = comparison.devices_ignored;
  document["differences"] = comparison.differences;
  document["warnings"] = comparison.warnings;
  document["expected_false_alarms"] = comparison.expected_false_alarms;
  document["rows"] = Json::array();
  for (const ComparedRow& row : comparison.rows)
    document["rows"].push_back(row_json(row));
  document["unmatched"] = Json::array();
  for (const UnmatchedRow& row : comparison.unmatched)
    document["unmatched"].push_back({{"layer", row.layer}, {"stage", row.stage}, {"why", row.why}});
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spira
