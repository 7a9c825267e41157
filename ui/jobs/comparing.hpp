// Stores the baselines, and compares the current run with one of them by the same rules as `spira compare`.
// The verdicts are computed in a background task, because the bootstrap of each row is slow.
#pragma once

#include "engine/report/compare/compare.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QStringList>

#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

struct Baseline {
  QString name;
  std::shared_ptr<const Report> report;
  /// Voxels of the baseline if it was measured in this window. `nullptr` if it comes from a report file.
  std::shared_ptr<const VoxelScene> voxels;
  int colour = 0;  ///< Index for baselineColour().
  /// If true, the baseline stays in the list, but is neither compared nor drawn.
  bool hidden = false;
};

/// Snapshot of the baselines for undo, which keep() returns and restore() restores. `chosen` is the index of
/// the chosen baseline, or -1 if the list is empty.
struct Baselines {
  std::vector<Baseline> all;
  int chosen = -1;
};

class Comparing : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t max_baselines = 4;

  Comparing(Tasks& tasks, Workspace* workspace, QObject* parent = nullptr);

  [[nodiscard]] const std::vector<Baseline>& baselines() const noexcept { return baselines_; }
  [[nodiscard]] int chosen() const noexcept { return chosen_; }  ///< Returns -1 if the list is empty.
  /// Returns the open report. If no report is open, returns the report of the last measurement in this
  /// window. Returns `nullptr` if both are missing.
  [[nodiscard]] std::shared_ptr<const Report> current() const;
  [[nodiscard]] QString currentName() const;
  /// Returns the comparison of the current run with the chosen baseline. Returns `nullptr` while it is being
  /// computed, if no visible baseline is chosen, or if the baseline is the current run itself.
  [[nodiscard]] const std::shared_ptr<const Comparison>& comparison() const noexcept { return comparison_; }
  [[nodiscard]] bool busy() const { return verdicts_.busy(); }
  [[nodiscard]] bool ignoresDevices() const noexcept { return ignore_devices_; }
  /// Returns the voxels of the chosen baseline. A baseline from a report has no voxels, because a report
  /// contains no coordinates. If the current run has the same scene as such a baseline, returns the open
  /// voxels. In all other cases, and if the baseline is hidden or the list is empty, returns `nullptr`.
  [[nodiscard]] std::shared_ptr<const VoxelScene> baselineScene() const;
  /// Returns why the current run cannot become a baseline now. Returns an empty string if it can.
  [[nodiscard]] QString baselineUnavailableReason() const;

  /// Sets the report of the last measurement in this window.
  void setLive(const std::shared_ptr<const Report>& report);
  /// Adds the current run as a baseline and chooses it.
  void addCurrent();
  /// Adds a baseline. Does nothing if there are `max_baselines` already. `voxels` is the scene that the run
  /// used, or `nullptr` for a report from a file.
  void add(const QString& name, const std::shared_ptr<const Report>& report,
           const std::shared_ptr<const VoxelScene>& voxels);
  void choose(int index);
  void rename(int index, const QString& name);
  void remove(int index);
  void recolour(int index, int colour);
  void setHidden(int index, bool hidden);
  void move(int index, int to);  ///< Moves a baseline to index `to` of the list.
  void setIgnoresDevices(bool ignore);
  [[nodiscard]] Baselines keep() const { return {baselines_, chosen_}; }
  void restore(const Baselines& kept);
  /// Reads reports. Emits currentWanted() with the newest report, which becomes the current run. The others
  /// become the baselines. If there are more than five files, only the five newest are used.
  void openReports(const QStringList& files);

 signals:
  void changed();  ///< Emitted if the baselines, the current run or the comparison changed.
  /// Emitted after a change by the user. `what` is the name for the undo menu, for example "remove baseline".
  /// `before` is the list before the change.
  void edited(const QString& what, const spira::ui::Baselines& before);
  void currentWanted(const QString& file);
  void failed(const spira::Error& error);

 private:
  void follow();
  void takeReports(const std::vector<std::pair<QString, std::shared_ptr<const Report>>>& read);
  [[nodiscard]] int freeColour() const;

  Workspace* workspace_;
  std::vector<Baseline> baselines_;
  int chosen_ = -1;
  bool ignore_devices_ = false;
  std::shared_ptr<const Report> live_;
  std::shared_ptr<const Comparison> comparison_;
  // Inputs of `comparison_`, or of the comparison that is being computed.
  std::shared_ptr<const Report> of_baseline_, of_current_;
  bool of_ignored_ = false;
  // Two slots are needed, because cancelling a comparison must not cancel the reading of files.
  TaskSlot verdicts_, reading_;
};

}  // namespace spira::ui
