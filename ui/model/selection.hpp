// The selection of the window: layer, stride, offsets and voxels, and the look of the scene. All views read
// and write this object.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "ui/model/scene_look.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

struct ChosenRows;

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
  [[nodiscard]] SceneLook& look() noexcept { return look_; }
  [[nodiscard]] const SceneLook& look() const noexcept { return look_; }

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
  SceneLook look_;
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
