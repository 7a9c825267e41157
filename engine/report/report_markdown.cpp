#include "engine/base/text.hpp"
#include "engine/job/timeline.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/measure/timeline_text.hpp"
#include "engine/report/advice/advice.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/backward.hpp"

#include <algorithm>

namespace spira {
namespace {

using Cells = std::vector<std::vector<std::string>>;

std::vector<std::string> series_cells(const std::string& name, const Samples& samples) {
  const Statistics s = samples.stats();
  return {name, fixed(s.median, 3), fixed(s.iqr(), 3), fixed(s.min, 3), std::to_string(s.n)};
}

std::string environment_text(const Report& report) {
  const Measurement& m = report.measurement;
  const DeviceFacts& device = m.device;
  Cells cells{
      {"property", "value"},
      {"created", report.created + ", version " + report.tool_version},
      {"device", std::string(text_of(device.kind)) + ": " + device.name + ", " + device.instructions}};
  if (!device.driver.empty()) cells.push_back({"driver", device.driver + ", " + device.runtime});
  cells.push_back({"stage timer", std::string(clock_text(device.clock))});
  cells.push_back({"trust", trust_of(report).text()});
  cells.push_back({"network", report.network.name + ", " + std::string(text_of(m.plan.precision))});
  if (!report.network.origin.empty()) cells.push_back({"origin of the network", origin_text(report.network)});
  if (report.scene.batch > 1)
    cells.push_back({"batch", std::to_string(report.scene.batch) + " frames in one run"});
  if (const std::string partial = partial_text(report.network); !partial.empty())
    cells.push_back({"layers", partial});
  if (report.scene.triples) {
    cells.push_back({"graph", report.scene.name + ", " + report.scene.triples->text()});
    return markdown_table(cells);
  }
  cells.push_back({"scene", report.scene.name + ", " + count_text(report.scene.points) + " points, " +
                                voxels_text(report.scene.voxels, report.scene.voxel_m, report.scene.unit) +
                                ", packing " + report.scene.pack.text()});
  if (report.scene.positions)
    cells.push_back({"positions", text_of(*report.scene.positions, report.scene.unit)});
  return markdown_table(cells);
}

std::vector<std::string> total_cells(const std::string& name, const Samples& samples) {
  std::vector<std::string> cells = series_cells(name, samples);
  for (const Percentile& one : percentiles(samples.ms))
    cells.push_back(one.ms ? fixed(*one.ms, 3) : "-");
  return cells;
}

std::vector<std::string> frame_cells(const std::string& name, const Samples& samples, int batch) {
  const Statistics s = samples.stats();
  return {name + ", per frame, batch of " + std::to_string(batch),
          fixed(s.median / batch, 3),
          fixed(s.iqr() / batch, 3),
          fixed(s.min / batch, 3),
          std::to_string(s.n),
          "",
          "",
          ""};
}

std::string totals_text(const Measurement& m, int batch, bool partial) {
  Cells cells{{partial ? "layers that run" : "whole network", "median ms", "IQR ms", "min ms", "n", "p90 ms",
               "p95 ms", "p99 ms"},
              total_cells("wall", m.wall)};
  if (batch > 1) cells.push_back(frame_cells("wall", m.wall, batch));
  if (!m.compiled_wall.ms.empty()) {
    cells.push_back(total_cells(m.compiled_how, m.compiled_wall));
    if (batch > 1) cells.push_back(frame_cells("one graph", m.compiled_wall, batch));
  }
  if (m.training) cells.push_back(total_cells("training step", m.training->wall));
  cells.push_back({"sum of stages", fixed(m.sum_of_stages_ms(), 3), "", "", "", "", "", ""});
  const bool fewer = !m.compiled_wall.ms.empty() && m.compiled_wall.ms.size() < m.wall.ms.size();
  const std::string missing = missing_percentiles_text(fewer ? m.compiled_wall.ms : m.wall.ms);
  return markdown_table(cells) +
         (missing.empty() ? "" : "\nNot available (too few samples): " + missing + ".\n") +
         "\nSum of stages: " + sum_of_stages_text(m) + ".\n\nPeak memory: " + bytes_text(m.peak_bytes) +
         " for the buffers of one run.\n" +
         (m.training ? "\nTraining " + step_text(m) + ". Peak memory: " + bytes_text(m.training->peak_bytes) +
                           " for the buffers of one step.\n"
                     : "");
}

std::string slowest_layers_text(const Measurement& m) {
  constexpr std::size_t most = 10;
  std::vector<const LayerMeasurement*> order;
  for (const auto& layer : m.layers)
    order.push_back(&layer);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->stages.sum_of_tops_ms() > b->stages.sum_of_tops_ms();
  });
  order.resize(std::min(order.size(), most));
  const double all = m.sum_of_stages_ms();
  Cells cells{{"layer", "map and features ms", "share of all stages", "outputs", "pairs"}};
  const bool native = has_neighbours(m);
  if (native) cells.front().insert(cells.front().end(), {"fan-in", "folded", "most neighbours"});
  for (const auto* layer : order) {
    const double ms = layer->stages.sum_of_tops_ms();
    cells.push_back({layer->name, fixed(ms, 3), all > 0 ? percent_text(ms / all) : "",
                     count_text(layer->outputs), count_text(layer->pairs)});
    if (!native) continue;
    const auto& of = layer->neighbours;
    cells.back().push_back(of ? fixed(of->fan_in(), 2) : "");
    cells.back().push_back(of ? count_text(of->folded) : "");
    cells.back().push_back(of ? count_text(of->most_neighbours) : "");
  }
  return markdown_table(cells);
}

