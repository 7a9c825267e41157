#include "ui/paper/report_pdf.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/report/reproduce.hpp"
#include "engine/run/trust.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/pdf_pages.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/compare_model.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QBuffer>
#include <QCoreApplication>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}
QString text(const std::string& value) {
  return QString::fromStdString(value);
}
QString stats(const Statistics& s) {
  return tr("%1, median of %2, IQR %3, min %4")
      .arg(text(ms_text(s.median)))
      .arg(ui::counted(s.n, tr("1 sample"), tr("%1 samples")))
      .arg(text(ms_text(s.iqr())), text(ms_text(s.min)));
}

/// Returns the index of the layer with the longest sum of stage times, or -1 if no layer has times.
int slowest_of(const Measurement& measured) {
  int slowest = -1;
  double most = 0;
  for (std::size_t at = 0; at < measured.layers.size(); ++at) {
    const double ms = measured.layers[at].stages.sum_of_tops_ms();
    if (ms > most) slowest = static_cast<int>(at);
    most = std::max(most, ms);
  }
  return slowest;
}

void add_verdict(PdfPages& pages, const Report& report) {
  const Measurement& m = report.measurement;
  const bool compiled = !m.compiled_wall.ms.empty();
  pages.heading(tr("Verdict"));
  pages.verdict(text(ms_text(m.wall.stats().median)),
                (report.network.skipped.empty()
                     ? tr("wall time of the network, run layer by layer: %1")
                     : tr("wall time of the layers that run, layer by layer (not of the whole network): %1"))
                    .arg(stats(m.wall.stats())));
  if (compiled)
    pages.verdict(text(ms_text(m.compiled_wall.stats().median)),
                  tr("%1: %2").arg(text(m.compiled_how), stats(m.compiled_wall.stats())));
  const Trust trust = trust_of(report);
  QStringList reasons;
  for (const TrustReason& reason : trust.reasons)
    reasons += text(reason.text);
  pages.verdict(tr("trust grade %1").arg(QChar(letter_of(trust.grade))),
                reasons.isEmpty() ? tr("no warnings") : reasons.join("; "));
  if (const int slowest = slowest_of(m); slowest >= 0) {
    const auto& row = m.layers[static_cast<std::size_t>(slowest)];
    const double sum = m.sum_of_stages_ms();
    pages.paragraph(
        tr("The slowest layer is %1. Its median of %2 is %3 of the sum of the stage medians (%4). Timers "
           "between stages cost time and prevent overlap, so the sum is not the wall time.")
            .arg(text(row.name), text(ms_text(row.stages.sum_of_tops_ms())),
                 text(percent_text(sum > 0 ? row.stages.sum_of_tops_ms() / sum : 0)), text(ms_text(sum))));
  }
}

QString states_text(const Measurement& m) {
  QStringList words;
  if (m.state_before.sm_clock_mhz && m.state_after.sm_clock_mhz)
    words += tr("SM clock %1 to %2 MHz").arg(*m.state_before.sm_clock_mhz).arg(*m.state_after.sm_clock_mhz);
  QStringList throttled;
  for (const auto& why : m.state_after.throttled_by.value_or(std::vector<std::string>()))
    throttled += text(why);
  if (!throttled.isEmpty()) words += tr("throttled: %1").arg(throttled.join(", "));
  return words.join("; ");
}

void add_environment(PdfPages& pages, const Report& report) {
  const Measurement& m = report.measurement;
  std::vector<std::pair<QString, QString>> rows{
      {tr("Device"), tr("%1 (%2)").arg(text(m.device.name), unitsText(m.device))}};
  if (!m.device.driver.empty())
    rows.emplace_back(tr("Driver"), tr("%1, %2").arg(text(m.device.driver), text(m.device.runtime)));
  if (const QString states = states_text(m); !states.isEmpty()) rows.emplace_back(tr("State"), states);
  rows.emplace_back(tr("Stage timer"), tr("%1, resolution %2 \u00b5s")
                                           .arg(text(std::string(clock_text(m.device.clock))),
                                                text(fixed(m.timer.resolution_us, 3))));
  rows.emplace_back(tr("Precision"), text(std::string(text_of(m.plan.precision))));
  rows.emplace_back(tr("Weights"), text(report.weights));
  rows.emplace_back(tr("Peak memory"),
                    tr("%1 for the buffers of one run").arg(text(bytes_text(m.peak_bytes))));
  if (m.searches) rows.emplace_back(tr("Searches"), searchesText(*m.searches));
  rows.emplace_back(tr("Measured"),
                    tr("%1 with version %2").arg(dateText(report.created), text(report.tool_version)));
  rows.emplace_back(tr("Report"), text(report_id(report)));
  rows.emplace_back(tr("Command"), text(shell_text(report.command)));
  pages.heading(tr("Environment"));
  pages.facts(rows);
}

