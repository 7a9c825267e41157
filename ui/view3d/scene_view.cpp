#include "ui/view3d/scene_view.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/colour_sources.hpp"
#include "ui/view3d/crop_tool.hpp"
#include "ui/view3d/mesh_worker.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxel_actors.hpp"
#include "ui/view3d/voxel_colours.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira::ui {

/// The values of the last colouring and what they were made from.
struct SceneView::Values {
  std::shared_ptr<const VoxelScene> scene;
  int stride = 0;
  ColourBy colour_by = ColourBy::height;
  ColourSources sources;
  VoxelValues values;
};

SceneView::SceneView(Workspace* workspace, Selection* selection, CropBox* crop, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      theme_(theme),
      pages_(new QStackedWidget(this)),
      canvas_(new VtkWidget),
      overlay_(new ViewOverlay(theme, canvas_)),
      chips_(new HighlightChips(workspace, selection, canvas_)),
      worker_(new MeshWorker(this)),
      crop_(new CropTool(workspace, crop, theme, canvas_)),
      actors_(std::make_unique<VoxelActors>(canvas_->renderer())),
      camera_(std::make_unique<ViewCamera>(canvas_->renderer())) {
  auto* page = new QWidget(pages_);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  frames_ = new FrameBar(workspace, page);
  layout->addWidget(new ViewTopBar(workspace, selection, page));
  layout->addWidget(canvas_, 1);
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
  still_.setInterval(220);
  connect(&still_, &QTimer::timeout, this, [this] {
    actors_->setMoving(false);
    redraw();
  });
  connect(frames_, &FrameBar::frameRequested, this, &SceneView::frameRequested);
  connect(worker_, &MeshWorker::ready, this, &SceneView::takeMesh);
  connect(worker_, &MeshWorker::detailReady, this, [this](std::shared_ptr<const ViewDetail> detail) {
    actors_->setDetail(std::move(detail));
    redraw();
  });
  connect(crop_, &CropTool::changed, this, [this] {
    camera_->include(crop_->bounds());
    redraw();
  });
  connect(crop, &CropBox::editingChanged, this, [this](bool editing) {
    if (!editing || !crop_->bounds() || crop_->handles().inPicture()) return;
    camera_->frame(*crop_->bounds());
    redraw();
  });
  connect(chips_, &HighlightChips::cropResetRequested, this, &SceneView::cropResetRequested);
  connect(workspace_, &Workspace::voxelsChanged, this, &SceneView::rebuild);
  connect(workspace_, &Workspace::framesChanged, this, [this] {
    keep_camera_ = framed_cloud_ && workspace_->frames().size() > 1 && workspace_->frames() == framed_frames_;
    framed_frames_ = workspace_->frames();
  });
  connect(workspace_, &Workspace::sceneMapChanged, this, &SceneView::recolourSoon);
  connect(workspace_, &Workspace::layerChanged, this, [this](int layer) {
    if (layer == selection_->layer()) recolourSoon();
  });
  connect(selection_, &Selection::strideChanged, this, &SceneView::rebuild);
  connect(selection_, &Selection::layerChanged, this, &SceneView::recolourSoon);
  connect(selection_, &Selection::colourByChanged, this, &SceneView::recolour);
  const auto show_other_rows = [this] {
    meshes_.clear();
    rebuild();
  };
  connect(selection_, &Selection::hiddenLabelsChanged, this, show_other_rows);
  connect(selection_, &Selection::slabChanged, this, show_other_rows);
  connect(selection_, &Selection::lookChanged, this, &SceneView::recolour);
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
  if (scene != meshes_of_) meshes_.clear();
  meshes_of_ = scene;
  if (!scene) {
    worker_->cancel();
    actors_->setMesh(nullptr);
    marked_.reset();
    if (!workspace_->cloud()) pages_->setCurrentIndex(0);
    redraw();
    return;
  }
  pages_->setCurrentIndex(1);
  for (const auto& level : scene->levels) {
    if (level->stride != selection_->stride()) continue;
    wanted_detail_.reset();
    const auto known = meshes_.find(level->stride);
    if (known != meshes_.end() && known->second->has_faces()) {
      worker_->cancel();
      return takeMesh(known->second, nullptr);
    }
    std::optional<ViewPoint>
        from;  // where the camera will stay: the detail comes with the mesh, in one picture
    if (framed_cloud_ == scene->cloud || keep_camera_)
      from = camera_->viewPoint(canvas_->devicePixelRatioF());
    return worker_->start(scene, level->stride, selection_->hiding(),
                          known == meshes_.end() ? nullptr : known->second, from);
  }
  selection_->setStride(1);
}

void SceneView::takeMesh(std::shared_ptr<const VoxelMesh> mesh, std::shared_ptr<const ViewDetail> detail) {
  meshes_[mesh->stride] = mesh;
  actors_->setPixelRatio(canvas_->devicePixelRatioF());
  crop_->setOrigin(mesh->origin);
  visible_ = mesh->visible();
  actors_->setMesh(std::move(mesh));
  announce_ = true;
  const auto& scene = workspace_->voxels();
  if (scene && framed_cloud_ != scene->cloud) {
    if (!keep_camera_) resetCamera();
    framed_cloud_ = scene->cloud;
    if (next_pose_) setPose(*std::exchange(next_pose_, std::nullopt), false);
  }
  if (detail) actors_->setDetail(std::move(detail));
  recolour();
}

/// Once for all that a choice changes: a layer of another stride would colour a mesh that is about to go.
void SceneView::recolourSoon() {
  if (recolour_pending_) return;
  recolour_pending_ = true;
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (recolour_pending_) recolour();
      },
      Qt::QueuedConnection);
}

