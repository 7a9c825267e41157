#include "ui/features/export/report_exports.hpp"

#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/write_outputs.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/reasons.hpp"
#include "ui/jobs/comparing.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"
#include "ui/paper/report_pdf.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPlainTextEdit>
#include <QProgressDialog>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace spira::ui {
namespace {

struct RunFile {
  const char* command;
  ReportExport what;
  const char* name;  ///< End of the file name, which follows the names of the scene and the network.
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

QString filter_of(const QString& name) {
  if (name.endsWith(".csv")) return ReportExports::tr("Tables (*.csv)");
  return name.endsWith(".md") ? ReportExports::tr("Markdown (*.md)") : ReportExports::tr("JSON (*.json)");
}

bool has_columns(const Workspace& open, std::size_t layer) {
  if (open.results().report()) {
    const auto& all = open.results().report()->layer_densities;
    return layer < all.size() && !all[layer].columns.empty();
  }
  const auto& result = open.results().layer(static_cast<int>(layer));
  return result && !result->densities.columns.empty();
}

}  // namespace

ReportExports::ReportExports(const FeatureContext& context, ExportFiles& files, const OpenRun& run,
                             const Comparing& comparing)
    : QObject(&context.window), context_(context), files_(files), run_(run), comparing_(comparing) {
  bindReports();
  bindTables();
  bindSweeps();
  bindComparison();
  bindOutputs();
  CommandSet* commands = &context_.commands;
  for (const auto changed : {&RunResults::measurementChanged, &RunResults::sweepsChanged})
    connect(&context_.workspace.results(), changed, commands, &CommandSet::refreshSoon);
  connect(&context_.workspace.results(), &RunResults::layerChanged, commands, &CommandSet::refreshSoon);
  connect(&context_.workspace.scene(), &OpenScene::mapsChanged, commands, &CommandSet::refreshSoon);
  connect(&comparing_, &Comparing::changed, commands, &CommandSet::refreshSoon);
  connect(&files_.writer(), &FileWriter::written, this, [this](const QString& file) {
    if (const auto report = saving_.extract(file); !report.empty()) emit reportSaved(report.mapped());
  });
}

QString ReportExports::whyNoRun() const {
  const Workspace& open = context_.workspace;
  if (open.results().report() && !open.results().report()->lost.empty())
    return tr("the open report is truncated and cannot be exported");
  const bool any =
      open.results().report() || (open.results().measurement() && open.scene().voxels() && open.network());
  return any ? QString() : tr("measure a network first (Ctrl+M), or open a report");
}

QString ReportExports::whyNoSweeps() const {
  const Workspace& open = context_.workspace;
  if (open.results().report() && !open.results().report()->lost.empty()) return whyNoRun();
  if (open.results().thresholdSweep() || open.results().packSweep() || open.results().dataflowSweep())
    return {};
  return open.results().report() ? tr("this recorded run has no sweeps")
                                 : tr("sweep t or the packings first");
}

QString ReportExports::whyNoDensities() const {
  const Workspace& open = context_.workspace;
  if (!open.results().report() && !open.results().measurement()) {
    const bool counted = shown_map(open, context_.selection).densities != nullptr;
    return counted || !open.scene().voxels() ? why_no_scene(open) : tr("the kernel map is not built yet");
  }
  if (QString why = whyNoRun(); !why.isEmpty()) return why;
  for (std::size_t layer = 0; layer < open.network()->layers.size(); ++layer) {
    if (has_columns(open, layer)) return {};
  }
  return open.results().report() ? tr("this recorded run has no densities")
                                 : tr("no kernel map has been built yet; run the network first");
}

QString ReportExports::whyNoComparison() const {
  if (comparing_.comparison()) return {};
  if (comparing_.busy()) return tr("the comparison is still running");
  return comparing_.baselines().empty() ? tr("set a baseline first (B), then open or measure another run")
                                        : tr("open or measure a run to compare with the baseline");
}

QString ReportExports::whyNoOutputs() const {
  const Workspace& open = context_.workspace;
  if (open.results().report()) return tr("a report does not contain features; run the network on its scene");
  const int layer = context_.selection.layer();
  if (layer < 0) return tr("select a layer first");
  return open.results().layer(layer) ? QString() : tr("run the selected layer first");
}

QString ReportExports::titleOf(const char* command) const {
  return context_.commands.action(command)->text().remove("...");
}

void ReportExports::bindReports() {
  context_.commands.bind(
      "export.pdf",
      [this] {
        const QString file =
            files_.ask(tr("Save PDF report"), files_.nameFor("report.pdf"), tr("PDF (*.pdf)"));
        if (!file.isEmpty()) writePdf(file);
      },
      [this] { return whyNoRun(); });
  context_.commands.bind(
      "export.report", [this] { saveReport(); }, [this] { return whyNoRun(); });
}

void ReportExports::saveReport() {
  const QString file =
      files_.ask(tr("Save report"), files_.nameFor("spira.json"), tr("Reports (*.spira.json *.json)"));
  if (file.isEmpty()) return;
  saving_[file] = comparing_.current();
  files_.writer().write(file, [report = run_.report()] { return report_json(*report); });
}

void ReportExports::bindTables() {
  for (const RunFile& file : run_files) {
    context_.commands.bind(
        file.command,
        [this, file] {
          const QString name =
              files_.ask(titleOf(file.command), files_.nameFor(file.name), filter_of(file.name));
          if (name.isEmpty()) return;
          const Workspace& open = context_.workspace;
          if (file.what == ReportExport::densities && !open.results().report() &&
              !open.results().measurement())
            return files_.writer().write(name, [shown = shown_map(open, context_.selection)] {
              return densities_csv(shown.densities_title.toStdString(), *shown.densities);
            });
          files_.writer().writeAll(
              name, [report = run_.report(), what = file.what](const auto& path, const auto& stop) {
                write_export(path, *report, what, stop);
              });
        },
        [this, what = file.what] {
          QString why = what == ReportExport::densities ? whyNoDensities() : whyNoRun();
          if (why.isEmpty() && what == ReportExport::timeline &&
              context_.workspace.results().measurement()->timeline.empty())
            why = tr("this run has no timeline");
          return why;
        });
  }
}

void ReportExports::bindSweeps() {
  context_.commands.bind(
      "export.sweeps",
      [this] {
        const QString name =
            files_.ask(titleOf("export.sweeps"), files_.nameFor("sweep.csv"), filter_of("sweep.csv"));
        if (name.isEmpty()) return;
        const Workspace& open = context_.workspace;
        files_.writer().writeAll(
            name, [report = run_.report(), thresholds = open.results().thresholdSweep(),
                   packings = open.results().packSweep(),
                   dataflows = open.results().dataflowSweep()](const auto& path, const auto& stop) {
              if (report) return write_export(path, *report, ReportExport::sweeps, stop);
              // These sweeps do not belong to a report, so there is no run to describe in FILE.meta.json.
              write_file(path, sweeps_csv({thresholds, packings, dataflows}), stop);
            });
      },
      [this] { return whyNoSweeps(); });
}

void ReportExports::bindComparison() {
  for (const ComparisonFile& file : comparison_files) {
    context_.commands.bind(
        file.command,
        [this, file] {
          files_.saveAs(
              titleOf(file.command), files_.nameFor(file.name), filter_of(file.name),
              [comparison = comparing_.comparison(), text = file.text] { return text(*comparison); });
        },
        [this] { return whyNoComparison(); });
  }
}

void ReportExports::bindOutputs() {
  context_.commands.bind(
      "export.outputs", [this] { saveOutputs(); }, [this] { return whyNoOutputs(); });
}

void ReportExports::saveOutputs() {
  const Workspace& open = context_.workspace;
  const auto result = open.results().layer(context_.selection.layer());
  const QString layer =
      QString::fromStdString(open.network()->layers.at(static_cast<std::size_t>(result->layer)).name);
  const QString file =
      files_.ask(tr("Export features of %1").arg(layer), files_.nameFor(layer + ".safetensors"),
                 tr("safetensors (*.safetensors);;NumPy (*.npz)"));
  if (file.isEmpty()) return;
  const std::string weights = measured_with(open)->weights;
  files_.writer().writeAll(file, [result, network = open.network(), weights](
                                     const std::filesystem::path& path, const std::stop_token& stop) {
    Job job(stop);
    write_outputs(path, *network, std::array{result}, weights, job);
  });
}

void ReportExports::savePdf(const QString& file) const {
  if (const QString why = whyNoRun(); !why.isEmpty()) throw Error(ErrorKind::input, why.toStdString());
  write_file(file.toStdString(),
             report_pdf(run_.report(), run_.tags(), comparing_.comparison()).toStdString());
}

void ReportExports::writePdf(const QString& file) {
  auto pdf = std::make_shared<ReportPdf>(run_.report(), run_.tags(), comparing_.comparison());
  auto* bar = new QProgressDialog(tr("Writing the pages of %1").arg(QFileInfo(file).fileName()), tr("Cancel"),
                                  0, pdf->steps(), &context_.window);
  bar->setWindowTitle(tr("Save PDF report"));
  bar->setWindowModality(Qt::WindowModal);
  auto* next = new QTimer(bar);
  next->setSingleShot(true);
  connect(next, &QTimer::timeout, bar, [this, file, pdf, bar, next] {
    if (bar->wasCanceled()) return bar->deleteLater();
    if (pdf->step()) {
      bar->setValue(pdf->done());
      return next->start(0);
    }
    files_.writer().write(file, [bytes = pdf->bytes()] { return bytes.toStdString(); });
    bar->deleteLater();
  });
  next->start(0);
}

namespace {

QStringList notes_of(const MeasuredWith& how, bool recorded) {
  QStringList notes;
  if (recorded &&
      how.facts.format !=
          "generated")  // A built-in scene exists on every machine, so it needs no note about its path.
    notes += ReproduceDialog::tr(
                 "The report was recorded on another machine. Replace \"%1\" with the path of your copy of "
                 "the scene. The fingerprint of the scene must be %2.")
                 .arg(QString::fromStdString(how.facts.name),
                      QString::fromStdString(fingerprint_text(how.facts.fingerprint)));
  return notes << ReproduceDialog::tr(
             "Times depend on the device and on other running programs. Compare medians together with their "
             "spread.");
}

}  // namespace

ReproduceDialog::ReproduceDialog(const MeasuredWith& how, const MeasuredSubject& subject, bool recorded,
                                 QWidget* parent)
    : ReproduceDialog(QString::fromStdString(shell_text(command_of(how, subject))), textOf(how, subject),
                      notes_of(how, recorded), parent) {
  if (!how.network.ends_with(".json")) return;
  auto* network = new QPushButton(tr("Save network file..."), this);
  buttons_->insertWidget(0, network);
  connect(network, &QPushButton::clicked, this, &ReproduceDialog::networkFileRequested);
}

ReproduceDialog::ReproduceDialog(QString command, const QString& what, const QStringList& notes,
                                 QWidget* parent)
    : QDialog(parent), command_(std::move(command)), buttons_(new QHBoxLayout) {
  setWindowTitle(tr("Repeat the measurement"));
  const auto line = [this](const QString& text) {
    auto* label = new QLabel(text, this);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
  };
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(line(tr("This command measures %1 with the same settings:").arg(what)));
  auto* text = new QPlainTextEdit(command_, this);
  text->setReadOnly(true);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text->setAccessibleName(tr("Command"));
  text->setTabChangesFocus(true);
  text->setMinimumHeight(110);
  layout->addWidget(text, 1);
  for (const QString& note : notes)
    layout->addWidget(line(note));
  buttons_->addStretch(1);
  auto* copy = new QPushButton(tr("Copy"), this);
  auto* close = new QPushButton(tr("Close"), this);
  copy->setDefault(true);
  buttons_->addWidget(copy);
  buttons_->addWidget(close);
  layout->addLayout(buttons_);
  connect(copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(command_);
    accept();
  });
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  resize(640, 300);
}

}  // namespace spira::ui
