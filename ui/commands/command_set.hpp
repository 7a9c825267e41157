// All commands of the window. Menus, the toolbar, the palette, shortcuts, tests and scripts run a command by
// its id.
#pragma once

#include "engine/base/error.hpp"

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <map>
#include <vector>

namespace spira::ui {

/// The menus of the menu bar and their submenus.
enum class Menu {
  file,
  recent,  ///< Filled by the feature for recent files.
  built_in,
  export_files,
  edit,
  view,
  stride,
  camera,
  voxel_style,
  colours,
  theme,
  scene,
  neighbours,
  network,
  run,
  device,
  precision,
  learn,
  window,
  go_to,
  help
};

enum class Opens { nothing, dialog };

struct CommandFacts {
  const char* id;  ///< For example "run.run".
  const char* text;
  /// In the format of QKeySequence. Several shortcuts are separated by "; ". Empty if there is no shortcut.
  const char* shortcut;
  const char* tip;
  int position;  ///< Determines the order of commands in lists and in menu sections.
  Menu menu;
  int section;  ///< Number of the menu section. Separators divide the sections.
  Opens opens = Opens::nothing;
};

class CommandSet : public QObject {
  Q_OBJECT
 public:
  /// `facts` describes the commands of all features, in the order of their positions.
  explicit CommandSet(std::vector<CommandFacts> facts, QObject* parent = nullptr);

  [[nodiscard]] const std::vector<CommandFacts>& facts() const noexcept { return facts_; }
  /// Returns `nullptr` if the id is unknown.
  [[nodiscard]] const CommandFacts* factsOf(const QString& id) const;

  [[nodiscard]] QAction* action(const QString& id) const;  ///< Returns `nullptr` if the id is unknown.
  /// Returns the actions in the order of facts().
  [[nodiscard]] const std::vector<QAction*>& all() const noexcept { return all_; }
  /// Sets the function that runs a command. `why_not` returns the reason why the command is not available
  /// now, or an empty string if it is available.
  void bind(const QString& id, std::function<void()> run, std::function<QString()> why_not = {});
  /// Adds a line to the tooltip of a command. `note` is called by refresh() and may return an empty string.
  void setNote(const QString& id, std::function<QString()> note);
  /// Binds a command with a check mark. `checked` returns whether the mark is set. Returns a function that
  /// updates the mark. The caller must connect this function to the signals that report changes.
  [[nodiscard]] std::function<void()> bindMark(const QString& id, std::function<void()> run,
                                               std::function<bool()> checked,
                                               std::function<QString()> why_not = {});
  // The command table defines the default keys. If the user changes keys, the caller of setKeys() must save
  // them.
  [[nodiscard]] QList<QKeySequence> defaultKeys(const QString& id) const;
  [[nodiscard]] bool hasDefaultKeys(const QString& id) const;
  /// Returns why the command cannot have these keys, for example because another command uses them. Returns
  /// an empty string if the command can have them.
  [[nodiscard]] QString keysFault(const QString& id, const QKeySequence& keys) const;
  void setKeys(const QString& id, const QList<QKeySequence>& keys);
  /// Returns the keys of all commands whose keys differ from the defaults, in the format of
  /// QKeySequence::listToString().
  [[nodiscard]] std::map<QString, QString> changedKeys() const;
  /// Sets keys that changedKeys() returned earlier. Ignores unknown commands, and keys that another command
  /// now uses.
  void takeKeys(const std::map<QString, QString>& keys);
  /// Activates keys without Ctrl or Alt while `view` or one of its children has the focus. In other widgets
  /// such keys are text input.
  void addPlainKeysTo(QWidget* view);
  void refresh();                   ///< Calls every `why_not` again.
  void refreshSoon();               ///< Calls refresh() once after all changes of an event-loop iteration.
  bool trigger(const QString& id);  ///< Returns false if the command is unknown or disabled.
  [[nodiscard]] QString unavailableReason(const QString& id) const;

 signals:
  void keysChanged();
  void failed(const spira::Error& error);  ///< Emitted if a command threw an exception.

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void placeKeys(QAction* action);

  std::vector<CommandFacts> facts_;
  std::vector<QPointer<QWidget>> plain_views_;
  std::vector<QAction*> all_;
  std::map<QString, QAction*> by_id_;
  std::map<QString, std::function<QString()>> rules_, notes_;
  QTimer soon_;
};

}  // namespace spira::ui
