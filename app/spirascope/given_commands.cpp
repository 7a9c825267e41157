#include "app/spirascope/given_commands.hpp"

#include "ui/features/session/unsaved_results.hpp"
#include "ui/window/application.hpp"

#include <QTimer>

namespace spira::app {

GivenCommands::GivenCommands(ui::Application* app, const std::vector<std::string>& ids, QObject* parent)
    : QObject(parent), app_(app), rest_(app), left_(ids.begin(), ids.end()) {
  for (const auto& id : ids) {
    if (app_->commands().action(QString::fromStdString(id)) == nullptr)
      throw Error(ErrorKind::usage, "--command " + id + ": unknown command");
  }
}

void GivenCommands::start() {
  if (!left_.empty()) QTimer::singleShot(poll_ms, this, &GivenCommands::poll);
}

/// Starts the next command if all work is finished and the view has its meshes. A mesh that arrives after
/// the command would reset the camera.
void GivenCommands::poll() {
  if (rest_.reached()) {
    rest_.begin();
    const std::string id = left_.front();
    left_.pop_front();
    const QString name = QString::fromStdString(id);
    // A script must not wait until a user answers a question.
    const bool asks = app_->unsavedResults().setAsks(false);
    const bool done = app_->commands().trigger(name);
    app_->unsavedResults().setAsks(asks);
    if (!done) {
      const std::string why = app_->commands().unavailableReason(name).toStdString();
      emit refused(Error(ErrorKind::usage, "--command " + id + ": " + (why.empty() ? "it cannot run" : why)));
    }
  }
  start();
}

}  // namespace spira::app
