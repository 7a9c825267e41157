// Everything that a user can do, once: menu, tool bar, palette, shortcut, test and script call the same
// command by its id.
#pragma once

#include <QAction>
#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace spira::ui {

struct CommandFacts {
  const char* id;        ///< "run.run"
  const char* text;      ///< of the menu
  const char* shortcut;  ///< as QKeySequence reads it, more than one with "; " between; empty: none
  const char* tip;
};
/// The one table; its order is the order of the menus.
[[nodiscard]] std::span<const CommandFacts> command_facts() noexcept;

class CommandSet : public QObject {
  Q_OBJECT
 public:
  explicit CommandSet(QObject* parent);

  [[nodiscard]] QAction* action(const QString& id) const;  ///< null: no such command
  [[nodiscard]] const std::vector<QAction*>& all() const noexcept { return all_; }
  /// `why_not` answers why it cannot be done now; empty text: it can.
  void bind(const QString& id, std::function<void()> run, std::function<QString()> why_not = {});
  /// Keys without Ctrl or Alt act only where `view` or a child of it has the focus: elsewhere they are text.
  void addPlainKeysTo(QWidget* view);
  void refresh();                   ///< asks every why_not again
  bool trigger(const QString& id);  ///< false: unknown or disabled
  [[nodiscard]] QString whyNot(const QString& id) const;

 private:
  std::vector<QAction*> all_;
  std::map<QString, QAction*> by_id_;
  std::map<QString, std::function<QString()>> rules_;
};

}  // namespace spira::ui
