// Manages the recent files: their menu, and their lists on the start page and in the Scenes panel.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/settings/recent_files.hpp"
#include "ui/settings/scene_memory.hpp"

#include <QObject>

#include <span>

class QMenu;
class QUndoStack;

namespace spira::ui {

class EmptyPage;
class ScenesPanel;

[[nodiscard]] std::span<const CommandFacts> recent_commands() noexcept;

class Recents : public QObject {
  Q_OBJECT
 public:
  /// If a file is removed from the list, its entry in `memory` is removed too.
  Recents(const FeatureContext& context, RecentFiles& files, SceneMemory& memory, ScenesPanel& scenes,
          EmptyPage& empty, QUndoStack& undo);
  [[nodiscard]] const RecentFiles& files() const noexcept { return files_; }
  /// Adds a file to the list. `with` is the text that follows the file name, for example the network.
  void add(const QString& file, const QString& with = {});
  [[nodiscard]] QMenu* menu() const noexcept { return menu_; }

 signals:
  void openRequested(const QString& file);

 private:
  void forget(const QString& file);
  void fillMenu();
  void show();

  CommandSet& commands_;
  RecentFiles& files_;
  SceneMemory& memory_;
  ScenesPanel& scenes_;
  EmptyPage& empty_;
  QUndoStack& undo_;
  QMenu* menu_;
};

}  // namespace spira::ui
