#include "ui/panels/density_panel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/model/followed_selection.hpp"
#include "ui/panels/pin_button.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

/// What is added twice is taken away again.
std::vector<int> toggled(std::vector<int> all, const std::vector<int>& by) {
  const auto has = [&all](int column) { return std::find(all.begin(), all.end(), column) != all.end(); };
  if (std::all_of(by.begin(), by.end(), has)) {
    std::erase_if(all, [&by](int column) { return std::find(by.begin(), by.end(), column) != by.end(); });
  } else {
    all.insert(all.end(), by.begin(), by.end());
  }
  return all;
}

}  // namespace

DensityPanel::DensityPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
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
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(new PinButton(shown_, body()), 0, Qt::AlignTop);
  layout->addLayout(head);
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
  table_->setColumnCount(5);
  table_->setHorizontalHeaderLabels({tr("Offset"), tr("L1"), tr("Matches"), tr("Density"), tr("Selection")});
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
    selection_->setColumns(add ? toggled(selection_->columns(), columns) : columns);
  });
  connect(chart_, &DensityChart::thresholdDragged, this, [this](int t) {
    const int layer = shown_->layer();
    if (layer < 0) return;
    Plan plan = workspace_->plan();
    plan.layers.at(static_cast<std::size_t>(layer)).threshold = t;
    plan.source = "window";
    workspace_->setPlan(plan);
  });
  connect(chart_, &DensityChart::columnsHovered, this, [this](const std::vector<int>& columns) {
    Hover hover;
    hover.columns = columns;
    selection_->setHover(hover);
  });
  connect(shown_, &Selection::hoverChanged, this, [this] {
    chart_->setHovered(shown_->hover().columns);
    followVoxel();
  });
  connect(selection_, &Selection::layerChanged, this, &DensityPanel::followSubset);
  connect(shown_, &FollowedSelection::pinnedChanged, this, &DensityPanel::followSubset);
  connect(shown_, &Selection::voxelChanged, this, &DensityPanel::followVoxel);
  connect(shown_, &Selection::columnsChanged, this, [this] { chart_->setChosen(shown_->columns()); });
  connect(shown_, &Selection::layerChanged, this, &DensityPanel::follow);
  connect(workspace_, &Workspace::sceneMapChanged, this, &DensityPanel::follow);
  connect(workspace_, &Workspace::layerChanged, this, &DensityPanel::follow);
  connect(workspace_, &Workspace::requestChanged, this, &DensityPanel::follow);
  follow();
}

void DensityPanel::follow() {
  if (!workspace_->sceneFacts())
    return showEmpty(tr("Open a scene to see which share of its voxels has a neighbour at each offset."),
                     "file.open", tr("Open scene..."));
  const int layer = shown_->layer();
  const ShownMap shown = workspace_->shownMap(layer);
  if (!shown.densities && workspace_->report())
    return showEmpty(tr("Choose a layer at the left: the report holds the densities of each."));
  if (!shown.densities && map_stopped_)
    return showEmpty(tr("The kernel map was not built. Densities are counted from it."), "run.map",
                     tr("Build map"));
  if (!shown.densities) return showEmpty(tr("The kernel map is being built."));
  const bool of_layer = workspace_->wasRun(layer);
  fillTitle();
  const QSignalBlocker quiet(kernel_);
  kernel_->setEnabled(!of_layer);
  if (const int index = kernel_->findData(shown.densities->kernel_size); index >= 0)
    kernel_->setCurrentIndex(index);
  chart_->setDensities(shown.densities);
  chart_->setSubject(shown.title, of_layer ? layer : -1);
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
  followVoxel();
  showBody();
}

void DensityPanel::fillTitle() {
  const int layer = shown_->layer();
  const ShownMap shown = workspace_->shownMap(layer);
  if (!shown.densities) return;
  const auto count = [](std::int64_t value) { return QString::fromStdString(count_text(value)); };
  QString text =
      tr("<b>%1</b><br>%2 outputs, %3 pairs")
          .arg(shown.title.toHtmlEscaped(), count(shown.densities->outputs), count(shown.densities->pairs));
  if (const Densities* subset = chart_->subset())
    text += tr("<br>Selection: %1 outputs, %2 pairs, <span style='color: %3'>drawn beside</span>")
                .arg(count(subset->outputs), count(subset->pairs), theme_->palette().drawn.name());
  if (layer >= 0 && !workspace_->wasRun(layer))
    text += tr("<br>The chosen layer was not run yet; this is the map of the scene.");
  title_->setText(text);
}

QString DensityPanel::titleText() const {
  return title_->text();
}

void DensityPanel::setMapStopped(bool stopped) {
  map_stopped_ = stopped;
  follow();
}

void DensityPanel::setSubset(std::shared_ptr<const Densities> subset) {
  subset_ = std::move(subset);
  followSubset();
}

/// It is of the layer that is chosen; a view pinned to another one has none.
void DensityPanel::followSubset() {
  chart_->setSubset(shown_->layer() == selection_->layer() ? subset_ : nullptr);
  fillTitle();
  if (as_table_->isChecked()) fillTable();
}

/// A dot on the offsets at which the voxel under the pointer, else the chosen one, has an input.
void DensityPanel::followVoxel() {
  const ShownMap shown = workspace_->shownMap(shown_->layer());
  const auto& scene = workspace_->voxels();
  const auto& voxel = shown_->hover().voxel ? shown_->hover().voxel : shown_->voxel();
  std::vector<int> hits;
  if (scene && voxel && shown.map && voxel->stride == shown.stride_out) {
    const auto row = row_of_voxel(scene->level(voxel->stride), voxel->voxel);
    const auto inputs = row && *row < shown.map->outputs ? row_of(*shown.map, static_cast<std::int32_t>(*row))
                                                         : std::vector<std::int32_t>{};
    for (std::size_t column = 0; column < inputs.size(); ++column) {
      if (inputs[column] >= 0) hits.push_back(static_cast<int>(column));
    }
  }
  chart_->setMarked(hits);
}

void DensityPanel::fillTable() {
  const ShownMap shown = workspace_->shownMap(shown_->layer());
  if (!shown.densities) return;
  table_->setSortingEnabled(false);
  const Densities* subset = chart_->subset();
  const bool both = subset != nullptr && subset->columns.size() == shown.densities->columns.size();
  table_->setColumnHidden(4, !both);
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
    put(4, both ? QVariant(subset->columns[static_cast<std::size_t>(column.column)].density) : QVariant());
  }
  table_->setSortingEnabled(true);
}

}  // namespace spira::ui