/// Returns a mean per query. If only a sample of the queries was counted, also shows half the width of the
/// 95 % interval.
std::string mean_text(const SampledMean& mean) {
  return fixed(mean.value, 2) + (mean.error > 0 ? " \u00b1 " + fixed(mean.error, 2) : "");
}

std::string searches_text(const SearchCounters& counters) {
  const CountedSearches all = counters.whole();
  Cells cells{{"search of the kernel maps", "comparisons per query", "32-byte sectors per query"}};
  for (const MapAlgorithm algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash, MapAlgorithm::sorted_query}) {
    const auto at = static_cast<std::size_t>(algorithm);
    cells.push_back(
        {std::string(text_of(algorithm)), mean_text(all.comparisons.at(at)), mean_text(all.sectors.at(at))});
  }
  return "\n## Searches\n\n" + markdown_table(cells) +
         "\nCounted in a replay that is not timed: " + count_text(all.sampled_queries) + " of " +
         count_text(all.queries) + " queries of " + count_text(std::ssize(counters.maps)) + " kernel maps.\n";
}

std::string timeline_text(const Timeline& timeline) {
  const double wall = timeline.shown_wall_ms();
  Cells cells{{"track", "busy ms", "share of the run"}};
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track) {
    const double busy = timeline.busy_ms(track);
    cells.push_back({timeline.tracks[static_cast<std::size_t>(track)], fixed(busy, 3),
                     wall > 0 ? percent_text(busy / wall) : ""});
  }
  const bool in_situ = timeline.mode == TimelineMode::in_situ;
  return "\n## Timeline, " + std::string(text_of(timeline.mode)) + "\n\n" + markdown_table(cells) +
         "\nOne repetition of " + fixed(wall, 3) + " ms, the median of " +
         std::to_string(timeline.wall_ms.size()) + ". Overlap factor " + fixed(timeline.overlap_factor(), 2) +
         (in_situ ? "" : ": nothing overlaps") + "; " + mark_cost_text(timeline) + ". Recorded from " +
         markdown_text(timeline.how) + ".\n";
}

/// Lists the settings that have a standing. These are the fastest setting and the settings that are tied with
/// it, or all settings if the sweep is undecided.
std::string winners_text(const std::string& title, const Sweep& sweep) {
  Cells cells{{"setting", "median ms", "IQR ms", "min ms", "n", "standing"}};
  for (const SweepRow& row : sweep.rows) {
    if (row.standing.empty()) continue;
    cells.push_back(series_cells(row.label, row.wall));
    cells.back().push_back(row.standing);
  }
  return "\n## " + title + "\n\n" + markdown_text(sweep.subject) + "\n\n" +
         (cells.size() == 1 ? "No setting was measured.\n" : markdown_table(cells));
}

}  // namespace

std::string report_markdown(const Report& report) {
  std::string text = "# Report of " + markdown_text(report.network.name) + " on " +
                     markdown_text(report.scene.name) + "\n\n";
  const std::vector<Advice> advice = advise(facts_of(report));
  if (!advice.empty()) text += "## Advice\n\n" + advice_markdown(advice) + "\n";
  text += "## Environment\n\n" + environment_text(report) + "\n## Totals\n\n" +
          totals_text(report.measurement, report.scene.batch, !report.network.skipped.empty()) +
          "\n## Slowest layers\n\n" + slowest_layers_text(report.measurement);
  if (report.measurement.searches) text += searches_text(*report.measurement.searches);
  if (!report.measurement.timeline.empty()) text += timeline_text(report.measurement.timeline);
  if (report.threshold_sweep) text += winners_text("Fastest thresholds", *report.threshold_sweep);
  if (report.pack_sweep) text += winners_text("Fastest packings", *report.pack_sweep);
  return text;
}

namespace {

bool is_number_column(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  return std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
    const std::string& cell = row.at(column);
    return cell.empty() || cell == "-" || (cell.front() >= '0' && cell.front() <= '9');
  });
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& cell : cells)
    line += " " + markdown_text(cell) + " |";
  return line + "\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  constexpr std::string_view markup = "\\`*_[]<>|#";
  std::string out;
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) < ' ') {
      out += ' ';
      continue;
    }
    if (markup.find(letter) != std::string_view::npos) out += '\\';
    out += letter;
  }
  return out;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  std::string text = line_of(rows.front()) + "|";
  for (std::size_t column = 0; column < rows.front().size(); ++column)
    text += is_number_column(rows, column) ? " ---: |" : " --- |";
  text += "\n";
  for (std::size_t at = 1; at < rows.size(); ++at)
    text += line_of(rows[at]);
  return text;
}

}  // namespace spira
