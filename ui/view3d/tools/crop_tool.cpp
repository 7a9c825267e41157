#include "ui/view3d/tools/crop_tool.hpp"

#include "ui/theme/theme.hpp"
#include "ui/view3d/voxels/mesh_worker.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>

#include <numeric>

namespace spira::ui {

struct CropTool::Outside {
  explicit Outside(vtkRenderer* renderer) {
    mapper->SetInputData(data);
    actor->SetMapper(mapper);
    actor->GetProperty()->LightingOff();
    actor->VisibilityOff();
    renderer->AddActor(actor);
  }

  void set(std::shared_ptr<const std::vector<float>> positions) {
    // Keep the old points alive, because VTK reads them until they are replaced.
    const auto former = std::exchange(points, std::move(positions));
    data->Initialize();
    const std::size_t count = points ? points->size() / 3 : 0;
    actor->SetVisibility(count > 0 ? 1 : 0);
    if (count == 0) return;
    vtkNew<vtkFloatArray> values;
    values->SetNumberOfComponents(3);
    values->SetArray(const_cast<float*>(points->data()), static_cast<vtkIdType>(points->size()), 1);
    vtkNew<vtkPoints> places;
    places->SetData(values);
    std::vector<vtkIdType> all(count);
    std::iota(all.begin(), all.end(), 0);
    vtkNew<vtkCellArray> cells;
    cells->InsertNextCell(static_cast<vtkIdType>(count), all.data());
    data->SetPoints(places);
    data->SetVerts(cells);
  }

  vtkNew<vtkPolyData> data;
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
  std::shared_ptr<const std::vector<float>> points;
};

CropTool::CropTool(Tasks& tasks, Workspace* workspace, CropBox* box, ViewParts* parts, Theme* theme,
                   VtkWidget* canvas)
    : QObject(canvas),
      workspace_(workspace),
      box_(box),
      parts_(parts),
      theme_(theme),
      canvas_(canvas),
      worker_(new MeshWorker(tasks, this)),
      handles_(canvas->renderer()),
      outside_(std::make_unique<Outside>(canvas->renderer())) {
  connect(box_, &CropBox::editingChanged, this, &CropTool::followCrop);
  connect(box_, &CropBox::boxChanged, this, &CropTool::followBox);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &CropTool::followCrop);
  connect(parts_, &ViewParts::changed, this, [this, had = outsideWanted()]() mutable {
    const bool wanted = outsideWanted();
    if (wanted == had) return;
    had = wanted;
    followCrop();
  });
  connect(theme_, &Theme::changed, this, &CropTool::retheme);
  connect(worker_, &MeshWorker::outsideReady, this, [this](std::shared_ptr<const std::vector<float>> points) {
    outside_->set(std::move(points));
    emit changed();
  });
  retheme();
}

CropTool::~CropTool() = default;

void CropTool::setOrigin(const Point& origin) {
  origin_ = origin;
  followBox();
}

void CropTool::followBox() {
  const auto box = box_->box();
  const bool visible = box_->editing() && box && workspace_->scene().voxels();
  handles_.setPixelRatio(canvas_->devicePixelRatioF());
  if (visible && !handles_.dragging()) {
    std::array<double, 6> place{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place[2 * axis] = box->low[axis] - origin_[axis];
      place[(2 * axis) + 1] = box->high[axis] - origin_[axis];
    }
    handles_.setBounds(place);
  }
  handles_.show(visible);
  emit changed();
}

/// Returns true if the excluded points must be shown. This is the case while the user edits the box, or if no
/// other part is visible.
bool CropTool::outsideWanted() const {
  if (!parts_->shows(ViewPart::outside)) return false;
  return box_->editing() || parts_->shown().alone == ViewPart::outside;
}

void CropTool::followCrop() {
  const auto& scene = workspace_->scene().voxels();
  worker_->cancel();
  if (scene && outsideWanted() && scene->grid.crop_m) {
    worker_->startOutside(scene);
  } else {
    outside_->set(nullptr);
  }
  followBox();
}

void CropTool::retheme() {
  const Palette& p = theme_->palette();
  handles_.setColours(p.accent, p.error);
  const auto fainter = [](double text, double back) { return (0.55 * text) + (0.45 * back); };
  outside_->actor->GetProperty()->SetColor(fainter(p.faint_text.redF(), p.view_bottom.redF()),
                                           fainter(p.faint_text.greenF(), p.view_bottom.greenF()),
                                           fainter(p.faint_text.blueF(), p.view_bottom.blueF()));
  constexpr double point_px = 1.5;  // Point size in pixels. Smaller points would flicker.
  outside_->actor->GetProperty()->SetPointSize(static_cast<float>(point_px * canvas_->devicePixelRatioF()));
  emit changed();
}

void CropTool::takeDrag() {
  const std::array<double, 6> at = handles_.bounds();
  Bounds box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = at[2 * axis] + origin_[axis];
    box.high[axis] = at[(2 * axis) + 1] + origin_[axis];
  }
  box_->setBox(box);
}

bool CropTool::mouse(QEvent* event) {
  if (!box_->editing()) return false;
  const bool press = event->type() == QEvent::MouseButtonPress;
  const bool release = event->type() == QEvent::MouseButtonRelease;
  if (!press && !release && event->type() != QEvent::MouseMove) return false;
  const auto* at = static_cast<QMouseEvent*>(event);
  const double ratio = canvas_->devicePixelRatioF();
  const QPointF pixel{at->position().x() * ratio, (canvas_->height() - at->position().y()) * ratio};
  if (press) {
    if (at->button() != Qt::LeftButton || !handles_.press(pixel)) return false;
  } else if (handles_.dragging() && release) {
    handles_.release();
    box_->commit();
  } else if (handles_.dragging()) {
    handles_.drag(pixel);
    takeDrag();
  } else {
    if (at->buttons() != Qt::NoButton) return false;  // A drag with a pressed button moves the camera.
    const int before = handles_.tinted();
    const bool over = handles_.hover(pixel);
    if (over) {
      canvas_->setCursor(Qt::SizeAllCursor);
    } else if (handles_.tinted() != before) {
      canvas_->unsetCursor();
    }
    // Redraw only if the highlight changed, because drawing a large scene takes a long time.
    if (handles_.tinted() != before) emit changed();
    return over;
  }
  emit changed();
  return true;
}

std::optional<std::array<double, 6>> CropTool::bounds() const {
  return box_->editing() && box_->box() ? std::optional(handles_.bounds()) : std::nullopt;
}

std::size_t CropTool::outsideShown() const {
  return outside_->points ? outside_->points->size() / 3 : 0;
}

}  // namespace spira::ui
