// The commands for the camera of the 3D view, its up axis and projection, and the measured distance.
#pragma once

#include "ui/features/feature_context.hpp"

#include <QObject>

namespace spira::ui {

class ParameterHistory;
class SceneView;

class Camera : public QObject {
  Q_OBJECT
 public:
  Camera(const FeatureContext& context, SceneView& view, ParameterHistory& history);

 private:
  void bindDirections();
  void bindSwitches();
  void followMeasuring(ParameterHistory& history);

  FeatureContext context_;
  SceneView& view_;
};

}  // namespace spira::ui
