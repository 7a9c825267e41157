// Context menus of charts and tables, with the command that measures the clicked number again.
#include "engine/survey/survey.hpp"
#include "ui/charts/survey_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/export/exports.hpp"
#include "ui/features/export/picture_dialog.hpp"
#include "ui/features/export/reproduce_dialog.hpp"
#include "ui/features/survey/surveys.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/features/tune/tune_result.hpp"
#include "ui/model/tables/compare_model.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/theme/busy_cursor.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QTableView>
#include <QTableWidget>

#include <utility>

namespace spira::ui {
namespace {

/// `layer` = -1 means the whole network.
MeasuredSubject subject_of_layer(int layer) {
  MeasuredSubject subject;
  subject.layer = layer;
  if (layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

}  // namespace

void Exports::bindTables() {
  if (auto* layers = window_->findChild<QTableView*>("layers")) {
    followTable(layers, [](const QModelIndex& row) {
      return subject_of_layer(row.data(LayerTableModel::layer_role).toInt());
    });
  }
  for (auto* table : window_->sweepPanel().findChildren<QTableWidget*>("rows")) {
    auto* chart = table->parentWidget()->findChild<SweepChart*>();
    followTable(table, [chart](const QModelIndex& row) { return chart->subjectOf(row.row()); });
  }
}

/// Adds menus to the tables of Compare, Tune and the kernel map, and to the statistics of the scene.
void Exports::bindPanels() {
  const auto index_of = [this](const std::string& layer) {
    const auto& network = window_->workspace().network();
    return network && !layer.empty() ? network->index_of(layer) : -1;
  };
  ProfileTools& tools = window_->profileTools();
  followTable(tools.comparePanel()->table(), [index_of](const QModelIndex& row) {
    const QString layer = row.siblingAtColumn(CompareModel::layer).data(CompareModel::layer_role).toString();
    return subject_of_layer(index_of(layer.toStdString()));
  });
  followTable(tools.tunePanel()->result()->choices(), [this, index_of](const QModelIndex& row) {
    const TunedShape& shape =
        window_->profileTools().tuning()->profile()->choices.at(static_cast<std::size_t>(row.row()));
    MeasuredSubject subject = subject_of_layer(index_of(shape.layers.front()));
    if (subject.layer < 0) return subject;
    subject.kind = MeasuredSubject::Kind::threshold;
    subject.threshold = shape.choice.threshold;
    return subject;
  });
  for (const char* id : {"export.pdf", "export.compare_json", "export.compare_csv", "export.compare_markdown",
                         "export.report", "export.csv"})
    tools.comparePanel()->exportMenu()->addAction(window_->commands().action(id));
  const MapPanel* map = tools.mapPanel();
  followTable(map->table(), [map](const QModelIndex&) { return map->subject(); });
  if (auto* statistics = window_->findChild<QLabel*>("statistics")) {
    statistics->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(statistics, &QWidget::customContextMenuRequested, this, [this, statistics](const QPoint& at) {
      MeasuredSubject subject;
      subject.kind = MeasuredSubject::Kind::scene;
      showMenu(statistics->mapToGlobal(at), nullptr, subject);
    });
  }
}

/// Adds the menus of the survey separately, because a survey belongs to a folder and not to the open scene.
void Exports::bindSurvey() {
  const SurveyPanel& panel = window_->surveys().panel();
  const auto show = [this](const QPoint& global, Chart* chart, bool densities) {
    const auto& survey = window_->surveys().job().survey();
    if (!survey) return;
    showMenuOfCommand(global, chart,
                      QString::fromStdString(shell_text(command_of_survey(*survey, densities))),
                      tr("the frames of this folder"));
  };
  connect(panel.chart(), &Chart::menuRequested, this, [show, chart = panel.chart()](const QPoint& global) {
    show(global, chart, chart->measure() == SurveyMeasure::densities);
  });
  for (QTableWidget* table : {panel.outliers(), panel.packings(), panel.numbers()}) {
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    const bool has_densities = table == panel.numbers();
    connect(table, &QWidget::customContextMenuRequested, this,
            [show, table, has_densities](const QPoint& at) {
              if (table->indexAt(at).isValid())
                show(table->viewport()->mapToGlobal(at), nullptr, has_densities);
            });
  }
}

void Exports::followTable(QAbstractItemView* table,
                          std::function<MeasuredSubject(const QModelIndex& row)> subject) {
  table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(table, &QWidget::customContextMenuRequested, this,
          [this, table, subject = std::move(subject)](const QPoint& at) {
            const QModelIndex row = table->indexAt(at);
            if (row.isValid()) showMenu(table->viewport()->mapToGlobal(at), nullptr, subject(row));
          });
}

void Exports::addChart(QMenu& menu, Chart* chart) {
  QAction* save = menu.addAction(tr("Export chart..."), this, [this, chart] { exportChart(chart); });
  save->setEnabled(chart->hasContent());
  QAction* copy = menu.addAction(tr("Copy chart"), this, [this, chart] {
    const BusyCursor busy;
    QApplication::clipboard()->setImage(chart_image(*chart, picture_facts(*chart, *run_), last_));
  });
  copy->setEnabled(chart->hasContent());
  QAction* table = menu.addAction(tr("Show as table"), chart, &Chart::showTable);
  table->setCheckable(true);
  table->setChecked(chart->tableShown());
  table->setEnabled(chart->hasContent() || chart->tableShown());
  menu.addSeparator();
}

void Exports::showMenu(const QPoint& global, Chart* chart, const MeasuredSubject& subject) {
  QMenu menu(window_);
  if (chart != nullptr) addChart(menu, chart);
  addCommands(menu, subject);
  if (subject.kind == MeasuredSubject::Kind::layer && subject.layer == window_->selection().layer()) {
    menu.addSeparator();
    menu.addAction(window_->commands().action("export.outputs"));
  }
  menu.exec(global);
}

void Exports::showMenuOfCommand(const QPoint& global, Chart* chart, const QString& command,
                                const QString& what) {
  QMenu menu(window_);
  if (chart != nullptr) addChart(menu, chart);
  menu.addAction(tr("Copy measuring command"), this, [this, command] {
    QApplication::clipboard()->setText(command);
    window_->workspace().addLog(tr("copied: %1").arg(command));
  });
  menu.addAction(tr("Show measuring command..."), this, [this, command, what] {
    ReproduceDialog(command, what, {tr("It writes the survey as JSON, one row per frame.")}, window_).exec();
  });
  menu.exec(global);
}

}  // namespace spira::ui
