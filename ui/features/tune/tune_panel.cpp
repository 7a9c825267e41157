#include "ui/features/tune/tune_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/tune/apply_profile.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/tune/groups_pane.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/features/tune/tune_result.hpp"
#include "ui/features/tune/tune_setup.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

QString cover_text(const TuneEstimate& estimate, double budget_ms) {
  const auto covered = std::ssize(estimate.covered(budget_ms));
  constexpr double ms_per_s = 1000, short_s = 10;
  const double all_s = estimate.all_ms / ms_per_s;
  const QString all = onScreen(all_s, 'f', all_s < short_s ? 1 : 0);
  QString text =
      covered == estimate.layers
          ? counted(estimate.layers, TunePanel::tr("Enough time for the layer, which needs about %1 s"),
                    TunePanel::tr("Enough time for all %1 layers, which need about %2 s"))
                .arg(all)
          : TunePanel::tr("Enough time for about %1 of %2 layers; all layers need about %3 s")
                .arg(covered)
                .arg(estimate.layers)
                .arg(all);
  if (estimate.step_bytes > 0)
    text += TunePanel::tr("; a training step needs about %1 of memory")
                .arg(onScreen(bytes_text(estimate.step_bytes)));
  if (!estimate.too_large.empty())
    text += TunePanel::tr("; skipped, because the device has too little memory: %1")
                .arg(counted(std::ssize(estimate.too_large), TunePanel::tr("1 setting"),
                             TunePanel::tr("%1 settings")));
  return text;
}

}  // namespace

TunePanel::TunePanel(const FeatureContext& context, Tuning* tuning, EngineJobs* jobs, QWidget* parent)
    : Panel(&context.workspace, &context.selection, &context.theme, parent),
      context_(context),
      tuning_(tuning),
      jobs_(jobs),
      setup_(new TuneSetup(workspace_)),
      go_on_(new QCheckBox(tr("Continue the open profile"))),
      start_(new QPushButton(tr("Tune"))),
      stop_(new QPushButton(tr("Stop and keep best"))),
      use_{new QPushButton(tr("Apply")), new QPushButton(tr("Save...")), new QPushButton(tr("Copy command"))},
      settings_(new QPushButton(tr("Settings"))),
      setup_page_(new QWidget),
      bar_(new JobBar(jobs, {EngineLane::Doing::tuning}, tr("Stop"))),
      start_text_(new ElidedLabel),
      banner_(new WrappedLabel),
      matrix_(new MatrixPane(context, tuning, jobs)),
      result_(new TuneResult(matrix_, new GroupsPane(context, matrix_))) {
  use_.apply->setObjectName("applyProfile");
  stop_->setObjectName("stopTuning");
  go_on_->setObjectName("continueProfile");
  go_on_->setChecked(true);
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(4, 4, 4, 4);
  auto* halves = new QSplitter(Qt::Horizontal, body());
  makeSetup();
  halves->addWidget(setup_page_);
  halves->addWidget(makeProfile());
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(1, 1);
  halves->setSizes({400, 690});
  layout->addWidget(halves);
  connect(tuning_, &Tuning::changed, this, [this] {
    // A visible panel updates immediately, because Apply and Save must be disabled until the profile changes.
    isVisible() ? follow() : followSoon();
  });
  connect(setup_, &TuneSetup::changed, this, &TunePanel::followJob);
  connect(go_on_, &QCheckBox::toggled, this, &TunePanel::followJob);
  connect(&workspace_->results(), &RunResults::sweepsChanged, this, &TunePanel::followSoon);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &TunePanel::followSoon);
  connect(&jobs_->lane().task(), &TaskSlot::started, this, &TunePanel::followJob);
  connect(&jobs_->lane().task(), &TaskSlot::finished, this, &TunePanel::followJob);
  connect(tuning_, &Tuning::pickedChanged, this, &TunePanel::followSoon);
  connect(matrix_, &MatrixPane::resultsChanged, this, &TunePanel::follow);
  connect(matrix_, &MatrixPane::matrixShown, this, &TunePanel::missingHeightChanged);
  connect(matrix_, &MatrixPane::matrixShown, this, &TunePanel::showBanner);
  connect(groups(), &GroupsPane::shown, this, &TunePanel::showBanner);
  connect(groups(), &GroupsPane::shown, this, &TunePanel::missingHeightChanged);
  connect(result_, &QTabWidget::currentChanged, this, &TunePanel::missingHeightChanged);
  connect(&jobs_->tuning(), &TuneJobs::estimated, this, &TunePanel::showCover);
  connect(&workspace_->results(), &RunResults::measurementChanged, this, &TunePanel::followSoon);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &TunePanel::followSoon);
  follow();
}

