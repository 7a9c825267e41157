// What the voxels of a stride can be coloured by: the results that belong to exactly these voxels.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <memory>

namespace spira::ui {

/// Null where there is none of that stride.
struct ColourSources {
  std::shared_ptr<const LayerResult> layer;
  std::shared_ptr<const KernelMap> map;
  bool operator==(const ColourSources&) const = default;
};
/// Of the chosen layer, else of the scene. The scene must be open and have the stride.
[[nodiscard]] ColourSources colour_sources(const Workspace& workspace, const Selection& selection,
                                           int stride);

/// Why a colouring cannot be had now at the stride shown; empty: it can.
[[nodiscard]] QString why_not_colour_now(ColourBy colour_by, const Workspace& workspace,
                                         const Selection& selection);

}  // namespace spira::ui
