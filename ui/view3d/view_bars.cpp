#include "ui/view3d/view_bars.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "ui/view3d/voxel_colours.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QStandardItemModel>
#include <QToolButton>

#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr std::array<std::pair<ColourBy, const char*>, 7> colourings{{
    {ColourBy::height, QT_TRANSLATE_NOOP("ViewTopBar", "Height")},
    {ColourBy::intensity, QT_TRANSLATE_NOOP("ViewTopBar", "Intensity")},
    {ColourBy::colour, QT_TRANSLATE_NOOP("ViewTopBar", "Colour")},
    {ColourBy::label, QT_TRANSLATE_NOOP("ViewTopBar", "Label")},
    {ColourBy::points_per_voxel, QT_TRANSLATE_NOOP("ViewTopBar", "Points in a voxel")},
    {ColourBy::match_count, QT_TRANSLATE_NOOP("ViewTopBar", "Match count")},
    {ColourBy::feature_norm, QT_TRANSLATE_NOOP("ViewTopBar", "Feature norm")},
}};

void clear(QWidget* row) {
  const auto children = row->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
  for (QWidget* child : children) {
    row->layout()->removeWidget(child);
    child->deleteLater();
  }
}

QWidget* empty_row(QWidget* parent) {
  auto* row = new QWidget(parent);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(3);
  return row;
}

}  // namespace

