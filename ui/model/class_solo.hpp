// Shows one class of a scene alone, and restores the classes that were visible before.
#pragma once

#include "ui/model/selection.hpp"

#include <cstdint>
#include <set>

namespace spira::ui {

class ClassSolo {
 public:
  /// Hides all classes of `all` except `label`. If `label` is shown alone already, restores the previous
  /// visibility. `all`: class labels of the scene.
  void toggle(Selection& selection, std::uint32_t label, const std::set<std::uint32_t>& all);

 private:
  std::set<std::uint32_t> before_, since_;  // Hidden labels before a class was shown alone, and while it is.
};

}  // namespace spira::ui
