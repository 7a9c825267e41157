#include "ui/view3d/scene_view.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/mesh_worker.hpp"
#include "ui/view3d/picking.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxel_actors.hpp"
#include "ui/view3d/voxel_colours.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>

namespace spira::ui {

SceneView::SceneView(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      theme_(theme),
      pages_(new QStackedWidget(this)),
      canvas_(new VtkWidget),
      overlay_(new ViewOverlay(theme, canvas_)),
      worker_(new MeshWorker(this)),
      actors_(std::make_unique<VoxelActors>(canvas_->renderer())),
      camera_(std::make_unique<ViewCamera>(canvas_->renderer())) {
  auto* page = new QWidget(pages_);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* frames = new FrameBar(workspace, page);
  layout->addWidget(new ViewTopBar(workspace, selection, page));
  layout->addWidget(canvas_, 1);
  layout->addWidget(frames);
  pages_->addWidget(new QWidget(pages_));
  pages_->addWidget(page);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(pages_);
  canvas_->setObjectName("canvas");
  canvas_->setAccessibleName(tr("3D view of the voxels"));
  canvas_->installEventFilter(this);
  canvas_->setMinimumSize(240, 160);
  still_.setSingleShot(true);
  still_.setInterval(220);
  connect(&still_, &QTimer::timeout, this, [this] {
    actors_->setMoving(false);
    redraw();
  });
  connect(frames, &FrameBar::frameRequested, this, &SceneView::frameRequested);
  connect(worker_, &MeshWorker::ready, this, &SceneView::takeMesh);
  connect(worker_, &MeshWorker::detailReady, this, [this](std::shared_ptr<const ViewDetail> detail) {
    actors_->setDetail(std::move(detail));
    redraw();
  });
  connect(workspace_, &Workspace::voxelsChanged, this, &SceneView::rebuild);
  connect(workspace_, &Workspace::framesChanged, this, [this] {
    keep_camera_ = framed_cloud_ && workspace_->frames().size() > 1 && workspace_->frames() == framed_frames_;
    framed_frames_ = workspace_->frames();
  });
  connect(workspace_, &Workspace::sceneMapChanged, this, &SceneView::recolour);
  connect(workspace_, &Workspace::layerChanged, this, [this](int layer) {
    if (layer == selection_->layer()) recolour();
  });
  connect(selection_, &Selection::strideChanged, this, &SceneView::rebuild);
  connect(selection_, &Selection::layerChanged, this, &SceneView::recolour);
  connect(selection_, &Selection::colourByChanged, this, &SceneView::recolour);
  connect(selection_, &Selection::columnsChanged, this, &SceneView::recolour);
  connect(selection_, &Selection::voxelChanged, this, &SceneView::rehighlight);
  connect(theme_, &Theme::changed, this, &SceneView::retheme);
  retheme();
}

SceneView::~SceneView() = default;

void SceneView::setEmptyPage(QWidget* page) {
  QWidget* former = pages_->widget(0);
  pages_->insertWidget(0, page);
  pages_->removeWidget(former);
  former->deleteLater();
  pages_->setCurrentIndex(workspace_->voxels() ? 1 : 0);
}

void SceneView::rebuild() {
  const auto& scene = workspace_->voxels();
  if (!scene) {
    worker_->cancel();
    actors_->setMesh(nullptr);
    if (!workspace_->cloud()) pages_->setCurrentIndex(0);
    redraw();
    return;
  }
  pages_->setCurrentIndex(1);
  for (const auto& level : scene->levels) {
    if (level->stride != selection_->stride()) continue;
    wanted_detail_.reset();
    return worker_->start(scene, selection_->stride());
  }
  selection_->setStride(1);
}

void SceneView::takeMesh(std::shared_ptr<const VoxelMesh> mesh) {
  actors_->setPixelRatio(canvas_->devicePixelRatioF());
  actors_->setMesh(std::move(mesh));
  announce_ = true;
  const auto& scene = workspace_->voxels();
  if (scene && framed_cloud_ != scene->cloud) {
    if (!keep_camera_) resetCamera();
    framed_cloud_ = scene->cloud;
  }
  recolour();
}

void SceneView::recolour() {
  const auto& scene = workspace_->voxels();
  const auto& mesh = actors_->mesh();
  if (!scene || mesh == nullptr || mesh->voxels != size_of(scene->level(mesh->stride))) return;
  const auto layer = workspace_->layer(selection_->layer());
  const auto shown = workspace_->shownMap(selection_->layer());
  const bool map_fits = shown.map && shown.map->outputs == mesh->voxels && shown.stride_out == mesh->stride;
  const bool layer_fits =
      layer && layer->features->rows == mesh->voxels && layer->levels.stride_out == mesh->stride;
  const VoxelColours colours =
      colour_voxels(*scene, mesh->stride, selection_->colourBy(), layer_fits ? layer.get() : nullptr,
                    map_fits ? shown.map.get() : nullptr);
  std::vector<bool> keep;
  if (map_fits && !selection_->columns().empty()) keep = rows_matched(*shown.map, selection_->columns());
  const QColor back = theme_->palette().view_bottom;
  actors_->setColours(colours.colour, keep,
                      {static_cast<std::uint8_t>(back.red()), static_cast<std::uint8_t>(back.green()),
                       static_cast<std::uint8_t>(back.blue())});
  overlay_->setLegend(colours.legend);
  rehighlight();
}

void SceneView::rehighlight() {
  const auto& scene = workspace_->voxels();
  const auto& chosen = selection_->voxel();
  std::vector<HighlightBox> boxes;
  if (scene && chosen && actors_->mesh() != nullptr && chosen->stride == actors_->mesh()->stride) {
    const auto shown = workspace_->shownMap(selection_->layer());
    const auto row = row_of_voxel(scene->level(chosen->stride), chosen->voxel);
    const auto add = [&](const Voxel& voxel, int stride, const QColor& colour, double width) {
      HighlightBox box;
      const Point centre = scene->centre_m(voxel, stride);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.centre[axis] = static_cast<float>(centre[axis] - actors_->mesh()->origin[axis]);
        box.size[axis] = static_cast<float>(scene->grid.voxel_m[axis] * stride);
      }
      box.colour = {colour.redF(), colour.greenF(), colour.blueF()};
      box.width = width;
      boxes.push_back(box);
    };
    if (shown.map && row && shown.stride_out == chosen->stride) {
      const auto inputs = row_of(*shown.map, static_cast<std::int32_t>(*row));
      for (int column = 0; column < shown.map->offsets->columns(); ++column) {
        const Voxel d = shown.map->offsets->offset(column);
        const bool hit = inputs[static_cast<std::size_t>(column)] >= 0;
        add({chosen->voxel[0] + d[0], chosen->voxel[1] + d[1], chosen->voxel[2] + d[2]}, shown.stride_in,
            hit ? theme_->palette().sparse : theme_->palette().faint_text, hit ? 2.0 : 1.0);
      }
    }
    add(chosen->voxel, chosen->stride, theme_->palette().error, 4.0);
  }
  actors_->setHighlights(boxes);
  redraw();
}

void SceneView::retheme() {
  const Palette& p = theme_->palette();
  canvas_->renderer()->SetBackground(p.view_bottom.redF(), p.view_bottom.greenF(), p.view_bottom.blueF());
  canvas_->renderer()->SetBackground2(p.view_top.redF(), p.view_top.greenF(), p.view_top.blueF());
  recolour();
  redraw();
}

/// A large level is points until the picture stands still; then cubes are built for what is near enough.
void SceneView::wantDetail() {
  const auto& mesh = actors_->mesh();
  if (!mesh || mesh->has_faces() || actors_->moving() || mesh->voxels == 0) return;
  const ViewPoint from = camera_->viewPoint(canvas_->devicePixelRatioF());
  if (actors_->detail() != nullptr && actors_->detail()->from == from) return;
  if (worker_->busy() && wanted_detail_ == from) return;
  if (worker_->busy() && !wanted_detail_) return;  // a mesh is on its way
  wanted_detail_ = from;
  actors_->setDetail(nullptr);
  worker_->startDetail(mesh, from);
}

void SceneView::redraw() {
  wantDetail();
  if (announce_) {
    announce_ = false;
    QMetaObject::invokeMethod(this, &SceneView::pictureReady, Qt::QueuedConnection);
  }
  overlay_->setView(camera_->axes(), camera_->metresPerPixel());
  if (const auto& mesh = actors_->mesh()) {
    const VoxelMesh* drawn = actors_->drawn();
    overlay_->setNote(drawn == mesh.get()
                          ? tr("drawing all %1 voxels").arg(QString::fromStdString(count_text(mesh->voxels)))
                          : tr("moving: drawing stride %1, %2 voxels")
                                .arg(drawn->stride)
                                .arg(QString::fromStdString(count_text(drawn->voxels))));
  }
  overlay_->update();
  canvas_->redraw();
}

/// Between the quantiles `cut` and 1 - `cut` of each axis: 0 takes all, more leaves strays outside.
std::array<double, 6> SceneView::sceneBounds(double cut) const {
  constexpr std::size_t samples = 20'000;
  std::array<double, 6> bounds{-1, 1, -1, 1, -1, 1};
  const auto& mesh = actors_->mesh();
  if (mesh == nullptr || mesh->centres.empty()) return bounds;
  const std::size_t voxels = mesh->centres.size() / 3;
  const std::size_t step = cut > 0 ? std::max<std::size_t>(1, voxels / samples) : 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<float> values;
    for (std::size_t row = 0; row < voxels; row += step)
      values.push_back(mesh->centres[(row * 3) + axis]);
    const auto at = [&](double share) {
      const auto nth =
          values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
      std::nth_element(values.begin(), nth, values.end());
      return static_cast<double>(*nth);
    };
    bounds[2 * axis] = at(cut);
    bounds[(2 * axis) + 1] = at(1.0 - cut);
  }
  return bounds;
}

