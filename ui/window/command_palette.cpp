#include "ui/window/command_palette.hpp"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {

CommandPalette::CommandPalette(CommandSet* commands, QWidget* parent)
    : QDialog(parent), commands_(commands), text_(new QLineEdit(this)), list_(new QListWidget(this)) {
  setWindowTitle(tr("Find a command"));
  setModal(true);
  resize(520, 380);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text_);
  layout->addWidget(list_, 1);
  text_->setPlaceholderText(tr("Type a part of a command"));
  text_->installEventFilter(this);
  connect(text_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(text_, &QLineEdit::returnPressed, this, &CommandPalette::runChosen);
  connect(list_, &QListWidget::itemActivated, this, &CommandPalette::runChosen);
  commands_->refresh();
  fill();
}

void CommandPalette::fill() {
  list_->clear();
  const QStringList words = text_->text().split(' ', Qt::SkipEmptyParts);
  for (QAction* action : commands_->all()) {
    const QString text = action->text() + " " + action->objectName();
    const bool matches = std::all_of(words.begin(), words.end(), [&](const QString& word) {
      return text.contains(word, Qt::CaseInsensitive);
    });
    if (!matches) continue;
    const QString why = commands_->whyNot(action->objectName());
    QString line = action->text();
    if (!action->shortcut().isEmpty()) line += "    " + action->shortcut().toString(QKeySequence::NativeText);
    if (!why.isEmpty()) line += "    (" + why + ")";
    auto* item = new QListWidgetItem(line, list_);
    item->setData(Qt::UserRole, action->objectName());
    if (!why.isEmpty()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
  }
  if (list_->count() > 0) list_->setCurrentRow(0);
}

void CommandPalette::runChosen() {
  QListWidgetItem* item = list_->currentItem();
  if (item == nullptr || (item->flags() & Qt::ItemIsEnabled) == 0) return;
  const QString id = item->data(Qt::UserRole).toString();
  accept();
  QTimer::singleShot(0, commands_, [commands = commands_, id] { commands->trigger(id); });
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
      list_->setCurrentRow(
          std::clamp(list_->currentRow() + (key == Qt::Key_Down ? 1 : -1), 0, list_->count() - 1));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace spira::ui
