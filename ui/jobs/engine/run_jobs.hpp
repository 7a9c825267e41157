// Chooses the network, runs it on the open scene and measures it.
#pragma once

#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <memory>

namespace spira::ui {

class SceneJobs;

class RunJobs : public QObject {
  Q_OBJECT
 public:
  RunJobs(EngineLane* lane, SceneJobs* scenes, Workspace* workspace, Selection* selection,
          QObject* parent = nullptr);

  /// Chooses a network by id or from a file. EngineLane::failed() reports errors.
  void chooseNetwork(const QString& name_or_file);
  void useNetwork(const std::shared_ptr<const Network>& network);
  void run();  ///< Runs all layers and delivers each result as soon as it is done.
  void runLayer(int layer);
  void measure();

 signals:
  /// Emitted after a measurement. The report also holds the scene, so that it can be compared and stored.
  void measured(const std::shared_ptr<const spira::Report>& report);

 private:
  EngineLane* lane_;
  SceneJobs* scenes_;
  Workspace* workspace_;
  Selection* selection_;
};

}  // namespace spira::ui
