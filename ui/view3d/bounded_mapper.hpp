// A mapper of VTK that is told the bounds of what it draws.
#pragma once

#include <vtkOpenGLPolyDataMapper.h>

#include <array>

namespace spira::ui {

/// VTK walks all cells for the first time that it is asked, and at every move of the camera again. Whoever
/// made the mesh knows its bounds, and made it on another thread.
class BoundedMapper : public vtkOpenGLPolyDataMapper {
 public:
  static BoundedMapper* New();

  BoundedMapper(const BoundedMapper&) = delete;
  BoundedMapper& operator=(const BoundedMapper&) = delete;

  /// Low and high of x, y, z.
  void setBox(const std::array<double, 6>& box) { box_ = box; }

 protected:
  BoundedMapper() = default;
  ~BoundedMapper() override = default;
  void ComputeBounds() override;

 private:
  std::array<double, 6> box_{1, -1, 1, -1, 1, -1};  // VTK's sign for nothing
};

}  // namespace spira::ui
