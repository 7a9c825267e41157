// A VTK mapper whose bounds are set by the caller.
#pragma once

#include <vtkOpenGLPolyDataMapper.h>

#include <array>

namespace spira::ui {

/// Normally, VTK examines all cells to find the bounds when it first needs them, and again when the camera
/// moves. This mapper avoids the work, because the bounds were computed together with the mesh, on another
/// thread.
class BoundedMapper : public vtkOpenGLPolyDataMapper {
 public:
  static BoundedMapper* New();

  BoundedMapper(const BoundedMapper&) = delete;
  BoundedMapper& operator=(const BoundedMapper&) = delete;

  /// Sets the bounds: minimum and maximum of x, y and z.
  void setBox(const std::array<double, 6>& box) { box_ = box; }

 protected:
  BoundedMapper() = default;
  ~BoundedMapper() override = default;
  void ComputeBounds() override;

 private:
  // VTK's convention for empty bounds: minimum above maximum.
  std::array<double, 6> box_{1, -1, 1, -1, 1, -1};
};

}  // namespace spira::ui
