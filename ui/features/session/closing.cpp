#include "ui/features/session/closing.hpp"

#include "ui/commands/command_set.hpp"
#include "ui/features/layout/window_layouts.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/session/crash_recovery.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/jobs/survey_job.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/open_document.hpp"

#include <QApplication>
#include <QEvent>
#include <QMainWindow>
#include <QMessageBox>
#include <QPushButton>
#include <QSessionManager>

namespace spira::ui {

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
  QMessageBox box(QMessageBox::Question, question, tr("%1 is not finished.").arg(work), QMessageBox::NoButton,
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
  const bool open = workspace.report() || workspace.voxels() || parts_.jobs.lane().opening() ||
                    parts_.lessons.player().lesson() != nullptr;
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
  context_.workspace.setFrames({}, 0);
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