void add_scene(PdfPages& pages, const SceneFacts& scene) {
  std::vector<std::pair<QString, QString>> rows{
      {tr("Name"), text(scene.name)},
      {tr("Read as"), text(scene.reading.empty() ? scene.format : scene.reading)},
      {tr("Points"), text(count_text(scene.points))}};
  if (scene.crop_m)
    rows.emplace_back(tr("Crop"),
                      tr("%1; points kept: %2")
                          .arg(text(text_of(*scene.crop_m, scene.unit)), text(count_text(scene.kept))));
  rows.emplace_back(tr("Voxels"), tr("%1, voxel size %2; fingerprint %3")
                                      .arg(text(count_text(scene.voxels)),
                                           text(with_unit(grid_text(scene.voxel_m), scene.unit)),
                                           text(fingerprint_text(scene.fingerprint))));
  QStringList axes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    axes += tr("%1: %2 of %3 cells")
                .arg(QChar("xyz"[axis]))
                .arg(text(count_text(scene.fit_extent[axis])), text(count_text(scene.fit_limit[axis])));
  rows.emplace_back(
      tr("Packing"),
      tr("%1 in %2 bits; %3").arg(text(scene.pack.text())).arg(scene.pack.word_bits()).arg(axes.join(", ")));
  pages.heading(tr("Scene"));
  pages.facts(rows);
}

void add_comparison(PdfPages& pages, const Comparison& comparison) {
  pages.page(tr("Comparison with the baseline"));
  for (const auto& note : compare_notes(comparison))
    pages.paragraph(text(note));
  if (const QString undecided = undecided_text(comparison); !undecided.isEmpty()) pages.paragraph(undecided);
  if (const PdfTable table = compared_table(comparison); !table.rows.empty()) pages.table(table);
}

PdfTable layer_table(const Report& report) {
  const Measurement& m = report.measurement;
  const Levels levels = levels_of(report.network);
  PdfTable table{{tr("layer"), tr("stride"), tr("K"), tr("channels"), tr("t"), tr("outputs"), tr("pairs"),
                  tr("median, ms"), tr("IQR, ms"), tr("n"), tr("share")},
                 {25, 9, 4, 12, 4, 11, 12, 14, 10, 5, 9},
                 {},
                 1};
  const double sum = m.sum_of_stages_ms();
  for (std::size_t at = 0; at < m.layers.size(); ++at) {
    const LayerMeasurement& row = m.layers[at];
    const Layer& layer = report.network.layers[at];
    double median = 0, iqr = 0;
    int n = 0;
    for (const StageNode& stage : row.stages.nodes) {
      if (stage.parent >= 0) continue;
      const Statistics s = statistics(stage.samples_ms);
      median += s.median;
      iqr = std::max(iqr, s.iqr());
      n = static_cast<int>(s.n);
    }
    table.rows.push_back(
        {text(row.name),
         QString("%1\u2192%2")
             .arg(text(level_text(levels, levels.layers[at].stride_in)),
                  text(level_text(levels, levels.layers[at].stride_out))),
         text(text_of(layer.kernel_size)),
         QString("%1\u2192%2").arg(layer.in_channels).arg(layer.out_channels),
         divides_at_threshold(layer, m.plan.layers.at(at)) ? QString::number(m.plan.layers.at(at).threshold)
                                                           : text(dataflow_text(layer, m.plan.layers.at(at))),
         text(count_text(row.outputs)), text(count_text(row.pairs)), text(fixed(median, 3)),
         text(fixed(iqr, 3)), QString::number(n), text(percent_text(sum > 0 ? median / sum : 0))});
  }
  return table;
}

/// Returns one chart for each kernel map that a layer uses. The title contains the name of the first layer
/// with this map, and the number of further layers.
std::vector<std::unique_ptr<Chart>> density_charts(const Report& report, Theme& theme) {
  const auto larger_first = [](const MapKey& a, const MapKey& b) {
    const int cells_a = a.kernel.columns(), cells_b = b.kernel.columns();
    return cells_a != cells_b ? cells_a > cells_b : a < b;
  };
  std::map<MapKey, std::vector<std::size_t>, decltype(larger_first)> users(larger_first);
  const Levels levels = levels_of(report.network);
  for (std::size_t at = 0; at < report.layer_densities.size(); ++at) {
    const MapKey& map = levels.layers.at(at).map;
    if (map.kernel.columns() > 1 && !report.layer_densities[at].columns.empty()) users[map].push_back(at);
  }
  std::vector<std::unique_ptr<Chart>> all;
  for (const auto& [map, layers] : users) {
    auto chart = std::make_unique<DensityChart>(&theme);
    const QString shape =
        tr("%1, %2: %3")
            .arg(text(cells_text(map.kernel.size)),
                 strideText(level_text(levels, map.stride_in), level_text(levels, map.stride_out)),
                 text(report.network.layers[layers.front()].name));
    const QString title = layers.size() == 1 ? shape : tr("%1 and %2 more").arg(shape).arg(layers.size() - 1);
    chart->setDensities({std::shared_ptr<void>(), &report.layer_densities[layers.front()]}, title,
                        static_cast<int>(layers.front()));
    all.push_back(std::move(chart));
  }
  return all;
}

