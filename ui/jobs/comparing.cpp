#include "ui/jobs/comparing.hpp"

#include "engine/report/report_exports.hpp"
#include "ui/jobs/scene_finder.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

using ReportFiles = std::vector<std::pair<QString, std::shared_ptr<const Report>>>;

QString nameOf(const Report& report) {
  return Comparing::tr("%1 on %2, %3")
      .arg(networkText(report.network), QString::fromStdString(report.scene.name), dateText(report.created));
}

struct CompareArgs {
  std::shared_ptr<const Report> baseline, current;
  bool ignore_devices = false;
  QString baseline_name, current_name;
};

void find_verdicts(const CompareArgs& args, Job& /*job*/,
                   const Send<std::shared_ptr<const Comparison>>& send) {
  auto made = std::make_shared<Comparison>(compare(*args.baseline, *args.current, args.ignore_devices));
  made->baseline.file = args.baseline_name.toStdString();
  made->current.file = args.current_name.toStdString();
  send(std::move(made));
}

/// Sends the reports from the oldest to the newest.
void read_reports(const QStringList& files, Job& job, const Send<ReportFiles>& send) {
  ReportFiles read;
  for (const QString& file : files) {
    job.checkpoint({"reports", static_cast<std::int64_t>(read.size()), files.size()});
    read.emplace_back(file, std::make_shared<const Report>(read_report(file.toStdString())));
  }
  std::stable_sort(read.begin(), read.end(),
                   [](const auto& a, const auto& b) { return a.second->created < b.second->created; });
  send(std::move(read));
}

}  // namespace

Comparing::Comparing(Tasks& tasks, Workspace* workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), verdicts_(tasks), reading_(tasks) {
  connect(&workspace_->results(), &RunResults::reportChanged, this, &Comparing::follow);
  connect(&workspace_->results(), &RunResults::measurementChanged, this, &Comparing::follow);
  for (const TaskSlot* slot : {&verdicts_, &reading_})
    connect(slot, &TaskSlot::failed, this, &Comparing::failed);
}

std::shared_ptr<const VoxelScene> Comparing::baselineScene() const {
  if (chosen_ < 0) return nullptr;
  const Baseline& baseline = baselines_[static_cast<std::size_t>(chosen_)];
  if (baseline.hidden) return nullptr;
  if (baseline.voxels) return baseline.voxels;
  const auto now = current();
  const bool same = now && now->scene.fingerprint != 0 && scene_key(*now) == scene_key(*baseline.report);
  return same ? workspace_->scene().voxels() : nullptr;
}

std::shared_ptr<const Report> Comparing::current() const {
  if (workspace_->results().report()) return workspace_->results().report();
  return workspace_->results().measurement() ? live_ : nullptr;
}

QString Comparing::currentName() const {
  const auto now = current();
  return now ? nameOf(*now) : QString();
}

QString Comparing::baselineUnavailableReason() const {
  const auto now = current();
  if (!now) return tr("measure a run (Ctrl+M) or open a report first");
  for (const Baseline& one : baselines_) {
    if (one.report == now) return tr("this run is already a baseline");
  }
  if (baselines_.size() >= max_baselines) return tr("there are already four baselines; remove one first");
  const std::string why = why_no_baseline(*now);
  return why.empty() ? QString() : tr("this run cannot be a baseline: %1").arg(QString::fromStdString(why));
}

void Comparing::setLive(const std::shared_ptr<const Report>& report) {
  live_ = report;
  follow();
}

void Comparing::addCurrent() {
  if (!baselineUnavailableReason().isEmpty()) return;
  const Baselines before = keep();
  add(currentName(), current(), workspace_->scene().voxels());
  emit edited(tr("add baseline"), before);
}

void Comparing::add(const QString& name, const std::shared_ptr<const Report>& report,
                    const std::shared_ptr<const VoxelScene>& voxels) {
  if (baselines_.size() >= max_baselines) return;
  baselines_.push_back({name, report, voxels, freeColour()});
  chosen_ = static_cast<int>(baselines_.size()) - 1;
  follow();
}

/// Returns the first colour index that no baseline uses.
int Comparing::freeColour() const {
  int colour = 0;
  while (std::any_of(baselines_.begin(), baselines_.end(),
                     [&](const Baseline& one) { return one.colour == colour; }))
    ++colour;
  return colour;
}

