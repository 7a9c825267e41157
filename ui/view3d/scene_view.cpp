#include "ui/view3d/scene_view.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/reader.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/highlight_chips.hpp"
#include "ui/view3d/scene/scene_animation.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/scene/scene_colouring.hpp"
#include "ui/view3d/scene/scene_levels.hpp"
#include "ui/view3d/scene/scene_marks.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/scene/scene_points.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/view_notices.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QEvent>
#include <QPainter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include <utility>

namespace spira::ui {

SceneView::SceneView(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts,
                     CropBox* crop, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      parts_(parts),
      pages_(new QStackedWidget(this)),
      canvas_(std::make_unique<SceneCanvas>(workspace, theme)),
      chips_(new HighlightChips(workspace, selection, parts, canvas())),
      notice_(new HiddenNotice(canvas())),
      tools_(std::make_unique<SceneTools>(tasks, workspace, crop, parts, theme, canvas_.get())),
      camera_(std::make_unique<SceneCamera>(workspace, selection, theme, canvas_.get())),
      levels_(std::make_unique<SceneLevels>(tasks, workspace, selection, canvas_.get(), camera_.get())),
      colouring_(std::make_unique<SceneColouring>(tasks, workspace, selection, parts, theme, canvas_.get(),
                                                  levels_.get())),
      animation_(std::make_unique<SceneAnimation>(parts, theme, canvas_.get(), tools_->crop())),
      marks_(std::make_unique<SceneMarks>(workspace, selection, parts, theme, canvas_.get(), animation_.get(),
                                          tools_->measure())),
      points_(std::make_unique<ScenePoints>(tasks, workspace, parts, theme, canvas_.get(), animation_.get())),
      pointer_(std::make_unique<ScenePointer>(workspace, selection, parts, canvas_.get(), tools_.get(),
                                              colouring_.get())) {
  makePages();
  canvas()->installEventFilter(this);
  connectSignals();
  connectParts();
  connectModel();
  connect(theme, &Theme::changed, this, &SceneView::retheme);
  retheme();
  followParts();
}

SceneView::~SceneView() = default;

void SceneView::makePages() {
  auto* page = new QWidget(pages_);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  frames_ = new FrameBar(workspace_, page);
  top_ = new ViewTopBar(workspace_, selection_, page);
  layout->addWidget(top_);
  if (openGlFault().isEmpty()) {
    layout->addWidget(canvas(), 1);
  } else {
    layout->addWidget(new NoOpenGlPage(std::unique_ptr<VtkWidget>(canvas()), page), 1);
  }
  layout->addWidget(frames_);
  pages_->addWidget(new QWidget(pages_));
  pages_->addWidget(page);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(pages_);
}

void SceneView::connectSignals() {
  connect(frames_, &FrameBar::frameRequested, this, &SceneView::frameRequested);
  connect(chips_, &HighlightChips::placed, &canvas_->overlay(), qOverload<>(&QWidget::update));
  connect(chips_, &HighlightChips::cropResetRequested, this, &SceneView::cropResetRequested);
  connect(chips_, &HighlightChips::allPointsRequested, this, &SceneView::allPointsRequested);
  connect(canvas_.get(), &SceneCanvas::pictureReady, this, &SceneView::pictureReady);
  connect(tools_.get(), &SceneTools::outlined, this, &SceneView::outlined);
  connect(camera_.get(), &SceneCamera::poseChanged, this, &SceneView::poseChanged);
  connect(levels_.get(), &SceneLevels::failed, this, &SceneView::failed);
  connect(colouring_.get(), &SceneColouring::failed, this, &SceneView::failed);
  connect(points_.get(), &ScenePoints::failed, this, &SceneView::failed);
  connect(colouring_.get(), &SceneColouring::legendChanged, this, [this](const ColourLegend& legend) {
    if (compact_) canvas_->overlay().setLegendShown(!legend.bar);
    emit legendChanged(legend);
  });
  connect(pointer_.get(), &ScenePointer::hovered, this, &SceneView::hovered);
}

void SceneView::connectParts() {
  connect(canvas_.get(), &SceneCanvas::drawing, this, &SceneView::prepareFrame);
  connect(camera_.get(), &SceneCamera::upChanged, colouring_.get(), &SceneColouring::recolour);
  connect(camera_.get(), &SceneCamera::sequenceChanged, colouring_.get(), &SceneColouring::forgetRanges);
  connect(levels_.get(), &SceneLevels::emptied, marks_.get(), &SceneMarks::forget);
  connect(levels_.get(), &SceneLevels::arriving, tools_->crop(), &CropTool::setOrigin);
  connect(levels_.get(), &SceneLevels::shown, animation_.get(), &SceneAnimation::followMesh);
  connect(colouring_.get(), &SceneColouring::coloured, marks_.get(), &SceneMarks::rehighlight);
  connect(notice_, &HiddenNotice::showRequested, this, [this] {
    if (!parts_->shows(ViewPart::voxels)) {
      if (const auto alone = parts_->shown().alone) parts_->toggleAlone(*alone);
      return parts_->show(ViewPart::voxels, true);
    }
    selection_->look().setHiddenLabels({});
    selection_->look().setSlab(std::nullopt);
  });
}

void SceneView::connectModel() {
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &SceneView::followVoxels);
  connect(&selection_->look(), &SceneLook::voxelStyleChanged, canvas_.get(), &SceneCanvas::redraw);
  connect(parts_, &ViewParts::changed, this, &SceneView::followParts);
}

VtkWidget* SceneView::canvas() const noexcept {
  return canvas_->widget();
}

void SceneView::setEmptyPage(QWidget* page) {
  QWidget* former = pages_->widget(0);
  pages_->insertWidget(0, page);
  pages_->removeWidget(former);
  former->deleteLater();
  pages_->setCurrentIndex(workspace_->scene().voxels() ? 1 : 0);
}

void SceneView::followVoxels() {
  if (workspace_->scene().voxels()) {
    pages_->setCurrentIndex(1);
  } else if (!workspace_->scene().cloud()) {
    pages_->setCurrentIndex(0);
  }
  levels_->rebuild();
}

void SceneView::followParts() {
  canvas_->overlay().setAxesShown(parts_->shows(ViewPart::axes));
  if (camera_->gridShown() != parts_->shows(ViewPart::grid)) {
    camera_->showGrid(parts_->shows(ViewPart::grid));
    // This call computes the clipping range again, now with the grid, so that the grid is not clipped.
    canvas_->camera().include(tools_->crop()->bounds());
  }
  animation_->followParts();
  const bool highlights = parts_->shows(ViewPart::highlights);
  if (std::exchange(highlights_shown_, highlights) != highlights) {
    colouring_->recolour();
    marks_->rehighlight();
  }
  canvas_->redraw();
}

void SceneView::retheme() {
  canvas_->retheme();
  camera_->placeGrid();
  colouring_->recolour();
  canvas_->overlay().update();
  canvas_->redraw();
}

void SceneView::prepareFrame() {
  levels_->prepareFrame();
  colouring_->prepareFrame();
  marks_->prepareFrame();
  points_->prepareFrame();
  animation_->prepareFrame();
  canvas_->overlay().setView(canvas_->camera().axes(),
                             {canvas_->camera().metresPerPixel(), unit_of(*workspace_)});
  if (const auto& mesh = canvas_->actors().mesh())
    canvas_->overlay().setNote(showsNote(*mesh) ? drawnText(*mesh) : QString());
  notice_->setText(hiddenText());
}

void SceneView::setHeld(bool held) {
  canvas_->setHeld(held);
}

bool SceneView::held() const noexcept {
  return canvas_->held();
}

void SceneView::followSize() {
  canvas_->followSize();
  emit sizeFollowed();
}

void SceneView::setCompact(bool compact) {
  compact_ = compact;
}

void SceneView::setDepthShading(bool on) {
  canvas()->setDepthShading(on);
  canvas_->redraw();
}

QImage SceneView::grab3d() {
  colouring_->finish();
  return openGlFault().isEmpty() ? canvas()->grabFramebuffer() : QImage();
}

QImage SceneView::picture(int scale, bool transparent) {
  followSize();  // The layout may have changed since the last frame.
  colouring_->finish();
  marks_->native().finish();
  QImage image = canvas()->picture(canvas()->size() * scale, transparent);
  if (image.isNull()) return image;
  image.setDevicePixelRatio(scale);
  QPainter painter(&image);
  canvas_->overlay().render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
  painter.end();
  image.setDevicePixelRatio(1);
  return image;
}

QString SceneView::pictureText() const {
  vtkCamera* camera = canvas()->renderer()->GetActiveCamera();
  const auto triple = [](const double* at) {
    return QString("%1, %2, %3").arg(at[0], 0, 'f', 2).arg(at[1], 0, 'f', 2).arg(at[2], 0, 'f', 2);
  };
  const auto& voxels = workspace_->scene().voxels();
  const bool there = voxels && has_level(*voxels, selection_->stride());
  return QString("stride %1; camera at %2, towards %3, up %4")
      .arg(there ? QString::fromStdString(level_text(*voxels, selection_->stride())) : QString("1"))
      .arg(triple(camera->GetPosition()), triple(camera->GetFocalPoint()), triple(camera->GetViewUp()));
}

bool SceneView::settled() const {
  return !levels_->busy() && colouring_->settled() && canvas_->settled() && !points_->busy() &&
         marks_->native().settled();
}

bool SceneView::building() const {
  return levels_->busy() || colouring_->busy();
}

bool SceneView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    canvas_->overlay().setGeometry(canvas()->rect());
    chips_->place();
    notice_->place();
    // Follow the new size in a later event-loop iteration, because the renderer is resized first.
    QMetaObject::invokeMethod(this, &SceneView::followSize, Qt::QueuedConnection);
  }
  return QWidget::eventFilter(watched, event);
}

