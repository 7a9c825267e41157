#include "ui/commands/command_set.hpp"

#include "engine/base/error.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace spira::ui {

CommandSet::CommandSet(std::vector<CommandFacts> facts, QObject* parent)
    : QObject(parent), facts_(std::move(facts)) {
  soon_.setSingleShot(true);
  connect(&soon_, &QTimer::timeout, this, &CommandSet::refresh);
  for (const CommandFacts& command : facts_) {
    auto* action = new QAction(QCoreApplication::translate("Command", command.text), this);
    action->setObjectName(QString::fromLatin1(command.id));
    action->setShortcuts(defaultKeys(action->objectName()));
    placeKeys(action);
    action->setProperty("tip", QCoreApplication::translate("Command", command.tip));
    all_.push_back(action);
    by_id_[action->objectName()] = action;
  }
}

const CommandFacts* CommandSet::factsOf(const QString& id) const {
  const auto found =
      std::find_if(facts_.begin(), facts_.end(), [&](const CommandFacts& one) { return id == one.id; });
  return found == facts_.end() ? nullptr : &*found;
}

QAction* CommandSet::action(const QString& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void CommandSet::bind(const QString& id, std::function<void()> run, std::function<QString()> why_not) {
  // Check again whether the command is available, because the enabled state of the action may date from the
  // previous event-loop iteration.
  connect(action(id), &QAction::triggered, this, [this, id, run = std::move(run)] {
    try {
      if (unavailableReason(id).isEmpty()) run();
    } catch (...) {
      emit failed(current_error());
    }
  });
  if (why_not) rules_[id] = std::move(why_not);
}

std::function<void()> CommandSet::bindMark(const QString& id, std::function<void()> run,
                                           std::function<bool()> checked, std::function<QString()> why_not) {
  QAction* marked = action(id);
  marked->setCheckable(true);
  const auto follow = [marked, checked = std::move(checked)] { marked->setChecked(checked()); };
  // Set the check mark again after each click, because Qt clears it at the second click.
  bind(id, std::move(run), std::move(why_not));
  connect(marked, &QAction::triggered, this, follow);
  follow();
  return follow;
}

void CommandSet::setNote(const QString& id, std::function<QString()> note) {
  notes_[id] = std::move(note);
  refreshSoon();
}

void CommandSet::refreshSoon() {
  if (!soon_.isActive()) soon_.start();
}

void CommandSet::refresh() {
  soon_.stop();
  for (QAction* action : all_) {
    const QString why = unavailableReason(action->objectName());
    action->setEnabled(why.isEmpty());
    const QString tip = action->property("tip").toString();
    QString text = tip.isEmpty() ? action->text() : tip;
    if (!action->shortcut().isEmpty())
      text += QString(" (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
    if (const auto note = notes_.find(action->objectName()); note != notes_.end()) {
      const QString more = note->second();
      if (!more.isEmpty()) text += "\n" + more;
    }
    if (!why.isEmpty()) text += "\n" + why;
    action->setToolTip(text);
  }
}

QString CommandSet::unavailableReason(const QString& id) const {
  const auto rule = rules_.find(id);
  return rule == rules_.end() ? QString() : rule->second();
}

bool CommandSet::trigger(const QString& id) {
  QAction* found = action(id);
  if (found == nullptr || !unavailableReason(id).isEmpty()) return false;
  found->setEnabled(true);
  found->trigger();
  return true;
}

}  // namespace spira::ui
