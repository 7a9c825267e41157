// Names of the class labels of points, and a helper that shows a single class.
#pragma once

#include "ui/model/scene_look.hpp"

#include <QString>

#include <cstdint>
#include <set>
#include <string_view>

namespace spira::ui {

/// Returns the number and the name of a label, such as "10 car", for formats with SemanticKITTI labels
/// (`kitti` and the generated street). Returns only the number for all other formats.
[[nodiscard]] QString label_text(std::string_view format, std::uint32_t label);

/// Shows a single class of a scene, and later restores the classes that were visible before.
class ClassSolo {
 public:
  /// Hides all classes except `label`. If `label` is already the only visible class, restores the previous
  /// visibility. `all` contains the class labels of the scene.
  void toggle(SceneLook& look, std::uint32_t label, const std::set<std::uint32_t>& all);

 private:
  // `before_` contains the labels that were hidden before toggle() first showed one class alone. `since_`
  // contains the labels that the last toggle() hid.
  std::set<std::uint32_t> before_, since_;
};

}  // namespace spira::ui
