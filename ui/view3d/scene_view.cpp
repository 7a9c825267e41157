#include "ui/view3d/scene_view.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/scene_levels.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/ground_grid.hpp"
#include "ui/view3d/hidden_notice.hpp"
#include "ui/view3d/highlight_chips.hpp"
#include "ui/view3d/motion/motion_actors.hpp"
#include "ui/view3d/no_opengl_page.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/mesh_worker.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

/// Cubes that are small on the screen are drawn without edges, because edges would cover them.
VoxelStyle style_from_here(VoxelStyle wanted, const VoxelMesh& mesh, double metres_per_pixel) {
  constexpr double least_px = 3.0;
  const auto cell = static_cast<double>(*std::max_element(mesh.cell.begin(), mesh.cell.end()));
  const bool small = cell < least_px * metres_per_pixel;
  return wanted == VoxelStyle::outlined && small ? VoxelStyle::cubes : wanted;
}

}  // namespace

SceneView::SceneView(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts,
                     CropBox* crop, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      parts_(parts),
      theme_(theme),
      pages_(new QStackedWidget(this)),
      canvas_(new VtkWidget),
      overlay_(new ViewOverlay(theme, canvas_)),
      chips_(new HighlightChips(workspace, selection, parts, canvas_)),
      notice_(new HiddenNotice(canvas_)),
      worker_(new MeshWorker(tasks, this)),
      colourist_(new MeshWorker(tasks, this)),
      lasso_(new LassoTool(canvas_)),
      measure_(new MeasureTool(this)),
      crop_(new CropTool(tasks, workspace, crop, parts, theme, canvas_)),
      actors_(std::make_unique<VoxelActors>(canvas_->renderer())),
      camera_(std::make_unique<ViewCamera>(canvas_->renderer())),
      grid_(std::make_unique<GroundGrid>(canvas_->renderer())),
      motion_(std::make_unique<MotionActors>(canvas_->renderer())) {
  auto* page = new QWidget(pages_);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  frames_ = new FrameBar(workspace, page);
  top_ = new ViewTopBar(workspace, selection, page);
  layout->addWidget(top_);
  if (openGlFault().isEmpty()) {
    layout->addWidget(canvas_, 1);
  } else {
    layout->addWidget(new NoOpenGlPage(std::unique_ptr<VtkWidget>(canvas_), page), 1);
  }
  layout->addWidget(frames_);
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
  later_.setSingleShot(true);
  later_.setInterval(40);
  connectTools(crop);
  connectDrawing();
  connectModel();
  connectParts();
  retheme();
  followParts();
}

void SceneView::connectTools(CropBox* crop) {
  connect(&still_, &QTimer::timeout, this, [this] {
    actors_->setMoving(false);
    redraw();
  });
  connect(&later_, &QTimer::timeout, this, &SceneView::redraw);
  for (const MeshWorker* worker : {worker_, colourist_})
    connect(worker, &MeshWorker::failed, this, &SceneView::failed);
  connect(frames_, &FrameBar::frameRequested, this, &SceneView::frameRequested);
  connect(worker_, &MeshWorker::ready, this, &SceneView::takeMesh);
  connect(worker_, &MeshWorker::detailReady, this, [this](std::shared_ptr<const ViewDetail> detail) {
    too_many_from_ = detail->from;
    actors_->setDetail(std::move(detail));
    if (actors_->detail() != nullptr) too_many_from_.reset();
    redraw();
  });
  connect(colourist_, &MeshWorker::coloursReady, this,
          [this](const std::shared_ptr<SceneColours>& colours) { takeColours(std::move(*colours)); });
  connect(crop_, &CropTool::changed, this, [this] {
    if (crop_->handles().dragging()) startMoving(smooth_ms);
    camera_->include(crop_->bounds());
    redraw();
  });
  connect(crop, &CropBox::editingChanged, this, [this](bool editing) {
    if (!editing || !crop_->bounds() || crop_->handles().inPicture()) return;
    camera_->frame(*crop_->bounds());
    redraw();
  });
  connect(chips_, &HighlightChips::placed, overlay_, qOverload<>(&QWidget::update));
  connect(chips_, &HighlightChips::cropResetRequested, this, &SceneView::cropResetRequested);
  connect(chips_, &HighlightChips::allPointsRequested, this, &SceneView::allPointsRequested);
}

/// Only one tool uses the left mouse button at a time.
void SceneView::connectDrawing() {
  connect(measure_, &MeasureTool::onChanged, this, [this](bool on) {
    if (on) lasso_->setMode(DrawMode::off);
  });
  connect(measure_, &MeasureTool::changed, this, [this] {
    overlay_->setHint(measure_->hint());
    showMeasured();
  });
  connect(workspace_, &Workspace::voxelsChanged, measure_, &MeasureTool::clear);
  connect(lasso_, &LassoTool::modeChanged, this, [this] {
    if (lasso_->mode() != DrawMode::off) measure_->setOn(false);
    overlay_->setHint(lasso_->hint());
  });
  connect(lasso_, &LassoTool::outlineChanged, this, [this] { overlay_->setOutline(lasso_->outline()); });
  connect(lasso_, &LassoTool::drawn, this, [this](const QPolygonF& outline, Combine how) {
    if (meshOfScene() == nullptr || !parts_->shows(ViewPart::voxels)) return;
    emit outlined(
        {actors_->mesh(), camera_->viewPoint(canvas_->devicePixelRatioF()), picture(), outline, how});
  });
}

void SceneView::connectModel() {
  connect(workspace_, &Workspace::voxelsChanged, this, &SceneView::rebuild);
  connect(workspace_, &Workspace::framesChanged, this, [this] {
    const bool same = workspace_->frames() == framed_frames_;
    if (!same) held_ranges_.forget();
    keep_camera_ = framed_cloud_ && workspace_->frames().size() > 1 && same;
    framed_frames_ = workspace_->frames();
  });
  connect(workspace_, &Workspace::sceneMapChanged, this, &SceneView::recolourSoon);
  connect(workspace_, &Workspace::layerChanged, this, [this](int layer) {
    if (layer == selection_->layer()) recolourSoon();
  });
  connect(workspace_, &Workspace::requestChanged, this, [this] {
    if (selection_->colourBy() == ColourBy::threshold_sides) recolourSoon();
  });
  connect(workspace_, &Workspace::otherVoxelsChanged, this, [this] {
    if (selection_->colourBy() == ColourBy::changed) recolourSoon();
  });
  connect(selection_, &Selection::triedChanged, this, &SceneView::recolourSoon);
  connect(selection_, &Selection::strideChanged, this, &SceneView::rebuild);
  connect(selection_, &Selection::layerChanged, this, &SceneView::recolourSoon);
  connect(selection_, &Selection::colourByChanged, this, &SceneView::recolour);
  const auto show_other_rows = [this] {
    meshes_.clear();
    rebuild();
  };
  connect(selection_, &Selection::hiddenLabelsChanged, this, show_other_rows);
  connect(selection_, &Selection::slabChanged, this, show_other_rows);
  connect(selection_, &Selection::voxelStyleChanged, this, &SceneView::redraw);
  connect(selection_, &Selection::lookChanged, this, &SceneView::recolour);
  connect(selection_, &Selection::columnsChanged, this, &SceneView::recolour);
  connect(selection_, &Selection::rowsChanged, this, &SceneView::recolour);
  connect(selection_, &Selection::voxelChanged, this, &SceneView::rehighlight);
  connect(selection_, &Selection::hoverChanged, this, [this] {
    const bool other_columns = selection_->hover().columns != hovered_.columns;
    const bool other_voxel = selection_->hover().voxel != hovered_.voxel;
    hovered_ = selection_->hover();
    if (other_columns) return recolourSoon();
    if (!other_voxel) return;
    overlay_->setHovered(hoveredEdges());
    showMeasured();
  });
  connect(theme_, &Theme::changed, this, &SceneView::retheme);
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
  if (scene != meshes_of_) meshes_.clear();
  meshes_of_ = scene;
  arriving_.reset();
  if (!scene) {
    worker_->cancel();
    colourist_->cancel();
    actors_->setMesh(nullptr);
    shown_.reset();
    colouring_.reset();
    moving_colouring_.reset();
    marked_.reset();
    if (!workspace_->cloud()) pages_->setCurrentIndex(0);
    redraw();
    return;
  }
  pages_->setCurrentIndex(1);
  const int stride = selection_->stride();
  if (!has_level(*scene, stride)) return selection_->setStride(1);
  wanted_detail_.reset();
  const auto known = meshes_.find(stride);
  if (known != meshes_.end() && known->second->has_faces()) {
    worker_->cancel();
    return takeMesh(known->second, nullptr);
  }
  // If the camera will stay in place, build the detail together with the mesh and show both in one frame.
  std::optional<ViewPoint> from;
  if (framed_cloud_ == scene->cloud || keep_camera_) from = detailPoint();
  worker_->start(scene, stride, selection_->hiding(), known == meshes_.end() ? nullptr : known->second, from);
}

/// Shows the mesh together with its colours.
void SceneView::takeMesh(std::shared_ptr<const VoxelMesh> mesh, std::shared_ptr<const ViewDetail> detail) {
  arriving_ = Arriving{std::move(mesh), std::move(detail)};
  recolour();
}

void SceneView::showArrived() {
  auto [mesh, detail] = *std::exchange(arriving_, std::nullopt);
  meshes_[mesh->stride] = mesh;
  actors_->setPixelRatio(canvas_->devicePixelRatioF());
  crop_->setOrigin(mesh->origin);
  const auto before = actors_->mesh() && actors_->mesh()->origin != mesh->origin ? pose() : std::nullopt;
  actors_->setMesh(std::move(mesh));
  if (before) setPose(*before, false);  // the camera keeps its position in the scene
  shown_ = meshes_of_;
  placeGrid();
  announce_ = true;
  const auto& scene = workspace_->voxels();
  if (scene && framed_cloud_ != scene->cloud) {
    if (!keep_camera_) resetCamera();
    framed_cloud_ = scene->cloud;
    if (next_pose_) setPose(*std::exchange(next_pose_, std::nullopt), false);
  }
  if (detail) actors_->setDetail(std::move(detail));
  const bool placed = motion_->picture() == wanted_motion_ && motion_->origin() == actors_->mesh()->origin;
  if (wanted_motion_ && !placed) placeMotion(motion_->part());
}

/// Draws a large level as points until the picture is at rest. Then builds cubes for the voxels that are near
/// enough.
void SceneView::wantDetail() {
  const auto& mesh = actors_->mesh();
  if (!mesh || mesh->has_faces() || actors_->moving() || mesh->voxels == 0) return;
  if (actors_->style() == VoxelStyle::points) return actors_->setDetail(nullptr);
  const ViewPoint from = detailPoint();
  if (too_many_from_ == from) return;
  if (actors_->detail() != nullptr && actors_->detail()->from == from) return;
  if (worker_->busy() && wanted_detail_ == from) return;
  if (worker_->busy() && !wanted_detail_) return;  // a mesh is being built
  wanted_detail_ = from;
  actors_->setDetail(nullptr);
  worker_->startDetail(mesh, from);
}

void SceneView::setHeld(bool held) {
  if (held == held_) return;
  held_ = held;
  overlay_->setBadge(held ? tr("paused for measurement") : QString());
  canvas_->setHeld(held);
  if (!held) followSize();
}

void SceneView::redraw() {
  later_.stop();
  if (held_) return;
  if (const auto& mesh = actors_->mesh())
    actors_->setStyle(style_from_here(selection_->voxelStyle(), *mesh, camera_->metresPerPixel()));
  wantDetail();
  if (colouring_ && colouring_->from && !actors_->moving() &&
      *colouring_->from != camera_->viewPoint(canvas_->devicePixelRatioF()))
    recolourSoon();
  if (announce_) {
    announce_ = false;
    QMetaObject::invokeMethod(this, &SceneView::pictureReady, Qt::QueuedConnection);
  }
  overlay_->setMarker(marker());
  overlay_->setMotion(motionShown());
  overlay_->setHovered(hoveredEdges());
  showMeasured();
  overlay_->setView(camera_->axes(), camera_->metresPerPixel());
  const bool alone = motion_->picture() && motion_->picture()->alone && !motionMarks();
  if (const auto& mesh = actors_->mesh()) overlay_->setNote(alone ? QString() : drawnText(*mesh));
  notice_->setText(hiddenText());
  canvas_->redraw();
  if (const auto now = pose(); now != told_pose_) {
    told_pose_ = now;
    emit poseChanged();
  }
}

QImage SceneView::grab3d() {
  finishColours();
  return openGlFault().isEmpty() ? canvas_->grabFramebuffer() : QImage();
}

bool SceneView::settled() const {
  return !building() && !recolour_pending_ && !actors_->moving() && !later_.isActive() &&
         actors_->mesh() != nullptr;
}

bool SceneView::building() const {
  return worker_->busy() || colourist_->busy();
}

/// Draws fewer points if all points took longer than the budget when they were last drawn. Draws all points
/// again when they may be fast enough.
void SceneView::startMoving(double budget_ms) {
  constexpr int rest_ms = 220, longest_ms = 1000;
  constexpr double times_as_many = 4;
  const double last_ms = canvas_->frameMs();
  const int frame_ms = actors_->moving() ? static_cast<int>(last_ms) : 0;
  if (!actors_->moving()) {
    still_ms_ = last_ms;
  } else if (!actors_->few()) {
    all_moving_ms_ = last_ms;
  } else if (times_as_many * last_ms < budget_ms) {
    all_moving_ms_ = 0;
  }
  actors_->setFew(all_moving_ms_ > budget_ms);
  actors_->setMoving(true);
  still_.start(std::min(longest_ms, rest_ms + (2 * frame_ms)));  // a slow frame must not count as rest
}

}  // namespace spira::ui
