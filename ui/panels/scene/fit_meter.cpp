#include "ui/panels/scene/fit_meter.hpp"

#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {

FitMeter::FitMeter(Workspace* workspace, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      theme_(theme),
      headline_(new QLabel(this)),
      past_(new QPushButton(tr("Show these voxels"), this)),
      crop_(new QPushButton(this)),
      voxels_(new QPushButton(this)),
      pack_(new QPushButton(this)),
      dismiss_(new QPushButton(tr("Keep the open scene"), this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 0);
  layout->setSpacing(3);
  headline_->setObjectName("fit");
  headline_->setWordWrap(true);
  layout->addWidget(headline_);
  auto* rows = new QGridLayout;
  rows->setHorizontalSpacing(7);
  rows->setVerticalSpacing(1);
  makeRows(rows);
  layout->addLayout(rows);
  for (QPushButton* button : {past_, pack_, voxels_, crop_, dismiss_}) {
    // Long button texts must not require a wider window.
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    layout->addWidget(button);
  }
  makeRepairs();
  const auto follow_soon = [this] {
    workspace_->viewUpdates().add(
        this, [this] { follow(); }, true);
  };
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, follow_soon);
  connect(&workspace_->requested(), &RequestedSettings::sceneKernelChanged, this, follow_soon);
  connect(workspace_, &Workspace::networkChanged, this, follow_soon);
  connect(&workspace_->results(), &RunResults::reportChanged, this, follow_soon);
  connect(theme_, &Theme::changed, this, &FitMeter::follow);
  follow();
}

void FitMeter::makeRows(QGridLayout* rows) {
  const std::array<std::pair<QString, QString>, 2> heads{
      {{tr("bits"), tr("Bits that the axis needs, and bits that the packing provides")},
       {tr("free cells"),
        tr("Free cells, and how many of them the kernel requires as guard cells. With too few "
           "free cells, an offset can overflow and find a wrong voxel")}}};
  // If the window is not high enough, the table gets smaller, but its rows keep their height.
  const int line = fontMetrics().height();
  for (int column = 0; column < 2; ++column) {
    auto* head = new QLabel(heads.at(static_cast<std::size_t>(column)).first, this);
    head->setToolTip(heads.at(static_cast<std::size_t>(column)).second);
    head->setForegroundRole(QPalette::PlaceholderText);
    head->setMinimumHeight(line);
    rows->addWidget(head, 0, 1 + column);
  }
  for (int axis = 0; axis < 3; ++axis) {
    auto* letter = new QLabel(QString(QChar("xyz"[axis])), this);
    letter->setMinimumHeight(line);
    rows->addWidget(letter, 1 + axis, 0);
    for (int column = 0; column < 3; ++column) {
      auto* cell = new QLabel(this);
      cell->setObjectName(QString("fit %1 %2").arg(axis).arg(column));
      cell->setMinimumHeight(line);
      cells_.at(static_cast<std::size_t>(axis)).at(static_cast<std::size_t>(column)) = cell;
      rows->addWidget(cell, 1 + axis, 1 + column);
    }
  }
  rows->setColumnStretch(3, 1);
}

void FitMeter::makeRepairs() {
  past_->setObjectName("showPast");
  past_->setToolTip(tr("In the 3D view, show in red which voxels do not fit"));
  crop_->setObjectName("repairCrop");
  voxels_->setObjectName("repairVoxels");
  voxels_->setToolTip(tr("Use the smallest voxels that fit, rounded to two digits"));
  pack_->setObjectName("repairPacking");
  dismiss_->setObjectName("dismissMisfit");
  connect(past_, &QPushButton::clicked, this,
          [this] { emit pastRequested(misfit_->of.pack, misfit_->past_from_m); });
  connect(crop_, &QPushButton::clicked, this, &FitMeter::cropRequested);
  connect(voxels_, &QPushButton::clicked, this, [this] { emit voxelsRequested(*misfit_->voxel_m); });
  connect(pack_, &QPushButton::clicked, this, [this] { emit packRequested(*fitting_pack_); });
  connect(dismiss_, &QPushButton::clicked, this, [this] { setMisfit(std::nullopt, false); });
}

void FitMeter::setMisfit(const std::optional<Misfit>& misfit, bool of_open) {
  misfit_ = misfit;
  of_open_ = of_open;
  follow();
  emit refusedChanged();
}

std::optional<FitMeter::Metered> FitMeter::metered() const {
  if (misfit_) return Metered{misfit_->extent, misfit_->of.pack, misfit_->of.needs, 0, 0};
  const auto& scene = workspace_->scene().facts();
  if (!scene || scene->triples) return std::nullopt;  // The nodes of a graph have no coordinates.
  constexpr int without_network = 5;                  // Kernel size that is checked if no network is open.
  const auto& network = workspace_->network();
  const Levels levels = network ? levels_of(*network) : Levels{};
  Metered metered{scene->fit_extent,
                  scene->pack,
                  {},
                  network ? searched_kernel_size(levels) : without_network,
                  levels.max_stride};
  metered.native = network && has_native_layers(*network);
  if (const auto& voxels = workspace_->scene().voxels()) {
    metered.max_kernel_size =
        std::max(metered.max_kernel_size, searched_kernel_size(scene_kernel(*workspace_)));
    metered.max_stride = 1;
    for (const auto& level : voxels->levels)
      metered.max_stride = std::max(metered.max_stride, level->rule.stride().largest());
  }
  metered.needs = PackNeeds(metered.max_kernel_size, metered.max_stride).with_batch(scene->batch);
  for (std::size_t axis = 0; axis < 3; ++axis)
    metered.needs.guard.at(axis) = std::max(metered.needs.guard.at(axis), levels.needs.guard.at(axis));
  return metered;
}