void SceneView::frameAll() {
  camera_->frame(sceneBounds(0.0));
  redraw();
}

void SceneView::resetCamera() {
  camera_->reset(sceneBounds(0.08));
  redraw();
}

void SceneView::look(double x, double y, double z) {
  camera_->look(sceneBounds(0.0), {x, y, z},
                std::abs(z) > 0.9 ? std::array<double, 3>{0, 1, 0} : std::array<double, 3>{0, 0, 1});
  redraw();
}

QImage SceneView::grab3d() {
  return canvas_->grabFramebuffer();
}

bool SceneView::settled() const {
  return !worker_->busy() && !actors_->moving() && actors_->mesh() != nullptr;
}

bool SceneView::building() const {
  return worker_->busy();
}

void SceneView::startMoving() {
  actors_->setMoving(true);
  still_.start();
}

QPointF SceneView::pixelAt(const QPointF& position) const {
  const double ratio = canvas_->devicePixelRatioF();
  return {position.x() * ratio, (canvas_->height() - position.y()) * ratio};
}

QPoint SceneView::positionOf(const Voxel& voxel) const {
  const auto& scene = workspace_->voxels();
  const Point centre = scene->centre_m(voxel, selection_->stride());
  double p[4] = {0, 0, 0, 1};
  for (std::size_t axis = 0; axis < 3; ++axis)
    p[axis] = centre[axis] - actors_->mesh()->origin[axis];
  vtkRenderer* renderer = canvas_->renderer();
  renderer->SetWorldPoint(p);
  renderer->WorldToDisplay();
  const double* display = renderer->GetDisplayPoint();
  const double ratio = canvas_->devicePixelRatioF();
  return {static_cast<int>(display[0] / ratio), static_cast<int>(canvas_->height() - (display[1] / ratio))};
}