void Comparing::choose(int index) {
  if (index < 0 || index >= static_cast<int>(baselines_.size()) || index == chosen_) return;
  chosen_ = index;
  follow();
}

void Comparing::rename(int index, const QString& name) {
  if (name.trimmed().isEmpty()) return;
  const Baselines before = keep();
  baselines_.at(static_cast<std::size_t>(index)).name = name.trimmed();
  emit changed();
  emit edited(tr("rename baseline"), before);
}

void Comparing::remove(int index) {
  if (index < 0 || index >= static_cast<int>(baselines_.size())) return;
  const Baselines before = keep();
  baselines_.erase(baselines_.begin() + index);
  chosen_ = std::min(chosen_, static_cast<int>(baselines_.size()) - 1);
  follow();
  emit edited(tr("remove baseline"), before);
}

void Comparing::recolour(int index, int colour) {
  Baseline& one = baselines_.at(static_cast<std::size_t>(index));
  if (one.colour == colour) return;
  const Baselines before = keep();
  one.colour = colour;
  emit changed();
  emit edited(tr("change baseline colour"), before);
}

void Comparing::setHidden(int index, bool hidden) {
  Baseline& one = baselines_.at(static_cast<std::size_t>(index));
  if (one.hidden == hidden) return;
  const Baselines before = keep();
  one.hidden = hidden;
  follow();
  emit edited(hidden ? tr("hide baseline") : tr("show baseline"), before);
}

void Comparing::move(int index, int to) {
  const int count = static_cast<int>(baselines_.size());
  if (index < 0 || index >= count || to < 0 || to >= count || index == to) return;
  const Baselines before = keep();
  const auto from = baselines_.begin() + index, place = baselines_.begin() + to;
  if (index < to) {
    std::rotate(from, from + 1, place + 1);
  } else {
    std::rotate(place, from, from + 1);
  }
  if (chosen_ == index) {
    chosen_ = to;
  } else if (chosen_ > index && chosen_ <= to) {
    --chosen_;
  } else if (chosen_ < index && chosen_ >= to) {
    ++chosen_;
  }
  emit changed();
  emit edited(tr("move baseline"), before);
}

void Comparing::restore(const Baselines& kept) {
  baselines_ = kept.all;
  chosen_ = kept.chosen;
  follow();
}

void Comparing::setIgnoresDevices(bool ignore) {
  ignore_devices_ = ignore;
  follow();
}

void Comparing::follow() {
  const auto now = current();
  const Baseline* chosen = chosen_ < 0 ? nullptr : &baselines_[static_cast<std::size_t>(chosen_)];
  const auto baseline = chosen == nullptr || chosen->hidden ? nullptr : chosen->report;
  const bool same = baseline == of_baseline_ && now == of_current_ && ignore_devices_ == of_ignored_;
  of_baseline_ = baseline;
  of_current_ = now;
  of_ignored_ = ignore_devices_;
  if (!same) {
    comparison_.reset();
    verdicts_.cancel();
    if (baseline && now && baseline != now)
      verdicts_.start(tr("Comparing"), find_verdicts,
                      {baseline, now, ignore_devices_, chosen->name, currentName()},
                      [this](const std::shared_ptr<const Comparison>& made) {
                        comparison_ = made;
                        emit changed();
                      });
  }
  emit changed();
}

void Comparing::openReports(const QStringList& files) {
  reading_.start(tr("Reading reports"), read_reports, files,
                 [this](const ReportFiles& read) { takeReports(read); });
}

void Comparing::takeReports(const ReportFiles& read) {
  const std::size_t used = std::min(read.size(), max_baselines + 1), left_out = read.size() - used;
  baselines_.clear();
  for (std::size_t at = left_out; at + 1 < read.size(); ++at)
    baselines_.push_back({QFileInfo(read[at].first).fileName(), read[at].second, nullptr, freeColour()});
  chosen_ = static_cast<int>(baselines_.size()) - 1;
  if (left_out > 0)
    workspace_->addLog(counted(static_cast<std::int64_t>(left_out),
                               tr("1 older report was not opened (limit: 4 baselines)"),
                               tr("%1 older reports were not opened (limit: 4 baselines)")));
  follow();
  emit currentWanted(read.back().first);
}

}  // namespace spira::ui
