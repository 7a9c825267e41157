// The values by which the voxels of a level are coloured: one array for each colouring. All functions are
// pure.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/view3d/view_detail.hpp"
#include "ui/view3d/voxels/colour_sources.hpp"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira::ui {

struct ValueRange {
  double low = 0, high = 1;
};
/// A scale with fixed colours and a fixed range, which the user cannot change.
struct OwnScale {
  std::vector<Rgb> colours;  ///< evenly spaced from the low end to the high end
  ValueRange range;
  QString low_text, high_text;  ///< meaning of the low end and of the high end
  QString foot;                 ///< additional text of the legend
};

/// A class of voxels with its name, such as "in both scenes".
struct ValueClass {
  QString text;
  Rgb colour{};
  /// Number of voxels of the class that are not in this level; only the legend shows them.
  std::int64_t elsewhere = 0;
};

/// The values of one colouring. Only one of the arrays `amount`, `label` and `rgb` is filled. Its shape is
/// [voxels of the level].
struct VoxelValues {
  QString title;  ///< such as "height, m", with unit
  QString note;   ///< why another colouring is shown, or how many values are not finite; may be empty
  std::vector<float> amount;
  std::optional<OwnScale> scale;  ///< fixed scale of `amount`, which is NaN for voxels without a value
  std::vector<std::uint32_t> label;
  /// Classes that `label` refers to; if empty, `label` holds labels of the scene.
  std::vector<ValueClass> classes;
  std::string label_format;  ///< format of the scene, for the names of labels
  std::vector<Rgb> rgb;
  [[nodiscard]] std::size_t size() const noexcept { return amount.size() + label.size() + rgb.size(); }
};

/// Returns why a colouring is not available, such as "the scene has no labels". Returns an empty string if it
/// is available.
[[nodiscard]] QString colouring_unavailable_reason(ColourBy colour_by, const VoxelScene& scene, int stride,
                                                   const ColourSources& sources);

/// Returns the values of a colouring. If its sources are missing, returns heights and a note with the reason.
[[nodiscard]] VoxelValues voxel_values(const VoxelScene& scene, int stride, ColourBy colour_by,
                                       const ColourSources& sources);
/// Returns the range of the middle 98 % of the finite values, so that a few outliers do not make all other
/// voxels look alike.
[[nodiscard]] ValueRange middle_range(std::vector<float> values);
/// Returns the middle range of the voxels in the picture, or of all voxels if the picture contains none.
/// Examines only an evenly spaced sample of a large level.
[[nodiscard]] ValueRange range_in_view(const std::vector<float>& values, const VoxelMesh& mesh,
                                       const ViewPoint& from);

[[nodiscard]] QString height_title();  ///< title of the values of ColourBy::height

}  // namespace spira::ui
