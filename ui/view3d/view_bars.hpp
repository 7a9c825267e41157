// The rows of controls above and below the 3D view: stride chips, colouring, active highlights, frames.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSlider;
class QToolButton;

namespace spira::ui {

/// Stride chips 1 2 4 8 16, colour-by, and a chip with a cross for each active highlight.
class ViewTopBar : public QWidget {
  Q_OBJECT
 public:
  ViewTopBar(Workspace* workspace, Selection* selection, QWidget* parent);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillStrides();
  void fillColours();
  void fillHighlights();

  Workspace* workspace_;
  Selection* selection_;
  QWidget *strides_, *highlights_;
  QComboBox* colours_;
  QLabel *stride_label_ = nullptr, *colour_label_ = nullptr;
};

/// Previous, slider, next: shown when a folder of frames is open.
class FrameBar : public QWidget {
  Q_OBJECT
 public:
  FrameBar(Workspace* workspace, QWidget* parent);

 signals:
  void frameRequested(int frame);

 private:
  void follow();

  Workspace* workspace_;
  QSlider* slider_;
  QLabel* label_;
};

}  // namespace spira::ui
