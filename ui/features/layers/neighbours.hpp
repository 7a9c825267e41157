// The choice of the neighbours of all layers of the network: its commands, and a button with a menu for the
// toolbar. Other neighbours make another network, so they are undone, stored and reported as the network is.
#pragma once

#include "engine/map/neighbourhood.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/neighbour_jobs.hpp"

#include <QObject>
#include <QString>

#include <array>
#include <span>

class QLineEdit;
class QSpinBox;
class QToolButton;

namespace spira::ui {

class EngineJobs;

[[nodiscard]] std::span<const CommandFacts> neighbours_commands() noexcept;

class Neighbours : public QObject {
  Q_OBJECT
 public:
  Neighbours(const FeatureContext& context, EngineJobs& jobs);
  /// The jobs that compare the shown map with the map of voxels, for the panels.
  [[nodiscard]] const NeighbourJobs& jobs() const noexcept { return compared_; }
  [[nodiscard]] QToolButton* button() const noexcept { return button_; }

 private:
  void bind();
  void makeButton();
  void follow();
  /// Sets the neighbours of all layers, unless they have this neighbourhood already.
  void use(const Neighbourhood& wanted);
  void useCell(int cell);
  void useRadius();
  void usePositions(PositionKind kind);
  [[nodiscard]] Neighbourhood current() const;
  /// Returns the neighbourhood of this shape with the current cell and radius.
  [[nodiscard]] Neighbourhood wanted(NeighbourShape shape) const;

  FeatureContext context_;
  EngineJobs& jobs_;
  NeighbourJobs compared_;
  QToolButton* button_;
  QSpinBox* cell_;
  QLineEdit* radius_;
  std::array<QString, 3> why_not_;  // Why the shapes cannot be chosen. Commands request it often.
};

}  // namespace spira::ui
