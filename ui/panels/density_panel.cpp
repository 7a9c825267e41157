#include "ui/panels/density_panel.hpp"

#include "engine/base/text.hpp"
#include "ui/charts/density_chart.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>

namespace spira::ui {

DensityPanel::DensityPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      chart_(new DensityChart(theme, body())),
      title_(new QLabel(body())),
      kernel_(new QComboBox(body())),
      logarithmic_(new QCheckBox(tr("log"), body())),
      as_table_(new QCheckBox(tr("table"), body())),
      table_(new QTableWidget(body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(6, 6, 6, 6);
  auto* row = new QHBoxLayout;
  row->addWidget(new QLabel(tr("Kernel"), body()));
  row->addWidget(kernel_);
  row->addStretch(1);
  row->addWidget(logarithmic_);
  row->addWidget(as_table_);
  layout->addWidget(title_);
  layout->addLayout(row);
  layout->addWidget(chart_, 1);
  layout->addWidget(table_, 1);
  title_->setWordWrap(true);
  for (const int k : {3, 5})
    kernel_->addItem(QString("%1\u00d7%1\u00d7%1").arg(k), k);
  kernel_->setToolTip(tr("Kernel of the map of the scene alone; a chosen layer brings its own"));
  logarithmic_->setToolTip(tr("Logarithmic densities"));
  as_table_->setObjectName("asTable");
  as_table_->setToolTip(tr("The same numbers as a table"));
  table_->setAccessibleName(tr("Matches and density by offset"));
  table_->setColumnCount(4);
  table_->setHorizontalHeaderLabels({tr("Offset"), tr("L1"), tr("Matches"), tr("Density")});
  table_->verticalHeader()->hide();
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->hide();
  connect(kernel_, &QComboBox::activated, this,
          [this] { workspace_->setSceneKernelSize(kernel_->currentData().toInt()); });
  connect(logarithmic_, &QCheckBox::toggled, chart_, &DensityChart::setLogarithmic);
  connect(as_table_, &QCheckBox::toggled, this, [this](bool on) {
    table_->setVisible(on);
    chart_->setVisible(!on);
    if (on) fillTable();
  });
  connect(chart_, &DensityChart::columnsChosen, this, [this](const std::vector<int>& columns, bool add) {
    std::vector<int> all = columns;
    if (add) all.insert(all.end(), selection_->columns().begin(), selection_->columns().end());
    selection_->setColumns(all);
  });
  connect(chart_, &DensityChart::thresholdDragged, this, [this](int t) {
    const int layer = selection_->layer();
    if (layer < 0) return;
    Plan plan = workspace_->plan();
    plan.layers.at(static_cast<std::size_t>(layer)).threshold = t;
    plan.source = "window";
    workspace_->setPlan(plan);
  });
  connect(selection_, &Selection::columnsChanged, this, [this] { chart_->setChosen(selection_->columns()); });
  connect(selection_, &Selection::layerChanged, this, &DensityPanel::follow);
  connect(workspace_, &Workspace::sceneMapChanged, this, &DensityPanel::follow);
  connect(workspace_, &Workspace::layerChanged, this, &DensityPanel::follow);
  connect(workspace_, &Workspace::requestChanged, this, &DensityPanel::follow);
  follow();
}

void DensityPanel::follow() {
  if (!workspace_->sceneFacts())
    return showEmpty(tr("Open a scene to see which share of its voxels has a neighbour at each offset."),
                     "file.open", tr("Open scene..."));
  const int layer = selection_->layer();
  const ShownMap shown = workspace_->shownMap(layer);
  if (!shown.densities && workspace_->report())
    return showEmpty(tr("Choose a layer at the left: the report holds the densities of each."));
  if (!shown.densities) return showEmpty(tr("The kernel map is being built."));
  const bool of_layer = workspace_->wasRun(layer);
  QString text =
      tr("<b>%1</b><br>%2 outputs, %3 pairs")
          .arg(shown.title.toHtmlEscaped(), QString::fromStdString(count_text(shown.densities->outputs)),
               QString::fromStdString(count_text(shown.densities->pairs)));
  if (layer >= 0 && !of_layer)
    text += tr("<br>The chosen layer was not run yet; this is the map of the scene.");
  title_->setText(text);
  const QSignalBlocker quiet(kernel_);
  kernel_->setEnabled(!of_layer);
  if (const int index = kernel_->findData(shown.densities->kernel_size); index >= 0)
    kernel_->setCurrentIndex(index);
  chart_->setDensities(shown.densities);
  if (of_layer) {
    const Layer& facts = workspace_->network()->layers[static_cast<std::size_t>(layer)];
    chart_->setThreshold(workspace_->plan().layers.at(static_cast<std::size_t>(layer)).threshold,
                         [facts, recorded = workspace_->report() != nullptr](int t) {
                           return recorded ? tr("recorded: t cannot be changed")
                                           : QString::fromStdString(why_not_threshold(facts, t));
                         });
  } else {
    chart_->setThreshold(-1, {});
  }
  if (as_table_->isChecked()) fillTable();
  showBody();
}

void DensityPanel::fillTable() {
  const ShownMap shown = workspace_->shownMap(selection_->layer());
  if (!shown.densities) return;
  table_->setSortingEnabled(false);
  table_->setRowCount(static_cast<int>(shown.densities->columns.size()));
  for (const ColumnDensity& column : shown.densities->columns) {
    const auto put = [&](int at, const QVariant& value) {
      auto* item = new QTableWidgetItem;
      item->setData(Qt::DisplayRole, value);
      table_->setItem(column.column, at, item);
    };
    put(0, QString("(%1, %2, %3)").arg(column.offset[0]).arg(column.offset[1]).arg(column.offset[2]));
    put(1, column.l1);
    put(2, QVariant::fromValue<qlonglong>(column.matches));
    put(3, column.density);
  }
  table_->setSortingEnabled(true);
}

}  // namespace spira::ui
