// Opens files that are dropped on the window. With Ctrl, appends them to the open frames.
#pragma once

#include "ui/features/feature_context.hpp"

#include <QObject>

class QDropEvent;

namespace spira::ui {

class DropOverlay;
class EngineJobs;
class Opening;

class DropTarget : public QObject {
  Q_OBJECT
 public:
  DropTarget(const FeatureContext& context, EngineJobs& jobs, Opening& opening);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow(QDropEvent* event);
  void drop(QDropEvent* event);

  EngineJobs& jobs_;
  Opening& opening_;
  DropOverlay* overlay_;
};

}  // namespace spira::ui