QString FitMeter::headlineOf(const Metered& metered, bool fits) const {
  const QString pack = QString::fromStdString(metered.pack.text());
  if (misfit_ && misfit_->voxels_past == 0 && misfit_->of.pack.batch_bits > 0)
    return tr("%1, %2: no space for the batch index, which needs %3")
        .arg(pack, withUnit(gridOnScreen(misfit_->of.grid.voxel_m), misfit_->unit),
             counted(misfit_->of.pack.batch_bits, tr("1 bit"), tr("%1 bits")));
  if (misfit_)
    return tr("%1, %2: %3")
        .arg(pack, withUnit(gridOnScreen(misfit_->of.grid.voxel_m), misfit_->unit),
             counted(misfit_->voxels_past, tr("1 voxel does not fit"), tr("%1 voxels do not fit")));
  // The search of a native kernel reads more cells than the kernel has.
  const int window = (metered.max_kernel_size - 1) / 2;
  if (metered.native)
    return fits ? tr("The scene fits with neighbours up to %1 cells away and strides up to %2")
                      .arg(window)
                      .arg(metered.max_stride)
                : tr("Not enough guard cells for neighbours up to %1 cells away").arg(window);
  return fits ? tr("The scene fits with kernel size %1 and strides up to %2")
                    .arg(metered.max_kernel_size)
                    .arg(metered.max_stride)
              : tr("Not enough guard cells for kernel size %1").arg(metered.max_kernel_size);
}

void FitMeter::follow() {
  const auto now = metered();
  setVisible(now.has_value());
  if (!now) return;
  const Fit result = fit(now->extent, now->pack, now->needs);
  const auto& guard = now->needs.guard;
  const auto free = free_cells(now->extent, now->pack);
  const auto free_of = [&](std::size_t axis) { return std::max<std::int64_t>(0, free.at(axis)); };
  headline_->setText(headlineOf(*now, result.fits()));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisFit& one = result.axes.at(axis);
    const QString tip = tr("%1 cells in use, %2 free")
                            .arg(onScreen(count_text(one.extent)), onScreen(count_text(free_of(axis))));
    const std::array<QString, 3> texts{
        tr("%1 of %2").arg(one.bits_needed).arg(one.bits_given),
        tr("%1, needs %2").arg(onScreen(count_text(free_of(axis))), onScreen(count_text(guard.at(axis)))),
        one.fits() ? tr("fits") : tr("no fit")};
    for (std::size_t column = 0; column < 3; ++column) {
      QLabel* cell = cells_.at(axis).at(column);
      cell->setText(texts.at(column));
      cell->setToolTip(tip);
      QPalette colours = palette();
      if (!one.fits()) colours.setColor(QPalette::WindowText, theme_->palette().error);
      cell->setPalette(colours);
    }
  }
  followRepairs(result.fits());
}

void FitMeter::followRepairs(bool fits) {
  past_->setVisible(misfit_ && of_open_ && misfit_->voxels_past > 0);
  crop_->setVisible(misfit_ && misfit_->crop);
  voxels_->setVisible(misfit_ && misfit_->voxel_m);
  fitting_pack_ = misfit_ ? misfit_->pack : fits ? std::nullopt : packFor(*metered());
  pack_->setVisible(fitting_pack_.has_value());
  if (fitting_pack_) pack_->setText(packText(*fitting_pack_));
  dismiss_->setVisible(misfit_ && of_open_);
  if (misfit_ && misfit_->crop) {
    nameCrop();
    crop_->setToolTip(tr("Crop the scene (%1) and keep %2 of %3 points")
                          .arg(QString::fromStdString(misfit_->crop->text()),
                               onScreen(count_text(misfit_->crop->kept)),
                               onScreen(count_text(misfit_->crop->points))));
  }
  if (misfit_ && misfit_->voxel_m)
    voxels_->setText(tr("Use voxels of %1").arg(withUnit(gridOnScreen(*misfit_->voxel_m), misfit_->unit)));
}

/// Adds the axes of the crop to the button text if the button is wide enough.
void FitMeter::nameCrop() {
  if (!misfit_ || !misfit_->crop) return;
  const QString whole = tr("Crop %1").arg(QString::fromStdString(misfit_->crop->text()));
  constexpr int around = 24;  // Total width of the button margins, in pixels.
  if (fontMetrics().horizontalAdvance(whole) + around <= width()) return crop_->setText(whole);
  crop_->setText(shortCropText(*misfit_->crop));
}

/// Returns a packing with enough guard cells for the open scene.
std::optional<PackSpec> FitMeter::packFor(const Metered& metered) const {
  if (!workspace_->scene().voxels()) return std::nullopt;
  const auto packs = packings_that_fit(metered.extent, metered.needs);
  return packs.empty() ? std::nullopt : std::optional(packs.front());
}

QString FitMeter::packText(const PackSpec& pack) {
  return pack == PackSpec::bits64() ? tr("Use 64 bits")
                                    : tr("Use %1").arg(QString::fromStdString(pack.text()));
}

QString FitMeter::shortCropText(const FittingCrop& crop) {
  return tr("Crop %1 to fit").arg(QString::fromStdString(crop.axes).split("", Qt::SkipEmptyParts).join(", "));
}

void FitMeter::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  nameCrop();
}

QString FitMeter::headline() const {
  return headline_->text();
}

}  // namespace spira::ui
