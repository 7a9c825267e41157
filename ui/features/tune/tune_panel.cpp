#include "ui/features/tune/tune_panel.hpp"

#include "engine/tune/apply_profile.hpp"
#include "ui/features/tune/tune_result.hpp"
#include "ui/features/tune/tune_setup.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/theme/labels.hpp"

#include <QCheckBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
TunePanel::TunePanel(Workspace* workspace, Selection* selection, Theme* theme, Tuning* tuning,
                     EngineJobs* jobs, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      tuning_(tuning),
      jobs_(jobs),
      setup_(new TuneSetup(workspace)),
      go_on_(new QCheckBox(tr("continue the open profile"))),
      start_(new QPushButton(tr("Tune"))),
      stop_(new QPushButton(tr("Stop and keep best"))),
      apply_(new QPushButton(tr("Apply"))),
      save_(new QPushButton(tr("Save..."))),
      bar_(new JobBar(jobs, {EngineLane::Doing::tuning}, tr("Stop"))),
      why_not_(new ElidedLabel),
      banner_(new ElidedLabel),
      none_(new QLabel(tr("No profile yet. Press Tune, or open a profile."))),
      result_(new TuneResult(theme)) {
  apply_->setObjectName("applyProfile");
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(4, 4, 4, 4);
  auto* halves = new QSplitter(Qt::Horizontal, body());
  halves->addWidget(makeSetup());
  halves->addWidget(makeProfile());
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(1, 1);
  halves->setSizes({480, 610});
  layout->addWidget(halves);
  connect(tuning_, &Tuning::changed, this, [this] {
    // A visible panel updates immediately, because Apply and Save must be disabled until the profile changes.
    isVisible() ? follow() : followSoon();
  });
  connect(setup_, &TuneSetup::changed, this, &TunePanel::followJob);
  connect(workspace_, &Workspace::voxelsChanged, this, &TunePanel::followSoon);
  connect(&jobs_->lane().task(), &TaskSlot::started, this, &TunePanel::followJob);
  connect(&jobs_->lane().task(), &TaskSlot::finished, this, &TunePanel::followJob);
  connect(result_, &TuneResult::layerChosen, this, [this](const QString& name) {
    const int layer = workspace_->network() ? workspace_->network()->index_of(name.toStdString()) : -1;
    if (layer >= 0) selection_->setLayer(layer);
  });
  follow();
}

/// Creates the settings part of the panel. Its buttons stay visible even if the dock has little height.
QWidget* TunePanel::makeSetup() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 0, 8, 0);
  layout->setSpacing(3);
  auto* buttons = new QHBoxLayout;
  for (QWidget* one : std::initializer_list<QWidget*>{start_, stop_, go_on_})
    buttons->addWidget(one);
  buttons->addStretch(1);
  layout->addWidget(setup_, 1);
  layout->addLayout(buttons);
  layout->addWidget(bar_);
  layout->addWidget(why_not_);
  connect(start_, &QPushButton::clicked, this, &TunePanel::start);
  connect(stop_, &QPushButton::clicked, &jobs_->tuning(), &TuneJobs::stop);
  return page;
}

QWidget* TunePanel::makeProfile() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 0, 4, 0);
  auto* head = new QHBoxLayout;
  auto* open = new QPushButton(tr("Open..."));
  open->setToolTip(tr("Open a tuning profile, or drop it on the window"));
  apply_->setToolTip(tr("Use the settings of the profile for the next runs"));
  save_->setToolTip(tr("Write the profile to a file (Ctrl+S in this panel)"));
  head->addWidget(banner_, 1);
  for (QPushButton* button : {apply_, save_, open})
    head->addWidget(button);
  none_->setForegroundRole(QPalette::PlaceholderText);
  none_->setAlignment(Qt::AlignCenter);
  none_->setWordWrap(true);
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

void TunePanel::addScenes(const QStringList& files) {
  setup_->addScenes(files);
}

TuneWish TunePanel::wish() const {
  TuneWish wish = setup_->wish();
  if (go_on_->isChecked() && go_on_->isEnabled()) wish.known = tuning_->profile();
  return wish;
}

void TunePanel::start() {
  if (startUnavailableReason().isEmpty()) jobs_->tuning().tune(wish());
}

QString TunePanel::startUnavailableReason() const {
  if (!workspace_->voxels()) return tr("open a scene first");
  if (!workspace_->network()) return tr("choose a network first");
  if (wish().scenes.empty()) return tr("tick a scene first");
  return jobs_->lane().readyToRun() ? QString() : tr("a job is running; stop it first");
}

