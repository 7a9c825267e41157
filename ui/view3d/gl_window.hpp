// A VTK render window inside a Qt OpenGL context, on X11 and on Wayland.
#pragma once

#include <vtkGenericOpenGLRenderWindow.h>

namespace spira::ui {

/// Works around a bug of Debian's GLEW, which is built for GLX. On Wayland, GLEW loads all OpenGL functions
/// and then reports a missing X11 display. VTK would treat this report as a failure in every frame.
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
