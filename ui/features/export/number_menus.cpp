#include "ui/features/export/number_menus.hpp"

#include "engine/report/reproduce.hpp"
#include "engine/survey/survey.hpp"
#include "ui/charts/survey_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/export/report_exports.hpp"
#include "ui/features/survey/survey_panel.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/jobs/survey_job.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/compare_model.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/workspace.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QTableView>
#include <QTableWidget>

#include <utility>

namespace spira::ui {
namespace {

/// Returns the measured subject for a layer index. -1 means the whole network.
MeasuredSubject subject_of_layer(int layer) {
  MeasuredSubject subject;
  subject.layer = layer;
  if (layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

}  // namespace

NumberMenus::NumberMenus(const FeatureContext& context, ExportFiles& files, const Sources& sources)
    : QObject(&context.window), context_(context), files_(files), sources_(sources) {
  bindCommands();
  connect(&sources_.summary, &SummaryPanel::menuRequested, this, &NumberMenus::showLine);
  followCharts();
  followPanels();
  followStatistics();
  followSurvey();
}

void NumberMenus::bindCommands() {
  const auto has_scene = [this] {
    return context_.workspace.scene().facts() ? QString() : tr("open a scene or a report first");
  };
  context_.commands.bind(
      "reproduce.copy", [this] { copyCommand(chosenSubject()); }, has_scene);
  context_.commands.bind(
      "reproduce.show", [this] { showCommand(chosenSubject()); }, has_scene);
}

void NumberMenus::followCharts() {
  for (Chart* chart : context_.window.findChildren<Chart*>()) {
    // Survey charts get their menus separately, because they belong to a folder and not to a run.
    if (qobject_cast<SurveyChart*>(chart) != nullptr) continue;
    connect(chart, &Chart::menuRequested, this,
            [this, chart](const QPoint& global, const MeasuredSubject& subject) {
              show(global, chart, subject);
            });
  }
}

void NumberMenus::followPanels() {
  if (auto* layers = context_.window.findChild<QTableView*>("layers")) {
    followTable(layers, [](const QModelIndex& row) {
      return subject_of_layer(row.data(LayerTableModel::layer_role).toInt());
    });
  }
  for (auto* table : sources_.sweep.findChildren<QTableWidget*>("rows")) {
    auto* chart = table->parentWidget()->findChild<SweepChart*>();
    followTable(table, [chart](const QModelIndex& row) { return chart->subjectOf(row.row()); });
  }
  followTable(sources_.compare.table(), [this](const QModelIndex& row) {
    const QString layer = row.siblingAtColumn(CompareModel::layer).data(CompareModel::layer_role).toString();
    return subjectOf(layer.toStdString());
  });
  for (const char* id : {"export.pdf", "export.compare_json", "export.compare_csv", "export.compare_markdown",
                         "export.report", "export.csv"})
    sources_.compare.exportMenu()->addAction(context_.commands.action(id));
  followTable(sources_.map.table(), [this](const QModelIndex&) { return sources_.map.subject(); });
}

void NumberMenus::followStatistics() {
  auto* statistics = context_.window.findChild<QLabel*>("statistics");
  if (statistics == nullptr) return;
  statistics->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(statistics, &QWidget::customContextMenuRequested, this, [this, statistics](const QPoint& at) {
    MeasuredSubject subject;
    subject.kind = MeasuredSubject::Kind::scene;
    show(statistics->mapToGlobal(at), nullptr, subject);
  });
}

/// Adds the menus of the survey charts. A survey belongs to a folder and not to the open scene.
void NumberMenus::followSurvey() {
  const SurveyPanel& panel = sources_.survey_panel;
  connect(panel.chart(), &Chart::menuRequested, this, [this, chart = panel.chart()](const QPoint& global) {
    showSurvey(global, chart, chart->measure() == SurveyMeasure::densities);
  });
  for (QTableWidget* table : {panel.outliers(), panel.packings(), panel.numbers()}) {
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    const bool has_densities = table == panel.numbers();
    connect(table, &QWidget::customContextMenuRequested, this,
            [this, table, has_densities](const QPoint& at) {
              if (table->indexAt(at).isValid())
                showSurvey(table->viewport()->mapToGlobal(at), nullptr, has_densities);
            });
  }
}

void NumberMenus::followTable(QAbstractItemView* table,
                              std::function<MeasuredSubject(const QModelIndex& row)> subject) {
  table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(table, &QWidget::customContextMenuRequested, this,
          [this, table, subject = std::move(subject)](const QPoint& at) {
            const QModelIndex row = table->indexAt(at);
            if (row.isValid()) show(table->viewport()->mapToGlobal(at), nullptr, subject(row));
          });
}

MeasuredSubject NumberMenus::subjectOf(const std::string& layer) const {
  const auto& network = context_.workspace.network();
  return subject_of_layer(network && !layer.empty() ? network->index_of(layer) : -1);
}

MeasuredSubject NumberMenus::chosenSubject() const {
  MeasuredSubject subject = subject_of_layer(context_.selection.layer());
  const bool run = context_.workspace.results().wasRun(subject.layer);
  const bool nothing_ran = context_.workspace.results().layersRun() == 0 && !run;
  if (nothing_ran) {
    subject.kind = MeasuredSubject::Kind::scene;
    subject.layer = -1;
  }
  return subject;
}

void NumberMenus::copy(const QString& command) {
  QApplication::clipboard()->setText(command);
  context_.workspace.addLog(tr("copied: %1").arg(command));
}

void NumberMenus::copyCommand(const MeasuredSubject& subject) {
  if (const auto how = measured_with(context_.workspace))
    copy(QString::fromStdString(shell_text(command_of(*how, subject))));
}

void NumberMenus::showCommand(const MeasuredSubject& subject) {
  const auto how = measured_with(context_.workspace);
  if (!how) return;
  ReproduceDialog dialog(*how, subject, context_.workspace.results().report() != nullptr, &context_.window);
  connect(&dialog, &ReproduceDialog::networkFileRequested, this, [this, how] {
    files_.saveAs(tr("Save network"), QString::fromStdString(how->network), tr("Networks (*.json)"),
                  [layers = how->layers] { return network_json(layers); });
  });
  dialog.exec();
}

void NumberMenus::addCommands(QMenu& menu, const MeasuredSubject& subject) {
  QAction* line =
      menu.addAction(tr("Copy measurement command"), this, [this, subject] { copyCommand(subject); });
  QAction* words =
      menu.addAction(tr("Show measurement command..."), this, [this, subject] { showCommand(subject); });
  for (QAction* action : {line, words})
    action->setEnabled(context_.workspace.scene().facts().has_value());
}

void NumberMenus::show(const QPoint& global, Chart* chart, const MeasuredSubject& subject) {
  QMenu menu(&context_.window);
  if (chart != nullptr) sources_.charts.addTo(menu, *chart);
  addCommands(menu, subject);
  if (subject.kind == MeasuredSubject::Kind::layer && subject.layer == context_.selection.layer()) {
    menu.addSeparator();
    menu.addAction(context_.commands.action("export.outputs"));
  }
  menu.exec(global);
}

void NumberMenus::showLine(const QPoint& global, const SummaryLine& line) {
  QMenu menu(&context_.window);
  menu.setObjectName("summary_menu");
  const auto copy_text = [](const QString& text) { QApplication::clipboard()->setText(text); };
  if (!line.number.isEmpty())
    menu.addAction(tr("Copy %1").arg(line.number), this, [copy_text, line] { copy_text(line.number); });
  menu.addAction(tr("Copy line"), this,
                 [copy_text, line] { copy_text(QString("%1: %2").arg(line.name, line.value)); });
  menu.addSeparator();
  addCommands(menu, line.subject);
  menu.exec(global);
}

void NumberMenus::showSurvey(const QPoint& global, Chart* chart, bool densities) {
  const auto& survey = sources_.survey.survey();
  if (!survey) return;
  const QString command = QString::fromStdString(shell_text(command_of_survey(*survey, densities)));
  QMenu menu(&context_.window);
  if (chart != nullptr) sources_.charts.addTo(menu, *chart);
  menu.addAction(tr("Copy measurement command"), this, [this, command] { copy(command); });
  menu.addAction(tr("Show measurement command..."), this, [this, command] {
    ReproduceDialog(command, tr("the frames of this folder"),
                    {tr("The command writes the survey as JSON, with one row for each frame.")},
                    &context_.window)
        .exec();
  });
  menu.exec(global);
}

}  // namespace spira::ui
