// The commands for the network and its layers. They select a network, go from layer to layer, and change the
// threshold t.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/features/layers/captured_layers.hpp"
#include "ui/features/layers/neighbours.hpp"

#include <QObject>

#include <span>

class QComboBox;

namespace spira::ui {

class EngineJobs;
class NetworkPanel;

[[nodiscard]] std::span<const CommandFacts> layers_commands() noexcept;

class Layers : public QObject {
  Q_OBJECT
 public:
  Layers(const FeatureContext& context, EngineJobs& jobs, NetworkPanel& list, GraphPanel& graph);
  [[nodiscard]] QComboBox* networkBox() const noexcept { return box_; }
  [[nodiscard]] Neighbours& neighbours() noexcept { return neighbours_; }
  [[nodiscard]] CapturedLayers& captured() noexcept { return captured_; }

 private:
  void makeNetworkBox();
  void chooseNetwork(const QString& id);
  void followNetwork();
  void showTip();
  void bindNetworks();
  void bindLayers();
  /// Connects the columns and the names of the layer list with the settings that store them.
  void bindList(NetworkPanel& list);
  /// Selects the layer and shows its outputs in the 3D view. The panels follow the selection.
  void showLayer(int layer);
  void changeThreshold(int step);

  FeatureContext context_;
  EngineJobs& jobs_;
  QComboBox* box_;
  Neighbours neighbours_;
  CapturedLayers captured_;
};

}  // namespace spira::ui
