// Runs a layer that needs the output of an opaque part, alone, from the input that the open capture contains
// for it.
#pragma once

#include "engine/run/verify/capture.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/tasks.hpp"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace spira {
struct LayerResult;
}  // namespace spira

namespace spira::ui {

class EngineJobs;
class GraphPanel;

class CapturedLayers : public QObject {
  Q_OBJECT
 public:
  CapturedLayers(const FeatureContext& context, EngineJobs& jobs, GraphPanel& graph);

 private:
  /// Offers to open the layer, or shows why it cannot run.
  void offer(const QString& layer);
  void open(const QString& layer);
  /// Opens the whole network and its scene again.
  void goBack();
  /// Compares the output of the layer with the captured output, as soon as the layer has run.
  void compare(int layer);
  void showDifference(const CaptureRow& row);
  [[nodiscard]] bool shown() const;

  /// The whole network and its scene, and the input of the layer that is open instead.
  struct Before {
    std::shared_ptr<const Network> network;
    std::shared_ptr<const NetworkWeights> weights;
    std::shared_ptr<const PointCloud> cloud;
    CapturedInput input;
  };
  FeatureContext context_;
  EngineJobs& jobs_;
  std::optional<Before> before_;
  TaskSlot comparing_;
  TaskSlot reading_;
};

}  // namespace spira::ui
