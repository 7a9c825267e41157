#include "ui/panels/slab_box.hpp"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>

#include <cmath>

namespace spira::ui {
namespace {

constexpr int steps = 500;  // of the slider, from the lowest point to the highest

}  // namespace

SlabBox::SlabBox(Selection* selection, CropBox* crop, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      crop_(crop),
      on_(new QCheckBox(tr("Show only a slab of z"), this)),
      middle_(new QSlider(Qt::Horizontal, this)),
      thickness_(new QDoubleSpinBox(this)) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(on_, 0, 0, 1, 2);
  layout->addWidget(new QLabel(tr("Height"), this), 1, 0);
  layout->addWidget(middle_, 1, 1);
  layout->addWidget(new QLabel(tr("Thick, m"), this), 2, 0);
  layout->addWidget(thickness_, 2, 1);
  layout->setColumnStretch(1, 1);
  on_->setObjectName("slab");
  middle_->setObjectName("slabMiddle");
  middle_->setAccessibleName(tr("Height of the slab"));
  middle_->setRange(0, steps);
  middle_->setValue(steps / 2);
  thickness_->setAccessibleName(tr("Thickness of the slab in metres"));
  thickness_->setKeyboardTracking(false);
  thickness_->setRange(0.001, 1e6);
  thickness_->setDecimals(3);
  thickness_->setValue(1.0);
  thickness_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  connect(on_, &QCheckBox::toggled, this, &SlabBox::take);
  connect(middle_, &QSlider::valueChanged, this, &SlabBox::take);
  connect(thickness_, &QDoubleSpinBox::valueChanged, this, &SlabBox::take);
  connect(selection_, &Selection::slabChanged, this, &SlabBox::follow);
  connect(crop_, &CropBox::extentsChanged, this, &SlabBox::follow);
  follow();
}

Bounds SlabBox::range() const {
  return crop_->extents().value_or(Bounds{});
}

void SlabBox::toggle() {
  on_->toggle();
}

void SlabBox::follow() {
  const auto& slab = selection_->slab();
  const QSignalBlocker quiet_on(on_), quiet_middle(middle_), quiet_thickness(thickness_);
  on_->setChecked(slab.has_value());
  for (QWidget* part : std::initializer_list<QWidget*>{middle_, thickness_})
    part->setEnabled(slab.has_value());
  if (!slab || !crop_->extents()) return;
  const double low = range().low[2], wide = range().high[2] - low;
  const double share = wide > 0 ? (((slab->first + slab->second) / 2) - low) / wide : 0.5;
  middle_->setValue(static_cast<int>(std::lround(share * steps)));
  thickness_->setValue(slab->second - slab->first);
}

void SlabBox::take() {
  if (!on_->isChecked()) return selection_->setSlab(std::nullopt);
  const double low = range().low[2], wide = range().high[2] - low;
  const double middle = low + (wide * middle_->value() / steps);
  const double half = thickness_->value() / 2;
  selection_->setSlab(std::pair{middle - half, middle + half});
}

}  // namespace spira::ui
