#include "ui/panels/map_panel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

namespace spira::ui {

MapPanel::MapPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      model_(new MapTableModel(this)),
      runner_(new JobRunner(this)),
      title_(new QLabel),
      rows_(new QComboBox),
      table_(new QTableView) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(rows_);
  title_->setWordWrap(true);
  for (const auto& [rows, text] : std::initializer_list<std::pair<MapRows, QString>>{
           {MapRows::all, tr("all outputs")},
           {MapRows::chosen_offsets, tr("with a chosen offset")},
           {MapRows::alone, tr("without a neighbour")},
           {MapRows::dense, tr("half of the offsets or more")}})
    rows_->addItem(text, static_cast<int>(rows));
  rows_->setAccessibleName(tr("Outputs that are shown"));
  layout->addLayout(head);
  layout->addWidget(table_, 1);
  makeTable();
  connect(rows_, &QComboBox::currentIndexChanged, this, &MapPanel::filter);
  connect(selection_, &Selection::layerChanged, this, &MapPanel::follow);
  connect(selection_, &Selection::voxelChanged, this, &MapPanel::followVoxel);
  connect(selection_, &Selection::columnsChanged, this, [this] {
    model_->setChosen(selection_->columns());
    if (rows_->currentData().toInt() == static_cast<int>(MapRows::chosen_offsets)) filter();
  });
  connect(workspace_, &Workspace::sceneMapChanged, this, &MapPanel::follow);
  connect(workspace_, &Workspace::layerChanged, this, &MapPanel::follow);
  connect(workspace_, &Workspace::voxelsChanged, this, &MapPanel::follow);
  follow();
}

MapPanel::~MapPanel() {
  delete runner_;
}

void MapPanel::makeTable() {
  table_->setModel(model_);
  table_->setAccessibleName(tr("Kernel map, outputs by offsets"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(21);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionsClickable(true);
  table_->horizontalHeader()->setDefaultSectionSize(table_->fontMetrics().horizontalAdvance("-16, -16, -16") +
                                                    16);
  connect(table_->horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int section) {
    if (section >= MapTableModel::first_offset)
      selection_->setColumns({section - MapTableModel::first_offset});
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &MapPanel::chooseRow);
}

void MapPanel::setMapStopped(bool stopped) {
  map_stopped_ = stopped;
  follow();
}

void MapPanel::follow() {
  if (workspace_->report())
    return showEmpty(
        tr("A report carries the counts of its kernel maps and not the maps: open its scene to see one."),
        "file.open", tr("Open scene..."));
  if (!workspace_->voxels())
    return showEmpty(tr("Open a scene: its kernel map stands here, a row an output and a column an offset."),
                     "file.open", tr("Open scene..."));
  const int layer = selection_->layer();
  const ShownMap shown = workspace_->shownMap(layer);
  if (!shown.map && map_stopped_)
    return showEmpty(tr("The kernel map was not built."), "run.map", tr("Build map"));
  if (!shown.map) return showEmpty(tr("The kernel map is being built."));
  showBody();
  if (shown.map == model_->map()) return;
  std::shared_ptr<const CoordSet> outputs;
  const auto& levels =
      workspace_->layer(layer) ? workspace_->layer(layer)->scene->levels : workspace_->voxels()->levels;
  for (const auto& level : levels) {
    if (level->stride == shown.stride_out) outputs = level;
  }
  const bool known = workspace_->wasRun(layer);
  stride_out_ = shown.stride_out;
  runner_->cancel();
  model_->setMap(outputs ? shown.map : nullptr, outputs,
                 known ? workspace_->plan().layers.at(static_cast<std::size_t>(layer)).threshold : -1);
  model_->setChosen(selection_->columns());
  filter();
}

void MapPanel::filter() {
  const auto wanted = static_cast<MapRows>(rows_->currentData().toInt());
  showTitle();
  if (!model_->map()) return;
  if (wanted == MapRows::all) {
    runner_->cancel();
    model_->setRows(nullptr);
    showTitle();
    return followVoxel();
  }
  runner_->start(
      tr("Filtering the kernel map"), [this, map = model_->map(), wanted, columns = selection_->columns()](
                                          Job&, const JobRunner::Post& post) {
        auto rows = std::make_shared<const std::vector<std::int32_t>>(rows_of_map(*map, wanted, columns));
        post([this, rows = std::move(rows)] {
          model_->setRows(rows);
          showTitle();
          followVoxel();
        });
      });
}

void MapPanel::showTitle() {
  const ShownMap shown = workspace_->shownMap(selection_->layer());
  if (!model_->map()) return;
  QString text = tr("<b>%1</b>: %2 of %3 outputs by %4 offsets; \u22121: no input")
                     .arg(shown.title.toHtmlEscaped(), QString::fromStdString(count_text(model_->rowCount())),
                          QString::fromStdString(count_text(model_->map()->outputs)))
                     .arg(model_->map()->offsets->columns());
  if (rows_->currentData().toInt() == static_cast<int>(MapRows::chosen_offsets) &&
      selection_->columns().empty())
    text += tr("; choose an offset in Density or by a heading here");
  title_->setText(text);
}

void MapPanel::followVoxel() {
  const auto& chosen = selection_->voxel();
  if (!chosen || !model_->map() || chosen->stride != stride_out_) return;
  const auto row = row_of_voxel(workspace_->voxels()->level(stride_out_), chosen->voxel);
  const int at = row ? model_->rowOf(static_cast<std::int32_t>(*row)) : -1;
  const QSignalBlocker quiet(table_->selectionModel());
  if (at < 0) {
    table_->clearSelection();
  } else if (at != table_->currentIndex().row()) {
    table_->setCurrentIndex(model_->index(at, 0));
    table_->scrollTo(model_->index(at, 0), QAbstractItemView::PositionAtCenter);
  }
  table_->viewport()->update();
}

void MapPanel::chooseRow() {
  const QModelIndex index = table_->currentIndex();
  if (index.isValid()) selection_->setVoxel(ChosenVoxel{model_->voxelOf(index.row()), stride_out_});
}

}  // namespace spira::ui
