// What the voxels of a level can be coloured by, as numbers: one array a colouring over one set of voxels.
// Pure functions of immutable results.
#pragma once

#include "engine/run/session.hpp"
#include "ui/model/selection.hpp"
#include "ui/view3d/colour_sources.hpp"
#include "ui/view3d/view_detail.hpp"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira::ui {

struct ValueRange {
  double low = 0, high = 1;
};
/// Colours with a meaning of their own: neither map nor range are for the user to choose.
struct OwnScale {
  std::vector<Rgb> colours;  ///< evenly from the low end to the high one
  ValueRange range;
  QString low_text, high_text;  ///< what the ends mean
  QString foot;                 ///< what else the legend says
};

/// What some voxels have in common.
struct ValueClass {
  QString text;
  Rgb colour{};
  std::int64_t elsewhere = 0;  ///< voxels that are not of this level, for the legend alone
};

/// One of the three arrays is filled, [voxels of the level].
struct VoxelValues {
  QString title;  ///< "height, m", with unit
  QString note;   ///< why it is not what was asked for; empty: it is
  std::vector<float> amount;
  std::optional<OwnScale> scale;  ///< of `amount`, which is NaN where a voxel has none
  std::vector<std::uint32_t> label;
  std::vector<ValueClass> classes;  ///< that `label` counts through; empty: it is that of the scene
  std::string label_format;         ///< of the scene, for the names of labels
  std::vector<Rgb> rgb;
  [[nodiscard]] std::size_t size() const noexcept { return amount.size() + label.size() + rgb.size(); }
};

/// Why a colouring cannot be had now ("the scene has no labels"); empty: it can.
[[nodiscard]] QString why_not_colour(ColourBy colour_by, const VoxelScene& scene, int stride,
                                     const ColourSources& sources);

/// Colourings whose sources are missing fall back to height, and the note says so.
[[nodiscard]] VoxelValues voxel_values(const VoxelScene& scene, int stride, ColourBy colour_by,
                                       const ColourSources& sources);
/// Returns the range of the middle 98 % of the finite values, so that a few strays do not grey out the rest.
[[nodiscard]] ValueRange middle_range(std::vector<float> values);
/// Of the voxels in the picture; of all where none is. Of a large level an even selection is looked at.
[[nodiscard]] ValueRange range_in_view(const std::vector<float>& values, const VoxelMesh& mesh,
                                       const ViewPoint& from);

[[nodiscard]] QString height_title();  ///< of the values of ColourBy::height

}  // namespace spira::ui
