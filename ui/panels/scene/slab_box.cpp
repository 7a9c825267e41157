#include "ui/panels/scene/slab_box.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

constexpr int steps = 500;  // Number of slider steps from the lowest to the highest point.

}  // namespace

std::pair<double, double> first_slab(const VoxelScene& scene) {
  constexpr std::int64_t samples = 20'000;
  constexpr double strays = 0.01, part = 0.1;
  const CoordSet& level = scene.level(1);
  const std::int64_t step = (size_of(level) / samples) + 1;
  std::vector<double> heights;
  for (std::int64_t row = 0; row < size_of(level); row += step)
    heights.push_back(scene.centre_m(voxel_at(level, row), 1)[2]);
  if (heights.empty()) return {0, 0};
  std::sort(heights.begin(), heights.end());
  const auto at = [&](double share) {
    return heights[static_cast<std::size_t>(share * static_cast<double>(heights.size() - 1))];
  };
  const double thick = std::max(part * (at(1.0 - strays) - at(strays)), scene.grid.voxel_m[2]);
  return {at(0.5) - (thick / 2), at(0.5) + (thick / 2)};
}

SlabBox::SlabBox(Workspace* workspace, SceneLook* look, CropBox* crop, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      look_(look),
      crop_(crop),
      on_(new QCheckBox(tr("Show only a z slab"), this)),
      middle_(new QSlider(Qt::Horizontal, this)),
      thickness_title_(new QLabel(this)),
      thickness_(new QDoubleSpinBox(this)) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(on_, 0, 0, 1, 2);
  layout->addWidget(new QLabel(tr("Height"), this), 1, 0);
  layout->addWidget(middle_, 1, 1);
  layout->addWidget(thickness_title_, 2, 0);
  layout->addWidget(thickness_, 2, 1);
  layout->setColumnStretch(1, 1);
  on_->setObjectName("slab");
  middle_->setObjectName("slabMiddle");
  middle_->setAccessibleName(tr("Height of the slab"));
  middle_->setRange(0, steps);
  middle_->setValue(steps / 2);
  thickness_->setKeyboardTracking(false);
  thickness_->setRange(0.0001, 1e6);
  thickness_->setDecimals(4);
  thickness_->setValue(1.0);
  thickness_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  connect(on_, &QCheckBox::toggled, this, &SlabBox::take);
  connect(middle_, &QSlider::valueChanged, this, &SlabBox::take);
  connect(thickness_, &QDoubleSpinBox::valueChanged, this, &SlabBox::take);
  connect(look_, &SceneLook::slabChanged, this, &SlabBox::follow);
  connect(crop_, &CropBox::extentsChanged, this, [this] {
    placed_ = look_->slab().has_value();
    follow();
  });
  follow();
}

Bounds SlabBox::range() const {
  return crop_->extents().value_or(Bounds{});
}

void SlabBox::toggle() {
  on_->toggle();
}

void SlabBox::follow() {
  const auto& slab = look_->slab();
  const QSignalBlocker quiet_on(on_), quiet_middle(middle_), quiet_thickness(thickness_);
  on_->setChecked(slab.has_value());
  if (slab) placed_ = true;
  thickness_title_->setText(tr("Size, %1").arg(unitOnScreen(unit_of(*workspace_))));
  thickness_->setAccessibleName(tr("Thickness of the slab, %1").arg(unitOnScreen(unit_of(*workspace_))));
  for (QWidget* part : std::initializer_list<QWidget*>{middle_, thickness_})
    part->setEnabled(slab.has_value());
  if (!slab || !crop_->extents()) return;
  const double low = range().low[2], wide = range().high[2] - low;
  const double share = wide > 0 ? (((slab->first + slab->second) / 2) - low) / wide : 0.5;
  middle_->setValue(static_cast<int>(std::lround(share * steps)));
  thickness_->setValue(slab->second - slab->first);
}

void SlabBox::take() {
  if (!on_->isChecked()) return look_->setSlab(std::nullopt);
  if (const auto& scene = workspace_->scene().voxels(); scene && !std::exchange(placed_, true))
    return look_->setSlab(first_slab(*scene));
  const double low = range().low[2], wide = range().high[2] - low;
  const double middle = low + (wide * middle_->value() / steps);
  const double half = thickness_->value() / 2;
  look_->setSlab(std::pair{middle - half, middle + half});
}

SelectionBox::SelectionBox(Selection* selection, QWidget* parent)
    : QWidget(parent), selection_(selection), text_(new QLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new QLabel(tr("<b>Selection</b> in the 3D view"), this));
  layout->addWidget(text_);
  text_->setObjectName("selection");
  text_->setWordWrap(true);
  connect(selection_, &Selection::rowsChanged, this, &SelectionBox::follow);
  follow();
}

void SelectionBox::addCommands(const CommandSet& commands) {
  const std::array<std::pair<const char*, QString>, 6> all{{{"select.box", tr("Rectangle")},
                                                            {"select.lasso", tr("Lasso")},
                                                            {"select.grow", tr("Grow")},
                                                            {"select.invert", tr("Invert")},
                                                            {"select.clear", tr("Clear")},
                                                            {"select.save", tr("Save...")}}};
  auto* grid = new QGridLayout;
  grid->setSpacing(4);
  int at = 0;
  for (const auto& [id, text] : all) {
    QAction* action = commands.action(id);
    action->setIconText(text);
    auto* button = new QPushButton(text, this);
    button->setAccessibleName(action->text());
    const auto follow_action = [button, action] {
      button->setEnabled(action->isEnabled());
      button->setToolTip(action->toolTip());
      button->setCheckable(action->isCheckable());
      button->setChecked(action->isChecked());
    };
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, follow_action);
    follow_action();
    grid->addWidget(button, at / 3, at % 3);
    ++at;
  }
  static_cast<QVBoxLayout*>(layout())->addLayout(grid);
}

QString SelectionBox::text() const {
  return text_->text();
}

void SelectionBox::follow() {
  const auto& chosen = selection_->rows();
  if (!chosen)
    return text_->setText(tr("No voxels selected. Press R or L, then draw around voxels in the 3D view."));
  text_->setText(tr("%1 at stride %2")
                     .arg(counted(std::ssize(chosen->rows), tr("1 voxel"), tr("%1 voxels")))
                     .arg(QString::fromStdString(level_text(*chosen->scene, chosen->stride))));
}

}  // namespace spira::ui
