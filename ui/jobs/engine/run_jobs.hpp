// Chooses the network, runs it on the open scene and measures it.
#pragma once

#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <memory>
#include <optional>

namespace spira::ui {

class SceneJobs;

/// Rates of a device, and the precision for which they were measured.
struct KnownRates {
  DeviceFacts device;
  Precision precision = Precision::fp32;
  DeviceRates rates;
  [[nodiscard]] bool fit(const Measurement& measurement) const {
    return device.kind == measurement.device.kind && device.name == measurement.device.name &&
           precision == measurement.plan.precision;
  }
};

/// The memory forecast of one training step, and the run that it belongs to.
struct StepForecast {
  std::size_t bytes = 0;
  std::shared_ptr<const VoxelScene> scene;
  std::shared_ptr<const Network> network;
  Plan plan;
};

class RunJobs : public QObject {
  Q_OBJECT
 public:
  RunJobs(EngineLane* lane, SceneJobs* scenes, Workspace* workspace, Selection* selection,
          QObject* parent = nullptr);

  /// Chooses a network by id or from a file. EngineLane::failed() reports errors.
  /// `neighbourhood` replaces the neighbourhoods of the layers, unless it is voxels.
  void chooseNetwork(const QString& name_or_file, const Neighbourhood& neighbourhood = {});
  /// Sets the neighbourhood of all layers that can have it (set_neighbourhood()). The weights stay.
  void setNeighbourhood(const Neighbourhood& neighbourhood);
  /// Sets the network and its weights. If `weights` is `nullptr`, the weights are random. If the network is
  /// already open, its plan does not change.
  void useNetwork(const std::shared_ptr<const Network>& network,
                  const std::shared_ptr<const NetworkWeights>& weights = nullptr);
  void run();  ///< Runs all layers. Delivers the result of each layer as soon as the layer has run.
  void runLayer(int layer);
  /// Measures the network. If `training` is true, also measures training steps: the forward pass and the
  /// gradients of all layers.
  void measure(bool training = false);
  /// Returns the memory forecast of one training step with the current settings, in bytes. Returns an empty
  /// value before the network has run with these settings, or if it cannot be trained.
  [[nodiscard]] std::optional<std::size_t> stepBytes() const;
  /// Measures the rates of the device. Adds them to the open measurement, and to all later measurements on
  /// this device in the same precision. Does nothing if there is no open measurement.
  void measureRates();

 signals:
  /// Emitted after a measurement. The report also contains the facts about the scene, so that it can be
  /// compared and stored.
  void measured(const std::shared_ptr<const spira::Report>& report);

 private:
  EngineLane* lane_;
  SceneJobs* scenes_;
  Workspace* workspace_;
  Selection* selection_;
  std::optional<KnownRates> known_rates_;      // The rates that were measured last.
  std::optional<StepForecast> step_forecast_;  // The forecast of the last run.
};

}  // namespace spira::ui
