// What the voxels of a level can be coloured by, as numbers: one array a colouring over one set of voxels.
// Pure functions of immutable results.
#pragma once

#include "engine/run/session.hpp"
#include "ui/model/selection.hpp"
#include "ui/view3d/view_detail.hpp"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace spira::ui {

/// One of the three arrays is filled, [voxels of the level].
struct VoxelValues {
  QString title;  ///< "height, m", with unit
  QString note;   ///< why it is not what was asked for; empty: it is
  std::vector<float> amount;
  std::vector<std::uint32_t> label;
  std::string label_format;  ///< of the scene, for the names of labels
  std::vector<Rgb> rgb;
  [[nodiscard]] std::size_t size() const noexcept { return amount.size() + label.size() + rgb.size(); }
};
struct ValueRange {
  double low = 0, high = 1;
};

/// Why a colouring cannot be had now ("the scene has no labels"); empty: it can.
[[nodiscard]] QString why_not_colour(ColourBy colour_by, const VoxelScene& scene, const LayerResult* layer,
                                     const KernelMap* map);

/// `layer` and `map` may be null; those colourings that need them then fall back to height, and the note says
/// so.
[[nodiscard]] VoxelValues voxel_values(const VoxelScene& scene, int stride, ColourBy colour_by,
                                       const LayerResult* layer, const KernelMap* map);
/// The middle 98 % of the values, so that a few strays do not grey out the rest.
[[nodiscard]] ValueRange middle_range(std::vector<float> values);
/// Of the voxels in the picture; of all where none is. Of a large level an even selection is looked at.
[[nodiscard]] ValueRange range_in_view(const std::vector<float>& values, const VoxelMesh& mesh,
                                       const ViewPoint& from);

}  // namespace spira::ui
