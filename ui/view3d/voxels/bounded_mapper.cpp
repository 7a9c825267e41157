#include "ui/view3d/voxels/bounded_mapper.hpp"

#include <vtkObjectFactory.h>

#include <algorithm>
#include <iterator>

namespace spira::ui {

vtkStandardNewMacro(BoundedMapper)

    void BoundedMapper::ComputeBounds() {
  std::copy(box_.begin(), box_.end(), std::begin(Bounds));
}

}  // namespace spira::ui
