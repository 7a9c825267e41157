// What is chosen: layer, stride, offsets, voxel, colouring. The one owner; every view reads and writes it
// here.
#pragma once

#include "engine/voxel/pack_spec.hpp"

#include <QObject>

#include <optional>
#include <vector>

namespace spira::ui {

enum class ColourBy { height, intensity, colour, label, points_per_voxel, match_count, feature_norm };

struct ChosenVoxel {
  Voxel voxel{};
  int stride = 1;
  bool operator==(const ChosenVoxel&) const = default;
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
  [[nodiscard]] ColourBy colourBy() const noexcept { return colour_by_; }

  // Each setter signals only a real change.
  void setLayer(int layer);
  void setStride(int stride);
  void setColumns(std::vector<int> columns);  ///< sorted and made unique here; empty: no highlight
  void setVoxel(std::optional<ChosenVoxel> voxel);
  void setColourBy(ColourBy colour_by);
  void clear();  ///< offsets, voxel and layer

 signals:
  void layerChanged(int layer);
  void strideChanged(int stride);
  void columnsChanged();
  void voxelChanged();
  void colourByChanged();

 private:
  int layer_ = -1;
  int stride_ = 1;
  std::vector<int> columns_;
  std::optional<ChosenVoxel> voxel_;
  ColourBy colour_by_ = ColourBy::height;
};

}  // namespace spira::ui