/// Creates the settings part of the panel. Its buttons stay visible even if the dock has little height.
void TunePanel::makeSetup() {
  auto* layout = new QVBoxLayout(setup_page_);
  layout->setContentsMargins(4, 0, 8, 0);
  layout->setSpacing(3);
  auto* buttons = new QHBoxLayout;
  for (QWidget* one : std::initializer_list<QWidget*>{start_, stop_, go_on_})
    buttons->addWidget(one);
  buttons->addStretch(1);
  layout->addWidget(setup_, 1);
  layout->addLayout(buttons);
  layout->addWidget(bar_);
  layout->addWidget(start_text_);
  connect(start_, &QPushButton::clicked, this, &TunePanel::start);
  connect(stop_, &QPushButton::clicked, &jobs_->tuning(), &TuneJobs::stop);
}

QWidget* TunePanel::makeProfile() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 0, 4, 0);
  layout->setSpacing(2);
  auto* buttons = new QWidget;
  auto* row = new QHBoxLayout(buttons);
  row->setContentsMargins(0, 0, 0, 0);  // A margin would cut the text of the buttons.
  row->setSpacing(3);
  auto* open = new QPushButton(tr("Open..."));
  open->setToolTip(tr("Open a tuning profile, or drop it on the window"));
  use_.apply->setToolTip(tr("Use the settings of the profile for the next runs"));
  use_.save->setToolTip(tr("Write the profile to a file (Ctrl+S in this panel)"));
  settings_->setObjectName("tuneSettings");
  settings_->setCheckable(true);
  settings_->setToolTip(tr("Show the scenes and settings to measure, for example to tune again"));
  use_.copy->setObjectName("copyPicks");
  use_.copy->setToolTip(context_.commands.action("tune.copy_command")->toolTip());
  for (QPushButton* button : {settings_, use_.apply, use_.save, use_.copy, open})
    row->addWidget(button);
  buttons->setAutoFillBackground(true);  // Covers the line that QTabWidget draws behind the buttons.
  // At this width, the setup and the results both fit next to the layer list. The tabs can scroll.
  result_->setMinimumWidth(330);
  // Put the buttons into the row of the tabs, because the panel often has little height.
  result_->setCornerWidget(buttons);
  layout->addWidget(banner_);
  layout->addWidget(result_, 1);
  connect(settings_, &QPushButton::toggled, this, &TunePanel::followSettings);
  connect(use_.apply, &QPushButton::clicked, tuning_, &Tuning::apply);
  connect(use_.save, &QPushButton::clicked, this, &TunePanel::saveRequested);
  connect(use_.copy, &QPushButton::clicked, this, [this] { context_.commands.trigger("tune.copy_command"); });
  connect(open, &QPushButton::clicked, this, &TunePanel::openRequested);
  return page;
}

int TunePanel::missingHeight() const {
  // A row is 19 pixels high, so about half of each additional pixel of the window height is used for rows.
  constexpr int lowest = 230, pixels_for_a_row = 41;
  const int rows = (window()->height() - lowest) / pixels_for_a_row;
  if (matrix_->chart()->isVisible()) return matrix_->chart()->missingHeight(rows);
  // The groups have fewer rows. They do not shrink the dock, because the tabs above them would then move away
  // from the pointer when the user switches between the matrix and the groups.
  const HeatMap* chart = groups()->chart();
  return chart->isVisible() ? std::max(0, chart->missingHeight(rows)) : 0;
}

void TunePanel::takeFocus() {
  // The matrix needs the width, so the settings stay hidden next to results.
  const bool results = matrix_->hasResults();
  if (results && matrix_->whyNone().isEmpty() && !settings_->isHidden())
    return settings_->setFocus(Qt::ShortcutFocusReason);
  if (results) settings_->setChecked(true);
  start_->setFocus(Qt::ShortcutFocusReason);
}

GroupsPane* TunePanel::groups() const {
  return result_->groups();
}

void TunePanel::showGroups() {
  result_->setCurrentWidget(groups());
  QWidget* target = groups()->whyNone().isEmpty() ? static_cast<QWidget*>(groups()->chart()) : start_;
  target->setFocus(Qt::ShortcutFocusReason);
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
  if (!startUnavailableReason().isEmpty()) return;
  const TuneWish wanted = wish();
  if (!wanted.known)
    // Discard the picks, because they belong to the results that this tuning replaces.
    tuning_->setPicked({});
  jobs_->tuning().tune(wanted);
}