std::optional<Voxel> SceneView::voxelAt(const QPointF& position) const {
  const auto& scene = workspace_->voxels();
  if (!scene || actors_->mesh() == nullptr) return std::nullopt;
  Ray ray = camera_->ray(pixelAt(position));
  for (std::size_t axis = 0; axis < 3; ++axis)
    ray.from[axis] += actors_->mesh()->origin[axis];
  const int stride = actors_->mesh()->stride;
  const auto row = pick_voxel(*scene, stride, ray);
  if (!row) return std::nullopt;
  return voxel_at(scene->level(stride), *row);
}

void SceneView::pickAt(const QPointF& position) {
  const auto voxel = voxelAt(position);
  if (!voxel) return selection_->setVoxel(std::nullopt);
  selection_->setVoxel(ChosenVoxel{*voxel, actors_->mesh()->stride});
}

void SceneView::hoverAt(const QPointF& position) {
  const auto voxel = voxelAt(position);
  if (!voxel) {
    emit hovered({});
    return;
  }
  const auto& scene = *workspace_->voxels();
  const Point centre = scene.centre_m(*voxel, actors_->mesh()->stride);
  emit hovered(tr("voxel %1, %2, %3   %4, %5, %6 m   key %7")
                   .arg((*voxel)[0])
                   .arg((*voxel)[1])
                   .arg((*voxel)[2])
                   .arg(centre[0], 0, 'f', 2)
                   .arg(centre[1], 0, 'f', 2)
                   .arg(centre[2], 0, 'f', 2)
                   .arg(scene.pack.pack(*voxel), 0, 16));
}

