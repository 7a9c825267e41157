#include "ui/features/export/chart_exports.hpp"

#include "engine/base/file.hpp"
#include "ui/charts/chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/export/picture_dialog.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/busy_cursor.hpp"

#include <QApplication>
#include <QClipboard>
#include <QMainWindow>
#include <QMenu>

#include <algorithm>

namespace spira::ui {

ChartExports::ChartExports(const FeatureContext& context, ExportFiles& files, const OpenRun& run)
    : QObject(&context.window), context_(context), files_(files), run_(run) {
  context_.commands.bind(
      "export.chart", [this] { ask(nullptr); },
      [this] { return anyChart() ? QString() : tr("no chart has data yet"); });
  for (void (Workspace::*changed)() :
       {&Workspace::sceneMapChanged, &Workspace::measurementChanged, &Workspace::sweepsChanged})
    connect(&context_.workspace, changed, &context_.commands, &CommandSet::refreshSoon);
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

/// Returns true if at least one chart has content. Commands call this function often and the window has
/// thousands of child widgets, so the chart that was found last is checked first.
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
  // If no chart is given, exports the visible chart, preferably the one with the focus.
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
