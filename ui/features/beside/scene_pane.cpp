#include "ui/features/beside/scene_pane.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/reader.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_colouring.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

Bounds bounds_in_metres(const VoxelScene& scene) {
  Bounds box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell = scene.grid.voxel_m.at(axis);
    const std::int64_t end = scene.shift.at(axis) + scene.fit.axes.at(axis).extent;
    box.low.at(axis) = static_cast<double>(end - scene.span.at(axis)) * cell;
    box.high.at(axis) = static_cast<double>(end) * cell;
  }
  return box;
}

bool overlap(const Bounds& a, const Bounds& b) {
  bool all = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    all = all && a.low.at(axis) < b.high.at(axis) && b.low.at(axis) < a.high.at(axis);
  return all;
}

/// Returns how far a camera must move when its pose is copied from one scene to another.
Point camera_offset(const VoxelScene& from, const VoxelScene& to) {
  const Bounds a = bounds_in_metres(from), b = bounds_in_metres(to);
  Point offset{};
  for (std::size_t axis = 0; axis < 3 && !overlap(a, b); ++axis)
    offset.at(axis) = (b.low.at(axis) + b.high.at(axis) - a.low.at(axis) - a.high.at(axis)) / 2;
  return offset;
}

/// The rows with the facts of the scene, in display order: object name and label.
constexpr std::array<std::pair<const char*, const char*>, 5> fact_rows{{
    {"points", QT_TRANSLATE_NOOP("spira::ui::ScenePane", "Points")},
    {"voxels", QT_TRANSLATE_NOOP("spira::ui::ScenePane", "Voxels")},
    {"points_per_voxel", QT_TRANSLATE_NOOP("spira::ui::ScenePane", "Points per voxel")},
    {"extent", QT_TRANSLATE_NOOP("spira::ui::ScenePane", "Extent")},
    {"packing", QT_TRANSLATE_NOOP("spira::ui::ScenePane", "Packing")},
}};

QString limit_text(double value, double range) {
  constexpr double readable = 1e6;
  if (std::abs(value) >= readable || range <= 0) return onScreen(value, 'g', 3);
  return onScreen(value, 'f', std::clamp(2 - static_cast<int>(std::floor(std::log10(range))), 0, 6));
}

}  // namespace

/// A horizontal colour bar with the numbers at its ends.
class ColourStrip : public QWidget {
 public:
  using QWidget::QWidget;
  void setLegend(const ColourLegend& legend) {
    legend_ = legend;
    const double range = legend.range.high - legend.range.low;
    low_ = legend.low_text.isEmpty() ? limit_text(legend.range.low, range) : legend.low_text;
    high_ = legend.high_text.isEmpty() ? limit_text(legend.range.high, range) : legend.high_text;
    setToolTip(legend.range_text);
    setAccessibleName(tr("Colours from %1 to %2").arg(low_, high_));
    update();
  }
  [[nodiscard]] QSize sizeHint() const override { return {120, fontMetrics().height() + 2}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {60, fontMetrics().height() + 2}; }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    constexpr int gap = 6, widest = 160;
    QPainter painter(this);
    const int before = fontMetrics().horizontalAdvance(low_) + gap;
    const int after = fontMetrics().horizontalAdvance(high_) + gap;
    const int length = std::clamp(width() - before - after, 0, widest);
    for (int x = 0; x < length; ++x) {
      const Rgb colour = colour_of(legend_, x / std::max(1.0, length - 1.0));
      painter.fillRect(before + x, 3, 1, height() - 6, QColor(colour[0], colour[1], colour[2]));
    }
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, low_);
    painter.drawText(rect().adjusted(before + length + gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     high_);
  }

 private:
  ColourLegend legend_;
  QString low_, high_;
};

ScenePane::ScenePane(const FeatureContext& context, QString scene, std::shared_ptr<const VoxelScene> open,
                     QWidget* parent)
    : QFrame(parent),
      context_(context),
      scene_(std::move(scene)),
      open_(std::move(open)),
      workspace_(new Workspace(this)),
      selection_(new Selection(this)),
      parts_(new ViewParts(this)),
      title_(new ElidedLabel),
      pages_(new QStackedWidget),
      message_(new QLabel),
      facts_(new QWidget),
      form_(new QFormLayout(facts_)),
      colour_name_(new QLabel),
      colours_(new ColourStrip),
      chart_(new DensityChart(&context_.theme)) {
  setObjectName("scenePane");
  setFrameShape(QFrame::StyledPanel);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 3, 4, 3);
  auto* remove = new QToolButton;
  remove->setObjectName("removeScene");
  remove->setText(QStringLiteral("\u00d7"));
  remove->setToolTip(tr("Remove this scene"));
  remove->setAccessibleName(tr("Remove this scene"));
  head->addWidget(title_, 1);
  head->addWidget(remove);
  message_->setObjectName("sceneMessage");
  message_->setWordWrap(true);
  message_->setAlignment(Qt::AlignCenter);
  message_->setMargin(12);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  pages_->addWidget(message_);
  chart_->setMinimumHeight(180);
  layout->addLayout(head);
  layout->addWidget(pages_, 3);
  layout->addWidget(facts_);
  layout->addWidget(chart_, 2);
  makeFacts();
  facts_->hide();
  chart_->hide();
  connect(remove, &QToolButton::clicked, this, &ScenePane::removeRequested);
}

