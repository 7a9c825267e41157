// The status bar shows the voxel under the pointer, the running job, the number of voxels, the device, and
// the trust grade of the run.
#pragma once

#include "ui/features/feature_context.hpp"

#include <QLabel>
#include <QObject>
#include <QString>

class QLabel;
class QProgressBar;

namespace spira::ui {

class ElidedLabel;
class EngineJobs;
class LogPanel;
class SceneView;
class SurveyJob;
class Theme;
class Workspace;

/// A label in the status bar that shows the trust grade of the open run. Its tooltip lists the reasons.
class TrustLabel : public QLabel {
  Q_OBJECT
 public:
  TrustLabel(Workspace* workspace, Theme* theme, QWidget* parent);

 private:
  void follow();

  Workspace* workspace_;
  Theme* theme_;
};

class StatusBar : public QObject {
  Q_OBJECT
 public:
  StatusBar(const FeatureContext& context, EngineJobs& jobs, const SceneView& view, LogPanel& log);
  void followSurvey(const SurveyJob& job);

 private:
  void followJobs(EngineJobs& jobs);
  void showActivity(const QString& what, qint64 done, qint64 total);
  void showPace();
  void endActivity();
  void showCount();
  void showDevice();

  FeatureContext context_;
  LogPanel& log_;
  QLabel *count_, *device_;
  ElidedLabel* activity_;
  QProgressBar* progress_;
  QString step_;
};

}  // namespace spira::ui
