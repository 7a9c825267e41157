#include "ui/features/export/export_files.hpp"

#include "engine/base/file.hpp"
#include "ui/charts/chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/export/picture_dialog.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/busy_cursor.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenu>
#include <QStatusBar>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto export_table = std::to_array<CommandFacts>({
    {"file.screenshot", QT_TRANSLATE_NOOP("Command", "Save screenshot..."), "F12",
     QT_TRANSLATE_NOOP("Command", "Save the window or the 3D view as a picture"), 60, Menu::file, 4,
     Opens::dialog},
    {"file.copy_screenshot", QT_TRANSLATE_NOOP("Command", "Copy screenshot"), "Ctrl+F12",
     QT_TRANSLATE_NOOP("Command", "Copy a screenshot with the settings of the previous screenshot"), 70,
     Menu::file, 4},
    {"export.chart", QT_TRANSLATE_NOOP("Command", "Export chart..."), "Ctrl+E",
     QT_TRANSLATE_NOOP("Command", "Save a chart as PNG, SVG or PDF, with a caption"), 80, Menu::export_files,
     1, Opens::dialog},
    {"export.pdf", QT_TRANSLATE_NOOP("Command", "Export PDF report..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the run as PDF: verdict, layers, densities, notes"), 90,
     Menu::export_files, 1, Opens::dialog},
    {"export.report", QT_TRANSLATE_NOOP("Command", "Export report (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the run with all samples; the file opens on any machine"), 100,
     Menu::export_files, 1, Opens::dialog},
    {"export.summary", QT_TRANSLATE_NOOP("Command", "Export summary (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save advice, environment, totals, slowest layers and fastest settings"),
     110, Menu::export_files, 1, Opens::dialog},
    {"export.trace", QT_TRANSLATE_NOOP("Command", "Export trace (Perfetto)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save stages and timeline for Perfetto or chrome://tracing"), 120,
     Menu::export_files, 1, Opens::dialog},
    {"export.csv", QT_TRANSLATE_NOOP("Command", "Export stages (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per stage, with statistics"), 130, Menu::export_files, 2,
     Opens::dialog},
    {"export.samples", QT_TRANSLATE_NOOP("Command", "Export samples (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per sample, in the order in which the samples were measured"),
     140, Menu::export_files, 2, Opens::dialog},
    {"export.timeline", QT_TRANSLATE_NOOP("Command", "Export timeline (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per span of the timeline"), 150, Menu::export_files, 2,
     Opens::dialog},
    {"export.sweeps", QT_TRANSLATE_NOOP("Command", "Export sweeps (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per setting of each sweep"), 160, Menu::export_files, 2,
     Opens::dialog},
    {"export.densities", QT_TRANSLATE_NOOP("Command", "Export densities (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per offset of each kernel map, with its number of pairs"),
     170, Menu::export_files, 2, Opens::dialog},
    {"export.outputs", QT_TRANSLATE_NOOP("Command", "Export features of the layer..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Save the output of the selected layer with coordinates, as .safetensors or .npz"),
     180, Menu::export_files, 2, Opens::dialog},
    {"export.compare_json", QT_TRANSLATE_NOOP("Command", "Export comparison (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Save all compared rows (both runs, ratio and verdict) and the unmatched rows"),
     190, Menu::export_files, 3, Opens::dialog},
    {"export.compare_csv", QT_TRANSLATE_NOOP("Command", "Export comparison (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per compared stage, with its verdict"), 200,
     Menu::export_files, 3, Opens::dialog},
    {"export.compare_markdown", QT_TRANSLATE_NOOP("Command", "Export comparison (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the notes and the table of the comparison as Markdown text"), 210,
     Menu::export_files, 3, Opens::dialog},
    {"reproduce.copy", QT_TRANSLATE_NOOP("Command", "Copy measurement command"), "Ctrl+Shift+C",
     QT_TRANSLATE_NOOP("Command",
                       "Copy the spira command that measures the selected layer, the network or the scene"),
     1150, Menu::run, 7},
    {"reproduce.show", QT_TRANSLATE_NOOP("Command", "Show measurement command..."), "",
     QT_TRANSLATE_NOOP("Command", "Show the spira command, with the files and settings that it needs"), 1160,
     Menu::run, 7, Opens::dialog},
});

}  // namespace

std::span<const CommandFacts> export_commands() noexcept {
  return export_table;
}

ExportFiles::ExportFiles(const FeatureContext& context) : QObject(&context.window), context_(context) {
  connect(&writer_, &FileWriter::started, this, [this](const QString& file) {
    context_.window.statusBar()->showMessage(tr("Writing %1...").arg(QFileInfo(file).fileName()));
  });
  connect(&writer_, &FileWriter::finished, this, [this] {
    if (!writer_.busy()) context_.window.statusBar()->clearMessage();
  });
  connect(&writer_, &FileWriter::written, this, [this](const QString& file) {
    constexpr int long_enough_ms = 4000;
    context_.workspace.addLog(tr("written: %1").arg(file));
    context_.window.statusBar()->showMessage(tr("Written: %1").arg(QDir::toNativeSeparators(file)),
                                             long_enough_ms);
  });
  connect(&writer_, &FileWriter::failed, this,
          [this](const Error& error) { context_.notices.showError(error); });
}

