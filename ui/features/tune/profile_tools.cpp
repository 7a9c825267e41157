#include "ui/features/tune/profile_tools.hpp"

#include "engine/base/file.hpp"
#include "engine/report/advice/advice.hpp"
#include "engine/report/validate.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/groups_pane.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/features/tune/tune_setup.hpp"
#include "ui/jobs/engine/sweep_jobs.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/undo_step.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFileInfo>
#include <QMainWindow>
#include <QPushButton>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

constexpr auto tune_table = std::to_array<CommandFacts>({
    {"tune.open", QT_TRANSLATE_NOOP("Command", "Tune..."), "Ctrl+T",
     QT_TRANSLATE_NOOP("Command", "Find the fastest setting of each layer within a time limit"), 1200,
     Menu::run, 5, Opens::dialog},
    {"tune.pick_best", QT_TRANSLATE_NOOP("Command", "Choose the best settings"), "",
     QT_TRANSLATE_NOOP("Command",
                       "For each layer, choose the best measured setting if it is significantly faster than "
                       "the chosen setting"),
     1205, Menu::run, 5},
    {"tune.copy_command", QT_TRANSLATE_NOOP("Command", "Copy the command with the chosen settings"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Copy the command that measures the network with the settings chosen in the matrix"),
     1207, Menu::run, 5},
    {"tune.apply", QT_TRANSLATE_NOOP("Command", "Apply the tuning profile"), "", "", 1210, Menu::run, 5},
    {"tune.use_anyway", QT_TRANSLATE_NOOP("Command", "Use the tuning profile of another device"), "",
     QT_TRANSLATE_NOOP(
         "Command",
         "Use a profile that was measured on another device. Reports then contain a note about the device."),
     1220, Menu::run, 5},
    {"tune.open_profile", QT_TRANSLATE_NOOP("Command", "Open tuning profile..."), "", "", 1230, Menu::run, 5,
     Opens::dialog},
    {"tune.save", QT_TRANSLATE_NOOP("Command", "Save tuning profile..."), "", "", 1240, Menu::run, 5,
     Opens::dialog},
    {"tune.export_matrix", QT_TRANSLATE_NOOP("Command", "Export tuning matrix (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row for each layer and t of the open profile"), 165,
     Menu::export_files, 2, Opens::dialog},
    {"tune.export_groups", QT_TRANSLATE_NOOP("Command", "Export tuning groups (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row for each map and setting of the open profile"), 166,
     Menu::export_files, 2, Opens::dialog},
    {"window.show_groups", QT_TRANSLATE_NOOP("Command", "Go to Groups"), "",
     QT_TRANSLATE_NOOP("Command", "Show the times of the layers that share a kernel map"), 1652, Menu::go_to,
     3},
    {"compare.set_baseline", QT_TRANSLATE_NOOP("Command", "Set as baseline"), "B",
     QT_TRANSLATE_NOOP("Command", "Compare the next runs with this run"), 1250, Menu::run, 6},
    {"compare.show", QT_TRANSLATE_NOOP("Command", "Show comparison"), "", "", 1260, Menu::run, 6},
});

}  // namespace

std::span<const CommandFacts> tune_commands() noexcept {
  return tune_table;
}

namespace {

bool is_profile(const QString& file) {
  return begins_as(file.toStdString(), DocumentKind::tuning_profile);
}

bool is_report(const QString& file) {
  return begins_as(file.toStdString(), DocumentKind::report);
}

/// Returns true if the profile was measured with a built-in network.
bool is_of_preset(const TuningProfile& profile) {
  const auto presets = network_presets();
  return std::any_of(presets.begin(), presets.end(), [&](const PresetFacts& preset) {
    return preset.id == profile.network &&
           fingerprint_of(network_preset(preset.id)) == profile.network_fingerprint;
  });
}

void read_profile_file(const QString& file, Job& /*job*/,
                       const Send<std::shared_ptr<const TuningProfile>>& send) {
  send(std::make_shared<const TuningProfile>(read_profile(file.toStdString())));
}

}  // namespace

