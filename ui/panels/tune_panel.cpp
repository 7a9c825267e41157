#include "ui/panels/tune_panel.hpp"

#include "engine/tune/apply_profile.hpp"
#include "ui/panels/tune_result.hpp"
#include "ui/theme/elided_label.hpp"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

constexpr int most_frames = 10;  // of a sequence that are offered
constexpr int file_role = Qt::UserRole;

}  // namespace

TunePanel::TunePanel(Workspace* workspace, Selection* selection, Theme* theme, Tuning* tuning,
                     EngineJobs* jobs, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      tuning_(tuning),
      jobs_(jobs),
      scenes_(new QListWidget),
      budget_(new QDoubleSpinBox),
      all_algorithms_(new QCheckBox(tr("all mapping algorithms"))),
      all_packings_(new QCheckBox(tr("all packings"))),
      go_on_(new QCheckBox(tr("add to the open profile"))),
      start_(new QPushButton(tr("Tune"))),
      stop_(new QPushButton(tr("Stop, keep the best"))),
      apply_(new QPushButton(tr("Apply"))),
      save_(new QPushButton(tr("Save..."))),
      bar_(new QProgressBar),
      progress_(new ElidedLabel),
      banner_(new ElidedLabel),
      none_(new QLabel(tr("No profile yet: Tune makes one, and an open one stands here."))),
      result_(new TuneResult) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(4, 4, 4, 4);
  auto* halves = new QSplitter(Qt::Horizontal, body());
  halves->addWidget(makeSetup());
  halves->addWidget(makeProfile());
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(1, 1);
  halves->setSizes({290, 800});
  layout->addWidget(halves);
  connect(tuning_, &Tuning::changed, this, &TunePanel::follow);
  connect(workspace_, &Workspace::cloudChanged, this, &TunePanel::fillScenes);
  connect(workspace_, &Workspace::framesChanged, this, &TunePanel::fillScenes);
  connect(workspace_, &Workspace::voxelsChanged, this, &TunePanel::follow);
  connect(jobs_->runner(), &JobRunner::started, this, &TunePanel::followJob);
  connect(jobs_->runner(), &JobRunner::finished, this, &TunePanel::followJob);
  connect(jobs_->runner(), &JobRunner::progress, this, &TunePanel::showProgress);
  connect(result_, &TuneResult::layerChosen, this, [this](const QString& name) {
    const int layer = workspace_->network() ? workspace_->network()->index_of(name.toStdString()) : -1;
    if (layer >= 0) selection_->setLayer(layer);
  });
  fillScenes();
  follow();
  followJob();
}

QWidget* TunePanel::makeSetup() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 0, 8, 0);
  layout->setSpacing(3);
  auto* head = new QHBoxLayout;
  auto* add = new QPushButton(tr("Add..."));
  add->setToolTip(tr("More scenes to tune on, voxelised as the open one"));
  head->addWidget(new QLabel(tr("Scenes")), 1);
  head->addWidget(add);
  scenes_->setAccessibleName(tr("Scenes to tune on"));
  scenes_->setMinimumHeight(44);
  auto* time = new QHBoxLayout;
  auto* label = new QLabel(tr("Time for all of it"));
  label->setBuddy(budget_);
  budget_->setRange(1, 3600);
  budget_->setDecimals(0);
  budget_->setValue(30);
  budget_->setSuffix(tr(" s"));
  budget_->setAccessibleName(tr("Time for tuning in seconds"));
  time->addWidget(label, 1);
  time->addWidget(budget_);
  all_algorithms_->setToolTip(
      tr("z-delta, binary, hash and sorted-query search; without the tick z-delta only"));
  all_packings_->setToolTip(tr("Three splits of 32 bits and 64 bits; without the tick the packing in use"));
  go_on_->setToolTip(tr("What it holds is not measured again; without the tick all is measured anew"));
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {start_, stop_})
    buttons->addWidget(button);
  buttons->addStretch(1);
  bar_->setTextVisible(false);
  layout->addLayout(head);
  layout->addWidget(scenes_, 1);
  layout->addLayout(time);
  for (QCheckBox* box : {all_algorithms_, all_packings_, go_on_})
    layout->addWidget(box);
  layout->addLayout(buttons);
  layout->addWidget(bar_);
  layout->addWidget(progress_);
  connect(add, &QPushButton::clicked, this,
          [this] { addScenes(QFileDialog::getOpenFileNames(this, tr("Scenes to tune on"))); });
  connect(start_, &QPushButton::clicked, this, &TunePanel::start);
  connect(stop_, &QPushButton::clicked, jobs_, &EngineJobs::stop);
  connect(scenes_, &QListWidget::itemChanged, this, &TunePanel::followJob);
  auto* scroll = new QScrollArea;
  scroll->setAccessibleName(tr("What to tune"));
  scroll->setWidget(page);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumWidth(240);
  return scroll;
}

