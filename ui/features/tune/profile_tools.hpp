// Tools for comparing and tuning: the baselines, the tuning profile, their panels, and opening their files.
#pragma once

#include "ui/jobs/comparing.hpp"
#include "ui/jobs/engine_jobs.hpp"
#include "ui/model/measured/tuning.hpp"
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
  ProfileTools(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme, EngineJobs* jobs,
               FileDialogs* dialogs, QObject* parent);

  [[nodiscard]] Tuning* tuning() const noexcept { return tuning_; }
  [[nodiscard]] Comparing* comparing() const noexcept { return comparing_; }
  [[nodiscard]] ComparePanel* comparePanel() const noexcept { return compare_; }
  [[nodiscard]] MapPanel* mapPanel() const noexcept { return map_; }
  [[nodiscard]] TunePanel* tunePanel() const noexcept { return tune_; }

  void addTabs(QTabWidget* tabs);
  /// `may_replace` is called before another profile is opened. It returns false if the open profile must
  /// stay.
  void setMayReplace(std::function<bool()> may_replace) { may_replace_ = std::move(may_replace); }
  void bind(CommandSet& commands);
  /// Opens a tuning profile, or several reports as baselines. Returns false if the files are something else.
  bool takes(const QStringList& files);

 signals:
  void failed(const spira::Error& error);
  void openWanted(const QString& file);  ///< Emitted for a report that must be opened as the current run.
  /// Reports which layers the profile sets, and why it does not set the others. If `refused`, the profile
  /// belongs to another device or version and is not used unless the user forces it.
  void profileSaid(const QString& title, const QString& text, bool refused);
  void profileOver(const QString& title);  ///< The message with this title is no longer valid.

 private:
  void openProfile(const QString& file);
  void openProfileDialog();
  void saveDialog();
  void sayTaken();
  void sayRefused();
  void say(bool refused);
  void show(QWidget* panel);

  Workspace* workspace_;
  FileDialogs* dialogs_;
  Tuning* tuning_;
  Comparing* comparing_;
  ComparePanel* compare_;
  TunePanel* tune_;
  MapPanel* map_;
  QTabWidget* tabs_ = nullptr;
  std::function<bool()> may_replace_;
  std::shared_ptr<const TuningProfile> refused_;  // Profile for which the refusal was shown.
  QString said_;                                  // Title of the shown message; empty if there is none.
  TaskSlot reading_;
};

}  // namespace spira::ui