void TunePanel::followJob() {
  const bool tuning = jobs_->tuning().tuning(), had_focus = start_->hasFocus() || stop_->hasFocus();
  const QString why = startUnavailableReason();
  start_->setEnabled(why.isEmpty());
  start_->setToolTip(why.isEmpty() ? tr("Measure and choose settings (Enter)") : why);
  stop_->setEnabled(tuning);
  stop_->setToolTip(tuning ? tr("Stop and use the results so far") : tr("no tuning is running"));
  const auto& profile = tuning_->profile();
  const bool same = profile && workspace_->network() &&
                    profile->network_fingerprint == fingerprint_of(*workspace_->network()) &&
                    why_not_device(*profile, workspace_->device(), SPIRA_VERSION).empty() &&
                    profile->precision == workspace_->plan().precision;
  go_on_->setEnabled(same);
  go_on_->setToolTip(
      same ? tr("Skips settings that the profile contains. If unchecked, all settings are measured again.")
      : profile ? tr("The open profile has a different network, device, version or precision")
                : tr("No profile yet"));
  why_not_->setText(tuning ? QString() : why);
  why_not_->setVisible(!tuning);
  // The focus moves to the next useful button: Tune, Stop or Save.
  if (had_focus) (tuning ? stop_ : save_->isEnabled() && tuning_->unsaved() ? save_ : start_)->setFocus();
}

QString TunePanel::bannerText() const {
  if (!tuning_->profile()) return {};
  const QString name = tuning_->unsaved() ? tr("unsaved profile") : tuning_->name();
  if (!tuning_->applied())
    return tr("%1: open a scene and choose its network to see the matching layers").arg(name);
  QStringList lines;
  for (const auto& line : tuning_->applied()->lines(*workspace_->network()))
    lines += QString::fromStdString(line).trimmed();
  const QString use = tuning_->setByHand() ? tr("in use, with t set by hand")
                      : tuning_->inUse()   ? tr("in use")
                                           : tr("not in use");
  if (!tuning_->applied()->ignored.empty())
    lines += tr("profile used anyway: %1").arg(QString::fromStdString(tuning_->applied()->ignored));
  const TuningProfile& profile = *tuning_->profile();
  if (profile.stopped == "budget") lines += tr("stopped at the time limit");
  if (profile.stopped == "interrupted") lines += tr("stopped before the output was checked");
  return tr("%1 (%2)").arg(lines.front(), use) +
         (lines.size() > 1 ? "; " + lines.mid(1).join("; ") : QString());
}

QString TunePanel::banner() const {
  return banner_->text();
}

QString TunePanel::saveUnavailableReason() const {
  if (!tuning_->profile()) return tr("there is no profile yet");
  const auto& checks = tuning_->profile()->checks;
  const bool right =
      std::all_of(checks.begin(), checks.end(), [](const PlanCheck& one) { return one.output.ok; });
  return right ? QString() : tr("the output of the plan differs from t = max");
}

QString TunePanel::applyUnavailableReason() const {
  const auto& applied = tuning_->applied();
  if (!tuning_->profile()) return tr("there is no profile yet");
  if (!applied) return tr("open a scene and choose a network first");
  if (applied->matched() == 0)
    return tr("no layer matches: %1").arg(QString::fromStdString(applied->why_not.front()));
  return tuning_->inUse() ? tr("the profile is already in use") : saveUnavailableReason();
}

void TunePanel::follow() {
  const bool any = tuning_->profile() != nullptr;
  result_->setProfile(tuning_->profile());
  result_->setVisible(any);
  none_->setVisible(!any);
  banner_->setText(bannerText());
  const QString save_unavailable_reason = saveUnavailableReason(),
                apply_unavailable_reason = applyUnavailableReason();
  apply_->setEnabled(apply_unavailable_reason.isEmpty());
  apply_->setToolTip(apply_unavailable_reason.isEmpty()
                         ? tr("Use the settings of the profile for the next runs")
                         : apply_unavailable_reason);
  save_->setEnabled(save_unavailable_reason.isEmpty());
  save_->setToolTip(save_unavailable_reason.isEmpty()
                        ? tr("Write the profile to a file (Ctrl+S in this panel)")
                        : save_unavailable_reason);
  followJob();
  showBody();
}

void TunePanel::saveTo(const QString& file) {
  const auto saved = tuning_->toSave();
  write_profile(file.toStdString(), *saved);
  tuning_->setSaved(saved, QFileInfo(file).fileName());
  workspace_->addLog(tr("tuning profile: %1").arg(file));
}

/// While this panel has the focus, Ctrl+S saves the profile instead of the session.
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
    if (saveUnavailableReason().isEmpty()) emit saveRequested();
    return;
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return start();
  Panel::keyPressEvent(event);
}

}  // namespace spira::ui
