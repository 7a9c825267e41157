#include "ui/view3d/tools/crop_handles.hpp"

#include <vtkBoxRepresentation.h>
#include <vtkCamera.h>
#include <vtkNew.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include <algorithm>

namespace spira::ui {

struct CropHandles::State {
  vtkRenderer* scene = nullptr;
  vtkNew<vtkRenderer> layer;
  vtkNew<vtkBoxRepresentation> box;
  bool visible = false, dragging = false;

  /// Returns true if a handle is under the pixel. The faces do not count as handles, because dragging a face
  /// would rotate the box, but a crop box is always parallel to the axes.
  bool handle_at(const QPointF& pixel) {
    const int found = box->ComputeInteractionState(static_cast<int>(pixel.x()), static_cast<int>(pixel.y()));
    const bool handle = (found >= vtkBoxRepresentation::MoveF0 && found <= vtkBoxRepresentation::MoveF5) ||
                        found == vtkBoxRepresentation::Translating;
    box->SetInteractionState(handle ? found : static_cast<int>(vtkBoxRepresentation::Outside));
    return handle;
  }
};

CropHandles::CropHandles(vtkRenderer* scene) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.scene = scene;
  s.layer->SetLayer(1);
  s.layer->InteractiveOff();
  s.layer->DrawOff();
  s.layer->SetActiveCamera(scene->GetActiveCamera());
  vtkRenderWindow* window = scene->GetRenderWindow();
  window->SetNumberOfLayers(2);
  window->AddRenderer(s.layer);
  s.box->SetRenderer(s.layer);
  s.box->SetPlaceFactor(1.0);
  s.box->OutlineCursorWiresOff();
  for (vtkProperty* line : {s.box->GetOutlineProperty(), s.box->GetSelectedOutlineProperty()}) {
    line->SetAmbient(0.0);  // VTK's default ambient light would wash out the colour.
    line->SetDiffuse(1.0);
    line->LightingOff();
  }
  for (vtkProperty* ball : {s.box->GetHandleProperty(), s.box->GetSelectedHandleProperty()}) {
    ball->SetAmbient(0.5);
    ball->SetDiffuse(0.5);
  }
  s.box->GetFaceProperty()->SetOpacity(0.0);
  s.box->GetSelectedFaceProperty()->SetOpacity(0.15);
  s.layer->AddViewProp(s.box);
  setPixelRatio(1.0);
  show(false);
}

CropHandles::~CropHandles() = default;

void CropHandles::show(bool visible) {
  State& s = *state_;
  s.visible = visible;
  s.box->SetVisibility(visible ? 1 : 0);
  s.layer->SetDraw(visible ? 1 : 0);
  if (!visible) release();
}

void CropHandles::setBounds(const std::array<double, 6>& bounds) {
  std::array<double, 6> place = bounds;
  state_->box->PlaceWidget(place.data());
}

std::array<double, 6> CropHandles::bounds() const {
  std::array<double, 6> bounds{};
  std::copy_n(state_->box->GetBounds(), 6, bounds.begin());
  return bounds;
}

void CropHandles::setColours(const QColor& line, const QColor& active) {
  vtkBoxRepresentation* box = state_->box;
  for (vtkProperty* p : {box->GetHandleProperty(), box->GetOutlineProperty()})
    p->SetColor(line.redF(), line.greenF(), line.blueF());
  for (vtkProperty* p :
       {box->GetSelectedHandleProperty(), box->GetSelectedOutlineProperty(), box->GetSelectedFaceProperty()})
    p->SetColor(active.redF(), active.greenF(), active.blueF());
}

void CropHandles::setPixelRatio(double ratio) {
  constexpr double handle_px = 7.0, line_px = 2.0;
  vtkBoxRepresentation* box = state_->box;
  box->SetHandleSize(handle_px * ratio);
  box->GetOutlineProperty()->SetLineWidth(static_cast<float>(line_px * ratio));
  box->GetSelectedOutlineProperty()->SetLineWidth(static_cast<float>(line_px * ratio));
}

bool CropHandles::hover(const QPointF& pixel) {
  return state_->visible && state_->handle_at(pixel);
}

int CropHandles::tinted() const {
  return state_->box->GetInteractionState();
}

bool CropHandles::press(const QPointF& pixel) {
  State& s = *state_;
  if (!s.visible || !s.handle_at(pixel)) return false;
  std::array<double, 2> at{pixel.x(), pixel.y()};
  s.box->StartWidgetInteraction(at.data());
  s.dragging = true;
  return true;
}

void CropHandles::drag(const QPointF& pixel) {
  std::array<double, 2> at{pixel.x(), pixel.y()};
  state_->box->WidgetInteraction(at.data());
}

void CropHandles::release() {
  State& s = *state_;
  s.dragging = false;
  s.box->SetInteractionState(vtkBoxRepresentation::Outside);
}

bool CropHandles::dragging() const {
  return state_->dragging;
}

bool CropHandles::inPicture() const {
  // Margin as a fraction of the view size, so that the whole handle is visible.
  constexpr double margin = 0.02;
  const int* size = state_->layer->GetSize();
  for (int face = 0; face < 6; ++face) {
    const QPointF at = handleAt(face);
    const double x = at.x() / std::max(1, size[0]), y = at.y() / std::max(1, size[1]);
    if (x < margin || x > 1.0 - margin || y < margin || y > 1.0 - margin) return false;
  }
  return true;
}

QPointF CropHandles::handleAt(int face) const {
  const std::array<double, 6> b = bounds();
  std::array<double, 3> at{(b[0] + b[1]) / 2, (b[2] + b[3]) / 2, (b[4] + b[5]) / 2};
  at.at(static_cast<std::size_t>(face / 2)) = b.at(static_cast<std::size_t>(face));
  vtkRenderer* layer = state_->layer;
  layer->SetWorldPoint(at[0], at[1], at[2], 1.0);
  layer->WorldToDisplay();
  const double* display = layer->GetDisplayPoint();
  return {display[0], display[1]};
}

}  // namespace spira::ui