ProfileTools::ProfileTools(const FeatureContext& context, EngineJobs* jobs)
    : QObject(&context.window),
      workspace_(&context.workspace),
      dialogs_(&context.dialogs),
      tuning_(new Tuning(workspace_, this)),
      comparing_(new Comparing(context.tasks, workspace_, this)),
      compare_(new ComparePanel(workspace_, &context.selection, &context.theme, comparing_)),
      tune_(new TunePanel(context, tuning_, jobs)),
      map_(new MapPanel(context.tasks, workspace_, &context.selection, &context.theme)),
      reading_(context.tasks) {
  set_help(map_, "window#Kernel map");
  set_help(compare_, "window#Compare");
  set_help(tune_, "window#Tune");
  new ThresholdTrials(workspace_, &context.selection, &jobs->lane(), &jobs->sweeps(), this);
  bind(context.commands);
  connect(&jobs->runs(), &RunJobs::measured, comparing_, &Comparing::setLive);
  connect(&jobs->tuning(), &TuneJobs::tuned, this,
          [this](const std::shared_ptr<const TuningProfile>& profile) {
            tuning_->setProfile(profile, tr("(unsaved)"), true);
            workspace_->addLog(counted(std::ssize(profile->choices),
                                       tr("Tuning finished: setting chosen for 1 layer shape"),
                                       tr("Tuning finished: settings chosen for %1 layer shapes")));
          });
  connect(comparing_, &Comparing::failed, this, &ProfileTools::failed);
  connect(comparing_, &Comparing::currentWanted, this, [this](const QString& file) {
    emit tabRequested("compare");
    emit openWanted(file);
  });
  connect(&reading_, &TaskSlot::failed, this, &ProfileTools::failed);
  connect(tuning_, &Tuning::taken, this, &ProfileTools::reportUse);
  connect(tuning_, &Tuning::changed, this, &ProfileTools::reportRefusal);
  connect(tune_, &TunePanel::saveRequested, this, &ProfileTools::saveDialog);
  connect(tune_, &TunePanel::openRequested, this, &ProfileTools::openProfileDialog);
  connect(tune_->setup(), &TuneSetup::addRequested, this,
          [this] { tune_->setup()->addScenes(dialogs_->openFiles(tune_, tr("Scenes to tune on"))); });
}

void ProfileTools::bind(CommandSet& commands) {
  commands.bind(
      "compare.set_baseline",
      [this] {
        comparing_->addCurrent();
        emit tabRequested("compare");
      },
      [this] { return comparing_->baselineUnavailableReason(); });
  commands.bind("compare.show", [this] { emit tabRequested("compare"); });
  commands.bind(
      "tune.open",
      [this] {
        emit tabRequested("tune");
        tune_->takeFocus();
      },
      [this] { return tune_->tuneUnavailableReason(); });
  MatrixPane* matrix = tune_->matrix();
  commands.bind(
      "tune.pick_best", [matrix] { matrix->pickBest(); },
      [matrix] { return matrix->pickBestUnavailableReason(); });
  commands.bind(
      "tune.copy_command", [matrix] { matrix->copyCommand(); },
      [this, matrix] {
        if (!workspace_->scene().facts()) return tr("open a scene or a report first");
        return matrix->hasResults() ? matrix->whyNone() : tr("there is no matrix");
      });
  commands.bind(
      "tune.apply", [this] { tuning_->apply(); }, [this] { return tune_->applyUnavailableReason(); });
  commands.bind(
      "tune.use_anyway", [this] { tuning_->useAnyway(); },
      [this] {
        if (!tuning_->profile()) return tr("there is no profile yet");
        if (!tuning_->applied()) return tr("open a scene and choose a network first");
        if (tuning_->deviceIgnored()) return tr("the profile is already in use");
        return tuning_->deviceMismatch().isEmpty() ? tr("the profile matches this device and version")
                                                   : QString();
      });
  commands.bind("tune.open_profile", [this] { openProfileDialog(); });
  commands.bind(
      "tune.save", [this] { saveDialog(); }, [this] { return tune_->saveUnavailableReason(); });
  bindExports(commands);
  commands.bind("window.show_groups", [this] {
    emit tabRequested("tune");
    tune_->showGroups();
  });
  connect(comparing_, &Comparing::changed, &commands, &CommandSet::refreshSoon);
  connect(tune_->matrix(), &MatrixPane::resultsChanged, &commands, &CommandSet::refreshSoon);
  connect(tune_->matrix(), &MatrixPane::pickBestChanged, &commands, &CommandSet::refreshSoon);
  connect(tuning_, &Tuning::pickedChanged, &commands, &CommandSet::refreshSoon);
  connect(tuning_, &Tuning::changed, &commands, &CommandSet::refreshSoon);
}