QWidget* TunePanel::makeProfile() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 0, 4, 0);
  auto* head = new QHBoxLayout;
  auto* open = new QPushButton(tr("Open..."));
  open->setToolTip(tr("A tuning profile from a file; it can be dropped on the window too"));
  apply_->setToolTip(tr("Use its choices for the next runs"));
  save_->setToolTip(tr("Write the profile to a file (Ctrl+S here)"));
  head->addWidget(banner_, 1);
  for (QPushButton* button : {apply_, save_, open})
    head->addWidget(button);
  none_->setForegroundRole(QPalette::PlaceholderText);
  none_->setAlignment(Qt::AlignCenter);
  layout->addLayout(head);
  layout->addWidget(none_, 1);
  layout->addWidget(result_, 1);
  connect(apply_, &QPushButton::clicked, tuning_, &Tuning::apply);
  connect(save_, &QPushButton::clicked, this, &TunePanel::saveRequested);
  connect(open, &QPushButton::clicked, this, &TunePanel::openRequested);
  return page;
}

void TunePanel::takeFocus() {
  start_->setFocus(Qt::ShortcutFocusReason);
}

/// The open scene, the frames beside it, and what was added; what was ticked stays so.
void TunePanel::fillScenes() {
  const QSignalBlocker quiet(scenes_);
  QStringList added, ticked;
  for (int row = 0; row < scenes_->count(); ++row) {
    const QListWidgetItem* item = scenes_->item(row);
    const QString file = item->data(file_role).toString();
    if (item->checkState() == Qt::Checked) ticked += file;
    if (item->data(file_role + 1).toBool()) added += file;
  }
  scenes_->clear();
  const auto add = [&](const QString& file, const QString& name, bool tick, bool by_hand) {
    auto* item = new QListWidgetItem(name, scenes_);
    item->setData(file_role, file);
    item->setData(file_role + 1, by_hand);
    item->setToolTip(file);
    item->setCheckState(tick ? Qt::Checked : Qt::Unchecked);
  };
  if (const auto& cloud = workspace_->cloud())
    add({}, tr("%1 (open)").arg(QString::fromStdString(cloud->name)), true, false);
  const auto& frames = workspace_->frames();
  for (int at = 0, offered = 0; at < static_cast<int>(frames.size()) && offered < most_frames; ++at) {
    if (at == workspace_->frame()) continue;
    const auto file = QString::fromStdString(frames[static_cast<std::size_t>(at)].string());
    if (!added.contains(file)) add(file, QFileInfo(file).fileName(), ticked.contains(file), false);
    ++offered;
  }
  for (const QString& file : added)
    add(file, QFileInfo(file).fileName(), ticked.contains(file), true);
  followJob();
}

void TunePanel::addScenes(const QStringList& files) {
  const QSignalBlocker quiet(scenes_);
  for (const QString& file : files) {
    auto* item = new QListWidgetItem(QFileInfo(file).fileName(), scenes_);
    item->setData(file_role, file);
    item->setData(file_role + 1, true);
    item->setToolTip(file);
    item->setCheckState(Qt::Checked);
  }
  followJob();
}

TuneWish TunePanel::wish() const {
  TuneWish wish;
  wish.open_scene = false;
  for (int row = 0; row < scenes_->count(); ++row) {
    const QListWidgetItem* item = scenes_->item(row);
    if (item->checkState() != Qt::Checked) continue;
    const QString file = item->data(file_role).toString();
    if (file.isEmpty()) {
      wish.open_scene = true;
    } else {
      wish.files += file;
    }
  }
  wish.budget_ms = budget_->value() * 1000;
  if (all_algorithms_->isChecked())
    wish.algorithms = {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                       MapAlgorithm::sorted_query};
  if (all_packings_->isChecked()) wish.packings = usual_packings();
  if (go_on_->isChecked() && go_on_->isEnabled()) wish.known = tuning_->profile();
  return wish;
}

void TunePanel::start() {
  if (whyNotStart().isEmpty()) jobs_->tune(wish());
}

QString TunePanel::whyNotStart() const {
  if (!workspace_->voxels()) return tr("open a scene first");
  if (!workspace_->network()) return tr("choose a network first");
  const TuneWish now = wish();
  if (!now.open_scene && now.files.isEmpty()) return tr("tick a scene first");
  return jobs_->readyToRun() ? QString() : tr("something is running; stop it first");
}

