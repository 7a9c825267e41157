#include "ui/features/tune/profile_tools.hpp"

#include "ui/commands/command_set.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/features/tune/tune_setup.hpp"
#include "ui/jobs/engine/threshold_trials.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFile>
#include <QFileInfo>
#include <QMainWindow>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

/// Returns true if the first bytes of the file name the schema. The rest is not read, because the file may be
/// large.
bool begins_with_schema(const QString& name, const char* schema) {
  constexpr qint64 enough = 512;
  QFile file(name);
  if (!QFileInfo(name).isFile() || !file.open(QIODevice::ReadOnly)) return false;
  const QByteArray head = file.read(enough);
  return head.trimmed().startsWith('{') && head.contains(QByteArray("\"") + schema + "\"");
}

bool is_profile(const QString& file) {
  return begins_with_schema(file, "spira.tune");
}

bool is_report(const QString& file) {
  return begins_with_schema(file, "spira.report");
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
      tune_(new TunePanel(workspace_, &context.selection, &context.theme, tuning_, jobs)),
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
                                       tr("Tuning finished: t chosen for 1 layer shape"),
                                       tr("Tuning finished: t chosen for %1 layer shapes")));
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
  commands.bind("tune.open", [this] {
    emit tabRequested("tune");
    tune_->takeFocus();
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
  connect(comparing_, &Comparing::changed, &commands, &CommandSet::refreshSoon);
  connect(tuning_, &Tuning::changed, &commands, &CommandSet::refreshSoon);
}

bool ProfileTools::takes(const QStringList& files) {
  if (files.size() == 1 && is_profile(files.front())) {
    openProfile(files.front());
    return true;
  }
  if (files.size() > 1 && std::all_of(files.begin(), files.end(), is_report)) {
    comparing_->openReports(files);
    return true;
  }
  // If the Compare panel waits for a second report, the open report becomes the baseline. The panel is hidden
  // if another tab is selected.
  const bool waiting = !compare_->isHidden() && comparing_->baselines().empty();
  if (waiting && files.size() == 1 && is_report(files.front())) comparing_->addCurrent();
  return false;
}

void ProfileTools::openProfile(const QString& file) {
  if (may_replace_ && !may_replace_()) return;
  const QString name = QFileInfo(file).fileName();
  reading_.start(tr("Reading %1").arg(name), read_profile_file, file,
                 [this, name](const std::shared_ptr<const TuningProfile>& profile) {
                   tuning_->setProfile(profile, name, false);
                   workspace_->addLog(tr("tuning profile %1: %2, measured on %3")
                                          .arg(name, QString::fromStdString(profile->network),
                                               QString::fromStdString(profile->device.name)));
                   emit tabRequested("tune");
                 });
}

void ProfileTools::reportUse() {
  report(false);
}

/// Hides the message about the profile if it is shown.
void ProfileTools::withdrawReport() {
  if (std::exchange(reported_, false)) emit profileReportOutdated();
}

/// Shows a message if the profile belongs to another device. The message appears once per profile, as soon as
/// a scene and a network are open. Also hides a message that is no longer valid.
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
  QStringList lines;
  for (const auto& line : applied.lines(*workspace_->network()))
    lines += QString::fromStdString(line).trimmed();
  const QString name = tuning_->unsaved() ? tr("(unsaved)") : tuning_->name();
  reported_ = true;
  const QString title =
      tr("%1 of %2 layers from profile %3").arg(applied.matched()).arg(applied.why_not.size()).arg(name);
  lines.removeFirst();
  if (!applied.ignored.empty())
    lines.prepend(tr("profile used anyway: %1").arg(QString::fromStdString(applied.ignored)));
  if (refused) lines = {tr("The profile is not used: %1.").arg(tuning_->deviceMismatch())};
  emit profileReported(title, lines.join("\n"), refused);
}

void ProfileTools::openProfileDialog() {
  const QString file = dialogs_->openFile(tune_, tr("Open tuning profile"),
                                          tr("Tuning profiles (*.tune.json);;All files (*)"));
  if (!file.isEmpty()) openProfile(file);
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

}  // namespace spira::ui