void ProfileTools::bindExports(CommandSet& commands) {
  commands.bind(
      "tune.export_matrix",
      [this] {
        exportTable(tr("Export tuning matrix"), ".matrix.csv", [this] { return tune_->matrix()->csv(); });
      },
      [this] { return tune_->matrix()->whyNone(); });
  commands.bind(
      "tune.export_groups",
      [this] {
        exportTable(tr("Export tuning groups"), ".groups.csv", [this] { return tune_->groups()->csv(); });
      },
      [this] { return tune_->groups()->whyNone(); });
}

bool ProfileTools::takes(const QStringList& files) {
  if (files.size() == 1 && is_profile(files.front())) {
    openProfile(files.front(), false);
    return true;
  }
  if (files.size() > 1 && std::all_of(files.begin(), files.end(), is_report)) {
    comparing_->openReports(files);
    return true;
  }
  // If the Compare panel waits for a second report, the open report becomes the baseline. The panel waits
  // only while it is visible.
  const bool waiting = !compare_->isHidden() && comparing_->baselines().empty();
  if (waiting && files.size() == 1 && is_report(files.front())) comparing_->addCurrent();
  return false;
}

QString ProfileTools::takeProfileFrom(QStringList& files) {
  const auto profile = std::find_if(files.begin(), files.end(), is_profile);
  if (profile == files.end() || std::all_of(files.begin(), files.end(), is_profile)) return {};
  QString name = *profile;
  files.erase(profile);
  return name;
}

void ProfileTools::openAndApply(const QString& file) {
  openProfile(file, true);
}

void ProfileTools::openProfile(const QString& file, bool apply) {
  if (may_replace_ && !may_replace_()) return;
  const QString name = QFileInfo(file).fileName();
  reading_.start(tr("Reading %1").arg(name), read_profile_file, file,
                 [this, name, apply](const std::shared_ptr<const TuningProfile>& profile) {
                   tuning_->setProfile(profile, name, false);
                   workspace_->addLog(tr("tuning profile %1: %2, measured on %3")
                                          .arg(name, QString::fromStdString(profile->network),
                                               QString::fromStdString(profile->device.name)));
                   emit tabRequested("tune");
                   if (apply) applyOpened();
                 });
}

/// Applies the opened profile. If no layer matches, shows why.
void ProfileTools::applyOpened() {
  const auto& network = workspace_->network();
  if (workspace_->results().report() || !network) return;
  const TuningProfile& profile = *tuning_->profile();
  if (profile.network_fingerprint != fingerprint_of(*network) && is_of_preset(profile))
    return emit networkOffered(tuning_->name(), QString::fromStdString(profile.network));
  if (tune_->applyUnavailableReason().isEmpty()) return tuning_->apply();
  const bool unmatched = tuning_->applied() && tuning_->applied()->matched() == 0;
  if (unmatched && tuning_->deviceMismatch().isEmpty()) report(false);
}

void ProfileTools::reportUse() {
  report(false);
}

/// Hides the message about the profile if it is shown.
void ProfileTools::withdrawReport() {
  if (std::exchange(reported_, false)) emit profileReportOutdated();
}

/// Shows a message if the profile belongs to a different device, once per profile and as soon as a scene and
/// a network are open. Hides the message when it is no longer valid.
void ProfileTools::reportRefusal() {
  const bool over = reported_ && !tuning_->inUse() && !tuning_->setByHand() && !refused_;
  if (over) withdrawReport();
  if (refused_ && refused_ != tuning_->profile()) {
    refused_.reset();
    withdrawReport();
  }
  const bool news = tuning_->applied() && !tuning_->deviceIgnored() && !refused_;
  if (!news || tuning_->deviceMismatch().isEmpty()) return;
  refused_ = tuning_->profile();
  report(true);
}

