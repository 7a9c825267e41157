// Defines LevelRule, which determines the coordinates of a level from the coordinates of level 0 (section 5.5
// of the Spira paper for the floor rule; docs/network-files.md for both rules).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira {

/// One number per axis, such as the size of a kernel in cells. An int means this number on all axes.
struct PerAxis {
  std::array<int, 3> values{1, 1, 1};

  constexpr PerAxis() = default;
  // Implicit, because nearly all kernels and strides are equal on all axes.
  constexpr PerAxis(int all) : values{all, all, all} {}  // NOLINT(google-explicit-constructor)
  constexpr PerAxis(int x, int y, int z) : values{x, y, z} {}

  [[nodiscard]] constexpr int operator[](std::size_t axis) const noexcept { return values[axis]; }
  [[nodiscard]] constexpr int& operator[](std::size_t axis) noexcept { return values[axis]; }
  [[nodiscard]] constexpr int product() const noexcept { return values[0] * values[1] * values[2]; }
  [[nodiscard]] constexpr int largest() const noexcept {
    const int xy = values[0] > values[1] ? values[0] : values[1];
    return xy > values[2] ? xy : values[2];
  }
  [[nodiscard]] constexpr bool equal() const noexcept {
    return values[0] == values[1] && values[1] == values[2];
  }  ///< True if the three numbers are equal.
  auto operator<=>(const PerAxis&) const = default;
};
/// Returns the number if it is the same on all axes, such as "3", otherwise all three, such as "1x1x3".
[[nodiscard]] std::string text_of(const PerAxis& numbers);
/// Returns all three numbers, such as "3x3x3", for the size of a kernel.
[[nodiscard]] std::string cells_text(const PerAxis& numbers);

/// How a strided layer determines the coordinates of its outputs.
enum class OutputRule : std::uint8_t {
  /// Each input v has the output floor(v / stride). MinkowskiEngine and Spira use this rule.
  floor,
  /// An output o exists if any cell k of its kernel contains an input v: o * stride - padding + k = v, and if
  /// 0 <= o < cells on each axis. spconv, mmcv, SparseConvNet and TorchSparse use this rule.
  reached
};
[[nodiscard]] std::string_view text_of(OutputRule rule) noexcept;  ///< Returns "floor" or "reached".

/// One step from a level to a coarser level, on one axis. The floor rule is the same as the reached rule with
/// kernel == stride, no padding and no limit.
struct AxisStep {
  int kernel = 1, stride = 1, padding = 0;
  /// The number of cells of the coarser level. The level has only the cells from 0 to this number - 1. 0
  /// means that there is no limit in either direction.
  std::int64_t cells = 0;
  bool flat =
      false;  ///< True if all cells become cell 0. Then `cells` is 1 and the other members have no effect.
  auto operator<=>(const AxisStep&) const = default;
};

/// A range of cells, in steps of the stride of a level. Empty if last < first.
struct CellRange {
  std::int64_t first = 0, last = -1;
  [[nodiscard]] constexpr bool empty() const noexcept { return last < first; }
  bool operator==(const CellRange&) const = default;
};

/// Returns the cells of the coarser level that a range of cells reaches by a step. The cells of a kernel are
/// adjacent, so the result is also a range of adjacent cells.
[[nodiscard]] constexpr CellRange reached(const AxisStep& step, CellRange from) noexcept {
  if (step.flat) return from.empty() ? from : CellRange{0, 0};
  const auto floor_of = [&](std::int64_t value) {
    return value >= 0 ? value / step.stride : -((-value + step.stride - 1) / step.stride);
  };
  CellRange to{floor_of(from.first + step.padding - step.kernel + step.stride),
               floor_of(from.last + step.padding)};
  if (step.cells > 0) {
    to.first = to.first < 0 ? 0 : to.first;
    to.last = to.last >= step.cells ? step.cells - 1 : to.last;
  }
  return to;
}

/// Determines the coordinates of a level by the steps that lead to it from its base, on each axis. The base
/// is level 0, or the union of several levels. A kernel is a box, so the axes are independent: a voxel of the
/// base reaches the product of one range of cells per axis, and the level is the union of these boxes. No
/// level between them is needed. Two levels have the same coordinates in every scene if their rules are
/// equal.
class LevelRule {
 public:
  LevelRule() = default;  ///< Level 0.
  /// The union of the coordinates of several levels. Its stride is their smallest stride on each axis.
  [[nodiscard]] static LevelRule joined(const std::vector<LevelRule>& levels);
  /// The level with this stride and the floor rule. Each number must be a power of two.
  explicit LevelRule(PerAxis stride);