void ScenePane::makeFacts() {
  form_->setContentsMargins(8, 6, 2, 2);
  form_->setHorizontalSpacing(6);
  form_->setVerticalSpacing(1);
  colour_name_->setForegroundRole(QPalette::PlaceholderText);
  form_->addRow(colour_name_, colours_);
  for (const auto& [name, text] : fact_rows) {
    auto* value = new ElidedLabel;
    value->setObjectName(name);
    auto* label = new QLabel(tr(text));
    label->setForegroundRole(QPalette::PlaceholderText);
    form_->addRow(label, value);
  }
}

std::shared_ptr<const VoxelScene> ScenePane::voxels() const {
  return result_ ? result_->voxels : nullptr;
}

QString ScenePane::message() const {
  return pages_->currentIndex() == 0 ? message_->text() : QString();
}

QString ScenePane::fact(const QString& name) const {
  return facts_->findChild<ElidedLabel*>(name)->text();
}

bool ScenePane::settled() const {
  return !voxels() || (drawn_ && view_->settled());
}

void ScenePane::setTitle(const QString& title) {
  name_ = title;
  showTitle();
}

/// Shows the name with the extent, because scenes of different sizes fill their views in the same way.
void ScenePane::showTitle() {
  const QString title = extent_.isEmpty() ? name_ : tr("%1, %2").arg(name_, extent_);
  title_->setText(title);
  setAccessibleName(title);
}

void ScenePane::setMessage(const QString& title, const QString& text) {
  message_->setText(QString("<b>%1</b><br>%2").arg(title.toHtmlEscaped(), text.toHtmlEscaped()));
  pages_->setCurrentIndex(0);
}

void ScenePane::setResult(std::shared_ptr<const SideScene> result, const PackSpec& pack) {
  result_ = std::move(result);
  if (!result_->voxels) return setMessage(tr("The scene cannot be shown"), result_->fault);
  makeView();
  fillFacts(pack);
  facts_->show();
  chart_->show();
  pages_->setCurrentWidget(view_);
}

/// Creates the view only when it is needed, because a view has an OpenGL context.
void ScenePane::makeView() {
  view_ = new SceneView(context_.tasks, workspace_, selection_, parts_, new CropBox(workspace_, this),
                        &context_.theme);
  view_->topBar()->hide();  // One toolbar controls all views.
  view_->setCompact(true);
  parts_->set({{ViewPart::crop_box, ViewPart::outside, ViewPart::grid}, {}});
  pages_->addWidget(view_);
  connect(view_, &SceneView::pictureReady, this, [this] {
    if (std::exchange(drawn_, true)) return;
    home_ = view_->camera().pose();
    diagonal_m_ = view_->camera().framedDiagonal();
    emit firstDrawn();
  });
  connect(view_, &SceneView::poseChanged, this, &ScenePane::poseChanged);
  connect(view_, &SceneView::sizeFollowed, this, &ScenePane::sizeFollowed);
  connect(view_, &SceneView::legendChanged, this, &ScenePane::showLegend);
}

/// Shows the colour bar below the view, because it would cover a narrow view. The view itself shows classes.
void ScenePane::showLegend(const ColourLegend& legend) {
  form_->setRowVisible(colours_, legend.bar);
  if (!legend.bar) return;
  colour_name_->setText(legend.title.left(1).toUpper() + legend.title.mid(1));
  colours_->setLegend(legend);
}

