// The look of the voxels in the 3D views: colouring, style, and the voxels that are not drawn.
#pragma once

#include "ui/theme/colour_maps.hpp"

#include <QObject>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace spira::ui {

enum class VoxelStyle {
  automatic,  ///< Draws cubes if a voxel covers three pixels or more on the screen, otherwise points.
  points,
  cubes,  ///< Draws cubes, unless too many voxels are in view.
  outlined,
};

[[nodiscard]] constexpr bool always_cubes(VoxelStyle style) noexcept {
  return style == VoxelStyle::cubes || style == VoxelStyle::outlined;
}

enum class ColourBy {
  height,
  intensity,
  colour,
  label,
  points_per_voxel,
  match_count,
  feature_norm,
  threshold_sides,  ///< Share of the matches that are computed weight-stationary at t.
  density,          ///< Share of the K^3 neighbours that are occupied.
  /// If up to 3 offsets are selected, shows which of them have a match. Otherwise shows the smallest L1 norm
  /// of all offsets that have a match.
  offset_match,
  changed,            ///< Shows whether the compared scene also contains the voxel.
  centre_distance,    ///< Distance between the position of a row and the centre of its voxel.
  changed_neighbours  ///< Share of the triplets that the voxel map has not, or has in another column.
};
constexpr int colourings = static_cast<int>(ColourBy::changed_neighbours) + 1;

/// The values at the two ends of the colour map.
enum class RangeMode {
  all,    ///< The middle 98 % of the values of all voxels.
  view,   ///< The range of the voxels in view.
  typed,  ///< Limits that the user typed.
};

/// Defines how values become colours, for all frames of a sequence. Each colouring has its own typed range.
struct ColourLook {
  ColourMap map = ColourMap::viridis;
  RangeMode range = RangeMode::all;
  std::map<ColourBy, std::pair<double, double>> typed;
  bool operator==(const ColourLook&) const = default;
};

/// Defines which voxels of a scene are not drawn.
struct Hiding {
  std::set<std::uint32_t> labels;
  /// If set, hides all voxels whose centre is not between these two heights.
  std::optional<std::pair<double, double>> slab_m;
};

/// Each setter emits its signal only if the value changes.
class SceneLook : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  [[nodiscard]] ColourBy colourBy() const noexcept { return colour_by_; }
  [[nodiscard]] const ColourLook& colours() const noexcept { return colours_; }
  [[nodiscard]] const std::set<std::uint32_t>& hiddenLabels() const noexcept { return hiding_.labels; }
  /// Returns the lowest and highest z that are drawn, in metres. Returns an empty value if all heights are
  /// drawn.
  [[nodiscard]] const std::optional<std::pair<double, double>>& slab() const noexcept {
    return hiding_.slab_m;
  }
  [[nodiscard]] const Hiding& hiding() const noexcept { return hiding_; }  ///< hiddenLabels() and slab().
  [[nodiscard]] VoxelStyle voxelStyle() const noexcept { return voxel_style_; }
  /// Returns the size of voxels that are drawn as points, in percent of the usual size.
  [[nodiscard]] int pointPercent() const noexcept { return point_percent_; }
  [[nodiscard]] bool cellsOnPoint() const noexcept { return cells_on_point_; }
  static constexpr int min_point_percent = 50, max_point_percent = 400;

  void setColourBy(ColourBy colour_by);
  void setColours(const ColourLook& colours);
  void setHiddenLabels(const std::set<std::uint32_t>& labels);
  void setSlab(std::optional<std::pair<double, double>> slab);
  void setVoxelStyle(VoxelStyle style);
  void setPointPercent(int percent);
  /// Sets where the cells of a selected row of a native layer are drawn: around its point, or around its
  /// voxel, where the cells of the layer with the neighbourhood voxels are.
  void setCellsOnPoint(bool on);

 signals:
  void colourByChanged();
  void coloursChanged();
  void hiddenLabelsChanged();
  void slabChanged();
  void voxelStyleChanged();
  void pointPercentChanged();
  void cellsOnPointChanged();

 private:
  ColourBy colour_by_ = ColourBy::height;
  ColourLook colours_;
  Hiding hiding_;
  VoxelStyle voxel_style_ = VoxelStyle::automatic;
  int point_percent_ = 100;
  bool cells_on_point_ = true;
};

}  // namespace spira::ui