void ProfileTools::report(bool refused) {
  const AppliedProfile& applied = *tuning_->applied();
  if (!refused) refused_.reset();
  QStringList lines = tuning_->notUsedTexts(*workspace_->network());
  const QString name = tuning_->unsaved() ? tr("(unsaved)") : tuning_->name();
  reported_ = true;
  const QString title = counted(std::ssize(applied.why_not), tr("Profile %2 matches %1 of 1 layer"),
                                tr("Profile %3 matches %2 of %1 layers"))
                            .arg(applied.matched())
                            .arg(name);
  if (const auto picked = tuning_->undecidedPicks(); !picked.empty() && !refused)
    lines.prepend(tr("chosen settings with too few samples for a verdict: %1")
                      .arg(QString::fromStdString(listed_names(picked))));
  if (!applied.ignored.empty())
    lines.prepend(tr("profile used although %1").arg(QString::fromStdString(applied.ignored)));
  if (refused) lines = {tr("The profile is not used: %1.").arg(tuning_->deviceMismatch())};
  emit profileReported(title, lines.join("\n"), refused);
}

void ProfileTools::openProfileDialog() {
  const QString file = dialogs_->openFile(tune_, tr("Open tuning profile"),
                                          tr("Tuning profiles (*.tune.json);;All files (*)"));
  if (!file.isEmpty()) openProfile(file, false);
}

void ProfileTools::saveDialog() {
  const QString name = QString::fromStdString(tuning_->profile()->network) + ".tune.json";
  const QString file =
      dialogs_->saveFile(tune_, tr("Save tuning profile"), name, tr("Tuning profiles (*.tune.json)"));
  if (file.isEmpty()) return;
  try {
    tune_->saveTo(file);
  } catch (const Error& error) {
    emit failed(error);
  }
}

/// Asks the user for a file name, with `ending` after the name of the network, and writes a table.
void ProfileTools::exportTable(const QString& title, const QString& ending,
                               const std::function<std::string()>& csv) {
  const QString name = QString::fromStdString(workspace_->network()->name) + ending;
  const QString file = dialogs_->saveFile(tune_, title, name, tr("Tables (*.csv)"));
  if (file.isEmpty()) return;
  try {
    write_file(file.toStdString(), csv());
  } catch (const Error& error) {
    emit failed(error);
  }
}

ProfileViews::ProfileViews(const FeatureContext& context, ProfileTools& tools, EngineJobs& jobs,
                           ParameterHistory& history, const Views& views)
    : QObject(&context.window), context_(context), tools_(tools), views_(views) {
  addJobBars(jobs);
  followMap(jobs);
  connectProfile(history, jobs);
  connectCompared();
  views.sweep.setTuning(tools.tuning());
  views.timeline.addCommands(context.commands);
  connect(&views.summary, &SummaryPanel::evidenceWanted, this, &ProfileViews::showEvidence);
  connect(&views.summary, &SummaryPanel::timeWanted, this, &ProfileViews::showTimeOf);
  connect(&views.summary, &SummaryPanel::packRequested, &jobs.scenes(), &SceneJobs::usePack);
}

void ProfileViews::addJobBars(EngineJobs& jobs) {
  using Doing = EngineLane::Doing;
  views_.breakdown.addAbove(new JobBar(&jobs, {Doing::running, Doing::measuring}));
  views_.sweep.addAbove(new JobBar(&jobs, {Doing::sweeping}));
  for (Panel* panel : std::initializer_list<Panel*>{&views_.density, tools_.mapPanel()})
    panel->addAbove(new JobBar(&jobs, {Doing::scene_map, Doing::running}));
}

/// Informs the panels that need the kernel map whether a job is building the map. If no job is building the
/// map, the panels offer to start this job.
void ProfileViews::followMap(EngineJobs& jobs) {
  connect(&jobs.lane().task(), &TaskSlot::started, this, [this] { setMapStopped(false); });
  connect(&jobs.lane().task(), &TaskSlot::finished, this, [this, &task = jobs.lane().task()] {
    setMapStopped(!shown_map(context_.workspace, context_.selection).densities && !task.busy());
  });
}

