// The pages that the centre of the window shows while no voxels are open. Also contains the bar that shows
// where a recorded run was measured.
#pragma once

#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QString>

namespace spira::ui {

class EmptyPage;
class SceneView;

class CentrePages : public QObject {
  Q_OBJECT
 public:
  CentrePages(const FeatureContext& context, SceneView& view);
  [[nodiscard]] EmptyPage& empty() const noexcept { return *empty_; }

 signals:
  void openRequested(const QString& scene);
  void dialogRequested();

 private:
  EmptyPage* empty_;
};

}  // namespace spira::ui
