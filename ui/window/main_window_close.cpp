// Closes the open scene and the window, and asks before a running job is lost.
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/session/recovery.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/features/survey/surveys.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/jobs/survey_job.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QMessageBox>
#include <QPushButton>
#include <QSessionManager>

namespace spira::ui {

QString MainWindow::runningWork() const {
  if (jobs_->lane().askedFor()) return jobs_->lane().task().title();
  return surveys_->job().busy() ? tr("Surveying the folder") : QString();
}

bool MainWindow::mayClose(const QString& question, const QString& lost) {
  const QString work = runningWork();
  if (work.isEmpty() || !asks_before_closing_) return true;
  QMessageBox box(QMessageBox::Question, question, tr("%1 is not finished.").arg(work), QMessageBox::NoButton,
                  this);
  box.setObjectName("close_question");
  box.setInformativeText(lost);
  QPushButton* close = box.addButton(tr("Cancel job and close"), QMessageBox::AcceptRole);
  QPushButton* stay = box.addButton(tr("Keep working"), QMessageBox::RejectRole);
  box.setDefaultButton(close);
  box.setEscapeButton(stay);
  box.exec();
  return box.clickedButton() == close;
}

QString MainWindow::whyNothingToClose() const {
  const bool open = workspace_->report() || workspace_->voxels() || jobs_->lane().opening() ||
                    lessons_->player().lesson() != nullptr;
  return open ? QString() : tr("nothing is open");
}

/// Closes an open lesson first, because it was opened last. The network, t and the device stay for the next
/// scene.
void MainWindow::closeOpen() {
  if (lessons_->player().lesson() != nullptr) return lessons_->leave();
  if (!mayClose(tr("Close the open scene or report?"), tr("Its results so far are lost."))) return;
  if (!unsaved_->mayClose(UnsavedResults::Closing::scene, tr("Close the open scene or report?"))) return;
  jobs_->lane().task().cancel();
  surveys_->job().clear();
  rememberScene();
  banner_->hideMessage();
  arriving_.reset();
  reopen_.clear();
  asked_for_.clear();
  session_file_.clear();
  crop_->setEditing(false);
  selection_->clear();
  selection_->setRows(nullptr);
  forgetLook();
  workspace_->setFrames({}, 0);
  workspace_->setScene(nullptr);
  setWindowTitle(tr("SpiraScope"));
  history_->begin();
  commands_->refresh();
}

void MainWindow::closeWithoutQuestions() {
  asks_before_closing_ = false;
  close();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayClose(tr("Close SpiraScope?"), tr("Its results so far are lost when the window closes.")))
    return event->ignore();
  if (!asks_before_closing_) unsaved_->setAsks(false);
  if (!unsaved_->mayClose(UnsavedResults::Closing::window, tr("Close SpiraScope?"))) return event->ignore();
  jobs_->lane().task().cancel();
  lessons_->leave();
  end();
  QMainWindow::closeEvent(event);
}

void MainWindow::end() {
  if (ended_) return;
  ended_ = true;
  rememberScene();
  keepWindow();
  recovery_->close();
}

/// Asks at log-out as at closing. If the program ends without closing its window, for example in a script,
/// the results are stored and nothing is left to recover.
void MainWindow::followEnd() {
  connect(qApp, &QGuiApplication::commitDataRequest, this, [this](QSessionManager& session) {
    if (!session.allowsInteraction()) return unsaved_->keep(UnsavedResults::Closing::window);
    const bool may_end =
        mayClose(tr("Close SpiraScope?"), tr("Its results so far are lost when the window closes.")) &&
        unsaved_->mayClose(UnsavedResults::Closing::window, tr("Close SpiraScope?"));
    may_end ? session.release() : session.cancel();
  });
  connect(qApp, &QCoreApplication::aboutToQuit, this, [this] {
    if (ended_) return;
    unsaved_->keep(UnsavedResults::Closing::window);
    end();
  });
}

}  // namespace spira::ui
