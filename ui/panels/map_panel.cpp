#include "ui/panels/map_panel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

using RowList = std::shared_ptr<const std::vector<std::int32_t>>;

struct FilterArgs {
  std::shared_ptr<const KernelMap> map;
  MapRows wanted = MapRows::all;
  std::vector<int> columns;
  int stride = 1;
  std::shared_ptr<const ChosenRows> chosen;
};

void filter_rows(const FilterArgs& args, Job& /*job*/, const Send<RowList>& send) {
  std::vector<std::int32_t> found;
  if (args.wanted != MapRows::selection) {
    found = rows_of_map(*args.map, args.wanted, args.columns);
  } else if (args.chosen) {
    found = rows_at(*args.chosen, args.stride);
  }
  send(std::make_shared<const std::vector<std::int32_t>>(std::move(found)));
}

}  // namespace

MapPanel::MapPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      model_(new MapTableModel(this)),
      title_(new QLabel),
      rows_(new QComboBox),
      table_(new QTableView),
      task_(tasks) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(new FollowHead(workspace, shown_, body()));
  head->addWidget(rows_);
  title_->setWordWrap(true);
  for (const auto& [rows, text] : std::initializer_list<std::pair<MapRows, QString>>{
           {MapRows::all, tr("all outputs")},
           {MapRows::chosen_offsets, tr("with an input at a selected offset")},
           {MapRows::selection, tr("in the selection")},
           {MapRows::alone, tr("without a neighbour")},
           {MapRows::dense, tr("with inputs at half or more of the offsets")}})
    rows_->addItem(text, static_cast<int>(rows));
  rows_->setAccessibleName(tr("Visible outputs"));
  layout->addLayout(head);
  layout->addWidget(table_, 1);
  makeTable();
  connect(rows_, &QComboBox::currentIndexChanged, this, &MapPanel::filter);
  connect(shown_, &Selection::layerChanged, this, &MapPanel::follow);
  connect(shown_, &Selection::strideChanged, this, &MapPanel::follow);
  connect(shown_, &Selection::voxelChanged, this, &MapPanel::followVoxel);
  connect(shown_, &Selection::columnsChanged, this, [this] {
    model_->setChosen(shown_->columns());
    if (wantedRows() == MapRows::chosen_offsets) filter();
  });
  connect(shown_, &Selection::rowsChanged, this, &MapPanel::followRows);
  connect(shown_, &Selection::hoverChanged, this, [this] { model_->setHovered(shown_->hover().columns); });
  connect(selection_, &Selection::triedChanged, this, &MapPanel::tint);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &MapPanel::tint);
  connect(theme_, &Theme::changed, this, &MapPanel::tint);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &MapPanel::follow);
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer < 0 || layer == shown_->layer()) follow();
  });
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &MapPanel::follow);
  follow();
}

void MapPanel::makeTable() {
  table_->setModel(model_);
  table_->setAccessibleName(tr("Kernel map: rows are outputs, columns are offsets"));
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
  if (workspace_->results().report())
    return showEmpty(tr("A report contains only the counts of its kernel maps. Open its scene to see a map."),
                     "file.open", tr("Open scene..."));
  if (!workspace_->scene().voxels())
    return showEmpty(tr("Open a scene to see its kernel map: one row per output, one column per offset."),
                     "file.open", tr("Open scene..."));
  const int layer = shown_->layer();
  if (!has_shown_map(*workspace_, layer)) return showNoMap(layer);
  const ShownMap shown = shown_map(*workspace_, *shown_);
  if (!shown.map && shown.layer >= 0)
    return showEmpty(tr("The rows of frame %1 are being read from the kernel map of the batch.")
                         .arg(workspace_->scene().voxels()->frame));
  if (!shown.map && map_stopped_)
    return showEmpty(tr("The kernel map was not built."), "run.map", tr("Build map"));
  if (!shown.map) return showEmpty(tr("The kernel map is being built."));
  showBody();
  if (shown.map == model_->map()) {  // Several layers can share one map.
    tint();
    return showTitle();
  }
  std::shared_ptr<const CoordSet> outputs;
  const auto& result = workspace_->results().layer(shown.layer, RunResults::Rows::shown);
  const auto& levels = result ? result->scene->levels : workspace_->scene().voxels()->levels;
  for (const auto& level : levels) {
    if (level->stride == shown.stride_out) outputs = level;
  }
  stride_out_ = shown.stride_out;
  task_.cancel();
  model_->setMap(outputs ? shown.map : nullptr, outputs);
  model_->setChosen(shown_->columns());
  tint();
  filter();
}