void TunePanel::followJob() {
  const bool tuning = jobs_->tuning(), had_focus = start_->hasFocus() || stop_->hasFocus();
  const QString why = whyNotStart();
  start_->setEnabled(why.isEmpty());
  start_->setToolTip(why.isEmpty() ? tr("Measure and decide (Enter)") : why);
  stop_->setEnabled(tuning);
  stop_->setToolTip(tuning ? tr("End now with what was measured") : tr("nothing is being tuned"));
  bar_->setVisible(tuning);
  bar_->setRange(0, 0);
  const auto& profile = tuning_->profile();
  const bool same = profile && workspace_->network() &&
                    profile->network_fingerprint == fingerprint_of(*workspace_->network()) &&
                    why_not_device(*profile, workspace_->device(), SPIRA_VERSION).empty() &&
                    profile->precision == workspace_->plan().precision;
  go_on_->setEnabled(same);
  if (!tuning) progress_->setText(why);
  // The keyboard goes on with what comes next: Tune, Stop, Save.
  if (had_focus) (tuning ? stop_ : save_->isEnabled() && tuning_->unsaved() ? save_ : start_)->setFocus();
}

void TunePanel::showProgress(const QString& what, qint64 done, qint64 total) {
  if (!jobs_->tuning()) return;
  bar_->setRange(0, total > 0 ? static_cast<int>(total) : 0);
  if (total > 0) bar_->setValue(static_cast<int>(std::min(done, total)));
  progress_->setText(
      total > 0
          ? tr("%1 s left: %2").arg(std::max<qint64>(0, total - done)).arg(QString(what).remove("; seconds"))
          : what);
}

QString TunePanel::bannerText() const {
  if (!tuning_->profile()) return {};
  const QString name = tuning_->unsaved() ? tr("profile of this session, not saved") : tuning_->name();
  if (!tuning_->applied())
    return tr("%1: open a scene and choose its network to see which layers it speaks for").arg(name);
  QStringList lines;
  for (const auto& line : tuning_->applied()->lines(*workspace_->network()))
    lines += QString::fromStdString(line).trimmed();
  const QString use = tuning_->inUse() ? tr("in use") : tr("not in use");
  const TuningProfile& profile = *tuning_->profile();
  if (profile.stopped == "budget") lines += tr("the time ended the series");
  if (profile.stopped == "interrupted") lines += tr("stopped before its output was checked");
  return tr("%1 (%2)").arg(lines.front(), use) +
         (lines.size() > 1 ? "; " + lines.mid(1).join("; ") : QString());
}

QString TunePanel::banner() const {
  return banner_->text();
}

QString TunePanel::whyNotSave() const {
  if (!tuning_->profile()) return tr("there is no profile yet");
  const auto& checks = tuning_->profile()->checks;
  const bool right =
      std::all_of(checks.begin(), checks.end(), [](const PlanCheck& one) { return one.output.ok; });
  return right ? QString() : tr("the output of its plan is not that of t = max");
}

void TunePanel::follow() {
  const bool any = tuning_->profile() != nullptr;
  result_->setProfile(tuning_->profile());
  result_->setVisible(any);
  none_->setVisible(!any);
  banner_->setText(bannerText());
  const auto& applied = tuning_->applied();
  const QString why_not_save = whyNotSave();
  const QString why_not_apply = !any                      ? tr("there is no profile yet")
                                : !applied                ? tr("open a scene and choose a network first")
                                : applied->matched() == 0 ? tr("no layer matches")
                                : tuning_->inUse()        ? tr("it is in use")
                                                          : why_not_save;
  apply_->setEnabled(why_not_apply.isEmpty());
  apply_->setToolTip(why_not_apply.isEmpty() ? tr("Use its choices for the next runs") : why_not_apply);
  save_->setEnabled(why_not_save.isEmpty());
  save_->setToolTip(why_not_save.isEmpty() ? tr("Write the profile to a file (Ctrl+S here)") : why_not_save);
  followJob();
  showBody();
}

void TunePanel::saveTo(const QString& file) {
  write_profile(file.toStdString(), *tuning_->profile());
  tuning_->setSaved(QFileInfo(file).fileName());
  workspace_->addLog(tr("tuning profile: %1").arg(file));
}

/// Ctrl+S is for the profile while this panel has the focus, whatever it does elsewhere.
bool TunePanel::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Save)) {
    event->accept();
    return true;
  }
  return Panel::event(event);
}

void TunePanel::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Save)) {
    if (whyNotSave().isEmpty()) emit saveRequested();
    return;
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return start();
  Panel::keyPressEvent(event);
}

}  // namespace spira::ui