void ProfileViews::setMapStopped(bool stopped) {
  views_.density.setMapStopped(stopped);
  tools_.mapPanel()->setMapStopped(stopped);
}

void ProfileViews::connectProfile(ParameterHistory& history, EngineJobs& jobs) {
  connect(&tools_, &ProfileTools::profileReported, this,
          [this](const QString& title, const QString& text, bool refused) {
            std::vector<NoticeAction> actions;
            if (refused)
              actions.push_back({tr("Use anyway"), [this] { context_.commands.trigger("tune.use_anyway"); }});
            profile_notice_ = context_.notices.showNote(title, text, std::move(actions));
          });
  connect(&tools_, &ProfileTools::profileReportOutdated, this,
          [this] { context_.notices.withdraw(std::exchange(profile_notice_, 0)); });
  Tuning* tuning = tools_.tuning();
  connect(&tools_, &ProfileTools::networkOffered, this,
          [this, &jobs](const QString& profile, const QString& network) {
            context_.notices.show({Notice::Kind::question,
                                   tr("Use the network %1 too?").arg(network),
                                   tr("%1 was measured with this network.").arg(profile),
                                   {{tr("Use network"), [this, &jobs, network] {
                                       jobs.runs().chooseNetwork(network);
                                       context_.commands.trigger("tune.apply");
                                     }}}});
          });
  connect(tuning, &Tuning::edited, this,
          [tuning, &history](const QString& what, const PickedSettings& before) {
            history.stack()->push(new UndoStep(
                what, [tuning, before] { tuning->setPicked(before); },
                [tuning, after = tuning->picked()] { tuning->setPicked(after); }));
          });
  Comparing* comparing = tools_.comparing();
  connect(comparing, &Comparing::edited, this,
          [comparing, &history](const QString& what, const Baselines& before) {
            history.stack()->push(new UndoStep(
                what, [comparing, before] { comparing->restore(before); },
                [comparing, after = comparing->keep()] { comparing->restore(after); }));
          });
}

void ProfileViews::connectCompared() {
  ComparedScenes* compared = &views_.compared;
  connect(&views_.docks, &DockLayout::sideBySideRequested, compared, &ComparedScenes::setSideBySide);
  connect(compared, &ComparedScenes::commandRequested, this,
          [this](const QString& id) { context_.commands.trigger(id); });
  connect(compared, &ComparedScenes::findRequested, this, [this](const QString& scene) {
    const QString file = context_.dialogs.openFile(&context_.window, tr("Find %1").arg(scene));
    if (!file.isEmpty()) views_.compared.findIn(file);
  });
  connect(compared, &ComparedScenes::viewMade, this,
          [this](QWidget* view) { context_.commands.addPlainKeysTo(view); });
}

void ProfileViews::showEvidence(const Advice& advice) {
  if (advice.layer >= 0) context_.selection.setLayer(advice.layer);
  DockLayout& docks = views_.docks;
  switch (advice.view) {
    case AdviceView::scene:
      return docks.show("points");
    case AdviceView::densities:
      return docks.show("density");
    case AdviceView::breakdown:
      return docks.show("breakdown");
    case AdviceView::sweeps:
      views_.sweep.showKind(advice.change.pack ? SweepPanel::Kind::packings : SweepPanel::Kind::thresholds);
      return docks.show("sweeps");
    case AdviceView::timeline:
      return docks.show("timeline");
    case AdviceView::tuning:
      return docks.show("tune");
  }
}

/// Shows the layer in the timeline and gives the timeline the keyboard focus. Shows the layer in the
/// breakdown if the report has no timeline.
void ProfileViews::showTimeOf(int layer) {
  context_.selection.setLayer(layer);
  TimelineChart* chart = views_.timeline.chart();
  if (!chart->hasContent()) return views_.docks.show("breakdown");
  views_.docks.show("timeline");
  chart->setFocus(Qt::OtherFocusReason);
}

}  // namespace spira::ui
