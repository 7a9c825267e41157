// The tools that use the left mouse button in the 3D view: outline, distance and crop box. Only one tool is
// active at a time.
#pragma once

#include "ui/view3d/tools/lasso_tool.hpp"

#include <QObject>

class QEvent;

namespace spira::ui {

class CropBox;
class CropTool;
class LassoTool;
class MeasureTool;
class SceneCanvas;
class Tasks;
class Theme;
class ViewParts;
class Workspace;

class SceneTools : public QObject {
  Q_OBJECT
 public:
  SceneTools(Tasks& tasks, Workspace* workspace, CropBox* box, ViewParts* parts, Theme* theme,
             SceneCanvas* canvas);

  [[nodiscard]] LassoTool* lasso() const noexcept { return lasso_; }
  [[nodiscard]] MeasureTool* measure() const noexcept { return measure_; }
  [[nodiscard]] CropTool* crop() const noexcept { return crop_; }
  /// Handles a mouse event. Returns true if a tool consumed the event. In this case, the caller must ignore
  /// the event.
  bool mouse(QEvent* event);

 signals:
  void outlined(const spira::ui::DrawnOutline& drawn);

 private:
  void connectCrop(CropBox* box);
  void connectOutline();

  ViewParts* parts_;
  SceneCanvas* canvas_;
  LassoTool* lasso_;
  MeasureTool* measure_;
  CropTool* crop_;
};

}  // namespace spira::ui
