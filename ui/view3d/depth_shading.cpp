#include "ui/view3d/depth_shading.hpp"

#include <vtkCamera.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLQuadHelper.h>
#include <vtkOpenGLRenderUtilities.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLShaderCache.h>
#include <vtkOpenGLState.h>
#include <vtkRenderState.h>
#include <vtkRenderer.h>
#include <vtkShaderProgram.h>
#include <vtkTextureObject.h>
#include <vtk_glew.h>  // must precede all other OpenGL headers

#include <algorithm>
#include <array>
#include <string>

namespace spira::ui {
namespace {

constexpr const char* declarations = R"(
uniform sampler2D colour;
uniform sampler2D depth;
uniform vec2 reach;   // Distance to the compared pixels, as a share of the picture.
uniform vec2 planes;  // Distances of the near and the far clipping plane.
uniform int parallel;
const vec2 around[8] = vec2[8](vec2(1.0, 0.0), vec2(0.7, 0.7), vec2(0.0, 1.0), vec2(-0.7, 0.7),
                               vec2(-1.0, 0.0), vec2(-0.7, -0.7), vec2(0.0, -1.0), vec2(0.7, -0.7));
float metres(float z) {
  return parallel != 0 ? mix(planes.x, planes.y, z) : planes.x * planes.y / (planes.y - z * (planes.y - planes.x));
}
)";

// A pixel is darkest if at least half of its neighbours are nearer to the eye. On a plane at a grazing angle,
// the depths of adjacent pixels differ by only a few thousandths, so the plane stays bright.
constexpr const char* shading = R"(
  float z = texture(depth, texCoord).r;
  float darker = 0.0;
  for (int i = 0; i < 8 && z < 1.0; ++i) {
    float other = texture(depth, texCoord + reach * around[i]).r;
    if (other < z) darker += clamp(25.0 * log2(metres(z) / metres(other)), 0.0, 1.0) / 4.0;
  }
  vec4 drawn = texture(colour, texCoord);
  gl_FragData[0] = vec4(drawn.rgb * mix(1.0, 0.45, min(darker, 1.0)), drawn.a);
  gl_FragDepth = z;
)";

std::string shader() {
  std::string text = vtkOpenGLRenderUtilities::GetFullScreenQuadFragmentShaderTemplate();
  vtkShaderProgram::Substitute(text, "//VTK::FSQ::Decl", declarations);
  vtkShaderProgram::Substitute(text, "//VTK::FSQ::Impl", shading);
  return text;
}

}  // namespace

vtkStandardNewMacro(DepthShading)

    DepthShading::DepthShading() = default;
DepthShading::~DepthShading() = default;

void DepthShading::Render(const vtkRenderState* state) {
  NumberOfRenderedProps = 0;
  auto* window = static_cast<vtkOpenGLRenderWindow*>(state->GetRenderer()->GetRenderWindow());
  ReadWindowSize(state);
  const vtkOpenGLState::ScopedglEnableDisable depth_test(window->GetState(), GL_DEPTH_TEST);
  const vtkOpenGLState::ScopedglEnableDisable blending(window->GetState(), GL_BLEND);
  draw_scene(state, window);
  shade(state, window);
}

void DepthShading::draw_scene(const vtkRenderState* state, vtkOpenGLRenderWindow* window) {
  for (vtkTextureObject* texture : {colour_.Get(), depth_.Get()}) {
    texture->SetContext(window);
    texture->SetMinificationFilter(vtkTextureObject::Nearest);
    texture->SetMagnificationFilter(vtkTextureObject::Nearest);
    texture->SetWrapS(vtkTextureObject::ClampToEdge);
    texture->SetWrapT(vtkTextureObject::ClampToEdge);
  }
  scene_->SetContext(window);
  const auto width = static_cast<unsigned>(Width), height = static_cast<unsigned>(Height);
  if (colour_->GetWidth() != width || colour_->GetHeight() != height) {
    colour_->Create2D(width, height, 4, VTK_UNSIGNED_CHAR, false);
    depth_->AllocateDepth(width, height, vtkTextureObject::Float32);
  }
  window->GetState()->PushFramebufferBindings();
  RenderDelegate(state, Width, Height, Width, Height, scene_, colour_, depth_);
  window->GetState()->PopFramebufferBindings();
}

void DepthShading::shade(const vtkRenderState* state, vtkOpenGLRenderWindow* window) {
  // In larger pictures, compare each pixel with more distant pixels, so that the dark edges keep the same
  // width relative to the picture.
  constexpr double lines_of_a_pixel = 700;
  if (quad_) {
    window->GetShaderCache()->ReadyShaderProgram(quad_->Program);
  } else {
    quad_ = std::make_unique<vtkOpenGLQuadHelper>(window, nullptr, shader().c_str(), "");
  }
  vtkShaderProgram* program = quad_->Program;
  if (program == nullptr) return;
  colour_->Activate();
  depth_->Activate();
  program->SetUniformi("colour", colour_->GetTextureUnit());
  program->SetUniformi("depth", depth_->GetTextureUnit());
  const double pixels = std::max(1.0, Height / lines_of_a_pixel);
  const std::array<float, 2> reach{static_cast<float>(pixels / Width), static_cast<float>(pixels / Height)};
  program->SetUniform2f("reach", reach.data());
  vtkCamera* camera = state->GetRenderer()->GetActiveCamera();
  const std::array<float, 2> planes{static_cast<float>(camera->GetClippingRange()[0]),
                                    static_cast<float>(camera->GetClippingRange()[1])};
  program->SetUniform2f("planes", planes.data());
  program->SetUniformi("parallel", camera->GetParallelProjection());
  vtkOpenGLState* gl = window->GetState();
  gl->vtkglDisable(GL_BLEND);
  gl->vtkglEnable(GL_DEPTH_TEST);
  gl->vtkglDepthMask(GL_TRUE);
  gl->vtkglDepthFunc(GL_ALWAYS);
  gl->vtkglViewport(Origin[0], Origin[1], Width, Height);
  gl->vtkglScissor(Origin[0], Origin[1], Width, Height);
  quad_->Render();
  gl->vtkglDepthFunc(GL_LEQUAL);
  colour_->Deactivate();
  depth_->Deactivate();
}

void DepthShading::ReleaseGraphicsResources(vtkWindow* window) {
  Superclass::ReleaseGraphicsResources(window);
  quad_.reset();
  scene_->ReleaseGraphicsResources(window);
  colour_->ReleaseGraphicsResources(window);
  depth_->ReleaseGraphicsResources(window);
}

}  // namespace spira::ui
