// The selection of the window: layer, stride, offsets, voxel, colouring. This is its only storage; all views
// read and write it here.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "ui/theme/colour_maps.hpp"

#include <QObject>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spira::ui {

/// Drawing style of voxels.
enum class VoxelStyle {
  automatic,  ///< Cubes if a voxel covers three pixels or more, else points.
  points,
  cubes,     ///< Cubes, as long as all voxels in view can be drawn.
  outlined,  ///< Cubes with their edges.
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
  threshold_sides,  ///< Share of the matches that are weight-stationary at t.
  density,          ///< Share of the K^3 neighbours that are occupied.
  /// Chosen offsets that have a match, if up to 3 offsets are chosen. Otherwise the smallest L1 norm of an
  /// offset with a match.
  offset_match,
  changed,  ///< Presence of the voxel in the compared scene.
};
constexpr int colourings = static_cast<int>(ColourBy::changed) + 1;

/// Selects the values at the ends of the colour map.
enum class RangeMode {
  all,    ///< The middle 98 % of the values of all voxels.
  view,   ///< The range of the voxels in view.
  typed,  ///< Numbers that the user typed.
};

/// How values become colours. All frames of a sequence have the same look. Each colouring keeps its own typed
/// range.
struct ColourLook {
  ColourMap map = ColourMap::viridis;
  RangeMode range = RangeMode::all;
  std::map<ColourBy, std::pair<double, double>> typed;
  bool operator==(const ColourLook&) const = default;
};

/// The voxels of a scene that are not drawn.
struct Hiding {
  std::set<std::uint32_t> labels;
  /// Only voxels whose centre lies between these heights are drawn.
  std::optional<std::pair<double, double>> slab_m;
};

struct ChosenVoxel {
  Voxel voxel{};
  int stride = 1;
  bool operator==(const ChosenVoxel&) const = default;
};

struct ChosenRows;

/// The item under the pointer. All other views tint it until the pointer leaves.
struct Hover {
  std::vector<int> columns;
  std::optional<ChosenVoxel> voxel;
  int layer = -1;
  bool operator==(const Hover&) const = default;
};

/// A t that the user tries by dragging the divider of a layer. The plan keeps its t until the button is
/// released.
struct TriedThreshold {
  int layer = -1, threshold = 0;
  bool operator==(const TriedThreshold&) const = default;
};

/// Has more than 25 public methods, because each value has its own getter, setter and signal.
class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  [[nodiscard]] int layer() const noexcept { return layer_; }  ///< Returns -1 if no layer is chosen.
  /// Returns the stride of the displayed coordinates.
  [[nodiscard]] int stride() const noexcept { return stride_; }
  /// Returns the chosen offsets in ascending order.
  [[nodiscard]] const std::vector<int>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::optional<ChosenVoxel>& voxel() const noexcept { return voxel_; }
  /// Returns true if the 3D view draws the neighbours of the chosen voxel. They are hidden if they would
  /// cover a selected set of voxels.
  [[nodiscard]] bool neighboursShown() const noexcept { return neighbours_shown_; }
  /// Returns the voxels that the user chose with a lasso, or null.
  [[nodiscard]] const std::shared_ptr<const ChosenRows>& rows() const noexcept { return rows_; }
  /// Returns the chosen kind of stage, for the chosen layer or for all layers. Returns an empty value if none
  /// is chosen.
  [[nodiscard]] const std::optional<StageGroup>& phase() const noexcept { return phase_; }
  [[nodiscard]] const Hover& hover() const noexcept { return hover_; }
  [[nodiscard]] const std::optional<TriedThreshold>& tried() const noexcept { return tried_; }
  [[nodiscard]] ColourBy colourBy() const noexcept { return colour_by_; }
  [[nodiscard]] const std::set<std::uint32_t>& hiddenLabels() const noexcept { return hidden_labels_; }
  /// Returns the lowest and highest z that are drawn, in metres. An empty value means no limit.
  [[nodiscard]] const std::optional<std::pair<double, double>>& slab() const noexcept { return slab_; }
  [[nodiscard]] Hiding hiding() const { return {hidden_labels_, slab_}; }
  [[nodiscard]] const ColourLook& look() const noexcept { return look_; }
  [[nodiscard]] VoxelStyle voxelStyle() const noexcept { return voxel_style_; }

  // Setters emit a signal only if the value changes.
  void setLayer(int layer);
  void setStride(int stride);
  /// Sorts the columns and removes duplicates. An empty list removes the highlight.
  void setColumns(std::vector<int> columns);
  /// Chooses a voxel and shows its neighbours. At a coarser stride, the voxel that contains it is chosen; at
  /// a finer stride, none.
  void setVoxel(std::optional<ChosenVoxel> voxel);
  void setNeighboursShown(bool shown);  ///< Applies to the current voxel until another voxel is chosen.
  void setRows(std::shared_ptr<const ChosenRows> rows);
  void setPhase(std::optional<StageGroup> phase);
  void setHover(const Hover& hover);
  void setTried(std::optional<TriedThreshold> tried);
  void setColourBy(ColourBy colour_by);
  void setHiddenLabels(const std::set<std::uint32_t>& labels);
  void setSlab(std::optional<std::pair<double, double>> slab);
  void setLook(const ColourLook& look);
  void setVoxelStyle(VoxelStyle style);
  void clear();  ///< Clears offsets, voxels, phase and layer.

 signals:
  void layerChanged(int layer);
  void strideChanged(int stride);
  void columnsChanged();
  void voxelChanged();
  void voxelChosen();  ///< Emitted if setVoxel() chose a voxel, not if the stride changed.
  void rowsChanged();
  void phaseChanged();
  void hoverChanged();
  void triedChanged();
  void colourByChanged();
  void lookChanged();
  void voxelStyleChanged();
  void hiddenLabelsChanged();
  void slabChanged();

 private:
  int layer_ = -1;
  int stride_ = 1;
  std::vector<int> columns_;
  std::optional<ChosenVoxel> voxel_;
  // The voxel that the user picked; voxel_ contains it or equals it. Restored at finer strides.
  std::optional<ChosenVoxel> picked_;
  bool neighbours_shown_ = true;
  std::shared_ptr<const ChosenRows> rows_;
  std::optional<StageGroup> phase_;
  Hover hover_;
  std::optional<TriedThreshold> tried_;
  ColourBy colour_by_ = ColourBy::height;
  ColourLook look_;
  VoxelStyle voxel_style_ = VoxelStyle::automatic;
  std::set<std::uint32_t> hidden_labels_;
  std::optional<std::pair<double, double>> slab_;
};

}  // namespace spira::ui
