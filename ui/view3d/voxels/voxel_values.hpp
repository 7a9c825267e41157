// The values by which the voxels of a level are coloured: one array for each colouring. All functions are
// pure.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "ui/model/selection.hpp"
#include "ui/view3d/view_detail.hpp"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira::ui {

// Collects the results by which the voxels of a stride can be coloured. The results must belong to exactly
// these voxels.

/// Input of a colouring at one stride. A pointer is `nullptr` if its data do not exist for this stride.
struct ColourSources {
  std::shared_ptr<const LayerResult> layer{};
  std::shared_ptr<const KernelMap> map{};
  /// Threshold t of the layer to which the map belongs, for ColourBy::threshold_sides. -1 if the map
  /// belongs to no layer.
  int threshold = -1;
  std::array<Rgb, 2> sides{};                 ///< Colours of output-stationary and weight-stationary matches.
  std::vector<int> columns{};                 ///< Selected offsets (columns) of the map.
  std::shared_ptr<const VoxelScene> other{};  ///< Scene to compare with.
  bool operator==(const ColourSources&) const = default;
};
/// Returns the data of the selected layer. If no layer is selected, returns the data of the scene. If the
/// user tries a t for a layer, ColourBy::threshold_sides uses this layer. Fills in only the members that
/// `colour_by` needs, and never `sides`. The workspace must have voxels of this stride.
[[nodiscard]] ColourSources colour_sources(const Workspace& workspace, const Selection& selection, int stride,
                                           ColourBy colour_by);

/// Returns the current colouring. While the user tries a t, this is `threshold_sides` if this colouring is
/// available.
[[nodiscard]] ColourBy colouring_now(const Workspace& workspace, const Selection& selection);

/// Returns why a colouring is not available at the current stride. Returns an empty string if it is
/// available.
[[nodiscard]] QString colouring_unavailable_reason(ColourBy colour_by, const Workspace& workspace,
                                                   const Selection& selection);

struct ValueRange {
  double low = 0, high = 1;
  bool operator==(const ValueRange&) const = default;
};
/// A scale with fixed colours and a fixed range, which the user cannot change.
struct OwnScale {
  std::vector<Rgb> colours;  ///< Evenly spaced from the low end to the high end.
  ValueRange range;
  QString low_text, high_text;  ///< Meaning of the low end and of the high end.
  QString foot;                 ///< Additional text of the legend.
};

/// A class of voxels with its name, such as "in both scenes".
struct ValueClass {
  QString text;
  Rgb colour{};
  /// Number of voxels of the class that are not in this level. Only the legend shows them.
  std::int64_t elsewhere = 0;
};

/// The values of one colouring. Only one of the arrays `amount`, `label` and `rgb` is filled. Its shape is
/// [voxels of the level].
struct VoxelValues {
  QString title;  ///< Title with unit, for example "height, m".
  /// Explains why another colouring is shown, or how many values are not finite. May be empty.
  QString note;
  std::vector<float> amount;
  std::optional<OwnScale> scale;  ///< Fixed scale of `amount`. Voxels without a value have the amount NaN.
  std::vector<std::uint32_t> label;
  /// Classes to which `label` refers. If empty, `label` holds the labels of the scene.
  std::vector<ValueClass> classes;
  std::string label_format;  ///< Format of the scene, for the names of labels.
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
/// Returns the range of the middle 98 % of the finite values. If the range included all values, a few
/// outliers could make all other voxels look alike.
[[nodiscard]] ValueRange middle_range(std::vector<float> values);
/// Distribution of the finite values of a colouring.
struct ValueHistogram {
  /// Range of the bins: the middle 98 % of the values with a margin, within the smallest and largest value.
  ValueRange range;
  /// Counts of bins with equal width. The last bin includes its upper edge.
  std::vector<std::int64_t> counts;
  std::int64_t below = 0, above = 0;  ///< Number of values outside `range`.
  std::int64_t values = 0;            ///< Number of all finite values.
  /// Quartiles without interpolation: the lower of the two adjacent values.
  double q1 = 0, median = 0, q3 = 0;
};
/// Returns a histogram with 64 bins. If more than a third of the bins are empty, returns 32 or 16 bins
/// instead. O(n).
[[nodiscard]] ValueHistogram histogram_of(std::vector<float> values);
/// Returns the middle range of the voxels that are visible in the picture. If no voxel is visible, uses all
/// voxels. If the level is large, examines only an evenly spaced sample of its voxels.
[[nodiscard]] ValueRange range_in_view(const std::vector<float>& values, const VoxelMesh& mesh,
                                       const ViewPoint& from);

/// Returns the title of the values of ColourBy::height.
[[nodiscard]] QString height_title(LengthUnit unit);

// Colourings that count the matches of a kernel map or compare two scenes. Each of them requires a pass over
// the voxels.

/// Returns for each voxel the percentage of its matches that is computed weight-stationary at t. `sides`
/// holds the colours of output-stationary and of weight-stationary matches.
[[nodiscard]] VoxelValues threshold_side_values(const KernelMap& map, int threshold,
                                                const std::array<Rgb, 2>& sides);
/// Returns for each voxel the percentage of its K^3 neighbours that exist.
[[nodiscard]] VoxelValues density_values(const KernelMap& map);
/// For one to three offsets, returns the subset of the offsets at which each voxel has a match. For more
/// offsets, returns the L1 norm of the nearest match other than the voxel itself. An empty list of offsets
/// means all offsets.
[[nodiscard]] VoxelValues offset_match_values(const KernelMap& map, const std::vector<int>& columns);

/// Returns for each row the distance between its position and the centre of its voxel, in the unit of the
/// scene. The scene must have positions at this stride.
[[nodiscard]] VoxelValues centre_distance_values(const VoxelScene& scene, int stride);
/// Returns for each output the percentage of its triplets that the voxel map with the same kernel size does
/// not have in the same column. Returns NaN for outputs without a triplet. `map` must be native. Its outputs
/// are the level `stride`, and `scene` must have the level of its inputs.
[[nodiscard]] VoxelValues changed_neighbour_values(const VoxelScene& scene, int stride, const KernelMap& map);

/// Divides the voxels of `scene` at `stride` into voxels that are in both scenes and voxels that are only in
/// `scene`. Voxels that are only in `other` are counted but not listed. Voxels are compared by their
/// positions in metres, because the scenes may have different shifts. O(voxels * log voxels).
[[nodiscard]] VoxelValues changed_values(const VoxelScene& scene, int stride, const VoxelScene& other);

}  // namespace spira::ui