void SceneView::recolour() {
  recolour_pending_ = false;
  const auto& scene = workspace_->voxels();
  const auto& mesh = actors_->mesh();
  if (!scene || mesh == nullptr || mesh->voxels != size_of(scene->level(mesh->stride))) return;
  if (mesh->stride != selection_->stride() && worker_->busy()) return;  // the next mesh is on its way
  const VoxelValues& values = valuesNow();
  RangeMode mode = selection_->look().range;
  const ValueRange range = rangeOf(values, mode);
  VoxelColours colours = paint(values, selection_->look().map, range);
  colours.legend.range_text = text_of(mode);
  for (auto& one : colours.legend.classes)
    one.hidden = selection_->hiddenLabels().count(one.label) > 0;
  std::vector<bool> keep;
  const auto& map = values_->sources.map;
  if (map && !selection_->columns().empty()) keep = rows_matched(*map, selection_->columns());
  const QColor back = theme_->palette().view_bottom;
  actors_->setColours(colours.colour, keep,
                      {static_cast<std::uint8_t>(back.red()), static_cast<std::uint8_t>(back.green()),
                       static_cast<std::uint8_t>(back.blue())});
  overlay_->setLegend(colours.legend);
  emit legendChanged(colours.legend);
  rehighlight();
}

const VoxelValues& SceneView::valuesNow() {
  const auto& scene = workspace_->voxels();
  const int stride = actors_->mesh()->stride;
  const ColourSources sources = colour_sources(*workspace_, *selection_, stride);
  const bool known = values_ && values_->scene == scene && values_->stride == stride &&
                     values_->colour_by == selection_->colourBy() && values_->sources == sources;
  if (!known) {
    values_ = std::make_unique<Values>(
        Values{scene, stride, selection_->colourBy(), sources,
               voxel_values(*scene, stride, selection_->colourBy(), sources.layer.get(), sources.map.get())});
  }
  return values_->values;
}

