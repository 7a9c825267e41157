// The selection of the window: layer, stride, offsets, voxel and colouring. All views read and write this
// object.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/colour_maps.hpp"

#include <QObject>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spira::ui {

struct ChosenRows;

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
  changed,  ///< Shows whether the compared scene also contains the voxel.
};
constexpr int colourings = static_cast<int>(ColourBy::changed) + 1;

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

struct ChosenVoxel {
  Voxel voxel{};
  int stride = 1;
  bool operator==(const ChosenVoxel&) const = default;
};

/// The item under the pointer. Other views highlight the item until the pointer leaves it.
struct Hover {
  std::vector<int> columns;
  std::optional<ChosenVoxel> voxel;
  int layer = -1;
  bool operator==(const Hover&) const = default;
};

/// A threshold t that the user tries by dragging the divider of a layer. The plan changes only after the user
/// releases the mouse button.
struct TriedThreshold {
  int layer = -1, threshold = 0;
  bool operator==(const TriedThreshold&) const = default;
};

/// This class has more than 25 public methods, because each value has its own getter, setter and signal.
class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  [[nodiscard]] int layer() const noexcept { return layer_; }  ///< Returns -1 if no layer is selected.
  /// Returns the number of the level that the views display (see SceneLevel). For levels with the floor rule,
  /// this number is the stride.
  [[nodiscard]] int stride() const noexcept { return stride_; }
  /// Returns the kernel map columns of the selected offsets, in ascending order.
  [[nodiscard]] const std::vector<int>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::optional<ChosenVoxel>& voxel() const noexcept { return voxel_; }
  /// Returns true if the 3D view draws the neighbours of the selected voxel. The neighbours are hidden if
  /// they would cover a set of selected voxels.
  [[nodiscard]] bool neighboursShown() const noexcept { return neighbours_shown_; }
  /// Returns the voxels that the user selected with a lasso or rectangle. Returns `nullptr` if there are
  /// none.
  [[nodiscard]] const std::shared_ptr<const ChosenRows>& rows() const noexcept { return rows_; }
  /// Returns the selected kind of stage. It applies to the selected layer, or to all layers if none is
  /// selected. Returns an empty value if no stage is selected.
  [[nodiscard]] const std::optional<StageGroup>& phase() const noexcept { return phase_; }
  [[nodiscard]] const Hover& hover() const noexcept { return hover_; }
  [[nodiscard]] const std::optional<TriedThreshold>& tried() const noexcept { return tried_; }
  [[nodiscard]] ColourBy colourBy() const noexcept { return colour_by_; }
  [[nodiscard]] const std::set<std::uint32_t>& hiddenLabels() const noexcept { return hidden_labels_; }
  /// Returns the lowest and highest z that are drawn, in metres. Returns an empty value if all heights are
  /// drawn.
  [[nodiscard]] const std::optional<std::pair<double, double>>& slab() const noexcept { return slab_; }
  [[nodiscard]] Hiding hiding() const { return {hidden_labels_, slab_}; }
  [[nodiscard]] const ColourLook& look() const noexcept { return look_; }
  [[nodiscard]] VoxelStyle voxelStyle() const noexcept { return drawn_.style; }
  /// Returns the size of voxels that are drawn as points, in percent of the usual size.
  [[nodiscard]] int pointPercent() const noexcept { return drawn_.point_percent; }
  static constexpr int min_point_percent = 50, max_point_percent = 400;

  // Each setter emits its signal only if the value changes.
  void setLayer(int layer);
  void setStride(int stride);
  /// Sets the selected offsets. Sorts the columns and removes duplicates. An empty list removes the
  /// highlight.
  void setColumns(std::vector<int> columns);
  /// Selects a voxel and shows its neighbours. If a coarser stride is set later, the coarse voxel that
  /// contains this voxel is selected. If a finer stride is set, no voxel is selected.
  void setVoxel(std::optional<ChosenVoxel> voxel);
  void setNeighboursShown(bool shown);  ///< Applies until another voxel is selected.
  void setRows(std::shared_ptr<const ChosenRows> rows);
  void setPhase(std::optional<StageGroup> phase);
  void setHover(const Hover& hover);
  void setTried(std::optional<TriedThreshold> tried);
  void setColourBy(ColourBy colour_by);
  void setHiddenLabels(const std::set<std::uint32_t>& labels);
  void setSlab(std::optional<std::pair<double, double>> slab);
  void setLook(const ColourLook& look);
  void setVoxelStyle(VoxelStyle style);
  void setPointPercent(int percent);
  void clear();  ///< Clears the selected offsets, voxels, phase and layer. Other values do not change.

 signals:
  void layerChanged(int layer);
  void strideChanged(int stride);
  void columnsChanged();
  void voxelChanged();
  void voxelChosen();  ///< Emitted if setVoxel() selected a voxel, but not if the stride changed.
  void rowsChanged();
  void phaseChanged();
  void hoverChanged();
  void triedChanged();
  void colourByChanged();
  void lookChanged();
  void voxelStyleChanged();
  void pointPercentChanged();
  void hiddenLabelsChanged();
  void slabChanged();

 private:
  int layer_ = -1;
  int stride_ = 1;
  std::vector<int> columns_;
  std::optional<ChosenVoxel> voxel_;
  // The voxel that the user clicked. `voxel_` is this voxel, or a coarser voxel that contains it. A finer
  // stride restores it.
  std::optional<ChosenVoxel> picked_;
  bool neighbours_shown_ = true;
  std::shared_ptr<const ChosenRows> rows_;
  std::optional<StageGroup> phase_;
  Hover hover_;
  std::optional<TriedThreshold> tried_;
  ColourBy colour_by_ = ColourBy::height;
  ColourLook look_;
  struct {
    VoxelStyle style = VoxelStyle::automatic;
    int point_percent = 100;
  } drawn_;
  std::set<std::uint32_t> hidden_labels_;
  std::optional<std::pair<double, double>> slab_;
};