  /// Returns the rule of the level that a strided layer produces from this level. `cells` contains the limits
  /// of the reached rule, or zeros if the rule has no limits.
  [[nodiscard]] LevelRule after(OutputRule rule, PerAxis kernel, PerAxis stride, PerAxis padding,
                                const std::array<std::int64_t, 3>& cells) const;

  /// Returns the rule of the level that contains the x and y of this level, with z = 0.
  [[nodiscard]] LevelRule flattened() const;

  /// Returns the rule of the points of a scene (PointRows). Their rows have numbers instead of coordinates:
  /// the key of a row is its number. The stride is 1.
  [[nodiscard]] static LevelRule of_points();
  [[nodiscard]] bool is_points() const noexcept { return points_; }

  /// Returns the levels whose union is the base. Empty if the base is level 0.
  [[nodiscard]] const std::vector<LevelRule>& parts() const noexcept { return parts_; }
  /// Returns the base: level 0, or a union without steps.
  [[nodiscard]] LevelRule base() const;
  /// Returns true if the level is a union itself.
  [[nodiscard]] bool is_union() const noexcept;
  [[nodiscard]] bool is_flat() const noexcept;  ///< Returns true if z was dropped.
  /// Returns the number of levels on which this level depends, including itself. A level counts once for each
  /// union that contains it.
  [[nodiscard]] std::size_t size() const noexcept;

  [[nodiscard]] PerAxis stride() const;  ///< In voxels of level 0.
  [[nodiscard]] const std::vector<AxisStep>& steps(std::size_t axis) const { return steps_.at(axis); }
  /// Returns true if the voxels of the level are floor(v / stride) for all voxels v of level 0.
  [[nodiscard]] bool floor() const noexcept;
  /// Returns the cells that adjacent coordinates of the base reach on one axis. Coordinates are those of the
  /// scene, without the shift of a voxelised scene.
  [[nodiscard]] CellRange cells_of(std::size_t axis, CellRange coordinates) const;
  /// Returns a range on one axis. It contains all cells that adjacent coordinates of level 0 reach.
  [[nodiscard]] CellRange bounds_of(std::size_t axis, CellRange coordinates) const;
  bool operator==(const LevelRule&) const = default;

 private:
  [[nodiscard]] PerAxis base_stride() const;

  std::array<std::vector<AxisStep>, 3> steps_;
  std::vector<LevelRule> parts_;
  bool points_ = false;
};
/// Returns a text such as "8" for the floor rule, or "8x8x16 (reached)". The text of a union is "8 (joined)",
/// "8x8x1 (flat)" has no z, and the text of the points is "points". Other levels can have the same text; see
/// level_text().
[[nodiscard]] std::string text_of(const LevelRule& rule);

/// A level with the number by which maps, views and reports refer to it. If a level uses the
/// floor rule and has the same stride on all axes, its number is its stride. All other levels of a network
/// are numbered from first_numbered_level, in the order in which its layers produce them.
struct SceneLevel {
  int number = 1;
  LevelRule rule{};
  SceneLevel() = default;
  SceneLevel(int level, LevelRule how) : number(level), rule(std::move(how)) {}
  SceneLevel(int stride) : number(stride), rule(PerAxis(stride)) {}  // NOLINT(google-explicit-constructor)
};
constexpr int first_numbered_level = 1'000;
/// Returns the text of a level in messages, tables and names of stages: the result of text_of() for its rule.
/// If several levels have this text, appends a count, as in "8 (reached #2)" for the second such level in
/// ascending order of their numbers. The level must be in `levels`, unless its number is its stride.
[[nodiscard]] std::string level_text(std::span<const SceneLevel> levels, int number);
constexpr int max_level_stride = 64;  ///< The largest stride of a level, on each axis.

/// The properties that determine the shift and the extent of a scene: the strides of all levels, and the
/// levels that can contain cells outside the bounding box of level 0.
struct LevelReach {
  PerAxis coarsest = 1;  ///< The largest stride. The coordinates are shifted by a multiple of it.
  std::vector<LevelRule> reached{};
  LevelReach() = default;
  LevelReach(PerAxis stride) : coarsest(stride) {}         // NOLINT(google-explicit-constructor)
  LevelReach(int stride) : LevelReach(PerAxis(stride)) {}  // NOLINT(google-explicit-constructor)
  void add(const LevelRule& rule);
};

}  // namespace spira
