// The colours of all voxels of a mesh as they are drawn: the colouring, what is highlighted in it, and the
// coarser voxels that stand for them while the camera moves. A pure function, so that it runs on any thread.
#pragma once

#include "ui/view3d/colour_sources.hpp"
#include "ui/view3d/voxel_colours.hpp"

#include <memory>
#include <optional>
#include <set>
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
  std::optional<ViewPoint> from;  ///< where the range was taken in view
  VoxelValues values;
  VoxelColours colours;
};

struct ColourRequest {
  ColouringKey key;
  std::shared_ptr<const VoxelMesh> mesh;   ///< of that scene and stride
  std::shared_ptr<const Colouring> known;  ///< as much of it as still holds is used again; may be null
  ColourLook look;
  ViewPoint from;  ///< of the picture, for a range in view
  /// Voxels with a match there are highlighted, at more than one by the number of their matches; empty: no
  /// highlight.
  std::vector<int> columns;
  std::shared_ptr<const ChosenRows> chosen;  ///< and only those of them; null: all
  std::set<std::uint32_t> hidden_labels;     ///< for the legend
  Rgb background{};                          ///< what is not highlighted fades towards it
};
struct SceneColours {
  std::shared_ptr<const VoxelMesh> mesh;
  std::shared_ptr<const Colouring> colouring;
  ColourLegend legend;
  std::optional<ColourLegend>
      group;                ///< of a group of offsets that is highlighted: in place of the other one
  std::vector<Rgb> shown;   ///< [voxels of the mesh]
  std::vector<Rgb> coarse;  ///< [voxels of its coarser mesh]; empty: it has none
};

[[nodiscard]] SceneColours colour_scene(const ColourRequest& request);

}  // namespace spira::ui
