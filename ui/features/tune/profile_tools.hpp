// Contains the tools for comparing and tuning: the baselines, the tuning profile, their panels, and the
// commands that open their files.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/comparing.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/notices.hpp"
#include "ui/theme/theme.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <span>
#include <string>
#include <utility>

namespace spira {
struct Advice;
}

namespace spira::ui {

class BreakdownPanel;
class ComparedScenes;
class ComparePanel;
class DensityPanel;
class DockLayout;
class EngineJobs;
class FileDialogs;
class MapPanel;
class ParameterHistory;
class SummaryPanel;
class SweepPanel;
class TimelinePanel;
class TunePanel;

[[nodiscard]] std::span<const CommandFacts> tune_commands() noexcept;

class ProfileTools : public QObject {
  Q_OBJECT
 public:
  ProfileTools(const FeatureContext& context, EngineJobs* jobs);

  [[nodiscard]] Tuning* tuning() const noexcept { return tuning_; }
  [[nodiscard]] Comparing* comparing() const noexcept { return comparing_; }
  [[nodiscard]] ComparePanel* comparePanel() const noexcept { return compare_; }
  [[nodiscard]] MapPanel* mapPanel() const noexcept { return map_; }
  [[nodiscard]] TunePanel* tunePanel() const noexcept { return tune_; }

  /// Sets the function that is called before another profile is opened. `may_replace` returns false if the
  /// open profile must stay open.
  void setMayReplace(std::function<bool()> may_replace) { may_replace_ = std::move(may_replace); }
  /// Opens a tuning profile, or several reports as baselines. Returns false if the files are neither.
  bool takes(const QStringList& files);
  /// Removes the first tuning profile from `files` and returns it. Returns an empty string if the files
  /// contain no profile, or only profiles.
  [[nodiscard]] static QString takeProfileFrom(QStringList& files);
  /// Opens a profile and applies it to the open scene. If the profile was measured with another built-in
  /// network, offers to use that network.
  void openAndApply(const QString& file);

 signals:
  void failed(const spira::Error& error);
  void tabRequested(const QString& name);  ///< Requests that the "compare" or the "tune" tab is shown.
  void openWanted(const QString& file);    ///< Emitted for a report that must be opened as the current run.
  /// Reports which layers the profile sets, and why it does not set the other layers. `refused` is true if
  /// the profile belongs to a different device or program version. Such a profile is applied only if the user
  /// requests it explicitly.
  void profileReported(const QString& title, const QString& text, bool refused);
  void profileReportOutdated();  ///< Emitted when the last reported message is no longer valid.
  /// Emitted if an opened profile was measured with another built-in network than the open network.
  void networkOffered(const QString& profile, const QString& network);

 private:
  void bind(CommandSet& commands);
  void bindExports(CommandSet& commands);
  void openProfile(const QString& file, bool apply);
  void applyOpened();
  void openProfileDialog();
  void saveDialog();
  void exportTable(const QString& title, const QString& ending, const std::function<std::string()>& csv);
  void reportUse();
  void reportRefusal();
  void report(bool refused);
  void withdrawReport();

  Workspace* workspace_;
  FileDialogs* dialogs_;
  Tuning* tuning_;
  Comparing* comparing_;
  ComparePanel* compare_;
  TunePanel* tune_;
  MapPanel* map_;
  std::function<bool()> may_replace_;
  // Profile for which a message has already explained why it is not used.
  std::shared_ptr<const TuningProfile> refused_;
  bool reported_ = false;  // True while a message about the profile is shown.
  TaskSlot reading_;
};

/// Connects the views of measured runs: the advice and its evidence, the comparison, and the tuning profile.
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
  void connectProfile(ParameterHistory& history, EngineJobs& jobs);
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