/// Returns the index of the row whose setting the run uses, or -1 if no such row exists.
int row_in_use(const Sweep& sweep, const Report& report) {
  const Plan& plan = report.measurement.plan;
  const auto used = [&](const SweepRow& row) {
    if (row.threshold < 0) return row.pack == report.scene.pack;
    if (sweep.layer >= 0) {
      const auto at = static_cast<std::size_t>(sweep.layer);
      return setting_of(report.network.layers.at(at), plan.layers.at(at)) == row.threshold;
    }
    Plan same = plan;
    set_threshold(same, report.network, row.threshold);
    return same.layers == plan.layers;
  };
  // Several rows can match, because set_threshold() sets the nearest feasible t in each layer. Use the last
  // of these rows.
  const auto found = std::find_if(sweep.rows.rbegin(), sweep.rows.rend(), used);
  return static_cast<int>(sweep.rows.rend() - found) - 1;
}

void add_notes(PdfPages& pages, const Report& report) {
  pages.page(tr("Notes"));
  for (const auto& note : report.notes)
    pages.paragraph(text(note));
  pages.paragraph(
      tr("Times are medians with the interquartile range (IQR) of n repetitions; the report contains every "
         "sample. The network is repeated in two interleaved passes: one with timers between stages for the "
         "stage times, and one without timers for the wall time."));
  pages.paragraph(
      tr("A density is the share of outputs that have an input at an offset (counted, not sampled). Offsets "
         "are grouped by their L1 norm, in units of the input stride. Offsets with an L1 norm below the "
         "threshold t run output-stationary, the others weight-stationary."));
  pages.paragraph(tr(
      "A map that several layers share is built once, in the first of these layers. The median of a layer "
      "includes the map only if the layer built it. The IQR of a layer is the largest IQR of its stages."));
  pages.paragraph(tr("The report contains no coordinates. The fingerprint identifies the measured scene."));
  pages.heading(tr("Command to measure again"));
  pages.paragraph(text(shell_text(command_of_layer(measured_with(report), -1))));
}

}  // namespace

PdfTable compared_table(const Comparison& comparison) {
  PdfTable table{{tr("layer"), tr("stage"), tr("baseline, ms"), tr("current, ms"), tr("ratio"),
                  tr("95 % interval"), tr("n"), tr("verdict")},
                 {26, 18, 10, 10, 8, 17, 8, 16},
                 {},
                 2};
  for (const ComparedRow& row : comparison.rows) {
    // Omit rows with the verdict `same` or `undecided`. The text above the table contains their numbers.
    if (row.verdict == Verdict::same || row.verdict == Verdict::undecided) continue;
    const auto& ratio = row.ratio;
    table.rows.push_back(
        {layerText(row), stageText(row), text(fixed(row.baseline_ms.median, 4)),
         text(fixed(row.current_ms.median, 4)), ratio ? text(fixed(ratio->ratio(), 4)) : QString(),
         ratio ? tr("%1 to %2").arg(text(fixed(ratio->low, 4)), text(fixed(ratio->high, 4))) : QString(),
         QString("%1, %2").arg(row.baseline_ms.n).arg(row.current_ms.n),
         text(std::string(verdict_text(row)))});
  }
  return table;
}

QString undecided_text(const Comparison& comparison) {
  int count = 0;
  std::vector<double> ratios;
  for (const ComparedRow& row : comparison.rows) {
    if (row.verdict != Verdict::undecided) continue;
    ++count;
    if (row.ratio) ratios.push_back(row.ratio->ratio());
  }
  if (count == 0) return {};
  QString found = counted(count, tr("1 undecided row is not in the table."),
                          tr("%1 undecided rows are not in the table."));
  if (ratios.size() == 1) found += " " + tr("Ratio of its times: %1.").arg(text(fixed(ratios.front(), 4)));
  if (ratios.size() > 1) {
    const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
    found += " " + tr("Ratios of their times: %1 to %2.").arg(text(fixed(*low, 4)), text(fixed(*high, 4)));
  }
  return found + " " + tr("The samples do not show whether the times changed.");
}