/// Returns the kernel map for the voxels that the views show. This is the map of the selected layer if the
/// layer was run and its outputs have the selected stride. Otherwise, it is the map of the scene at this
/// stride. `densities` is `nullptr` until a job has built the map.
[[nodiscard]] ShownMap shown_map(const Workspace& workspace, const Selection& selection);
/// Returns true if a layer reads a kernel map that views can show. Layers on points read only the same
/// points. The index -1 stands for the map of the scene.
[[nodiscard]] bool has_shown_map(const Workspace& workspace, int layer);
/// Returns the selected stride. Returns 1 if the selected level does not use the floor rule. This function is
/// for views that can explain or compare only levels with the floor rule.
[[nodiscard]] inline int floor_stride(const Selection& selection) noexcept {
  return selection.stride() < first_numbered_level ? selection.stride() : 1;
}

// The selection that a view displays. It follows the selection of the window unless the user pins the view.

/// A view displays this selection, but user actions in the view change the selection of the window.
class FollowedSelection : public Selection {
  Q_OBJECT
 public:
  FollowedSelection(const Selection* followed, const Workspace* workspace, QObject* parent);

  /// Pins or unpins the view. A change of the network or the scene also unpins the view.
  void setPinned(bool pinned);
  [[nodiscard]] bool pinned() const noexcept { return pinned_; }

 signals:
  void pinnedChanged(bool pinned);

 private:
  void follow();

  const Selection* followed_;
  bool pinned_ = false;
};

/// History of the selection for the commands Back and Forward. All changes that one click causes form one
/// step.
class SelectionHistory : public QObject {
  Q_OBJECT
 public:
  SelectionHistory(Selection* selection, const Workspace* workspace, QObject* parent);

  void back();
  void forward();
  [[nodiscard]] bool canGoBack() const noexcept { return at_ > 0; }
  [[nodiscard]] bool canGoForward() const noexcept { return at_ + 1 < choices_.size(); }

 signals:
  void changed();

 private:
  struct Choice {
    int layer = -1, stride = 1;
    std::vector<int> columns;
    std::optional<ChosenVoxel> voxel;
    std::shared_ptr<const ChosenRows> rows;
    std::optional<StageGroup> phase;
    bool operator==(const Choice&) const = default;
  };
  void noteSoon();
  void note();
  void apply();
  [[nodiscard]] Choice now() const;

  Selection* selection_;
  std::vector<Choice> choices_;
  std::size_t at_ = 0;
  bool pending_ = false, applying_ = false, restart_ = false;
};

}  // namespace spira::ui
