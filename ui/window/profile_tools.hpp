// What a run is compared with and tuned by: baselines, the tuning profile and their panels, and the files
// that they are opened from.
#pragma once

#include "ui/jobs/comparing.hpp"
#include "ui/jobs/engine_jobs.hpp"
#include "ui/model/tuning.hpp"
#include "ui/theme/theme.hpp"

#include <QObject>
#include <QStringList>

#include <functional>
#include <utility>

class QTabWidget;

namespace spira::ui {

class CommandSet;
class ComparePanel;
class FileDialogs;
class MapPanel;
class TunePanel;

class ProfileTools : public QObject {
  Q_OBJECT
 public:
  ProfileTools(Workspace* workspace, Selection* selection, Theme* theme, EngineJobs* jobs,
               FileDialogs* dialogs, QObject* parent);
  ~ProfileTools() override;
  ProfileTools(const ProfileTools&) = delete;
  ProfileTools& operator=(const ProfileTools&) = delete;

  [[nodiscard]] Tuning* tuning() const noexcept { return tuning_; }
  [[nodiscard]] Comparing* comparing() const noexcept { return comparing_; }
  [[nodiscard]] ComparePanel* comparePanel() const noexcept { return compare_; }
  [[nodiscard]] MapPanel* mapPanel() const noexcept { return map_; }
  [[nodiscard]] TunePanel* tunePanel() const noexcept { return tune_; }

  void addTabs(QTabWidget* tabs);
  /// `may_replace` returns false if the open profile has to stay; it is called before another one is opened.
  void setMayReplace(std::function<bool()> may_replace) { may_replace_ = std::move(may_replace); }
  void bind(CommandSet& commands);
  /// A tuning profile, or several reports: they are opened here. False: they are not for it.
  bool takes(const QStringList& files);

 signals:
  void failed(const spira::Error& error);
  void openWanted(const QString& file);  ///< a report, as the current run
  /// Which layers the profile speaks for and why not for others. `refused`: it is not used, being of another
  /// device or version, unless a person wants it all the same.
  void profileSaid(const QString& title, const QString& text, bool refused);
  void profileOver(const QString& title);  ///< what was said under this title does not hold any more

 private:
  void openProfile(const QString& file);
  void openProfileDialog();
  void saveDialog();
  void sayTaken();
  void sayRefused();
  void say(bool refused);
  void show(QWidget* panel);

  Workspace* workspace_;
  EngineJobs* jobs_;
  FileDialogs* dialogs_;
  JobRunner* reader_;
  Tuning* tuning_;
  Comparing* comparing_;
  ComparePanel* compare_;
  TunePanel* tune_;
  MapPanel* map_;
  QTabWidget* tabs_ = nullptr;
  std::function<bool()> may_replace_;
  std::shared_ptr<const TuningProfile> refused_;  // it was said of this one
  QString said_;                                  // the title; empty: nothing
};

}  // namespace spira::ui
