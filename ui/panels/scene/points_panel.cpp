#include "ui/panels/scene/points_panel.hpp"

#include "engine/base/text.hpp"
#include "ui/model/scene_statistics.hpp"
#include "ui/panels/scene/slab_box.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace spira::ui {
namespace {

QString count(std::int64_t value) {
  return onScreen(count_text(value));
}

}  // namespace

PointsPanel::PointsPanel(Workspace* workspace, Selection* selection, CropBox* crop, Theme* theme,
                         QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      crop_(crop),
      kept_(new QLabel),
      statistics_(new WrappedLabel),
      show_(new QPushButton(tr("Show box"))),
      reset_(new QPushButton(tr("Remove crop"))),
      slab_(new SlabBox(workspace, &selection->look(), crop)),
      selected_(new SelectionBox(selection)) {
  auto* outer = new QVBoxLayout(body());
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(body());
  scroll->setAccessibleName(tr("Crop, slab and statistics"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  outer->addWidget(scroll);
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(6, 8, 6, 6);
  auto* heading = new QLabel(tr("<b>Crop</b> before voxelising"), page);
  layout->addWidget(heading);
  auto* grid = new QGridLayout;
  addCrop(grid);
  layout->addLayout(grid);
  kept_->setObjectName("kept");
  kept_->setWordWrap(true);
  layout->addWidget(kept_);
  auto* buttons = new QHBoxLayout;
  show_->setObjectName("showCrop");
  show_->setCheckable(true);
  buttons->addWidget(show_);
  buttons->addWidget(reset_);
  buttons->addStretch(1);
  layout->addLayout(buttons);
  layout->addSpacing(8);
  layout->addWidget(slab_);
  layout->addSpacing(8);
  layout->addWidget(selected_);
  layout->addSpacing(8);
  layout->addWidget(new QLabel(tr("<b>Statistics</b>"), page));
  statistics_->setObjectName("statistics");
  statistics_->setAccessibleName(tr("Statistics of the scene"));
  statistics_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  layout->addWidget(statistics_);
  layout->addStretch(1);
  scroll->setWidget(page);
  connect(show_, &QPushButton::clicked, this, [this] { emit commandRequested("crop.box"); });
  connect(reset_, &QPushButton::clicked, this, [this] { emit commandRequested("crop.reset"); });
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &PointsPanel::followSoon);
  connect(&workspace_->results(), &RunResults::reportChanged, this, &PointsPanel::followSoon);
  // Update only the count, because this signal is emitted while the user drags the box.
  connect(crop_, &CropBox::keptChanged, this, &PointsPanel::followKept);
  for (const auto change : {&CropBox::boxChanged, &CropBox::extentsChanged})
    connect(crop_, change, this, &PointsPanel::followSoon);
  connect(theme_, &Theme::changed, this, &PointsPanel::followStatistics);
  connect(crop_, &CropBox::editingChanged, this, &PointsPanel::followSoon);
  connect(theme_, &Theme::changed, this, &PointsPanel::followKept);
  follow();
}

void PointsPanel::addCrop(QGridLayout* layout) {
  for (std::size_t end = 0; end < 2; ++end) {
    titles_.at(end) = new QLabel;
    layout->addWidget(titles_.at(end), 0, 1 + static_cast<int>(end));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const QString name("xyz"[axis]);
    layout->addWidget(new QLabel(name), 1 + static_cast<int>(axis), 0);
    for (std::size_t end = 0; end < 2; ++end) {
      auto* edit = new QDoubleSpinBox;
      edit->setObjectName("crop_" + name + (end == 0 ? "_from" : "_to"));
      // With keyboard tracking off, valueChanged() is emitted only for complete numbers.
      edit->setKeyboardTracking(false);
      edit->setRange(-1e9, 1e9);
      edit->setMinimumWidth(80);
      connect(edit, &QDoubleSpinBox::valueChanged, this, &PointsPanel::takeEnds);
      layout->addWidget(edit, 1 + static_cast<int>(axis), 1 + static_cast<int>(end));
      ends_.at(axis).at(end) = edit;
    }
  }
  layout->setColumnStretch(1, 1);
  layout->setColumnStretch(2, 1);
  followUnit();
}

/// Names the unit of the scene above the fields of the crop.
void PointsPanel::followUnit() {
  for (std::size_t end = 0; end < 2; ++end) {
    const QString title = (end == 0 ? tr("from, %1") : tr("to, %1")).arg(unitOnScreen(unit_of(*workspace_)));
    titles_.at(end)->setText(title);
    for (std::size_t axis = 0; axis < 3; ++axis)
      ends_.at(axis).at(end)->setAccessibleName(tr("Crop, %1 %2").arg(QChar("xyz"[axis])).arg(title));
  }
}

void PointsPanel::follow() {
  if (workspace_->results().report()) return showEmpty(tr("A recorded run has no points to crop."));
  if (!workspace_->scene().cloud())
    return showEmpty(tr("Open a scene to crop its points before they are voxelised."), "file.open",
                     tr("Open scene..."));
  showBody();
  followBox();
  followStatistics();
}

void PointsPanel::followStatistics() {
  if (!workspace_->scene().voxels()) return;
  QString html = "<table>";
  const VoxelScene& scene = *whole_scene(workspace_->scene().voxels());
  auto rows = scene_statistics(scene, crop_->extents());
  if (positions_) {
    const auto facts = position_statistics(*positions_, scene.cloud->unit());
    rows.insert(rows.end(), facts.begin(), facts.end());
  }
  for (const auto& [name, value] : rows) {
    html += QString("<tr><td style='padding-right: 10px; color: %1'>%2</td><td>%3</td></tr>")
                .arg(theme_->palette().faint_text.name(), name.toHtmlEscaped(),
                     value.toHtmlEscaped().replace("\n", "<br>"));
  }
  statistics_->setText(html + "</table>");
}

void PointsPanel::setPositions(const std::optional<PositionFacts>& positions) {
  positions_ = positions;
  followStatistics();
}

void PointsPanel::followBox() {
  show_->setChecked(crop_->editing());
  const bool cropped = workspace_->requested().grid().crop_m.has_value();
  reset_->setEnabled(cropped);
  reset_->setToolTip(cropped ? tr("Remove the crop (Shift+C)") : tr("There is no crop"));
  followUnit();
  const auto box = crop_->box();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double voxel = workspace_->requested().grid().voxel_m.at(axis);
    for (std::size_t end = 0; end < 2; ++end) {
      QDoubleSpinBox* edit = ends_.at(axis).at(end);
      const QSignalBlocker quiet(edit);
      edit->setEnabled(box.has_value());
      edit->setDecimals(metre_decimals(voxel));
      edit->setSingleStep(voxel);
      if (box) edit->setValue(end == 0 ? box->low.at(axis) : box->high.at(axis));
    }
  }
  followKept();
}

void PointsPanel::followKept() {
  const auto& cloud = workspace_->scene().cloud();
  if (!cloud) return;
  const auto kept = crop_->kept();
  if (!kept) return;  // Keep the last count until the next count is ready, a few milliseconds later.
  const double share =
      cloud->size() > 0 ? static_cast<double>(*kept) / static_cast<double>(cloud->size()) : 0;
  QString text =
      tr("points kept: %1 of %2 (%3)").arg(count(*kept), count(cloud->size()), onScreen(percent_text(share)));
  if (*kept == 0) text = tr("The box contains no points and cannot be used.");
  kept_->setText(keepUnits(text));
  QPalette colours = palette();
  if (*kept == 0) colours.setColor(QPalette::WindowText, theme_->palette().error);
  kept_->setPalette(colours);
}

void PointsPanel::takeEnds() {
  Bounds box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low.at(axis) = ends_.at(axis)[0]->value();
    box.high.at(axis) = ends_.at(axis)[1]->value();
  }
  crop_->setBox(box);
  crop_->commit();
}

}  // namespace spira::ui
