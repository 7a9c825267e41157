#include "ui/panels/scene/voxel_panel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "ui/model/scene_statistics.hpp"
#include "ui/model/selection.hpp"
#include "ui/panels/panel.hpp"
#include "ui/panels/scene/key_bits.hpp"
#include "ui/panels/scene/neighbour_cube.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {

VoxelPanel::VoxelPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      facts_(new QLabel(body())),
      map_title_(new QLabel(body())),
      bits_(new KeyBits(theme, body())),
      cube_(new NeighbourCube(theme, body())),
      row_(new QTableWidget(body())) {
  auto* inside = new QWidget;
  auto* scroll = new QScrollArea(body());
  scroll->setAccessibleName(tr("The selected voxel"));
  row_->setAccessibleName(tr("Inputs of the voxel by offset"));
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* whole = new QVBoxLayout(body());
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
  auto* layout = new QVBoxLayout(inside);
  layout->setContentsMargins(8, 6, 8, 6);
  auto* head = new QHBoxLayout;
  head->addWidget(facts_, 1);
  head->addWidget(new PinButton(shown_, body()), 0, Qt::AlignTop);
  layout->addLayout(head);
  layout->addWidget(bits_);
  layout->addWidget(map_title_);
  layout->addWidget(cube_, 1);
  layout->addWidget(row_, 1);
  layout->addStretch();  // Fills the space if neither widget above is visible.
  facts_->setObjectName("facts");
  facts_->setWordWrap(true);
  facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  map_title_->setWordWrap(true);
  row_->setMinimumHeight(110);
  row_->setTabKeyNavigation(false);
  row_->setColumnCount(3);
  row_->setHorizontalHeaderLabels({tr("Offset"), tr("Input row"), tr("Input voxel")});
  row_->verticalHeader()->hide();
  row_->verticalHeader()->setDefaultSectionSize(20);
  row_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  // Make the columns as wide as their contents, so that a narrow dock shows the full text.
  row_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  row_->horizontalHeader()->setStretchLastSection(true);
  connect(cube_, &NeighbourCube::columnClicked, this, &VoxelPanel::chooseNeighbour);
  connect(cube_, &NeighbourCube::columnHovered, this, [this](int column) {
    Hover hover;
    if (column >= 0) hover.columns = {column};
    selection_->setHover(hover);
  });
  connect(shown_, &Selection::voxelChanged, this, &VoxelPanel::follow);
  connect(shown_, &Selection::layerChanged, this, &VoxelPanel::follow);
  connect(shown_, &Selection::strideChanged, this, &VoxelPanel::follow);
  connect(shown_, &Selection::columnsChanged, this, &VoxelPanel::markColumns);
  connect(shown_, &Selection::hoverChanged, this, &VoxelPanel::markColumns);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &VoxelPanel::follow);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &VoxelPanel::follow);
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer == shown_->layer() || layer < 0) follow();
  });
  follow();
}

namespace {

QString text_of_level(const VoxelScene& scene, int number) {
  return QString::fromStdString(level_text(scene, number));
}

/// Returns the input rows of each column of one output. Only maps of points have several in a column.
std::vector<std::vector<std::int32_t>> inputs_by_column(const KernelMap& map, std::int32_t output) {
  std::vector<std::vector<std::int32_t>> inputs;
  for (const std::int32_t input : row_of(map, output)) {
    const int column = static_cast<int>(inputs.size());
    inputs.push_back(input < 0    ? std::vector<std::int32_t>{}
                     : map.many() ? inputs_of(map, output, column)
                                  : std::vector<std::int32_t>{input});
  }
  return inputs;
}

}  // namespace

QString VoxelPanel::positionText(const VoxelScene& scene, int stride, std::int64_t row) const {
  const auto found = scene.positions.find(stride);
  if (found == scene.positions.end()) return {};
  const auto fields =
      position_fields(found->second->words.host_span<std::uint64_t>()[static_cast<std::size_t>(row)]);
  std::vector<double> lengths;
  for (std::size_t axis = 0; axis < 3; ++axis)
    lengths.push_back(static_cast<double>(fields[axis]) / static_cast<double>(position_one) *
                      scene.grid.voxel_m[axis]);
  QString text = tr("<br>point %1 in the cell").arg(small_lengths_text(lengths, scene.cloud->unit()));
  if (stride == 1) {
    const int points = scene.points_per_voxel[static_cast<std::size_t>(row)];
    text += points == 1 ? tr(", the only point here")
                        : tr(", one of %1 points merged here").arg(onScreen(count_text(points)));
  }
  return text;
}

