#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"

#include <nlohmann/json.hpp>

namespace spira {

std::string csv_meta_json(const Report& report, const std::string& table) {
  using Json = nlohmann::ordered_json;
  const Measurement& m = report.measurement;
  const Json document{
      {"schema", "spira.table"},
      {"schema_version", "1.0"},
      {"table", table},
      {"format", "RFC 4180, UTF-8, decimal point"},
      {"report", report_id(report)},
      {"created", report.created},
      {"tool", {{"name", "spira"}, {"version", report.tool_version}}},
      {"command", report.command},
      {"device",
       {{"name", m.device.name}, {"driver", m.device.driver}, {"timer", clocks_text(m.device.clock)}}},
      {"scene", report.scene.name},
      {"network", report.network.name},
      {"precision", text_of(m.plan.precision)},
      {"trust", std::string(1, letter_of(trust_of(report).grade))}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spira
