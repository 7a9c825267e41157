// Shows only what lies between two heights: a slider for the middle, a number for the thickness.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"

#include <QWidget>

class QCheckBox;
class QDoubleSpinBox;
class QSlider;

namespace spira::ui {

class SlabBox : public QWidget {
  Q_OBJECT
 public:
  SlabBox(Selection* selection, CropBox* crop, QWidget* parent = nullptr);
  void toggle();

 private:
  void follow();
  void take();
  [[nodiscard]] Bounds range() const;

  Selection* selection_;
  CropBox* crop_;
  QCheckBox* on_;
  QSlider* middle_;
  QDoubleSpinBox* thickness_;
};

}  // namespace spira::ui