void ScenePane::fillFacts(const PackSpec& pack) {
  const VoxelScene& scene = *result_->voxels;
  const auto number = [](std::int64_t count) { return onScreen(count_text(count)); };
  const auto set = [this](const char* name, const QString& text, const QString& tip = {}) {
    auto* label = facts_->findChild<ElidedLabel*>(name);
    label->setText(text);
    if (!tip.isEmpty()) label->setToolTip(tip);
  };
  const std::int64_t voxels = size_of(scene.level(1));
  QString points = number(scene.kept);
  if (scene.grid.crop_m) points = tr("%1 of %2 (crop)").arg(points, number(scene.cloud->size()));
  if (scene.cloud->every > 1)
    points = tr("%1 (%2 point)").arg(points, QString::fromStdString(every_text(scene.cloud->every)));
  set("points", points);
  set("voxels", number(voxels));
  set("points_per_voxel",
      onScreen(static_cast<double>(scene.kept) / static_cast<double>(std::max<std::int64_t>(1, voxels)), 'f',
               2));
  const LengthUnit unit = scene.cloud->unit();
  const auto length = [&scene, unit](std::size_t axis) {
    constexpr double large = 100;
    const double size = static_cast<double>(scene.span.at(axis)) * scene.grid.voxel_m.at(axis);
    return onScreen(size, 'f', unit == LengthUnit::metres && size < large ? 1 : 0);
  };
  extent_ = withUnit(tr("%1 \u00d7 %2 \u00d7 %3").arg(length(0), length(1), length(2)), unit);
  showTitle();
  set("extent", extent_,
      tr("%1 \u00d7 %2 \u00d7 %3 cells")
          .arg(number(scene.span[0]), number(scene.span[1]), number(scene.span[2])));
  const QString name = QString::fromStdString(pack.text());
  if (result_->misfit.isEmpty()) return set("packing", tr("%1 fits").arg(name));
  set("packing",
      tr("%1 does not fit; %2 is used instead").arg(name, QString::fromStdString(scene.pack.text())),
      result_->misfit);
}

void ScenePane::setLook(const SideLook& look) {
  if (!result_ || !result_->voxels) return;
  const VoxelScene& scene = *result_->voxels;
  const int stride = std::min(look.stride, coarsest_floor_level(scene).stride);
  const bool known = colouring_unavailable_reason(look.colour_by, scene, stride, {}).isEmpty();
  view_->colouring().setCommonRanges(look.ranges);
  selection_->setStride(stride);
  selection_->look().setColourBy(known ? look.colour_by : ColourBy::height);
  ColourLook colours;
  colours.map = context_.selection.look().colours().map;
  selection_->look().setColours(colours);
  selection_->look().setVoxelStyle(context_.selection.look().voxelStyle());
  selection_->look().setPointPercent(context_.selection.look().pointPercent());
  // Set the scene after its colours and style, because the first picture must already use them.
  if (!workspace_->scene().voxels()) workspace_->setScene(result_->voxels);
  showDensities();
}

void ScenePane::showDensities() {
  const auto found = result_->densities.find(selection_->stride());
  if (found == result_->densities.end()) return;
  chart_->setDensities(found->second, tr("%1, stride %2").arg(name_).arg(found->first), -1, found->first);
}

void ScenePane::followCamera(const ScenePane& other) {
  if (!voxels() || !other.voxels()) return;
  auto pose = other.view_->camera().pose();
  if (!pose || !view_->camera().pose()) return;
  constexpr double similar = 2;
  const double scale = scaleTo(other);
  if (scale > similar || scale < 1 / similar) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double from = other.home_->focal_m.at(axis), to = home_->focal_m.at(axis);
      pose->position_m.at(axis) = to + (scale * (pose->position_m.at(axis) - from));
      pose->focal_m.at(axis) = to + (scale * (pose->focal_m.at(axis) - from));
    }
  } else {
    const Point offset = camera_offset(*other.voxels(), *voxels());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      pose->position_m.at(axis) += offset.at(axis);
      pose->focal_m.at(axis) += offset.at(axis);
    }
  }
  if (view_->camera().orthographic() != other.view_->camera().orthographic())
    view_->camera().setOrthographic(other.view_->camera().orthographic());
  view_->camera().setPose(*pose, false);
  // Read the pose back, because the view rounds it. Otherwise, two panes would follow each other forever.
  given_ = view_->camera().pose();
}

double ScenePane::scaleTo(const ScenePane& other) const {
  return home_ && other.home_ && other.diagonal_m_ > 0 ? diagonal_m_ / other.diagonal_m_ : 1;
}

bool ScenePane::cameraMoved() {
  if (!drawn_ || view_->camera().pose() == given_) return false;
  given_.reset();
  return true;
}

void ScenePane::resetCamera() {
  if (!drawn_) return;
  view_->camera().reset();
  given_ = view_->camera().pose();
}

}  // namespace spira::ui
