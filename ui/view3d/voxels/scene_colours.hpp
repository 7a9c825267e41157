// Computes the displayed colours of all voxels of a mesh: the colouring with its highlights. If a mesh has
// too many voxels to draw, also computes the colours of the points that represent it. All functions are pure,
// so they can run on any thread.
#pragma once

#include "ui/model/scene_look.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

namespace spira::ui {

/// A colour range that stays fixed while the frames of a sequence change, so that a colour means the same
/// value in all frames.
struct HeldRange {
  /// Value of `frame` if the range was computed from several scenes that are shown together.
  static constexpr int all_scenes = -1;
  int frame = 0;  ///< Frame that the range was computed from.
  ValueRange range;
  bool operator==(const HeldRange& other) const {
    return frame == other.frame && range.low == other.range.low && range.high == other.range.high;
  }
};

class HeldRanges {
 public:
  /// Returns the stored range if it comes from another frame. Returns `nullopt` if no range is stored, or if
  /// the range comes from `frame` itself and must be computed again.
  [[nodiscard]] std::optional<HeldRange> of(int frame, ColourBy by, int stride) const;
  void take(ColourBy by, int stride, const HeldRange& range) { ranges_[{by, stride}] = range; }
  void forget() { ranges_.clear(); }

 private:
  std::map<std::pair<ColourBy, int>, HeldRange> ranges_;
};

/// Identifies a colouring of a level, without highlights.
struct ColouringKey {
  std::shared_ptr<const VoxelScene> scene;
  int stride = 0;
  ColourBy colour_by = ColourBy::height;
  ColourSources sources;
  /// Ignores the layer and the map if `colour_by` does not use them, so that selecting another layer does not
  /// compute the same colours again.
  bool operator==(const ColouringKey& other) const;
};
struct Colouring {
  ColouringKey key;
  ColourLook look;
  std::optional<HeldRange> held;  ///< Range that was computed from another frame and is kept for this frame.
  std::optional<ViewPoint> from;  ///< View for which the range was computed.
  /// Mesh for which the range was computed. Voxels that a slab or a class hides do not count.
  std::shared_ptr<const VoxelMesh> seen;
  bool of_all = false;  ///< True if the range was computed from all voxels of the scene in `key`.
  VoxelValues values;
  /// `nullptr` if the values have a fixed scale, or if they are not amounts.
  std::shared_ptr<const ValueHistogram> histogram;
  VoxelColours colours;
};

/// Colours of the points that are drawn while the camera moves, and the data that is needed to highlight
/// offsets in these points immediately. Highlighting all voxels would take longer than the pointer usually
/// stays at an offset.
struct MovingColouring {
  std::shared_ptr<const VoxelMesh> mesh;
  std::shared_ptr<const Colouring> colouring;
  std::shared_ptr<const KernelMap> map;  ///< Map of `columns`; `nullptr` if no map exists.
  std::vector<Rgb> colours;              ///< Shape: [points].
  /// Result of columns_of_groups(). Shape: [points * z_groups]. Empty if no map exists.
  std::vector<std::uint32_t> columns;
};

struct ColourRequest {
  ColouringKey key;
  std::shared_ptr<const VoxelMesh> mesh;  ///< Mesh of the level that `key` names.
  /// Previous colouring. Its data is reused where it is still valid. May be `nullptr`.
  std::shared_ptr<const Colouring> known;
  /// Previous colouring of the points that are drawn while the camera moves. May be `nullptr`.
  std::shared_ptr<const MovingColouring> known_moving;
  ColourLook look;
  std::optional<HeldRange> held;  ///< If set, replaces the range of all voxels.
  ViewPoint from;                 ///< Current view; used if the colour range covers only the voxels in view.
  /// Offsets whose matches are highlighted. If there is more than one offset, voxels are coloured by the
  /// number of matches. Empty if no offset is highlighted.
  std::vector<int> columns;
  /// Voxels to which the highlight is restricted, or `nullptr` if it is not restricted.
  std::shared_ptr<const ChosenRows> chosen;
  std::set<std::uint32_t> hidden_labels;  ///< Classes that the legend shows as hidden.
  Rgb alarm{};                            ///< Colour of selected voxels that do not fit a packing.
  Rgb background{};                       ///< Colour towards which all voxels without a highlight fade.
};
struct SceneColours {
  std::shared_ptr<const VoxelMesh> mesh;
  std::shared_ptr<const Colouring> colouring;
  ColourLegend legend;
  /// Legend of a highlighted group of offsets. If set, it replaces `legend`.
  std::optional<ColourLegend> group;
  std::shared_ptr<const MovingColouring> moving_colouring;  ///< `nullptr` if the mesh is drawn in full.
  std::vector<Rgb> shown;                                   ///< Shape: [voxels of the mesh].
  /// Colours of the points that represent the mesh; empty if it is drawn in full.
  std::vector<Rgb> moving, still;
};

/// Colours the mesh of the request. After a stop request, the result must not be used.
[[nodiscard]] SceneColours colour_scene(const ColourRequest& request, const std::stop_token& stop);

/// Returns true if two requests give the same colours, so that the second one needs no work.
[[nodiscard]] bool gives_same_colours(const ColourRequest& one, const ColourRequest& other);

/// Colours only the points that are drawn while the camera moves, from the data of previous colourings. Takes
/// a few milliseconds. Returns an empty list if this data is not sufficient.
[[nodiscard]] std::vector<Rgb> colour_moving(const ColourRequest& request);

}  // namespace spira::ui
