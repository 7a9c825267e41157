// Eye-dome lighting: darkens pixels just behind an edge, so that depth is visible without a light source.
#pragma once

#include <vtkDepthImageProcessingPass.h>
#include <vtkNew.h>

#include <memory>

class vtkOpenGLFramebufferObject;
class vtkOpenGLQuadHelper;
class vtkOpenGLRenderWindow;
class vtkTextureObject;

namespace spira::ui {

/// Compares each pixel with the drawn pixels around it. The empty background does not count as an edge.
/// Otherwise, every point of a sparse scan would be darkened, as in VTK's own pass.
class DepthShading : public vtkDepthImageProcessingPass {
 public:
  static DepthShading* New();
  vtkTypeMacro(DepthShading, vtkDepthImageProcessingPass)

      DepthShading(const DepthShading&) = delete;
  DepthShading& operator=(const DepthShading&) = delete;

  void Render(const vtkRenderState* state) override;
  void ReleaseGraphicsResources(vtkWindow* window) override;

 protected:
  DepthShading();
  ~DepthShading() override;

 private:
  void draw_scene(const vtkRenderState* state, vtkOpenGLRenderWindow* window);
  void shade(const vtkRenderState* state, vtkOpenGLRenderWindow* window);

  vtkNew<vtkOpenGLFramebufferObject> scene_;
  vtkNew<vtkTextureObject> colour_, depth_;
  std::unique_ptr<vtkOpenGLQuadHelper> quad_;
};

}  // namespace spira::ui
