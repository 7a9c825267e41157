// Converts values of voxels to colours, and creates the legend that explains the colours.
#pragma once

#include "ui/theme/colour_maps.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace spira::ui {

struct ColourLegend {
  QString title;  ///< Title with unit, for example "height, m".
  /// Explains why another colouring is shown, or how many values are not finite. May be empty.
  QString note;
  /// Explains the ends of the bar. For example, "middle 98 %" means that 1 % of the values are outside on
  /// each side.
  QString range_text;
  ColourMap map = ColourMap::viridis;
  ValueRange range;  ///< Range of the colour bar.
  /// Distribution of the values. `nullptr` if the legend has no bar.
  std::shared_ptr<const ValueHistogram> histogram{};
  bool bar = false;  ///< True if the legend is a colour bar.
  /// Colours of the bar from its low end to its high end. Empty if the bar uses `map`.
  std::vector<Rgb> scale;
  QString low_text, high_text;  ///< If not empty, these texts replace the numbers at the ends of the bar.
  struct Class {
    std::uint32_t label = 0;
    Rgb colour{};
    std::int64_t voxels = 0;
    QString text;         ///< Example: "10 car".
    bool hidden = false;  ///< True if the voxels of the class are not drawn.
  };
  std::vector<Class> classes;  ///< Classes that the legend shows instead of a bar.
  bool labels = false;         ///< True if the classes are labels of the scene, which can be hidden.
  /// Returns true if the colours have a fixed meaning. In this case, the colours of a highlighted group of
  /// offsets must not replace them.
  [[nodiscard]] bool fixed() const noexcept { return !scale.empty() || (!classes.empty() && !labels); }
};
struct VoxelColours {
  std::vector<Rgb> colour;  ///< Shape: [voxels of the level].
  ColourLegend legend;
};

[[nodiscard]] QString text_of(RangeMode range);
/// Returns the colour at a fraction (0 to 1) of the bar.
[[nodiscard]] Rgb colour_of(const ColourLegend& legend, double share);
/// Converts values to colours. `range` applies to VoxelValues::amount. If all values are equal, all voxels
/// get the middle colour of the map, which is visible on light and dark backgrounds.
[[nodiscard]] VoxelColours paint(const VoxelValues& values, ColourMap map, const ValueRange& range);

}  // namespace spira::ui