QString ExportFiles::nameFor(const QString& content) const {
  QString name;
  if (const auto& scene = context_.workspace.scene().facts())
    name = QFileInfo(QString::fromStdString(scene->name)).completeBaseName();
  if (const auto& network = context_.workspace.network()) name += "-" + QString::fromStdString(network->name);
  return name + "." + content;
}

QString ExportFiles::ask(const QString& title, const QString& name, const QString& filter) {
  return context_.dialogs.saveFile(QApplication::activeWindow(), title, name, filter);
}

void ExportFiles::saveAs(const QString& title, const QString& name, const QString& filter,
                         std::function<std::string()> bytes) {
  const QString file = ask(title, name, filter);
  if (!file.isEmpty()) writer_.write(file, std::move(bytes));
}

ChartExports::ChartExports(const FeatureContext& context, ExportFiles& files, const OpenRun& run)
    : QObject(&context.window), context_(context), files_(files), run_(run) {
  context_.commands.bind(
      "export.chart", [this] { ask(nullptr); },
      [this] { return anyChart() ? QString() : tr("no chart has data yet"); });
  connect(&context_.workspace.scene(), &OpenScene::mapsChanged, &context_.commands, &CommandSet::refreshSoon);
  for (const auto changed : {&RunResults::measurementChanged, &RunResults::sweepsChanged})
    connect(&context_.workspace.results(), changed, &context_.commands, &CommandSet::refreshSoon);
}

std::vector<const Chart*> ChartExports::charts() const {
  std::vector<const Chart*> all;
  for (const Chart* chart : context_.window.findChildren<Chart*>()) {
    if (chart->hasContent()) all.push_back(chart);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Chart* a, const Chart* b) { return a->name() < b->name(); });
  return all;
}

/// Returns true if at least one chart has content. Begins with the chart that the previous call found,
/// because commands call this function often and the window has thousands of child widgets.
bool ChartExports::anyChart() {
  if (shown_ == nullptr || !shown_->hasContent()) {
    const auto all = charts();
    shown_ = all.empty() ? nullptr : all.front();
  }
  return shown_ != nullptr;
}

const Chart* ChartExports::chartNamed(const QString& name) const {
  const auto all = charts();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Chart* chart) { return chart->name() == name; });
  return found == all.end() ? nullptr : *found;
}

void ChartExports::ask(const Chart* chosen) {
  const auto all = charts();
  if (all.empty()) return;
  // If no chart is given, export a visible chart, preferably the chart with the keyboard focus.
  if (chosen == nullptr) {
    for (const Chart* chart : all) {
      if (chart->isVisible() && (chosen == nullptr || chart->hasFocus())) chosen = chart;
    }
  }
  PictureDialog dialog(all, chosen, &run_, &context_.window);
  dialog.setRequest(last_);
  connect(&dialog, &PictureDialog::saveRequested, this, [this, &dialog] {
    last_ = dialog.request();
    const QString suffix = suffix_of(last_.format);
    files_.saveAs(tr("Save chart"), files_.nameFor(dialog.chart().name() + "." + suffix),
                  tr("Pictures (*.%1)").arg(suffix),
                  [bytes = painted_chart(dialog.chart(), picture_facts(dialog.chart(), run_), last_)] {
                    return bytes().toStdString();
                  });
  });
  connect(&dialog, &PictureDialog::copyRequested, this, [this, &dialog] {
    last_ = dialog.request();
    copy(dialog.chart());
  });
  dialog.exec();
}

void ChartExports::save(const Chart& chart, const PictureRequest& how, const QString& file) const {
  write_file(file.toStdString(), chart_file(chart, picture_facts(chart, run_), how).toStdString());
}

void ChartExports::copy(const Chart& chart) const {
  const BusyCursor busy;
  QApplication::clipboard()->setImage(chart_image(chart, picture_facts(chart, run_), last_));
}

void ChartExports::addTo(QMenu& menu, Chart& chart) {
  QAction* save = menu.addAction(tr("Export chart..."), this, [this, &chart] { ask(&chart); });
  save->setEnabled(chart.hasContent());
  QAction* copied = menu.addAction(tr("Copy chart"), this, [this, &chart] { copy(chart); });
  copied->setEnabled(chart.hasContent());
  QAction* table = menu.addAction(tr("Show as table"), &chart, &Chart::showTable);
  table->setCheckable(true);
  table->setChecked(chart.tableShown());
  table->setEnabled(chart.hasContent() || chart.tableShown());
  menu.addSeparator();
}

}  // namespace spira::ui
