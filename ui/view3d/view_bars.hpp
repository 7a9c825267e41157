// Controls around the 3D view: stride chips, colouring and modes above it, frame controls below it.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <map>
#include <vector>

class QAction;
class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace spira::ui {

class ElidedLabel;

/// The bar above the 3D view: stride chips (1 2 4 8 16), a menu of the other levels of the network, the list
/// of colourings, and the mode buttons or a menu of the modes.
class ViewTopBar : public QWidget {
  Q_OBJECT
 public:
  ViewTopBar(Workspace* workspace, Selection* selection, QWidget* parent);
  /// Returns the size of the bar without labels.
  [[nodiscard]] QSize minimumSizeHint() const override;
  void addMode(QAction* action);  ///< Adds a button that stays pressed while the action is checked.

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// Returns the width of the bar without the labels, the modes and the list of colourings.
  [[nodiscard]] int fixedWidth() const;
  void fillStrides();
  void makeStrides(const std::vector<int>& strides);
  [[nodiscard]] QToolButton* makeLevelMenu();
  void fillLevelMenu();
  void fillColours();

  Workspace* workspace_;
  Selection* selection_;
  QWidget *strides_, *modes_;
  QToolButton* mode_menu_;  // Button with a menu that replaces the buttons in `modes_` in a narrow view.
  std::map<int, QToolButton*> chips_;  // The stride buttons, by stride.
  QToolButton* level_menu_ = nullptr;  // Button for the levels of the network that do not use the floor rule.
  QComboBox* colours_;
  QLabel *stride_label_ = nullptr, *colour_label_ = nullptr;
};

/// Buttons, slider and rate for the frames of a folder. Visible only if more than one frame is open.
/// Shows the frame of the open sequence, or of the open batch, and requests other frames.
class FrameBar : public QWidget {
  Q_OBJECT
 public:
  FrameBar(Workspace* workspace, QWidget* parent);
  void setPlaying(bool playing);

 signals:
  void frameRequested(int frame);
  void playRequested();
  void rateRequested(int frames_per_second);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void follow();
  void followBatch();
  [[nodiscard]] int frame() const;

  Workspace* workspace_;
  QSlider* slider_;
  QToolButton* play_;
  QComboBox* rate_;
  ElidedLabel* label_;
  bool playing_ = false;
};

}  // namespace spira::ui