bool SceneView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != canvas_) return QWidget::eventFilter(watched, event);
  if (event->type() == QEvent::Resize) {
    overlay_->setGeometry(canvas_->rect());
    QMetaObject::invokeMethod(this, &SceneView::redraw, Qt::QueuedConnection);  // the renderer follows first
  }
  return mouse(event) || QWidget::eventFilter(watched, event);
}

bool SceneView::mouse(QEvent* event) {
  constexpr double click_slack = 4.0;  // pixels that a click may tremble
  if (event->type() == QEvent::Wheel) {
    auto* wheel = static_cast<QWheelEvent*>(event);
    camera_->zoom(std::pow(1.0015, wheel->angleDelta().y()), pixelAt(wheel->position()));
    startMoving();
    redraw();
    return true;
  }
  if (event->type() != QEvent::MouseButtonPress && event->type() != QEvent::MouseMove &&
      event->type() != QEvent::MouseButtonRelease && event->type() != QEvent::MouseButtonDblClick) {
    return false;
  }
  auto* at = static_cast<QMouseEvent*>(event);
  if (event->type() == QEvent::MouseButtonPress) {
    pressed_ = last_ = at->position();
    dragging_ = false;
  } else if (event->type() == QEvent::MouseButtonDblClick) {
    if (const auto voxel = voxelAt(at->position())) {
      const Point centre = workspace_->voxels()->centre_m(*voxel, actors_->mesh()->stride);
      const Point& origin = actors_->mesh()->origin;
      camera_->focus({centre[0] - origin[0], centre[1] - origin[1], centre[2] - origin[2]});
      redraw();
    }
  } else if (event->type() == QEvent::MouseMove && at->buttons() == Qt::NoButton) {
    hoverAt(at->position());
  } else if (event->type() == QEvent::MouseMove) {
    const QPointF total = at->position() - pressed_, step = at->position() - last_;
    dragging_ = dragging_ || std::hypot(total.x(), total.y()) > click_slack;
    last_ = at->position();
    if (!dragging_) return true;
    const double ratio = canvas_->devicePixelRatioF();
    const bool pan = (at->buttons() & (Qt::MiddleButton | Qt::RightButton)) != 0 ||
                     (at->modifiers() & Qt::ShiftModifier) != 0;
    if (pan) {
      camera_->pan(step.x() * ratio, -step.y() * ratio);
    } else {
      camera_->orbit(step.x(), -step.y());
    }
    startMoving();
    redraw();
  } else if (event->type() == QEvent::MouseButtonRelease && at->button() == Qt::LeftButton && !dragging_) {
    pickAt(at->position());
  }
  return true;
}

}  // namespace spira::ui