QString SceneView::hiddenText() const {
  const auto& mesh = canvas_->actors().mesh();
  if (mesh == nullptr || mesh->voxels == 0 || !animation_->allowsVoxels() || !workspace_->scene().voxels())
    return {};
  if (!parts_->shows(ViewPart::voxels)) return tr("Voxels are hidden");
  if (mesh->visible > 0) return {};
  const auto& slab = selection_->look().slab();
  if (!slab) return tr("The classes of all voxels are hidden");
  return (selection_->look().hiddenLabels().empty()
              ? tr("No voxels in the slab %1")
              : tr("All voxels are outside the slab %1 or have a hidden class"))
      .arg(slab_text(*slab, *workspace_->scene().voxels()));
}

/// Returns a description of how the voxels of the current level are drawn.
QString SceneView::shapesText(const VoxelMesh& mesh) const {
  const VoxelStyle style = selection_->look().voxelStyle();
  const ViewDetail* detail = canvas_->actors().moving() ? nullptr : canvas_->actors().detail();
  const bool cubes = detail != nullptr ? !detail->row_of_quad.empty() : mesh.has_faces();
  if (style == VoxelStyle::points || !cubes)
    return always_cubes(style) && !canvas_->actors().moving() ? tr("as points (too many voxels for cubes)")
                                                              : tr("as points");
  if (style == VoxelStyle::outlined)
    return canvas_->actors().style() == style ? tr("as outlined cubes")
                                              : tr("as cubes (voxels are too small for edges)");
  return detail != nullptr && !detail->row_of_point.empty() ? tr("as cubes (distant voxels as points)")
                                                            : tr("as cubes");
}

