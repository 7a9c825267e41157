// What class labels are called, where the format says so.
#pragma once

#include <QString>

#include <cstdint>
#include <string_view>

namespace spira::ui {

/// "10 car" for formats whose labels are those of SemanticKITTI (kitti, and the built-in street), else the
/// number.
[[nodiscard]] QString label_text(std::string_view format, std::uint32_t label);

}  // namespace spira::ui
