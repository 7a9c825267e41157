#include "ui/view3d/bounded_mapper.hpp"

#include <vtkObjectFactory.h>
#include <vtkPolyData.h>

namespace spira::ui {

vtkStandardNewMacro(BoundedMapper)

    void BoundedMapper::ComputeBounds() {
  const vtkMTimeType now = GetInput() == nullptr ? 0 : GetInput()->GetMeshMTime();
  if (now != 0 && now == mesh_time_) return;
  mesh_time_ = now;
  vtkOpenGLPolyDataMapper::ComputeBounds();
}

}  // namespace spira::ui