ViewTopBar::ViewTopBar(Workspace* workspace, Selection* selection, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      strides_(empty_row(this)),
      highlights_(empty_row(this)),
      colours_(new QComboBox(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  stride_label_ = new QLabel(tr("Stride"), this);
  colour_label_ = new QLabel(tr("Colour by"), this);
  layout->addWidget(stride_label_);
  layout->addWidget(strides_);
  layout->addSpacing(10);
  layout->addWidget(colour_label_);
  layout->addWidget(colours_);
  layout->addSpacing(10);
  layout->addWidget(highlights_);
  layout->addStretch(1);
  colours_->setObjectName("colourBy");
  colours_->setAccessibleName(tr("Colour the voxels by"));
  for (const auto& [colour_by, text] : colourings)
    colours_->addItem(tr(text), static_cast<int>(colour_by));
  connect(colours_, &QComboBox::activated, this, [this](int index) {
    selection_->setColourBy(static_cast<ColourBy>(colours_->itemData(index).toInt()));
  });
  connect(workspace_, &Workspace::voxelsChanged, this, [this] {
    fillStrides();
    fillColours();
  });
  connect(workspace_, &Workspace::sceneMapChanged, this, &ViewTopBar::fillColours);
  connect(workspace_, &Workspace::layerChanged, this, &ViewTopBar::fillColours);
  connect(selection_, &Selection::layerChanged, this, [this] {
    fillColours();
    fillHighlights();
  });
  connect(selection_, &Selection::strideChanged, this, &ViewTopBar::fillStrides);
  connect(selection_, &Selection::colourByChanged, this, &ViewTopBar::fillColours);
  connect(selection_, &Selection::columnsChanged, this, &ViewTopBar::fillHighlights);
  connect(selection_, &Selection::voxelChanged, this, &ViewTopBar::fillHighlights);
  fillStrides();
  fillColours();
}

/// A narrow view keeps the controls and drops their names; the tool tips still say them.
void ViewTopBar::resizeEvent(QResizeEvent* event) {
  constexpr int room_for_labels = 520;
  stride_label_->setVisible(width() >= room_for_labels);
  colour_label_->setVisible(width() >= room_for_labels);
  QWidget::resizeEvent(event);
}

void ViewTopBar::fillStrides() {
  clear(strides_);
  if (!workspace_->voxels()) return;
  for (const auto& level : workspace_->voxels()->levels) {
    auto* chip = new QToolButton(strides_);
    chip->setObjectName(QString("stride%1").arg(level->stride));
    chip->setText(QString::number(level->stride));
    chip->setCheckable(true);
    chip->setMinimumWidth(30);  // a narrow window shortens the highlights, not the strides
    chip->setChecked(level->stride == selection_->stride());
    chip->setToolTip(tr("Stride %1: %2 voxels")
                         .arg(level->stride)
                         .arg(QString::fromStdString(count_text(size_of(*level)))));
    connect(chip, &QToolButton::clicked, this, [this, stride = level->stride] {
      selection_->setStride(stride);
      fillStrides();
    });
    strides_->layout()->addWidget(chip);
  }
}

void ViewTopBar::fillColours() {
  const QSignalBlocker quiet(colours_);
  auto* items = qobject_cast<QStandardItemModel*>(colours_->model());
  const auto layer = workspace_->layer(selection_->layer());
  const auto shown = workspace_->shownMap(selection_->layer());
  for (int row = 0; row < colours_->count(); ++row) {
    const auto colour_by = static_cast<ColourBy>(colours_->itemData(row).toInt());
    const QString why = workspace_->voxels()
                            ? why_not_colour(colour_by, *workspace_->voxels(), layer.get(), shown.map.get())
                            : tr("nothing is open");
    items->item(row)->setEnabled(why.isEmpty());
    colours_->setItemData(row, why, Qt::ToolTipRole);
    if (colour_by == selection_->colourBy()) colours_->setCurrentIndex(row);
  }
}

void ViewTopBar::fillHighlights() {
  clear(highlights_);
  const auto add = [&](const QString& text, auto&& remove) {
    auto* chip = new QToolButton(highlights_);
    chip->setText(text + QStringLiteral("  \u00d7"));
    chip->setToolTip(tr("Remove this highlight"));
    chip->setChecked(true);
    chip->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    chip->setMinimumWidth(28);
    connect(chip, &QToolButton::clicked, this, remove);
    highlights_->layout()->addWidget(chip);
  };
  const auto& columns = selection_->columns();
  if (columns.size() == 1) {
    const auto shown = workspace_->shownMap(selection_->layer());
    QString text = tr("offset %1").arg(columns.front());
    if (shown.map && columns.front() < shown.map->offsets->columns()) {
      const Voxel d = shown.map->offsets->offset(columns.front());
      text = QString("\u03b4 = (%1, %2, %3)").arg(d[0]).arg(d[1]).arg(d[2]);
    }
    add(text, [this] { selection_->setColumns({}); });
  } else if (!columns.empty()) {
    add(tr("%n offsets", nullptr, static_cast<int>(columns.size())), [this] { selection_->setColumns({}); });
  }
  if (selection_->voxel()) {
    const Voxel v = selection_->voxel()->voxel;
    add(tr("voxel %1, %2, %3").arg(v[0]).arg(v[1]).arg(v[2]), [this] { selection_->setVoxel(std::nullopt); });
  }
}

FrameBar::FrameBar(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      slider_(new QSlider(Qt::Horizontal, this)),
      label_(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 2, 8, 2);
  auto* previous = new QToolButton(this);
  auto* next = new QToolButton(this);
  previous->setArrowType(Qt::LeftArrow);
  next->setArrowType(Qt::RightArrow);
  previous->setAccessibleName(tr("Previous frame"));
  next->setAccessibleName(tr("Next frame"));
  layout->addWidget(previous);
  layout->addWidget(slider_, 1);
  layout->addWidget(next);
  layout->addWidget(label_);
  slider_->setObjectName("frameSlider");
  slider_->setAccessibleName(tr("Frame"));
  slider_->setTracking(false);
  connect(previous, &QToolButton::clicked, this, [this] { emit frameRequested(workspace_->frame() - 1); });
  connect(next, &QToolButton::clicked, this, [this] { emit frameRequested(workspace_->frame() + 1); });
  connect(slider_, &QSlider::valueChanged, this, &FrameBar::frameRequested);
  connect(workspace_, &Workspace::framesChanged, this, &FrameBar::follow);
  follow();
}

void FrameBar::follow() {
  const QSignalBlocker quiet(slider_);
  const int frames = static_cast<int>(workspace_->frames().size());
  setVisible(frames > 1);
  if (frames < 2) return;
  slider_->setRange(0, frames - 1);
  slider_->setValue(workspace_->frame());
  const auto& path = workspace_->frames()[static_cast<std::size_t>(workspace_->frame())];
  label_->setText(tr("%1 of %2: %3")
                      .arg(workspace_->frame() + 1)
                      .arg(frames)
                      .arg(QString::fromStdString(path.filename().string())) +
                  (workspace_->frameRefused() ? tr(" (not shown)") : QString()));
}

}  // namespace spira::ui
