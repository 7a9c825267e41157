// The Points panel contains the crop of the open scene in metres, and statistics of its points.
#pragma once

#include "engine/run/neighbour_facts.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/panels/panel.hpp"

#include <array>
#include <optional>

class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace spira::ui {

class SelectionBox;
class SlabBox;

class PointsPanel : public Panel {
  Q_OBJECT
 public:
  PointsPanel(Workspace* workspace, Selection* selection, CropBox* crop, Theme* theme,
              QWidget* parent = nullptr);
  /// Sets the facts about the positions, which the statistics contain. Empty if the scene has none.
  void setPositions(const std::optional<PositionFacts>& positions);
  [[nodiscard]] SlabBox* slabBox() const noexcept { return slab_; }
  [[nodiscard]] SelectionBox* selectionBox() const noexcept { return selected_; }

 private:
  void addCrop(QGridLayout* layout);
  void follow() override;
  void followUnit();
  void followBox();
  void followKept();
  void followStatistics();
  void takeEnds();

  CropBox* crop_;
  std::array<QLabel*, 2> titles_{};
  std::array<std::array<QDoubleSpinBox*, 2>, 3> ends_{};
  QLabel *kept_, *statistics_;
  QPushButton *show_, *reset_;
  std::optional<PositionFacts> positions_;
  SlabBox* slab_;
  SelectionBox* selected_;
};

}  // namespace spira::ui
