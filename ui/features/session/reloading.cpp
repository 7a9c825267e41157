#include "ui/features/session/reloading.hpp"

#include "engine/scene/standard_input.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/reasons.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/jobs/file_watch.hpp"
#include "ui/model/open_document.hpp"

#include <QFileInfo>
#include <QMainWindow>

namespace spira::ui {

Reloading::Reloading(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
                     const OpenDocument& document)
    : QObject(&context.window), context_(context), sessions_(sessions), document_(document) {
  context.commands.bind(
      "file.reload",
      [this, &unsaved] {
        if (unsaved.mayClose(UnsavedResults::Closing::scene, tr("Read the file again?"))) reload();
      },
      [this] { return unavailableReason(); });
  bindWatch(unsaved);
}

void Reloading::bindWatch(UnsavedResults& unsaved) {
  QAction* action = context_.commands.action("file.watch");
  action->setCheckable(true);
  auto* watch = new FileWatch(this);
  const auto follow = [this, watch, action] {
    const auto& cloud = context_.workspace.cloud();
    const QString file = cloud ? QString::fromStdString(cloud->source) : QString();
    watch->follow(action->isChecked() && unavailableReason().isEmpty() ? file : QString());
  };
  context_.commands.bind("file.watch", follow, [this] { return unavailableReason(); });
  connect(&context_.workspace, &Workspace::cloudChanged, watch, follow);
  connect(watch, &FileWatch::changed, this, [this, &unsaved](const QString& file) {
    context_.workspace.addLog(tr("%1 has changed: reading it again").arg(QFileInfo(file).fileName()));
    unsaved.keep(UnsavedResults::Closing::scene);
    reload();
  });
}

QString Reloading::unavailableReason() const {
  QString why = why_no_scene(context_.workspace);
  if (!why.isEmpty()) return why;
  const QString file = QString::fromStdString(context_.workspace.cloud()->source);
  if (is_standard_input(file.toStdString()))
    return tr("the scene came from standard input and cannot be read again");
  return QFileInfo(file).isFile() ? QString() : tr("the file of the scene is missing");
}

void Reloading::reload() {
  try {
    sessions_.arrive(sessions_.state(), document_.names().session);
  } catch (const Error& error) {
    emit failed(error);
  }
}

}  // namespace spira::ui
