// Baselines, and the open run against one of them. The verdicts are those of `spira compare`; they are made
// on a worker, since each row takes a bootstrap.
#pragma once

#include "engine/report/compare.hpp"
#include "ui/jobs/job_runner.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QStringList>

#include <memory>
#include <vector>

namespace spira::ui {

struct Baseline {
  QString name;
  std::shared_ptr<const Report> report;
  std::shared_ptr<const VoxelScene> voxels;  ///< of a run of this window; null: the report alone
  int colour = 0;                            ///< of baselineColour()
  bool hidden = false;                       ///< kept, but neither compared with nor drawn
};

/// All of them, to come back to.
struct Baselines {
  std::vector<Baseline> all;
  int chosen = -1;
};

class Comparing : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t most_baselines = 4;

  explicit Comparing(Workspace* workspace, QObject* parent = nullptr);
  ~Comparing() override;
  Comparing(const Comparing&) = delete;
  Comparing& operator=(const Comparing&) = delete;

  [[nodiscard]] const std::vector<Baseline>& baselines() const noexcept { return baselines_; }
  [[nodiscard]] int chosen() const noexcept { return chosen_; }  ///< -1: none
  /// The open report, or what was measured here last; null: neither.
  [[nodiscard]] std::shared_ptr<const Report> current() const;
  [[nodiscard]] QString currentName() const;
  /// Null until there are a baseline and a current run that is not the baseline itself.
  [[nodiscard]] const std::shared_ptr<const Comparison>& comparison() const noexcept { return comparison_; }
  [[nodiscard]] bool busy() const { return runner_->busy(); }
  [[nodiscard]] bool ignoresDevices() const noexcept { return ignore_devices_; }
  /// The voxels that the chosen baseline is of: its own, or those that are open where they are the same.
  /// Null: a report carries none.
  [[nodiscard]] std::shared_ptr<const VoxelScene> baselineScene() const;
  /// Why the open run cannot be a baseline now; empty: it can.
  [[nodiscard]] QString whyNotBaseline() const;

  void setLive(const std::shared_ptr<const Report>& report);  ///< what was just measured here
  void addCurrent();                                          ///< the open run becomes the chosen baseline
  /// Dropped where there are enough. `voxels`: that it was measured on; null: a report.
  void add(const QString& name, const std::shared_ptr<const Report>& report,
           const std::shared_ptr<const VoxelScene>& voxels);
  void choose(int index);
  void rename(int index, const QString& name);
  void remove(int index);
  void recolour(int index, int colour);
  void setHidden(int index, bool hidden);
  void move(int index, int to);  ///< to another place in the list
  void setIgnoresDevices(bool ignore);
  [[nodiscard]] Baselines keep() const { return {baselines_, chosen_}; }
  void restore(const Baselines& kept);
  /// Reads all but the newest as baselines, of more than five the newest five, then says which one to open as
  /// the current run.
  void openReports(const QStringList& files);

 signals:
  void changed();  ///< baselines, the current run or the comparison
  /// By hand: `what` as a menu says it, "removing a baseline", and how they were before.
  void edited(const QString& what, const spira::ui::Baselines& before);
  void currentWanted(const QString& file);
  void failed(const spira::Error& error);

 private:
  void follow();
  [[nodiscard]] int freeColour() const;

  Workspace* workspace_;
  JobRunner *runner_, *reader_;  // two: a comparison that is called off leaves files that are being read
  std::vector<Baseline> baselines_;
  int chosen_ = -1;
  bool ignore_devices_ = false;
  std::shared_ptr<const Report> live_;
  std::shared_ptr<const Comparison> comparison_;
  std::shared_ptr<const Report> of_baseline_, of_current_;  // that the comparison is of
  bool of_ignored_ = false;
};

}  // namespace spira::ui
