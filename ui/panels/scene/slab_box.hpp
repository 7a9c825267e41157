// Contains the controls of the height slab. The 3D view hides all voxels outside the slab. A slider sets the
// middle height of the slab, and a number field sets its thickness.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <utility>

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QSlider;

namespace spira::ui {

/// Returns the initial slab. The middle of the slab is the median height of the voxels. Its thickness is a
/// tenth of the height range of the voxels, without the lowest and the highest 1 % of them.
[[nodiscard]] std::pair<double, double> first_slab(const VoxelScene& scene);

class SlabBox : public QWidget {
  Q_OBJECT
 public:
  SlabBox(Workspace* workspace, SceneLook* look, CropBox* crop, QWidget* parent = nullptr);
  void toggle();

 private:
  void follow();
  void take();
  [[nodiscard]] Bounds range() const;

  Workspace* workspace_;
  SceneLook* look_;
  CropBox* crop_;
  QCheckBox* on_;
  QSlider* middle_;
  QLabel* thickness_title_;
  QDoubleSpinBox* thickness_;
  bool placed_ = false;  // True if the user has set a slab for this scene.
};

}  // namespace spira::ui

class QLabel;

namespace spira::ui {

// Describes the voxels that are selected in the 3D view, and contains buttons for the selection commands.

class CommandSet;

class SelectionBox : public QWidget {
  Q_OBJECT
 public:
  explicit SelectionBox(Selection* selection, QWidget* parent = nullptr);
  /// Adds the buttons. Each button shows the name and the tooltip of its command. If the command is disabled,
  /// the tooltip shows the reason.
  void addCommands(const CommandSet& commands);
  [[nodiscard]] QString text() const;

 private:
  void follow();

  Selection* selection_;
  QLabel* text_;
};

}  // namespace spira::ui
