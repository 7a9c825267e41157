#include "ui/features/session/crash_recovery.hpp"

#include "engine/base/error.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/session/recovery_dialog.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/workspace.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFileInfo>
#include <QLocale>
#include <QMainWindow>

#include <algorithm>
#include <utility>

namespace spira::ui {

CrashRecovery::CrashRecovery(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
                             const QString& state_folder)
    : QObject(&context.window),
      context_(context),
      sessions_(sessions),
      unsaved_(unsaved),
      recovery_(state_folder, [&sessions] { return sessions.text(); }) {
  context.commands.bind(
      "file.recover", [this] { showDialog(); },
      [this] { return recovery_.found().empty() ? tr("there is nothing to restore") : QString(); });
  const auto follow = [this] {
    recovery_.set(context_.settings.truth("recovery.on"), context_.settings.whole("recovery.seconds"));
  };
  connect(&context.settings, &Settings::changed, this, follow);
  follow();
}

std::vector<RecoveryRow> CrashRecovery::rows() const {
  std::vector<RecoveryRow> rows;
  for (const Recovery::Found& found : recovery_.found()) {
    RecoveryRow row{found.file, {}, QLocale().toString(found.written, QLocale::ShortFormat), {}};
    try {
      const SessionState session = read_session(found.file.toStdString());
      row.scene = QFileInfo(QString::fromStdString(session.open.front())).fileName();
    } catch (...) {
      row.fault = QString::fromStdString(current_error().what());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void CrashRecovery::offer() {
  const std::vector<RecoveryRow> all = rows();
  if (all.empty()) return;
  for (const RecoveryRow& row : all) {
    if (!row.fault.isEmpty()) context_.workspace.addLog(tr("recovery: %1").arg(row.fault));
  }
  const auto sound =
      std::count_if(all.begin(), all.end(), [](const RecoveryRow& row) { return row.fault.isEmpty(); });
  const RecoveryRow& newest = all.front();
  const std::vector<NoticeAction> one{
      {tr("Restore"), [this, file = newest.file] { restore(file); }},
      {tr("Discard"), [this, file = newest.file] { recovery_.discard(file); }}};
  const std::vector<NoticeAction> list{
      {sound > 0 ? tr("Restore...") : tr("Show..."), [this] { context_.commands.trigger("file.recover"); }}};
  const bool single = all.size() == 1 && sound == 1;
  const QString text =
      single ? tr("%1 was open at %2. It can be restored with its settings, colours and camera.")
                   .arg(newest.scene, newest.written)
      : sound > 0
          ? counted(
                sound,
                tr("1 scene was open in a window that did not shut down properly. It can be restored."),
                tr("%1 scenes were open in windows that did not shut down properly. Each can be restored."))
          : tr("The copy of the open scene is damaged and cannot be restored.");
  context_.notices.show(
      {Notice::Kind::question, tr("SpiraScope did not shut down properly"), text, single ? one : list, true});
}

void CrashRecovery::showDialog() {
  RecoveryDialog dialog(rows(), &context_.window);
  connect(&dialog, &RecoveryDialog::discardRequested, this, [this](const QString& file) {
    recovery_.discard(file);
    context_.commands.refreshSoon();
  });
  if (dialog.exec() == QDialog::Accepted) restore(dialog.chosen());
}

/// Restores a recovery copy. The copy is deleted only after this window has written its own, so that a second
/// crash does not lose the session.
void CrashRecovery::restore(const QString& file) {
  if (!unsaved_.mayClose(UnsavedResults::Closing::scene, tr("Open another scene?"))) return;
  try {
    sessions_.arrive(read_session(file.toStdString()), {}, [this, file] {
      if (recovery_.write()) recovery_.discard(file);
    });
  } catch (const Error& error) {
    emit failed(error);
  }
}

}  // namespace spira::ui
