// From the values of voxels to their colours and the legend that says what the colours mean.
#pragma once

#include "ui/theme/colour_maps.hpp"
#include "ui/view3d/voxel_values.hpp"

#include <QString>

#include <cstdint>
#include <vector>

namespace spira::ui {

struct ColourLegend {
  QString title;       ///< "height, m", with unit
  QString note;        ///< why it is not what was asked for; empty: it is
  QString range_text;  ///< what the ends of the bar are: "middle 98 %", the middle of the values
  ColourMap map = ColourMap::viridis;
  ValueRange range;  ///< of the colour bar
  bool bar = false;  ///< amounts have one
  /// Of a bar with colours of its own, from its low end to its high one; empty: those of the map.
  std::vector<Rgb> scale;
  QString low_text, high_text;  ///< in place of the numbers at its ends; empty: these
  struct Class {
    std::uint32_t label = 0;
    Rgb colour{};
    std::int64_t voxels = 0;
    QString text;         ///< "10 car"
    bool hidden = false;  ///< not drawn
  };
  std::vector<Class> classes;  ///< instead of a bar
  bool labels = false;         ///< they are those of the scene, and can be hidden
  /// The colours mean something of their own: no group of offsets is painted over them.
  [[nodiscard]] bool fixed() const noexcept { return !scale.empty() || (!classes.empty() && !labels); }
};
struct VoxelColours {
  std::vector<Rgb> colour;  ///< [voxels of the level]
  ColourLegend legend;
};

[[nodiscard]] QString text_of(RangeMode range);
/// Of a bar, at a share of its height.
[[nodiscard]] Rgb colour_of(const ColourLegend& legend, double share);
/// `range` counts for amounts. Values that are all equal get the middle of the map, seen on both backgrounds.
[[nodiscard]] VoxelColours paint(const VoxelValues& values, ColourMap map, const ValueRange& range);

}  // namespace spira::ui
