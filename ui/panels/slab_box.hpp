// Shows only what lies between two heights: a slider for the middle, a number for the thickness.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <utility>

class QCheckBox;
class QDoubleSpinBox;
class QSlider;

namespace spira::ui {

/// Where voxels are: around their middle height, a tenth as thick as nearly all of them together.
[[nodiscard]] std::pair<double, double> first_slab(const VoxelScene& scene);

class SlabBox : public QWidget {
  Q_OBJECT
 public:
  SlabBox(Workspace* workspace, Selection* selection, CropBox* crop, QWidget* parent = nullptr);
  void toggle();

 private:
  void follow();
  void take();
  [[nodiscard]] Bounds range() const;

  Workspace* workspace_;
  Selection* selection_;
  CropBox* crop_;
  QCheckBox* on_;
  QSlider* middle_;
  QDoubleSpinBox* thickness_;
  bool placed_ = false;  // somebody chose a slab of this scene
};

}  // namespace spira::ui