/// A range that was not typed for this colouring is that of all voxels, and `mode` says so.
ValueRange SceneView::rangeOf(const VoxelValues& values, RangeMode& mode) {
  coloured_from_.reset();
  if (values.amount.empty()) return {};
  const auto& typed = selection_->look().typed;
  const auto known = typed.find(selection_->colourBy());
  if (mode == RangeMode::typed && known != typed.end()) return {known->second.first, known->second.second};
  if (mode == RangeMode::typed) mode = RangeMode::all;
  if (mode == RangeMode::all) return middle_range(values.amount);
  coloured_from_ = camera_->viewPoint(canvas_->devicePixelRatioF());
  return range_in_view(values.amount, *actors_->mesh(), *coloured_from_);
}

void SceneView::rehighlight() {
  const auto& scene = workspace_->voxels();
  const auto& chosen = selection_->voxel();
  std::vector<HighlightBox> boxes;
  marked_.reset();
  if (scene && chosen && actors_->mesh() != nullptr && chosen->stride == actors_->mesh()->stride) {
    const auto shown = workspace_->shownMap(selection_->layer());
    const auto row = row_of_voxel(scene->level(chosen->stride), chosen->voxel);
    marked_ = Marked{placeOf(chosen->voxel, chosen->stride), {}};
    const auto add = [&](const Voxel& voxel, int stride, const QColor& colour, double width) {
      HighlightBox box;
      const auto centre = placeOf(voxel, stride);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.centre[axis] = static_cast<float>(centre[axis]);
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
        const Voxel voxel{chosen->voxel[0] + d[0], chosen->voxel[1] + d[1], chosen->voxel[2] + d[2]};
        const bool hit = inputs[static_cast<std::size_t>(column)] >= 0;
        add(voxel, shown.stride_in, hit ? theme_->palette().sparse : theme_->palette().faint_text,
            hit ? 2.0 : 1.0);
        if (hit && voxel != chosen->voxel) marked_->hits.push_back(placeOf(voxel, shown.stride_in));
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

QString SceneView::drawnText(const VoxelMesh& mesh) const {
  const QString all = QString::fromStdString(count_text(mesh.voxels));
  if (mesh.hidden.empty()) return tr("drawing all %1 voxels").arg(all);
  return tr("drawing %1 of %2 voxels").arg(QString::fromStdString(count_text(visible_)), all);
}

void SceneView::redraw() {
  wantDetail();
  if (coloured_from_ && !actors_->moving() &&
      *coloured_from_ != camera_->viewPoint(canvas_->devicePixelRatioF()))
    recolourSoon();
  if (announce_) {
    announce_ = false;
    QMetaObject::invokeMethod(this, &SceneView::pictureReady, Qt::QueuedConnection);
  }
  overlay_->setMarker(marker());
  overlay_->setView(camera_->axes(), camera_->metresPerPixel());
  if (const auto& mesh = actors_->mesh()) {
    const VoxelMesh* drawn = actors_->drawn();
    overlay_->setNote(drawn == mesh.get() ? drawnText(*mesh)
                                          : tr("moving: drawing stride %1, %2 voxels")
                                                .arg(drawn->stride)
                                                .arg(QString::fromStdString(count_text(drawn->voxels))));
  }
  overlay_->update();
  canvas_->redraw();
}

void SceneView::frameAll() {
  camera_->frame(bounds_of(actors_->mesh().get(), 0.0));
  redraw();
}

void SceneView::resetCamera() {
  camera_->reset(bounds_of(actors_->mesh().get(), 0.08));
  redraw();
}

void SceneView::look(double x, double y, double z) {
  camera_->look(bounds_of(actors_->mesh().get(), 0.0), {x, y, z},
                std::abs(z) > 0.9 ? std::array<double, 3>{0, 1, 0} : std::array<double, 3>{0, 0, 1});
  redraw();
}

QImage SceneView::grab3d() {
  if (recolour_pending_) recolour();
  return canvas_->grabFramebuffer();
}

bool SceneView::settled() const {
  return !worker_->busy() && !recolour_pending_ && !actors_->moving() && actors_->mesh() != nullptr;
}

bool SceneView::building() const {
  return worker_->busy();
}

void SceneView::startMoving() {
  actors_->setMoving(true);
  still_.start();
}

}  // namespace spira::ui
