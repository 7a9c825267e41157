#include "ui/features/recent/recents.hpp"

#include "ui/features/open/empty_page.hpp"
#include "ui/model/undo_step.hpp"
#include "ui/panels/scene/scenes_panel.hpp"

#include <QFileInfo>
#include <QMainWindow>
#include <QMenu>
#include <QUndoStack>
#include <QtGlobal>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

constexpr auto recent_table = std::to_array<CommandFacts>({
    {"file.clear_recent", QT_TRANSLATE_NOOP("Command", "Clear recent files"), "",
     QT_TRANSLATE_NOOP("Command", "Remove all unpinned files from the list"), 250, Menu::recent, 1},
});

}  // namespace

std::span<const CommandFacts> recent_commands() noexcept {
  return recent_table;
}

Recents::Recents(const FeatureContext& context, RecentFiles& files, SceneMemory& memory, ScenesPanel& scenes,
                 EmptyPage& empty, QUndoStack& undo)
    : QObject(&context.window),
      commands_(context.commands),
      files_(files),
      memory_(memory),
      scenes_(scenes),
      empty_(empty),
      undo_(undo),
      menu_(new QMenu(tr("Open recent"), &context.window)) {
  menu_->setObjectName("openRecent");
  menu_->setToolTipsVisible(true);
  connect(menu_, &QMenu::aboutToShow, this, &Recents::fillMenu);
  commands_.bind(
      "file.clear_recent",
      [this] {
        files_.clear();
        // The stored camera and colours of all scenes must be deleted together with the list.
        memory_.clear();
        show();
      },
      [this] {
        const auto& all = files_.all();
        const bool any =
            std::any_of(all.begin(), all.end(), [](const RecentFile& one) { return !one.pinned; });
        return any ? QString() : tr("there are no unpinned recent files");
      });
  connect(&scenes_, &ScenesPanel::pinRequested, this, [this](const QString& file, bool pinned) {
    files_.setPinned(file, pinned);
    show();
  });
  connect(&scenes_, &ScenesPanel::forgetRequested, this, &Recents::forget);
  fillMenu();
  show();
}

void Recents::add(const QString& file, const QString& with) {
  files_.add(file, with);
  show();
}

void Recents::forget(const QString& file) {
  const std::vector<RecentFile>& all = files_.all();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const RecentFile& one) { return one.path == file; });
  if (found == all.end()) return;
  const auto forget = [this, file] {
    files_.remove(file);
    memory_.forget(file);  // Also deletes the stored camera and colours of the file.
    show();
  };
  const auto put_back = [this, entry = *found, place = static_cast<int>(found - all.begin()),
                         look = memory_.of(file)] {
    files_.put(entry, place);
    if (!look.isEmpty()) memory_.keep(entry.path, look);
    show();
  };
  forget();
  undo_.push(new UndoStep(tr("remove %1 from the list").arg(QFileInfo(file).fileName()), put_back, forget));
}

void Recents::show() {
  empty_.setRecent(files_.all());
  scenes_.setRecent(files_.all());
  commands_.refreshSoon();
}

void Recents::fillMenu() {
  menu_->clear();
  const QStringList names = distinct_names(files_.files());
  for (const RecentFile& file : files_.all()) {
    const QFileInfo info(file.path);
    const QString name = QString(names[menu_->actions().size()]).replace('&', "&&");
    QAction* action = menu_->addAction(file.pinned ? tr("\u2605 %1").arg(name) : name, this,
                                       [this, path = file.path] { emit openRequested(path); });
    action->setEnabled(info.exists());
    action->setToolTip(info.exists() ? file.path : tr("%1\nfile not found").arg(file.path));
  }
  if (files_.all().empty()) menu_->addAction(tr("No recent files"))->setEnabled(false);
  menu_->addSeparator();
  menu_->addAction(commands_.action("file.clear_recent"));
}

}  // namespace spira::ui
