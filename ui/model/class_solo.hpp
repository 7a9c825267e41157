// One class of a scene alone, and all as they were before.
#pragma once

#include "ui/model/selection.hpp"

#include <cstdint>
#include <set>

namespace spira::ui {

class ClassSolo {
 public:
  /// That class alone; the second time what was shown before. `all`: labels of the scene.
  void toggle(Selection& selection, std::uint32_t label, const std::set<std::uint32_t>& all);

 private:
  std::set<std::uint32_t> before_, since_;  // hidden before a class was shown alone, and since
};

}  // namespace spira::ui
