// What is chosen: layer, stride, offsets, voxel, colouring. The one owner; every view reads and writes it
// here.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "ui/model/voxel_style.hpp"
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

enum class ColourBy {
  height,
  intensity,
  colour,
  label,
  points_per_voxel,
  match_count,
  feature_norm,
  threshold_sides,  ///< which share of the matches is weight-stationary at t
  density,          ///< share of the K^3 neighbours that are there
  offset_match,     ///< which of the chosen offsets have a match; without a choice, how near the next one is
  changed,          ///< whether the scene compared with has the voxel too
};
constexpr int colourings = static_cast<int>(ColourBy::changed) + 1;

/// What the ends of a colour map stand for.
enum class RangeMode {
  all,    ///< the middle 98 % of all voxels
  view,   ///< of those in the picture
  typed,  ///< numbers given by the user
};

/// How amounts become colours. It stays through a sequence, and a typed range with the colouring it was typed
/// for.
struct ColourLook {
  ColourMap map = ColourMap::viridis;
  RangeMode range = RangeMode::all;
  std::map<ColourBy, std::pair<double, double>> typed;
  bool operator==(const ColourLook&) const = default;
};

/// What of a scene is not drawn.
struct Hiding {
  std::set<std::uint32_t> labels;
  std::optional<std::pair<double, double>> slab_m;  ///< only voxels with their centre between these heights
};

struct ChosenVoxel {
  Voxel voxel{};
  int stride = 1;
  bool operator==(const ChosenVoxel&) const = default;
};

struct ChosenRows;

/// What the pointer is over: shown as a tint in all other views, and forgotten when it leaves.
struct Hover {
  std::vector<int> columns;
  std::optional<ChosenVoxel> voxel;
  int layer = -1;
  bool operator==(const Hover&) const = default;
};

/// A t of a layer that is looked at while its divider is dragged; the plan keeps its own until it is let go.
struct TriedThreshold {
  int layer = -1, threshold = 0;
  bool operator==(const TriedThreshold&) const = default;
};

class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  [[nodiscard]] int layer() const noexcept { return layer_; }    ///< -1: none
  [[nodiscard]] int stride() const noexcept { return stride_; }  ///< of the coordinates shown
  [[nodiscard]] const std::vector<int>& columns() const noexcept {
    return columns_;
  }  ///< chosen offsets, ascending
  [[nodiscard]] const std::optional<ChosenVoxel>& voxel() const noexcept { return voxel_; }
  /// Whether the 3D view has the neighbours of the chosen voxel: a set of voxels around it is hidden by them.
  [[nodiscard]] bool neighboursShown() const noexcept { return neighbours_shown_; }
  /// Voxels that were drawn around; null: none were.
  [[nodiscard]] const std::shared_ptr<const ChosenRows>& rows() const noexcept { return rows_; }
  /// A kind of stage, of all layers or of the chosen one; empty: none.
  [[nodiscard]] const std::optional<StageGroup>& phase() const noexcept { return phase_; }
  [[nodiscard]] const Hover& hover() const noexcept { return hover_; }
  [[nodiscard]] const std::optional<TriedThreshold>& tried() const noexcept { return tried_; }
  [[nodiscard]] ColourBy colourBy() const noexcept { return colour_by_; }
  /// Classes that are not drawn.
  [[nodiscard]] const std::set<std::uint32_t>& hiddenLabels() const noexcept { return hidden_labels_; }
  /// Lowest and highest z that are drawn, in metres; empty: all.
  [[nodiscard]] const std::optional<std::pair<double, double>>& slab() const noexcept { return slab_; }
  [[nodiscard]] Hiding hiding() const { return {hidden_labels_, slab_}; }
  [[nodiscard]] const ColourLook& look() const noexcept { return look_; }
  [[nodiscard]] VoxelStyle voxelStyle() const noexcept { return voxel_style_; }

  // Each setter signals only a real change.
  void setLayer(int layer);
  void setStride(int stride);
  void setColumns(std::vector<int> columns);  ///< sorted and made unique here; empty: no highlight
  /// With its neighbours. At a coarser stride the voxel that it lies in takes its place, at a finer one none.
  void setVoxel(std::optional<ChosenVoxel> voxel);
  void setNeighboursShown(bool shown);  ///< of this voxel, until another choice
  void setRows(std::shared_ptr<const ChosenRows> rows);
  void setPhase(std::optional<StageGroup> phase);
  void setHover(const Hover& hover);
  void setTried(std::optional<TriedThreshold> tried);
  void setColourBy(ColourBy colour_by);
  void setHiddenLabels(const std::set<std::uint32_t>& labels);
  void setSlab(std::optional<std::pair<double, double>> slab);
  void setLook(const ColourLook& look);
  void setVoxelStyle(VoxelStyle style);
  void clear();  ///< offsets, voxels, phase and layer

 signals:
  void layerChanged(int layer);
  void strideChanged(int stride);
  void columnsChanged();
  void voxelChanged();
  void voxelChosen();  ///< by setVoxel(), not by another stride
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
  std::optional<ChosenVoxel> picked_;  // that voxel_ lies in or is; finer strides bring it back
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
