// Class labels of points: their names, and showing one class alone.
#pragma once

#include "ui/model/selection.hpp"

#include <QString>

#include <cstdint>
#include <set>
#include <string_view>

namespace spira::ui {

/// Returns "10 car" for formats with the labels of SemanticKITTI (`kitti` and the generated street), else
/// only the number.
[[nodiscard]] QString label_text(std::string_view format, std::uint32_t label);

/// Shows one class of a scene alone, and restores the classes that were visible before.
class ClassSolo {
 public:
  /// Hides all classes of `all` except `label`. If `label` is shown alone already, restores the previous
  /// visibility. `all`: class labels of the scene.
  void toggle(Selection& selection, std::uint32_t label, const std::set<std::uint32_t>& all);

 private:
  std::set<std::uint32_t> before_, since_;  // Hidden labels before a class was shown alone, and since then.
};

}  // namespace spira::ui
