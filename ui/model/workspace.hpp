// The open data: immutable snapshots of the engine's results, with change signals. Jobs store their results
// here, and views read them.
#pragma once

#include "ui/model/baseline_run.hpp"
#include "ui/model/open_scene.hpp"
#include "ui/model/requested_settings.hpp"
#include "ui/model/run_results.hpp"
#include "ui/model/view_update_queue.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace spira {
struct NetworkWeights;
}  // namespace spira

namespace spira::ui {

/// The parts contain the values, their simple setters and their signals. This class contains the network, and
/// the changes that concern several parts, for example a new scene, which removes the results. Such a change
/// emits its signals only after it has changed all parts.
class Workspace : public QObject {
  Q_OBJECT
 public:
  /// The network, the requested settings and all available results.
  struct Contents {
    RequestedSettings::Contents requested;
    OpenScene::Contents scene;
    RunResults::Contents results;
    std::shared_ptr<const Network> network;
    std::shared_ptr<const NetworkWeights> weights;
  };

  explicit Workspace(QObject* parent = nullptr);

  [[nodiscard]] RequestedSettings& requested() noexcept { return requested_; }
  [[nodiscard]] const RequestedSettings& requested() const noexcept { return requested_; }
  [[nodiscard]] OpenScene& scene() noexcept { return scene_; }
  [[nodiscard]] const OpenScene& scene() const noexcept { return scene_; }
  [[nodiscard]] RunResults& results() noexcept { return results_; }
  [[nodiscard]] const RunResults& results() const noexcept { return results_; }
  [[nodiscard]] BaselineRun& baseline() noexcept { return baseline_; }
  [[nodiscard]] const BaselineRun& baseline() const noexcept { return baseline_; }

  /// Returns `nullptr` if no network is open.
  [[nodiscard]] const std::shared_ptr<const Network>& network() const noexcept { return network_; }
  /// Returns the weights that were read from a file. Returns `nullptr` if the weights are random.
  [[nodiscard]] const std::shared_ptr<const NetworkWeights>& weights() const noexcept { return weights_; }
  /// Returns the facts about the back end in use.
  [[nodiscard]] const DeviceFacts& device() const noexcept { return device_; }
  /// Returns the map of layer `layer` if the layer was run, otherwise the map of the scene at stride 1. If
  /// neither map exists, `densities` is `nullptr`.
  [[nodiscard]] ShownMap shownMap(int layer) const;

  /// Opens a recorded run instead of a scene. Removes the cloud, the frames and the voxels. All other data
  /// comes from the report.
  void setReport(std::shared_ptr<const Report> report);
  /// Opens a scene and its cloud, or closes the scene if `voxels` is `nullptr`. Drops the layer results, the
  /// measurement, the sweeps and the report. Does not change the network and the plan.
  void setScene(std::shared_ptr<const VoxelScene> voxels);
  /// Replaces the voxels of the open cloud. Drops the layer results, the measurement and the sweeps, unless
  /// `voxels` is another frame of the open batch.
  void setVoxels(std::shared_ptr<const VoxelScene> voxels);
  /// Sets the network and its weights. If `weights` is `nullptr`, the weights are random. Drops the layer
  /// results, the measurement and the sweeps. Sets the default plan, unless only the weights change.
  void setNetwork(std::shared_ptr<const Network> network,
                  std::shared_ptr<const NetworkWeights> weights = nullptr);
  /// Sets the plan. If its precision is new, drops the trials and the sweeps, because views do not show the
  /// precision in which they were measured.
  void setPlan(const Plan& plan);
  /// Sets RequestedSettings::chosenPrecision(), and the precision of the plan, unless a report is open.
  void choosePrecision(std::optional<Precision> precision);
  /// Sets the device. If the kind of device changes, the default precision changes too. The plan of a report
  /// keeps its recorded precision.
  void setDevice(const DeviceFacts& device);
  /// Sets the result of a layer, or the part of it that belongs to the shown frame of a batch
  /// (frame_result()).
  void setLayer(std::shared_ptr<const LayerResult> result);
  /// Returns a snapshot for restore(). The call is cheap, because the snapshot shares the results instead of
  /// copying them.
  [[nodiscard]] std::shared_ptr<const Contents> keep() const;
  void restore(const Contents& kept);
  /// Returns the queue for view updates that can be deferred.
  [[nodiscard]] ViewUpdateQueue& viewUpdates() const noexcept { return *view_updates_; }
  void addLog(const QString& line);  ///< Adds a line to the Log panel. The panel adds the time in front.

 signals:
  void networkChanged();
  void weightsChanged();  ///< Emitted after the weights changed, also together with the network.
  void deviceChanged();
  void logAdded(const QString& line);

 private:
  void announceAll();
  [[nodiscard]] ShownMap recordedMap(int index) const;
  [[nodiscard]] QString mapTitle(int index, const Levels& levels, const LayerLevels& own) const;
  [[nodiscard]] Precision defaultPrecision() const;

  ViewUpdateQueue* view_updates_;
  RequestedSettings requested_;
  OpenScene scene_;
  RunResults results_{scene_};
  BaselineRun baseline_;
  std::shared_ptr<const Network> network_;
  std::shared_ptr<const NetworkWeights> weights_;
  DeviceFacts device_;
  // Short layer names, and the network to which they belong. Views request titles often.
  mutable std::shared_ptr<const Network> named_network_;
  mutable QStringList short_names_;
};

/// Returns the unit of the open scene or report. Returns metres if nothing is open.
[[nodiscard]] inline LengthUnit unit_of(const Workspace& workspace) noexcept {
  const auto& facts = workspace.scene().facts();
  return facts ? facts->unit : LengthUnit::metres;
}

}  // namespace spira::ui
