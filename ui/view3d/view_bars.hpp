// The controls around the 3D view: stride chips and colouring above it, active highlights in its corner,
// frames below it.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace spira::ui {

class ElidedLabel;

/// Stride chips 1 2 4 8 16 and colour-by.
class ViewTopBar : public QWidget {
  Q_OBJECT
 public:
  ViewTopBar(Workspace* workspace, Selection* selection, QWidget* parent);
  [[nodiscard]] QSize minimumSizeHint() const override;  ///< of the controls, without their names

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillStrides();
  void fillColours();

  Workspace* workspace_;
  Selection* selection_;
  QWidget* strides_;
  QComboBox* colours_;
  QLabel *stride_label_ = nullptr, *colour_label_ = nullptr;
};

/// A chip with a cross for each active highlight and for the crop, in the upper right corner of the canvas.
class HighlightChips : public QWidget {
  Q_OBJECT
 public:
  HighlightChips(Workspace* workspace, Selection* selection, QWidget* canvas);
  void place();  ///< after the canvas changed its size

 signals:
  void cropResetRequested();

 private:
  void fill();

  Workspace* workspace_;
  Selection* selection_;
};

/// Previous, play, next, slider, rate: shown when a folder of frames is open.
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

  Workspace* workspace_;
  QSlider* slider_;
  QToolButton* play_;
  QComboBox* rate_;
  ElidedLabel* label_;
  bool playing_ = false;
};

}  // namespace spira::ui
