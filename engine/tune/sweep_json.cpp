#include "engine/tune/sweep.hpp"

#include <nlohmann/json.hpp>

namespace spira {

std::string sweep_json(const Sweep& sweep) {
  using Json = nlohmann::ordered_json;
  Json document;
  document["schema"] = "spira.sweep 1";
  document["subject"] = sweep.subject;
  document["device"] = {{"kind", text_of(sweep.device.kind)},
                        {"name", sweep.device.name},
                        {"instructions", sweep.device.instructions},
                        {"threads", sweep.device.threads},
                        {"clock", clock_text(sweep.device.clock)}};
  document["rows"] = Json::array();
  for (const SweepRow& row : sweep.rows) {
    const Statistics s = row.wall.stats();
    Json here;
    here["setting"] = row.label;
    if (row.threshold >= 0) here["t"] = row.threshold;
    here["packing"] = row.pack.text();
    if (!row.why_not.empty()) here["why_not"] = row.why_not;
    if (s.n > 0) {
      here["samples_ms"] = row.wall.ms;
      here["stats"] = {{"n", s.n},      {"median_ms", s.median}, {"q1_ms", s.q1},
                       {"q3_ms", s.q3}, {"min_ms", s.min},       {"max_ms", s.max}};
      here["standing"] = sweep.standing(static_cast<int>(&row - sweep.rows.data()));
    }
    document["rows"].push_back(here);
  }
  const int best = sweep.fastest();
  if (best >= 0) document["fastest"] = sweep.rows[static_cast<std::size_t>(best)].label;
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spira
