// Names of class labels.
#pragma once

#include <QString>

#include <cstdint>
#include <string_view>

namespace spira::ui {

/// Returns "10 car" for formats with the labels of SemanticKITTI (`kitti` and the generated street), else
/// only the number.
[[nodiscard]] QString label_text(std::string_view format, std::uint32_t label);

}  // namespace spira::ui