/// Colours the columns by dataflow. Uses the t under the dragged divider, or the t of the layer if no divider
/// is dragged.
void MapPanel::tint() {
  const int layer = shown_map(*workspace_, *shown_).layer;
  const bool known = layer >= 0 && !workspace_->results().report();
  const auto light = [](QColor colour) {
    constexpr float share = 0.12F;
    colour.setAlphaF(share);
    return colour;
  };
  model_->setThreshold(known ? threshold_looked_at(*workspace_, *selection_, layer) : -1,
                       light(theme_->palette().dense), light(theme_->palette().sparse));
}

MapRows MapPanel::wantedRows() const {
  return static_cast<MapRows>(rows_->currentData().toInt());
}

/// Shows the rows of the selected voxels, or all rows if no voxel is selected. Does not change a filter that
/// the user set.
void MapPanel::followRows() {
  const auto wanted = wantedRows();
  const auto now = shown_->rows() ? MapRows::selection : MapRows::all;
  if (wanted != MapRows::all && wanted != MapRows::selection) return;
  if (wanted == now) return filter();
  rows_->setCurrentIndex(rows_->findData(static_cast<int>(now)));
}

void MapPanel::filter() {
  const MapRows wanted = wantedRows();
  showTitle();
  if (!model_->map()) return;
  if (wanted == MapRows::all) {
    task_.cancel();
    model_->setRows(nullptr);
    showTitle();
    return followVoxel();
  }
  const auto& drawn = shown_->rows();
  const bool there = drawn && has_level(*drawn->scene, stride_out_);
  task_.start(tr("Filtering the kernel map"), filter_rows,
              {model_->map(), wanted, shown_->columns(), stride_out_, there ? drawn : nullptr},
              [this](const RowList& rows) {
                model_->setRows(rows);
                showTitle();
                followVoxel();
              });
}

MeasuredSubject MapPanel::subject() const {
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::densities;
  const ShownMap shown = shown_map(*workspace_, *shown_);
  subject.layer = shown.layer;
  if (shown.densities) {
    subject.kernel_size = shown.densities->kernel.size.largest();
    subject.stride = shown.stride_out;
  }
  return subject;
}

void MapPanel::showTitle() {
  const ShownMap shown = shown_map(*workspace_, *shown_);
  if (!model_->map()) return;
  QString text = tr("<b>%1</b>: the rows are %2 of %3, the columns are %4; \u22121 means no input")
                     .arg(shown.title.toHtmlEscaped(), onScreen(count_text(model_->rowCount())),
                          counted(model_->map()->outputs, tr("1 output"), tr("%1 outputs")),
                          counted(model_->map()->offsets->columns(), tr("1 offset"), tr("%1 offsets")));
  if (shown_->layer() >= 0 && !workspace_->results().wasRun(shown_->layer()))
    text += tr("; map of the scene, because the selected layer has not run yet");
  if (wantedRows() == MapRows::chosen_offsets && shown_->columns().empty())
    text += tr("; select an offset in Density or click a column heading");
  if (wantedRows() == MapRows::selection && !shown_->rows())
    text += tr("; select voxels in the 3D view first (R, L)");
  title_->setText(text);
}

void MapPanel::followVoxel() {
  const auto& chosen = shown_->voxel();
  if (!chosen || !model_->map() || chosen->stride != stride_out_) return;
  const auto row = row_of_voxel(workspace_->scene().voxels()->level(stride_out_), chosen->voxel);
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