/// Returns a message that states how many layers fit in the time limit, estimated from the last run or
/// measurement.
QString TunePanel::coverText() const {
  const TuneWish wanted = wish();
  auto estimate = estimate_of(wanted, *workspace_, tuning_->profile());
  if (estimate && wanted.training) estimate->step_bytes = jobs_->runs().stepBytes().value_or(0);
  if (!estimate) return tr("Run the network once to see how many layers the time limit covers");
  const QString text = cover_text(*estimate, wanted.budget_ms);
  return wanted.known ? tr("%1. The samples of the open profile are reused").arg(text) : text;
}

void TunePanel::showCover(const TuneEstimate& estimate, double budget_ms) {
  start_text_->setText(cover_text(estimate, budget_ms));
}

QString TunePanel::startText() const {
  return start_text_->text();
}

QString TunePanel::tuneUnavailableReason() const {
  const auto& scene = workspace_->scene().facts();
  return scene && scene->triples ? tr("a graph has no kernel map to tune; choose the dataflow of its layers "
                                      "above the list of scenes")
                                 : QString();
}

QString TunePanel::startUnavailableReason() const {
  if (QString why = tuneUnavailableReason(); !why.isEmpty()) return why;
  if (!workspace_->scene().voxels()) return tr("open a scene first");
  if (!workspace_->network()) return tr("choose a network first");
  if (wish().scenes.empty()) return tr("tick a scene first");
  return jobs_->lane().readyToRun() ? QString() : tr("a job is running; stop it first");
}

/// Hides the tuning settings while they are not needed, so that the matrix can use the full width.
void TunePanel::followSettings() {
  const bool needed = !matrix_->hasResults() || jobs_->tuning().tuning();
  settings_->setVisible(!needed);
  setup_page_->setVisible(needed || settings_->isChecked());
  emit missingHeightChanged();
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
                    profile->precision == workspace_->requested().plan().precision &&
                    (!profile->training || setup_->training()->isChecked());
  go_on_->setVisible(profile != nullptr);
  go_on_->setEnabled(same);
  go_on_->setToolTip(
      same ? tr("Skip the settings that the profile already contains. If unchecked, all settings are "
                "measured again.")
           : tr("The open profile has a different network, device, version or precision, or is for training "
                "steps"));
  if (!tuning) start_text_->setText(why.isEmpty() ? coverText() : why);
  // Hide the settings, so that the results can use the full width when the tuning ends.
  if (tuning) settings_->setChecked(false);
  followSettings();
  // Move the focus to the next useful button: Tune, Stop or Save.
  if (had_focus)
    (tuning ? stop_ : use_.save->isEnabled() && tuning_->unsaved() ? use_.save : start_)->setFocus();
}

/// Returns the network with the layer names that the matrix shows.
Network TunePanel::shownNetwork() const {
  Network network = *workspace_->network();
  if (context_.settings.truth("layers.full_names")) return network;
  const QStringList names = shortLayerNames(network);
  for (std::size_t at = 0; at < network.layers.size(); ++at)
    network.layers[at].name = names[static_cast<qsizetype>(at)].toStdString();
  return network;
}

QString TunePanel::bannerText() const {
  if (const auto report = matrix_->recorded())
    return tr("Recorded sweep of t: %1; %2, %3")
        .arg(sweepSubjectText(*report->threshold_sweep, &report->network),
             QString::fromStdString(report->threshold_sweep->device.name), dateText(report->created));
  if (!tuning_->profile()) return {};
  const QString name = tuning_->unsaved() ? tr("unsaved profile") : tuning_->name();
  if (!tuning_->applied())
    return tr("%1: open a scene and choose the network of the profile to see the matching layers").arg(name);
  QStringList lines{QString::fromStdString(tuning_->applied()->plan.source)};
  lines += tuning_->notUsedTexts(shownNetwork());
  const QString use = tuning_->setByHand() ? tr("in use, but t was changed by hand")
                      : tuning_->inUse()   ? tr("in use")
                                           : tr("not in use");
  if (!tuning_->applied()->ignored.empty())
    lines += tr("profile used although %1").arg(QString::fromStdString(tuning_->applied()->ignored));
  const TuningProfile& profile = *tuning_->profile();
  if (profile.training)
    lines.insert(
        1, tr("tuned for training steps (Matrix shows only the forward passes, Groups shows all passes)"));
  if (profile.stopped == "interrupted") lines += tr("tuning stopped before the output was checked");
  if (const auto picked = tuning_->undecidedPicks(); !picked.empty())
    lines.insert(1, tr("chosen settings with too few samples for a verdict: %1")
                        .arg(QString::fromStdString(listed_names(picked))));
  if (const auto count = std::ssize(tuning_->picked()); count > 0)
    lines.insert(1, counted(count, tr("1 layer with a setting chosen by hand"),
                            tr("%1 layers with a setting chosen by hand")));
  if (const QString difference = differenceText(); !difference.isEmpty()) lines += difference;
  return tr("%1 (%2)").arg(lines.front(), use) +
         (lines.size() > 1 ? "; " + lines.mid(1).join("; ") : QString());
}

