#include "ui/view3d/vtk_widget.hpp"

#include "ui/view3d/depth_shading.hpp"
#include "ui/view3d/gl_window.hpp"

#include <QElapsedTimer>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QSurfaceFormat>
#include <vtkActor.h>
#include <vtkActorCollection.h>
#include <vtkCallbackCommand.h>
#include <vtkCullerCollection.h>
#include <vtkNew.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLState.h>
#include <vtkProperty.h>
#include <vtkRenderStepsPass.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>
#include <vtkVersion.h>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {

void setSurfaceFormat() {
  QSurfaceFormat format;
  format.setRenderableType(QSurfaceFormat::OpenGL);
  format.setVersion(3, 2);
  format.setProfile(QSurfaceFormat::CoreProfile);
  format.setSwapBehavior(QSurfaceFormat::DoubleBuffer);
  format.setDepthBufferSize(24);
  format.setStencilBufferSize(8);
  // Turn off multi-sampling in Qt, because VTK has its own. Four samples in Qt would double the frame time
  // with software OpenGL.
  format.setSamples(0);
  QSurfaceFormat::setDefaultFormat(format);
}

struct VtkWidget::State {
  vtkNew<GlWindow> window;
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkCallbackCommand> observer;
  bool painting = false;
  bool ready = false;
};

namespace {

/// Answers VTK's requests about the OpenGL context. Makes the context current only if another context is
/// current, because making it current again would bind Qt's framebuffer in the middle of VTK's frame.
void observe(vtkObject*, unsigned long event, void* client, void* data) {
  auto* widget = static_cast<VtkWidget*>(client);
  QOpenGLContext* own = widget->context();
  const bool current = own != nullptr && QOpenGLContext::currentContext() == own;
  if (event == vtkCommand::WindowMakeCurrentEvent) {
    if (own != nullptr && !current) widget->makeCurrent();
  } else if (event == vtkCommand::WindowIsCurrentEvent) {
    *static_cast<bool*>(data) = current;
  } else if (event == vtkCommand::WindowSupportsOpenGLEvent || event == vtkCommand::WindowIsDirectEvent) {
    *static_cast<int*>(data) = 1;
  }
}

}  // namespace

VtkWidget::VtkWidget(QWidget* parent) : QOpenGLWidget(parent), state_(std::make_unique<State>()) {
  state_->window->SetReadyForRendering(false);
  state_->window->SetMultiSamples(0);
  state_->window->AddRenderer(state_->renderer);
  state_->renderer->SetBackgroundAlpha(1.0);
  state_->renderer->GradientBackgroundOn();
  // Remove the cullers. They would examine all cells to find bounds, but there is nothing to cull here.
  state_->renderer->GetCullers()->RemoveAllItems();
  state_->observer->SetCallback(observe);
  state_->observer->SetClientData(this);
  for (const auto event : {vtkCommand::WindowMakeCurrentEvent, vtkCommand::WindowIsCurrentEvent,
                           vtkCommand::WindowSupportsOpenGLEvent, vtkCommand::WindowIsDirectEvent}) {
    state_->window->AddObserver(event, state_->observer);
  }
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

VtkWidget::~VtkWidget() {
  release();
  // Disconnect now, because the base class destroys the context later and then sends a signal, when the
  // members of this class no longer exist.
  if (context() != nullptr) disconnect(context(), nullptr, this, nullptr);
}

vtkRenderer* VtkWidget::renderer() const {
  return state_->renderer;
}

void VtkWidget::setDepthShading(bool on) {
  if (vtkRenderPass* former = state_->renderer->GetPass(); former != nullptr && state_->ready) {
    makeCurrent();
    former->ReleaseGraphicsResources(state_->window);
    doneCurrent();
  }
  if (!on) return state_->renderer->SetPass(nullptr);
  const vtkNew<vtkRenderStepsPass> steps;
  const vtkNew<DepthShading> shading;
  shading->SetDelegatePass(steps);
  state_->renderer->SetPass(shading);
}

void VtkWidget::redraw() {
  frame_pending_ = state_->ready;
  if (!held_) update();
}

void VtkWidget::setHeld(bool held) {
  if (std::exchange(held_, held) == held || held) return;
  if (state_->ready) resizeGL(width(), height());
  if (frame_pending_) update();
}

void VtkWidget::release() {
  if (!state_->ready) return;
  state_->ready = false;
  makeCurrent();
  state_->window->Finalize();
  state_->window->SetReadyForRendering(false);
  doneCurrent();
}

void VtkWidget::initializeGL() {
  // When the widget moves to another window, its context is replaced. VTK must release the old context first.
  connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, &VtkWidget::release, Qt::UniqueConnection);
  state_->window->SetReadyForRendering(true);
  state_->window->SetOwnContext(0);
  state_->window->InitializeFromCurrentContext();
  state_->window->SetFrameBlitModeToNoBlit();
  state_->ready = true;
  const auto named = [&](GLenum what) {
    return QString::fromLatin1(reinterpret_cast<const char*>(context()->functions()->glGetString(what)));
  };
  driver_ = QString("OpenGL %1, %2; ").arg(named(GL_VERSION), named(GL_RENDERER));
}

