// The Voxel panel shows the index, position, packed coordinate and neighbours of the selected voxel, and its
// row of the kernel map.
#pragma once

#include "ui/panels/panel.hpp"

class QLabel;
class QTableWidget;

namespace spira::ui {

class FollowedSelection;
class KeyBits;
class NeighbourCube;

class VoxelPanel : public Panel {
  Q_OBJECT
 public:
  VoxelPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] NeighbourCube* cube() const noexcept { return cube_; }

 private:
  void follow() override;
  /// Returns the position of a row in its voxel, and the number of its points. Returns an empty string if the
  /// scene has no positions at this stride.
  [[nodiscard]] QString positionText(const VoxelScene& scene, int stride, std::int64_t row) const;
  /// `inputs` contains the input rows of each column.
  void fillRow(const std::vector<std::vector<std::int32_t>>& inputs, const ShownMap& shown);
  void chooseNeighbour(int column);
  void markColumns();

  FollowedSelection* shown_;
  QLabel *facts_, *map_title_;
  KeyBits* bits_;
  NeighbourCube* cube_;
  QTableWidget* row_;
};

}  // namespace spira::ui
