#include "ui/features/session/closing.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/report/report_exports.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/layout/window_layouts.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/session/recovery.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/jobs/comparing.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/jobs/survey_job.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/workspace.hpp"
#include "ui/settings/recent_files.hpp"

#include <QApplication>
#include <QDateTime>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QMainWindow>
#include <QMessageBox>
#include <QPushButton>
#include <QSessionManager>

#include <algorithm>
#include <utility>

namespace spira::ui {

UnsavedResults::UnsavedResults(const FeatureContext& context, const Parts& parts, const QString& state_folder)
    : QObject(&context.window),
      context_(context),
      parts_(parts),
      folder_(state_folder.isEmpty() ? QString() : state_folder + "/results") {}

UnsavedResults::Result UnsavedResults::measured(const std::shared_ptr<const Report>& report) {
  const QString network = QString::fromStdString(report->network.name),
                scene = QFileInfo(QString::fromStdString(report->scene.name)).completeBaseName();
  const bool shown = parts_.comparing.current() == report;
  Result result;
  result.text = tr("the measurement of %1 on %2").arg(network, scene);
  constexpr qsizetype longest = 60;  // Names in network files can have 1,000 bytes and contain slashes.
  QString name = scene + "-" + network;
  result.file_name = name.replace('/', '_').left(longest) + ".spira.json";
  result.write = [this, report, shown](const QString& file) {
    // The report of the open run also contains the sweeps.
    const auto whole = shown ? parts_.run.report() : report;
    write_file(file.toStdString(), report_json(*whole));
  };
  result.settle = [this, report] { settled_.insert(report); };
  return result;
}

std::vector<UnsavedResults::Result> UnsavedResults::lostBy(Closing closing) {
  std::vector<Result> results;
  const Comparing& comparing = parts_.comparing;
  const auto& baselines = comparing.baselines();
  const auto is_baseline = [&](const std::shared_ptr<const Report>& report) {
    return std::any_of(baselines.begin(), baselines.end(),
                       [&](const Baseline& one) { return one.report == report; });
  };
  const auto current = context_.workspace.results().report() ? nullptr : comparing.current();
  const bool current_lost =
      closing == Closing::window || (closing == Closing::scene && !is_baseline(current));
  if (current && current_lost && !settled_.contains(current)) results.push_back(measured(current));
  for (const Baseline& one : baselines) {
    const bool made_here = one.voxels != nullptr && one.report != current;
    if (closing == Closing::window && made_here && !settled_.contains(one.report))
      results.push_back(measured(one.report));
  }
  const Tuning& tuning = parts_.tuning;
  TunePanel* panel = &parts_.tune_panel;
  const bool profile =
      closing != Closing::scene && tuning.unsaved() && panel->saveUnavailableReason().isEmpty();
  if (!profile || settled_profile_ == tuning.profile()) return results;
  const QString network = QString::fromStdString(tuning.profile()->network);
  results.push_back({tr("the tuning profile of %1").arg(network), network + ".tune.json",
                     [panel](const QString& file) { panel->saveTo(file); },
                     [this, profile = tuning.profile()] { settled_profile_ = profile; }});
  return results;
}

bool UnsavedResults::mayClose(Closing closing, const QString& question) {
  if (!asks_) {
    keep(closing);
    return true;
  }
  const std::vector<Result> results = lostBy(closing);
  if (results.empty()) return true;
  QStringList names;
  for (const Result& one : results)
    names += one.text;
  QMessageBox box(QMessageBox::Question, question,
                  tr("These results are not saved: %1.").arg(names.join(tr("; "))),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &context_.window);
  box.setObjectName("unsaved_question");
  box.setInformativeText(results.size() == 1 ? tr("This result is lost if you do not save it.")
                                             : tr("These results are lost if you do not save them."));
  box.setDefaultButton(QMessageBox::Save);
  box.setEscapeButton(QMessageBox::Cancel);
  const int answer = box.exec();
  if (answer == QMessageBox::Save)
    return std::all_of(results.begin(), results.end(), [this](const Result& one) { return save(one); });
  if (answer != QMessageBox::Discard) return false;
  for (const Result& one : results)
    one.settle();
  return true;
}

bool UnsavedResults::save(const Result& result) {
  const QString filter = result.file_name.endsWith(".tune.json") ? tr("Tuning profiles (*.tune.json)")
                                                                 : tr("Reports (*.spira.json)");
  const QString file =
      context_.dialogs.saveFile(&context_.window, tr("Save %1").arg(result.text), result.file_name, filter);
  if (file.isEmpty()) return false;
  try {
    result.write(file);
  } catch (...) {
    context_.notices.showError(current_error());
    return false;
  }
  result.settle();
  return true;
}

void UnsavedResults::keep(Closing closing) {
  if (folder_.isEmpty() || !QDir().mkpath(folder_)) return;
  const QString when = QDateTime::currentDateTimeUtc().toString("yyyyMMdd-HHmmss-zzz");
  for (const Result& one : lostBy(closing)) {
    const QString file = folder_ + "/" + when + "-" + one.file_name;
    try {
      one.write(file);
    } catch (...) {
      context_.workspace.addLog(
          tr("cannot store %1: %2").arg(one.text, QString::fromStdString(current_error().what())));
      continue;
    }
    one.settle();
    parts_.recent.add(file);
    context_.workspace.addLog(tr("%1 was unsaved and is now stored as %2").arg(one.text, file));
  }
}

Closing::Closing(const FeatureContext& context, const Parts& parts)
    : QObject(&context.window), context_(context), parts_(parts) {
  context.commands.bind(
      "file.close", [this] { closeScene(); }, [this] { return whyNothingOpen(); });
  context.commands.bind("file.quit", [&window = context.window] { window.close(); });
  context.window.installEventFilter(this);
  followEnd();
}

QString Closing::runningWork() const {
  if (parts_.jobs.lane().askedFor()) return parts_.jobs.lane().task().title();
  return parts_.survey.busy() ? tr("Surveying the folder") : QString();
}

bool Closing::mayCancel(const QString& question, const QString& lost) {
  const QString work = runningWork();
  if (work.isEmpty() || !asks_) return true;
  QMessageBox box(QMessageBox::Question, question, tr("Still running: %1.").arg(work), QMessageBox::NoButton,
                  &context_.window);
  box.setObjectName("close_question");
  box.setInformativeText(lost);
  QPushButton* close = box.addButton(tr("Cancel job and close"), QMessageBox::AcceptRole);
  QPushButton* stay = box.addButton(tr("Keep working"), QMessageBox::RejectRole);
  box.setDefaultButton(close);
  box.setEscapeButton(stay);
  box.exec();
  return box.clickedButton() == close;
}

bool Closing::mayCloseWindow() {
  const QString question = tr("Close SpiraScope?");
  if (!mayCancel(question, tr("The results of this job so far will be lost when the window closes.")))
    return false;
  if (!asks_) parts_.unsaved.setAsks(false);
  return parts_.unsaved.mayClose(UnsavedResults::Closing::window, question);
}

QString Closing::whyNothingOpen() const {
  const Workspace& workspace = context_.workspace;
  const bool open = workspace.results().report() || workspace.scene().voxels() ||
                    parts_.jobs.lane().opening() || parts_.lessons.player().lesson() != nullptr;
  return open ? QString() : tr("nothing is open");
}

/// Closes the open lesson, or the scene if no lesson is open. The network, t and the device do not change.
void Closing::closeScene() {
  if (parts_.lessons.player().lesson() != nullptr) return parts_.lessons.leave();
  const QString question = tr("Close the open scene or report?");
  if (!mayCancel(question, tr("The results of this job so far will be lost."))) return;
  if (!parts_.unsaved.mayClose(UnsavedResults::Closing::scene, question)) return;
  parts_.jobs.lane().cancel();
  parts_.survey.clear();
  parts_.sessions.remember();
  context_.notices.clear();
  parts_.sessions.abandon();
  parts_.document.setNames({{}, {}, tr("SpiraScope")});
  emit sceneClosed();
  parts_.crop.setEditing(false);
  context_.selection.clear();
  context_.selection.setRows(nullptr);
  parts_.sessions.forgetLook();
  context_.workspace.scene().setFrames({}, 0);
  context_.workspace.setScene(nullptr);
  parts_.history.begin();
  context_.commands.refresh();
}

void Closing::closeWithoutQuestions() {
  asks_ = false;
  context_.window.close();
}

bool Closing::eventFilter(QObject* watched, QEvent* event) {
  if (watched != &context_.window || event->type() != QEvent::Close)
    return QObject::eventFilter(watched, event);
  if (!mayCloseWindow()) {
    event->ignore();
    return true;
  }
  parts_.jobs.lane().cancel();
  parts_.lessons.leave();
  end();
  return false;
}

void Closing::end() {
  if (ended_) return;
  ended_ = true;
  parts_.sessions.remember();
  parts_.layouts.keep();
  parts_.recovery.close();
}

/// Handles the end of the program. At log-out, asks the same questions as when the window is closed. If the
/// program ends without closing its window, for example in a script, stores the results and deletes the
/// recovery copy.
void Closing::followEnd() {
  connect(qApp, &QGuiApplication::commitDataRequest, this, [this](QSessionManager& session) {
    if (!session.allowsInteraction()) return parts_.unsaved.keep(UnsavedResults::Closing::window);
    mayCloseWindow() ? session.release() : session.cancel();
  });
  connect(qApp, &QCoreApplication::aboutToQuit, this, [this] {
    if (ended_) return;
    parts_.unsaved.keep(UnsavedResults::Closing::window);
    end();
  });
}

}  // namespace spira::ui
