// What a run is compared with and tuned by: baselines, the tuning profile and their panels, and the files
// that they are opened from.
#pragma once

#include "ui/jobs/comparing.hpp"
#include "ui/jobs/engine_jobs.hpp"
#include "ui/model/tuning.hpp"
#include "ui/theme/theme.hpp"

#include <QObject>
#include <QStringList>

class QTabWidget;

namespace spira::ui {

class CommandSet;
class ComparePanel;
class MapPanel;
class TunePanel;

class ProfileTools : public QObject {
  Q_OBJECT
 public:
  ProfileTools(Workspace* workspace, Selection* selection, Theme* theme, EngineJobs* jobs, QObject* parent);
  ~ProfileTools() override;
  ProfileTools(const ProfileTools&) = delete;
  ProfileTools& operator=(const ProfileTools&) = delete;

  [[nodiscard]] Tuning* tuning() const noexcept { return tuning_; }
  [[nodiscard]] Comparing* comparing() const noexcept { return comparing_; }
  [[nodiscard]] ComparePanel* comparePanel() const noexcept { return compare_; }
  [[nodiscard]] MapPanel* mapPanel() const noexcept { return map_; }
  [[nodiscard]] TunePanel* tunePanel() const noexcept { return tune_; }

  void addTabs(QTabWidget* tabs);
  void bind(CommandSet& commands);
  /// A tuning profile, or several reports: they are opened here. False: they are not for it.
  bool takes(const QStringList& files);

 signals:
  void failed(const spira::Error& error);
  void openWanted(const QString& file);  ///< a report, as the current run

 private:
  void openProfile(const QString& file);
  void openProfileDialog();
  void saveDialog();
  void show(QWidget* panel);

  Workspace* workspace_;
  EngineJobs* jobs_;
  JobRunner* reader_;
  Tuning* tuning_;
  Comparing* comparing_;
  ComparePanel* compare_;
  TunePanel* tune_;
  MapPanel* map_;
  QTabWidget* tabs_ = nullptr;
};

}  // namespace spira::ui
