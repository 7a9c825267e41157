// Exports of the run, its sweeps and the comparison: the files, and the reasons why one is not available.
#include "engine/base/file.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/write_outputs.hpp"
#include "ui/features/export/exports.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/file_writer.hpp"
#include "ui/window/main_window.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

struct RunFile {
  const char* command;
  ReportExport what;
  const char* name;  ///< File name suffix after the scene and the network.
};
constexpr std::array<RunFile, 6> run_files{{{"export.summary", ReportExport::summary, "summary.md"},
                                            {"export.trace", ReportExport::trace, "trace.json"},
                                            {"export.csv", ReportExport::stages, "stages.csv"},
                                            {"export.samples", ReportExport::samples, "samples.csv"},
                                            {"export.timeline", ReportExport::timeline, "timeline.csv"},
                                            {"export.densities", ReportExport::densities, "densities.csv"}}};

struct ComparisonFile {
  const char* command;
  std::string (*text)(const Comparison&);
  const char* name;
};
constexpr std::array<ComparisonFile, 3> comparison_files{
    {{"export.compare_json", compare_json, "compare.json"},
     {"export.compare_csv", compare_csv, "compare.csv"},
     {"export.compare_markdown", compare_markdown, "compare.md"}}};

bool has_columns(const Workspace& open, std::size_t layer) {
  if (open.report()) {
    const auto& all = open.report()->layer_densities;
    return layer < all.size() && !all[layer].columns.empty();
  }
  const auto& result = open.layer(static_cast<int>(layer));
  return result && !result->densities.columns.empty();
}

}  // namespace

QString Exports::whyNoSweeps() const {
  const Workspace& open = window_->workspace();
  if (open.report() && !open.report()->lost.empty()) return whyNoRun();
  if (open.thresholdSweep() || open.packSweep()) return {};
  return open.report() ? tr("this recorded run has no sweeps") : tr("sweep t or the packings first");
}

QString Exports::whyNoDensities() const {
  if (QString why = whyNoRun(); !why.isEmpty()) return why;
  const Workspace& open = window_->workspace();
  for (std::size_t layer = 0; layer < open.network()->layers.size(); ++layer) {
    if (has_columns(open, layer)) return {};
  }
  return open.report() ? tr("this recorded run has no densities")
                       : tr("no kernel map yet; run the network first");
}

QString Exports::whyNoComparison() const {
  const Comparing& comparing = *window_->profileTools().comparing();
  if (comparing.comparison()) return {};
  if (comparing.busy()) return tr("the comparison is still running");
  return comparing.baselines().empty() ? tr("set a baseline first (B), then open or measure another run")
                                       : tr("open or measure a run to compare with the baseline");
}

QString Exports::whyNoOutputs() const {
  const Workspace& open = window_->workspace();
  if (open.report()) return tr("a report does not contain features; run the network on its scene");
  const int layer = window_->selection().layer();
  if (layer < 0) return tr("select a layer first");
  return open.layer(layer) ? QString() : tr("run the selected layer first");
}

void Exports::bindOutputs() {
  CommandSet& commands = window_->commands();
  commands.bind(
      "export.outputs",
      [this] {
        const Workspace& open = window_->workspace();
        const auto result = open.layer(window_->selection().layer());
        const auto& layer = open.network()->layers.at(static_cast<std::size_t>(result->layer));
        const QString file = askFile(tr("Export features of %1").arg(QString::fromStdString(layer.name)),
                                     fileName(QString::fromStdString(layer.name) + ".safetensors"),
                                     tr("safetensors (*.safetensors);;NumPy (*.npz)"));
        if (file.isEmpty()) return;
        const std::string weights = measured_with(open)->weights;
        files_->writeAll(file, [result, network = open.network(), weights](const std::filesystem::path& path,
                                                                           const std::stop_token& stop) {
          Job job(stop);
          write_outputs(path, *network, std::array{result}, weights, job);
        });
      },
      [this] { return whyNoOutputs(); });
  connect(&window_->workspace(), &Workspace::layerChanged, &commands, &CommandSet::refreshSoon);
}

void Exports::bindFiles() {
  CommandSet& commands = window_->commands();
  const auto filter_of = [](const QString& name) {
    if (name.endsWith(".csv")) return tr("Tables (*.csv)");
    return name.endsWith(".md") ? tr("Markdown (*.md)") : tr("JSON (*.json)");
  };
  const auto title_of = [&commands](const char* id) { return commands.action(id)->text().remove("..."); };
  for (const RunFile& file : run_files) {
    commands.bind(
        file.command,
        [this, file, title = title_of(file.command), filter = filter_of(file.name)] {
          const QString name = askFile(title, fileName(file.name), filter);
          if (name.isEmpty()) return;
          files_->writeAll(name,
                           [report = run_->report(), what = file.what](const auto& path, const auto& stop) {
                             write_export(path, *report, what, stop);
                           });
        },
        [this, what = file.what] {
          QString why = what == ReportExport::densities ? whyNoDensities() : whyNoRun();
          if (why.isEmpty() && what == ReportExport::timeline &&
              window_->workspace().measurement()->timeline.empty())
            why = tr("this run has no timeline");
          return why;
        });
  }
  commands.bind(
      "export.sweeps",
      [this, title = title_of("export.sweeps"), filter = filter_of("sweep.csv")] {
        const QString name = askFile(title, fileName("sweep.csv"), filter);
        if (name.isEmpty()) return;
        const Workspace& open = window_->workspace();
        files_->writeAll(name, [report = run_->report(), thresholds = open.thresholdSweep(),
                                packings = open.packSweep()](const auto& path, const auto& stop) {
          if (report) return write_export(path, *report, ReportExport::sweeps, stop);
          // These sweeps belong to no report, so there is no FILE.meta.json that describes the run.
          write_file(path, sweeps_csv({thresholds, packings}), stop);
        });
      },
      [this] { return whyNoSweeps(); });
  for (const ComparisonFile& file : comparison_files) {
    commands.bind(
        file.command,
        [this, file, title = title_of(file.command), filter = filter_of(file.name)] {
          saveAs(title, fileName(file.name), filter,
                 [comparison = window_->profileTools().comparing()->comparison(), text = file.text] {
                   return text(*comparison);
                 });
        },
        [this] { return whyNoComparison(); });
  }
  connect(window_->profileTools().comparing(), &Comparing::changed, &commands, &CommandSet::refreshSoon);
}

}  // namespace spira::ui
