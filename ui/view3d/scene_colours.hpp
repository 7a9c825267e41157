// The colours of all voxels of a mesh as they are drawn: the colouring, what is highlighted in it, and what
// stands for them where they are too many to be drawn. Pure functions, so that they run on any thread.
#pragma once

#include "ui/view3d/colour_sources.hpp"
#include "ui/view3d/held_ranges.hpp"
#include "ui/view3d/voxel_colours.hpp"

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

namespace spira::ui {

/// A colouring of a level, without highlights.
struct ColouringKey {
  std::shared_ptr<const VoxelScene> scene;
  int stride = 0;
  ColourBy colour_by = ColourBy::height;
  ColourSources sources;
  bool operator==(const ColouringKey&) const = default;
};
struct Colouring {
  ColouringKey key;
  ColourLook look;
  std::optional<HeldRange> held;          ///< the range of another frame was taken over
  std::optional<ViewPoint> from;          ///< where the range was taken in view
  std::shared_ptr<const VoxelMesh> seen;  ///< and of which mesh: a slab or a class hides voxels of it
  bool of_all = false;                    ///< the range is that of all its own voxels
  VoxelValues values;
  VoxelColours colours;
};

/// A colouring of the points that are drawn while the camera moves, and what is needed to highlight offsets
/// in them at once: a highlight of all voxels takes longer than a pointer rests.
struct MovingColouring {
  std::shared_ptr<const VoxelMesh> mesh;
  std::shared_ptr<const Colouring> colouring;
  std::vector<Rgb> colours;            ///< [points]
  std::vector<std::uint32_t> columns;  ///< of columns_of_groups(), [points * z_groups]; empty: no map
};

struct ColourRequest {
  ColouringKey key;
  std::shared_ptr<const VoxelMesh> mesh;   ///< of that scene and stride
  std::shared_ptr<const Colouring> known;  ///< as much of it as still holds is used again; may be null
  std::shared_ptr<const MovingColouring> known_moving;  ///< the same
  ColourLook look;
  std::optional<HeldRange> held;  ///< in place of the range of all voxels
  ViewPoint from;                 ///< of the picture, for a range in view
  /// Voxels with a match there are highlighted, at more than one by the number of their matches; empty: no
  /// highlight.
  std::vector<int> columns;
  std::shared_ptr<const ChosenRows> chosen;  ///< and only those of them; null: all
  std::set<std::uint32_t> hidden_labels;     ///< for the legend
  Rgb alarm{};                               ///< of chosen voxels that keep a packing from fitting
  Rgb background{};                          ///< what is not highlighted fades towards it
};
struct SceneColours {
  std::shared_ptr<const VoxelMesh> mesh;
  std::shared_ptr<const Colouring> colouring;
  ColourLegend legend;
  std::optional<ColourLegend>
      group;  ///< of a group of offsets that is highlighted: in place of the other one
  std::shared_ptr<const MovingColouring> moving_colouring;  ///< null: nothing stands for the mesh
  std::vector<Rgb> shown;                                   ///< [voxels of the mesh]
  std::vector<Rgb> moving, still;  ///< of what stands for the mesh; empty: nothing does
};

/// Anything when stopped.
[[nodiscard]] SceneColours colour_scene(const ColourRequest& request, const std::stop_token& stop);

/// The same of the moving points alone, from what is known; in milliseconds. Empty: it cannot be had so.
[[nodiscard]] std::vector<Rgb> colour_moving(const ColourRequest& request);

}  // namespace spira::ui