bool SceneView::showsNote(const VoxelMesh& mesh) const {
  if (animation_->replacesVoxels()) return false;
  const bool whole =
      canvas_->actors().drawnInstead() == nullptr && mesh.hidden.empty() && parts_->shows(ViewPart::voxels);
  if (!whole) return true;
  // In a low view, the note would cover the scene. It is not needed if all voxels are drawn.
  constexpr int low = 240;
  return !compact_ && (canvas()->height() >= low || !partText().isEmpty());
}

QString SceneView::drawnText(const VoxelMesh& mesh) const {
  if (!parts_->shows(ViewPart::voxels)) return tr("voxels hidden");
  return countText(mesh) + partText();
}

/// Returns a note about omitted points. Without this note, a saved picture would not show that the file
/// contains more points.
QString SceneView::partText() const {
  QString text;
  const auto& scene = workspace_->scene().voxels();
  if (scene && scene->cloud->every > 1)
    text += tr("; from %1 point of the file").arg(QString::fromStdString(every_text(scene->cloud->every)));
  if (scene && scene->grid.crop_m) text += tr("; cropped");
  return text;
}

QString SceneView::countText(const VoxelMesh& mesh) const {
  const auto text = [](std::int64_t count) { return onScreen(count_text(count)); };
  const LevelOfDetail* instead = canvas_->actors().drawnInstead();
  if (instead == nullptr && mesh.hidden.empty())
    return tr("drawing %1 %2")
        .arg(counted(mesh.voxels, tr("1 voxel"), tr("all %1 voxels")), shapesText(mesh));
  if (instead == nullptr)
    return tr("drawing %1 of %2 voxels %3").arg(text(mesh.visible), text(mesh.voxels), shapesText(mesh));
  const std::int64_t points = canvas_->actors().pointsDrawnInstead();
  const QString drawn = text(points), all = text(mesh.voxels);
  if (instead->mesh->stride == mesh.stride) return tr("drawing %1 of %2 voxels (sampled)").arg(drawn, all);
  const QString stride = tr("drawing stride %1: ").arg(instead->mesh->stride);
  if (points == instead->of_stride)
    return stride + counted(points, tr("1 drawn voxel represents %1 voxels"),
                            tr("%1 drawn voxels represent %2 voxels"))
                        .arg(all);
  return stride + tr("%1 of its %2 voxels are drawn and represent %3 voxels")
                      .arg(drawn, text(instead->of_stride), all);
}

}  // namespace spira::ui