/// Returns how many layers have different best settings in the matrix and in the groups. Returns an empty
/// string if they agree.
QString TunePanel::differenceText() const {
  const auto& matrix = matrix_->chart()->matrix();
  const auto& table = groups()->chart()->groups();
  if (!matrix || !table || table->training) return {};
  std::int64_t differing = 0;
  for (const GroupRow& group : table->rows) {
    if (group.best < 0) continue;
    const std::string best = table->columns[static_cast<std::size_t>(group.best)].text();
    differing += std::count_if(matrix->rows.begin(), matrix->rows.end(), [&](const MatrixRow& row) {
      return row.map == group.map && row.best >= 0 &&
             matrix->columns[static_cast<std::size_t>(row.best)].text() != best;
    });
  }
  if (differing == 0) return {};
  return counted(differing, tr("the best setting of 1 layer differs from Groups"),
                 tr("the best settings of %1 layers differ from Groups"));
}

/// Returns the names of the layers that do not use the profile, with the reasons.
QString TunePanel::bannerTip() const {
  if (!tuning_->profile() || !tuning_->applied() || matrix_->recorded()) return {};
  QStringList lines;
  for (const auto& line : tuning_->applied()->lines(shownNetwork()))
    lines += QString::fromStdString(line).trimmed();
  if (!differenceText().isEmpty())
    lines += tr(
        "In Groups, all layers of a map change to a setting together, so one map is enough. In Matrix, only "
        "layers of one shape change, and a setting that needs a second map costs more.");
  return lines.join('\n');
}

QString TunePanel::banner() const {
  return banner_->text();
}

QString TunePanel::saveUnavailableReason() const {
  if (!tuning_->profile()) return tr("there is no profile yet");
  const auto& checks = tuning_->profile()->checks;
  const bool right =
      std::all_of(checks.begin(), checks.end(), [](const PlanCheck& one) { return one.output.ok; });
  return right ? QString() : tr("the output of the profile differs from the output with t = max");
}

QString TunePanel::applyUnavailableReason() const {
  const auto& applied = tuning_->applied();
  if (!tuning_->profile()) return tr("there is no profile yet");
  if (jobs_->tuning().tuning()) return tr("stop the tuning first");
  if (!applied) return tr("open a scene and choose a network first");
  if (applied->matched() == 0 && tuning_->picked().empty())
    return tr("no layer matches: %1").arg(QString::fromStdString(applied->why_not.front()));
  return tuning_->inUse() ? tr("the profile is already in use") : saveUnavailableReason();
}

void TunePanel::showBanner() {
  banner_->setText(bannerText());
  banner_->setVisible(!banner_->text().isEmpty());
  banner_->setToolTip(bannerTip());
}

void TunePanel::follow() {
  result_->setProfile(tuning_->profile());
  showBanner();
  const QString save_unavailable_reason = saveUnavailableReason(),
                apply_unavailable_reason = applyUnavailableReason();
  use_.apply->setEnabled(apply_unavailable_reason.isEmpty());
  use_.apply->setToolTip(apply_unavailable_reason.isEmpty()
                             ? tr("Use the settings of the profile for the next runs")
                             : apply_unavailable_reason);
  use_.save->setEnabled(save_unavailable_reason.isEmpty());
  use_.save->setToolTip(save_unavailable_reason.isEmpty()
                            ? tr("Write the profile to a file (Ctrl+S in this panel)")
                            : save_unavailable_reason);
  // Hide buttons that cannot be used, because the tabs need their space. The picks in a recorded sweep belong
  // to no profile, but a command can use them.
  for (QPushButton* button : {use_.apply, use_.save})
    button->setVisible(tuning_->profile() != nullptr);
  use_.copy->setVisible(matrix_->recorded() != nullptr);
  followJob();
  showBody();
}

void TunePanel::saveTo(const QString& file) {
  const auto saved = tuning_->toSave();
  write_profile(file.toStdString(), *saved);
  tuning_->setSaved(saved, QFileInfo(file).fileName());
  workspace_->addLog(tr("tuning profile saved: %1").arg(file));
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
