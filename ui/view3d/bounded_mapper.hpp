// A mapper of VTK that knows the bounds of what it draws.
#pragma once

#include <vtkOpenGLPolyDataMapper.h>

namespace spira::ui {

/// VTK walks all cells each time that it is asked, at every move of the camera. Here they are walked once for
/// each mesh: other colours are no other bounds.
class BoundedMapper : public vtkOpenGLPolyDataMapper {
 public:
  static BoundedMapper* New();

  BoundedMapper(const BoundedMapper&) = delete;
  BoundedMapper& operator=(const BoundedMapper&) = delete;

 protected:
  BoundedMapper() = default;
  ~BoundedMapper() override = default;
  void ComputeBounds() override;

 private:
  vtkMTimeType mesh_time_ = 0;  // of the points and cells that were walked
};

}  // namespace spira::ui
