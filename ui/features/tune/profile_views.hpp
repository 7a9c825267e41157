// Connects the views of measured runs: the advice and its evidence, the comparison, and the tuning profile.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/model/notices.hpp"

#include <QObject>
#include <QString>

namespace spira {
struct Advice;
}  // namespace spira

namespace spira::ui {

class BreakdownPanel;
class ComparedScenes;
class DensityPanel;
class DockLayout;
class EngineJobs;
class ParameterHistory;
class ProfileTools;
class SummaryPanel;
class SweepPanel;
class TimelinePanel;

class ProfileViews : public QObject {
  Q_OBJECT
 public:
  struct Views {
    DensityPanel& density;
    SummaryPanel& summary;
    BreakdownPanel& breakdown;
    SweepPanel& sweep;
    TimelinePanel& timeline;
    ComparedScenes& compared;
    DockLayout& docks;
  };
  ProfileViews(const FeatureContext& context, ProfileTools& tools, EngineJobs& jobs,
               ParameterHistory& history, const Views& views);

 private:
  void addJobBars(EngineJobs& jobs);
  void followMap(EngineJobs& jobs);
  void connectProfile(ParameterHistory& history);
  void connectCompared();
  void showEvidence(const Advice& advice);
  void showTimeOf(int layer);
  void setMapStopped(bool stopped);

  FeatureContext context_;
  ProfileTools& tools_;
  Views views_;
  Notices::Id profile_notice_ = 0;
};

}  // namespace spira::ui
