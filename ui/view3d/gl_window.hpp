// The render window of VTK inside a context of Qt, on X11 and on Wayland.
#pragma once

#include <vtkGenericOpenGLRenderWindow.h>

namespace spira::ui {

/// Debian's GLEW is made for GLX: on Wayland it loads all functions of OpenGL, then misses a display of X11,
/// and VTK takes that for a failure at every frame.
class GlWindow : public vtkGenericOpenGLRenderWindow {
 public:
  static GlWindow* New();
  vtkTypeMacro(GlWindow, vtkGenericOpenGLRenderWindow)

      GlWindow(const GlWindow&) = delete;
  GlWindow& operator=(const GlWindow&) = delete;

 protected:
  GlWindow() = default;
  ~GlWindow() override = default;
  void OpenGLInitContext() override;
};

}  // namespace spira::ui
