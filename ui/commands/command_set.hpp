// Everything that a user can do, once: menu, tool bar, palette, shortcut, test and script call the same
// command by its id.
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
  // Keys. Those of the table are the defaults; others are kept by who calls setKeys().
  [[nodiscard]] QList<QKeySequence> defaultKeys(const QString& id) const;
  [[nodiscard]] bool hasDefaultKeys(const QString& id) const;
  /// Why these keys cannot be given to the command: another one has them, or the window needs them. Empty:
  /// they can.
  [[nodiscard]] QString whyNotKeys(const QString& id, const QKeySequence& keys) const;
  void setKeys(const QString& id, const QList<QKeySequence>& keys);
  /// Of each command whose keys are not the defaults, as QKeySequence::listToString writes them.
  [[nodiscard]] std::map<QString, QString> changedKeys() const;
  /// What changedKeys() said once; unknown commands, and keys that two commands claim by now, are left out.
  void takeKeys(const std::map<QString, QString>& keys);
  /// Keys without Ctrl or Alt act only where `view` or a child of it has the focus: elsewhere they are text.
  void addPlainKeysTo(QWidget* view);
  void refresh();                   ///< asks every why_not again
  void refreshSoon();               ///< once for all that changes in a turn of the event loop
  bool trigger(const QString& id);  ///< false: unknown or disabled
  [[nodiscard]] QString whyNot(const QString& id) const;

 signals:
  void keysChanged();
  void failed(const spira::Error& error);  ///< A command threw an exception.

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void placeKeys(QAction* action);

  std::vector<QPointer<QWidget>> plain_views_;
  std::vector<QAction*> all_;
  std::map<QString, QAction*> by_id_;
  std::map<QString, std::function<QString()>> rules_;
  QTimer soon_;
};

}  // namespace spira::ui
