#include "ui/view3d/gl_window.hpp"

#include <vtkObjectFactory.h>
#include <vtk_glew.h>  // must precede all other OpenGL headers

#include <array>

namespace spira::ui {

vtkStandardNewMacro(GlWindow)

    void GlWindow::OpenGLInitContext() {
  // Handle only this GLEW error here. In all other cases, VTK initialises OpenGL and reports errors.
  if (Initialized || glewInit() != GLEW_ERROR_NO_GLX_DISPLAY || !GLEW_VERSION_3_2)
    return Superclass::OpenGLInitContext();
  ContextCreationTime.Modified();
  GlewInitValid = Initialized = true;
  std::array<GLfloat, 2> widths{};
  glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, widths.data());
  MaximumHardwareLineWidth = widths[1];
}

}  // namespace spira::ui
