// Runs a single layer that needs the output of an opaque part. Its input comes from the open capture.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/run/verify/capture.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/tasks.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace spira {
struct LayerResult;
struct VoxelScene;
}  // namespace spira

namespace spira::ui {

class EngineJobs;
class GraphPanel;

class CapturedLayers : public QObject {
  Q_OBJECT
 public:
  /// The whole network and its scene, while one of its layers is open instead.
  struct Whole {
    std::string layer;  ///< The open layer.
    std::shared_ptr<const Network> network;
    std::shared_ptr<const NetworkWeights> weights;
    std::shared_ptr<const PointCloud> cloud;
    std::shared_ptr<const VoxelScene> voxels;
    Plan plan;
  };

  CapturedLayers(const FeatureContext& context, EngineJobs& jobs, GraphPanel& graph);

  /// Opens a layer of the open network, from the open capture, and then calls `opened`. If this is not
  /// possible, shows the error.
  void open(const QString& layer, std::function<void()> opened = {});
  /// Returns `nullptr` if no layer is open from its captured input.
  [[nodiscard]] const Whole* whole() const { return shown() ? &before_->whole : nullptr; }

 private:
  /// Offers to open the layer, or shows why it cannot run.
  void offer(const QString& layer);
  void callOpened();
  /// Opens the whole network and its scene again.
  void goBack();
  /// Compares the output of the layer with the captured output, as soon as the layer has run.
  void compare(int layer);
  void showDifference(const CaptureRow& row);
  [[nodiscard]] bool shown() const;

  /// The whole network, and the input of the layer that is open instead.
  struct Before {
    Whole whole;
    CapturedInput input;
    std::function<void()> opened;  // Called when the input of the layer is the open scene.
  };
  FeatureContext context_;
  EngineJobs& jobs_;
  std::optional<Before> before_;
  TaskSlot comparing_;
  TaskSlot reading_;
};

}  // namespace spira::ui
