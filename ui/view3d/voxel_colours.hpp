// Values and colours of the voxels of a level, for each way of colouring. Pure functions of immutable
// results.
#pragma once

#include "engine/run/session.hpp"
#include "ui/model/selection.hpp"
#include "ui/theme/colour_maps.hpp"

#include <QString>

#include <utility>
#include <vector>

namespace spira::ui {

struct ColourLegend {
  QString title;                                 ///< "height", with unit
  QString note;                                  ///< why it is not what was asked for; empty: it is
  double low = 0, high = 1;                      ///< of the colour bar
  std::vector<std::pair<Rgb, QString>> classes;  ///< labels instead of a bar
};
struct VoxelColours {
  std::vector<Rgb> colour;  ///< [voxels of the level]
  ColourLegend legend;
};

/// Why a colouring cannot be had now ("the scene has no labels"); empty: it can.
[[nodiscard]] QString why_not_colour(ColourBy colour_by, const VoxelScene& scene, const LayerResult* layer,
                                     const KernelMap* map);

/// `layer` and `map` may be null; those colourings that need them then fall back to
/// height, and the note of the legend says so.
[[nodiscard]] VoxelColours colour_voxels(const VoxelScene& scene, int stride, ColourBy colour_by,
                                         const LayerResult* layer, const KernelMap* map);

/// Rows of the map's outputs that have an input in any of `columns`.
[[nodiscard]] std::vector<bool> rows_matched(const KernelMap& map, const std::vector<int>& columns);

}  // namespace spira::ui