struct ReportPdf::State {
  State(std::shared_ptr<const Report> of, std::shared_ptr<const Comparison> with)
      : report(std::move(of)), comparison(std::move(with)) {}

  void addFirst(const std::vector<std::pair<QString, QString>>& tags);
  void addLayers();
  void addDensities();
  void addSettings();
  void add(std::function<void()> piece) { pieces.push_back(std::move(piece)); }

  std::shared_ptr<const Report> report;
  std::shared_ptr<const Comparison> comparison;  // `nullptr` if no baseline exists.
  QBuffer file;
  std::unique_ptr<Theme> theme = Theme::forPaper();
  Workspace workspace;  // The panels that create the charts need a Workspace.
  Selection selection;
  std::vector<std::unique_ptr<Chart>> maps;
  std::unique_ptr<PdfPages> pages;
  std::vector<std::function<void()>> pieces;
  std::size_t next = 0;
  Q_DECLARE_TR_FUNCTIONS(spira::ui::ReportPdf)
};

void ReportPdf::State::addFirst(const std::vector<std::pair<QString, QString>>& tags) {
  add([this] { workspace.setReport(report); });
  add([this, tags] {
    file.open(QIODevice::WriteOnly);
    const QString title = tr("%1 on %2").arg(text(report->network.title), text(report->scene.name));
    pages = std::make_unique<PdfPages>(
        file, title, tags, tr("report %1, SpiraScope %2").arg(text(report_id(*report)), SPIRA_VERSION));
    pages->page(title);
    add_verdict(*pages, *report);
    const BreakdownPanel breakdown(&workspace, &selection, theme.get());
    if (const auto* chart = breakdown.findChild<StageChart*>(); chart->hasContent()) pages->chart(*chart);
    add_environment(*pages, *report);
    add_scene(*pages, report->scene);
    if (comparison) add_comparison(*pages, *comparison);
  });
}

void ReportPdf::State::addLayers() {
  add([this] {
    pages->page(tr("Layers"));
    pages->table(layer_table(*report));
  });
}

void ReportPdf::State::addDensities() {
  maps = density_charts(*report, *theme);
  add([this] {
    pages->page(tr("Densities"));
    pages->paragraph(
        tr("One chart per kernel map. Kernels of size 1 are omitted, because each of their outputs reads "
           "exactly one input."));
  });
  for (std::size_t at = 0; at < maps.size(); at += 2)
    add([this, at] { pages->charts(*maps[at], at + 1 < maps.size() ? maps[at + 1].get() : nullptr); });
}

void ReportPdf::State::addSettings() {
  if (report->threshold_sweep || report->pack_sweep || !report->measurement.timeline.empty())
    add([this] { pages->page(tr("Settings and timeline")); });
  for (const auto& sweep : {report->threshold_sweep, report->pack_sweep}) {
    if (!sweep) continue;
    add([this, sweep = sweep] {
      SweepChart chart(theme.get());
      chart.setSweep(sweep, row_in_use(*sweep, *report));
      if (chart.hasContent()) pages->chart(chart);
    });
  }
  add([this] {
    const TimelinePanel timeline(&workspace, &selection, theme.get());
    if (const auto* chart = timeline.findChild<TimelineChart*>(); chart->hasContent()) pages->chart(*chart);
  });
}

ReportPdf::ReportPdf(std::shared_ptr<const Report> report,
                     const std::vector<std::pair<QString, QString>>& tags,
                     std::shared_ptr<const Comparison> comparison)
    : state_(std::make_unique<State>(std::move(report), std::move(comparison))) {
  State& s = *state_;
  s.addFirst(tags);
  s.addLayers();
  s.addDensities();
  s.addSettings();
  s.add([&s] { add_notes(*s.pages, *s.report); });
  s.add([&s] { s.pages.reset(); });  // Destroy PdfPages, because its destructor writes the fonts.
}

ReportPdf::~ReportPdf() = default;

int ReportPdf::steps() const {
  return static_cast<int>(state_->pieces.size());
}

int ReportPdf::done() const {
  return static_cast<int>(state_->next);
}

bool ReportPdf::step() {
  if (done() == steps()) return false;
  state_->pieces[state_->next++]();
  return done() < steps();
}

QByteArray ReportPdf::bytes() const {
  return state_->file.data();
}

QByteArray report_pdf(const std::shared_ptr<const Report>& report,
                      const std::vector<std::pair<QString, QString>>& tags,
                      const std::shared_ptr<const Comparison>& comparison) {
  ReportPdf pdf(report, tags, comparison);
  while (pdf.step())
    continue;
  return pdf.bytes();
}

}  // namespace spira::ui