QString VtkWidget::driverText() const {
  return driver_ + "VTK " + QString::fromLatin1(vtkVersion::GetVTKVersion());
}

void VtkWidget::resizeGL(int, int) {
  if (held_) return;  // A held picture keeps its size.
  const double ratio = devicePixelRatioF();
  state_->window->SetSize(static_cast<int>(width() * ratio), static_cast<int>(height() * ratio));
}

void VtkWidget::paintGL() {
  if (!state_->ready || state_->painting) return;
  state_->painting = true;
  QElapsedTimer timer;
  timer.start();
  if (!held_) {
    frame_pending_ = false;
    ++frames_;
    vtkOpenGLState* gl_state = state_->window->GetState();
    gl_state->Reset();
    gl_state->Push();
    state_->window->Render();
    gl_state->Pop();
  }
  QOpenGLFunctions* gl = context()->functions();
  gl->glDisable(GL_SCISSOR_TEST);
  gl->glBindFramebuffer(GL_DRAW_FRAMEBUFFER, defaultFramebufferObject());
  const int* size = state_->window->GetSize();
  // Copy only the colours. The two framebuffers have different depth formats, and copying the depth would
  // make the whole copy fail.
  state_->window->BlitDisplayFramebuffer(0, 0, 0, size[0], size[1], 0, 0, size[0], size[1],
                                         GL_COLOR_BUFFER_BIT, GL_NEAREST);
  if (!held_) frame_ms_ = static_cast<double>(timer.nsecsElapsed()) / 1e6;
  state_->painting = false;
  if (!held_) emit frameDrawn();
}

namespace {

/// Multiplies the point size and the line width of all actors by `factor`.
void thicken(vtkRenderer& renderer, double factor) {
  vtkActorCollection* actors = renderer.GetActors();
  actors->InitTraversal();
  while (vtkActor* actor = actors->GetNextActor()) {
    vtkProperty* look = actor->GetProperty();
    look->SetPointSize(static_cast<float>(look->GetPointSize() * factor));
    look->SetLineWidth(static_cast<float>(look->GetLineWidth() * factor));
  }
}

}  // namespace

QImage VtkWidget::picture(const QSize& pixels, bool transparent) {
  if (!state_->ready || state_->painting || pixels.isEmpty()) return {};
  makeCurrent();
  state_->painting = true;
  vtkRenderer* renderer = state_->renderer;
  const int* now = state_->window->GetSize();
  const QSize before(now[0], now[1]);
  const double factor = static_cast<double>(pixels.height()) / std::max(1, before.height());
  const bool gradient = renderer->GetGradientBackground();
  std::array<double, 3> background{};
  renderer->GetBackground(background.data());
  if (transparent) {
    renderer->GradientBackgroundOff();
    renderer->SetBackground(0, 0, 0);
    renderer->SetBackgroundAlpha(0);
  }
  thicken(*renderer, factor);
  state_->window->SetSize(pixels.width(), pixels.height());
  vtkOpenGLState* gl_state = state_->window->GetState();
  gl_state->Reset();
  gl_state->Push();
  state_->window->Render();
  const vtkNew<vtkUnsignedCharArray> bytes;
  state_->window->GetRGBACharPixelData(0, 0, pixels.width() - 1, pixels.height() - 1, 1, bytes);
  gl_state->Pop();
  const QImage upside_down(bytes->GetPointer(0), pixels.width(), pixels.height(),
                           qsizetype{4} * pixels.width(), QImage::Format_RGBA8888_Premultiplied);
  QImage image =
      upside_down.mirrored().convertToFormat(transparent ? QImage::Format_ARGB32 : QImage::Format_RGB32);
  thicken(*renderer, 1 / factor);
  renderer->SetGradientBackground(gradient);
  renderer->SetBackground(background.data());
  renderer->SetBackgroundAlpha(1);
  state_->window->SetSize(before.width(), before.height());
  state_->painting = false;
  doneCurrent();
  redraw();
  return image;
}

}  // namespace spira::ui