void VoxelPanel::follow() {
  const auto& scene = workspace_->scene().voxels();
  const auto& chosen = shown_->voxel();
  if (!scene && workspace_->results().report())
    return showEmpty(tr("A report contains no coordinates. Open its scene to look at voxels."), "file.open",
                     tr("Open scene..."));
  if (!scene)
    return showEmpty(tr("Open a scene, then click a voxel in the 3D view."), "file.open",
                     tr("Open scene..."));
  if (!chosen)
    return showEmpty(
        tr("Click a voxel in the 3D view to see its packed coordinate, its neighbours and its row of the "
           "kernel map."));
  const CoordSet& level = scene->level(chosen->stride);
  const auto row = row_of_voxel(level, chosen->voxel);
  if (!row)
    return showEmpty(tr("There is no voxel (%1, %2, %3) at stride %4.")
                         .arg(chosen->voxel[0])
                         .arg(chosen->voxel[1])
                         .arg(chosen->voxel[2])
                         .arg(text_of_level(*scene, chosen->stride)));
  const std::uint64_t key = key_at(level, *row);
  const Point centre = scene->centre_m(chosen->voxel, chosen->stride);
  facts_->setText(tr("<b>voxel (%1, %2, %3)</b>, stride %4, row %5<br>centre %6, %7, %8\u00a0m<br>%10-bit "
                     "word 0x%9")
                      .arg(chosen->voxel[0])
                      .arg(chosen->voxel[1])
                      .arg(chosen->voxel[2])
                      .arg(text_of_level(*scene, chosen->stride))
                      .arg(onScreen(count_text(*row)))
                      .arg(onScreen(centre[0], 'f', 3))
                      .arg(onScreen(centre[1], 'f', 3))
                      .arg(onScreen(centre[2], 'f', 3))
                      .arg(QString::number(key, 16).rightJustified(level.pack.word_bits() / 4, '0'))
                      .arg(level.pack.word_bits()) +
                  positionText(*scene, chosen->stride, *row));
  bits_->show(level.pack, key);
  const ShownMap shown = shown_map(*workspace_, *shown_);
  const bool fits = shown.map && shown.stride_out == chosen->stride && *row < shown.map->outputs &&
                    has_level(*scene, shown.stride_in);
  cube_->setVisible(fits);
  row_->setVisible(fits);
  if (fits) {
    const auto inputs = inputs_by_column(*shown.map, static_cast<std::int32_t>(*row));
    cube_->show(shown.map->offsets, inputs);
    fillRow(inputs, shown);
    markColumns();
  } else {
    QString text = tr("The displayed kernel map (%1) has no outputs at stride %2.")
                       .arg(shown.title, text_of_level(*scene, chosen->stride));
    if (shown.layer >= 0 && !shown.map)
      text = tr("The rows of frame %1 are being read from the kernel map of the batch.")
                 .arg(workspace_->scene().voxels()->frame);
    if (shown_->layer() >= 0 && !workspace_->results().wasRun(shown_->layer()))
      text += tr(" Run the network (F5) to see the map of the selected layer.");
    map_title_->setText(text);
  }
  showBody();
}

void VoxelPanel::fillRow(const std::vector<std::vector<std::int32_t>>& inputs, const ShownMap& shown) {
  row_->setRowCount(0);
  const CoordSet& level = workspace_->scene().voxels()->level(shown.stride_in);
  const auto triple = [](const Voxel& of) { return QString("%1, %2, %3").arg(of[0]).arg(of[1]).arg(of[2]); };
  int hits = 0;
  for (std::size_t column = 0; column < inputs.size(); ++column) {
    hits += inputs[column].empty() ? 0 : 1;
    for (const std::int32_t input : inputs[column]) {
      const int row = row_->rowCount();
      row_->insertRow(row);
      auto* offset = new QTableWidgetItem(triple(shown.map->offsets->offset(static_cast<int>(column))));
      offset->setData(Qt::UserRole, static_cast<int>(column));
      row_->setItem(row, 0, offset);
      row_->setItem(row, 1, new QTableWidgetItem(QString::number(input)));
      row_->setItem(row, 2, new QTableWidgetItem(triple(voxel_at(level, input))));
    }
  }
  map_title_->setText(
      counted(std::ssize(inputs), tr("Row of the map of %1, with inputs at %2 of 1 offset"),
              tr("Row of the map of %2, with inputs at %3 of %1 offsets"))
          .arg(shown.title)
          .arg(hits) +
      (shown.map->many() ? counted(row_->rowCount(), tr(": 1 triplet"), tr(": %1 triplets")) : QString()));
}

/// Marks the hovered and selected offsets in the cube and in the table.
void VoxelPanel::markColumns() {
  const std::vector<int>& columns =
      shown_->hover().columns.empty() ? shown_->columns() : shown_->hover().columns;
  cube_->setMarked(columns);
  for (int row = 0; row < row_->rowCount(); ++row) {
    const int column = row_->item(row, 0)->data(Qt::UserRole).toInt();
    const bool marked = std::find(columns.begin(), columns.end(), column) != columns.end();
    for (int at = 0; at < row_->columnCount(); ++at)
      row_->item(row, at)->setSelected(marked);
  }
}

void VoxelPanel::chooseNeighbour(int column) {
  const ShownMap shown = shown_map(*workspace_, *shown_);
  const auto& chosen = shown_->voxel();
  if (!shown.map || !chosen || shown.stride_in != chosen->stride) return;
  const CoordSet& level = workspace_->scene().voxels()->level(chosen->stride);
  const auto row = row_of_voxel(level, chosen->voxel);
  if (!row || *row >= shown.map->outputs) return;
  // The input of a native map need not be the voxel at the offset.
  const std::int32_t input =
      row_of(*shown.map, static_cast<std::int32_t>(*row)).at(static_cast<std::size_t>(column));
  if (input >= 0) selection_->setVoxel(ChosenVoxel{voxel_at(level, input), chosen->stride});
}

}  // namespace spira::ui
