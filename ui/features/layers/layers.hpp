// The network and its layers: choosing a network, going through its layers, and changing the threshold t.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>

#include <span>

class QComboBox;

namespace spira::ui {

class EngineJobs;

[[nodiscard]] std::span<const CommandFacts> layers_commands() noexcept;

class Layers : public QObject {
  Q_OBJECT
 public:
  Layers(const FeatureContext& context, EngineJobs& jobs);
  /// Returns the list of networks for the tool bar.
  [[nodiscard]] QComboBox* networkBox() const noexcept { return box_; }

 private:
  void makeNetworkBox();
  void followNetwork();
  void bindNetworks();
  void bindLayers();
  /// Shows the outputs of the layer in the 3D view. The panels follow the selection.
  void showLayer(int layer);
  void changeThreshold(int step);

  FeatureContext context_;
  EngineJobs& jobs_;
  QComboBox* box_;
};

}  // namespace spira::ui
