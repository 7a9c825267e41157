#include "ui/features/settings/shortcuts_dialog.hpp"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

#include <algorithm>

namespace spira::ui {
namespace {

enum Column { command, keys, default_keys };

QString text_of(const QList<QKeySequence>& keys) {
  QStringList all;
  for (const QKeySequence& one : keys)
    all.append(one.toString(QKeySequence::NativeText));
  return all.join(", ");
}

}  // namespace

ShortcutsDialog::ShortcutsDialog(CommandSet* commands, QWidget* parent)
    : QDialog(parent),
      commands_(commands),
      words_(new QLineEdit(this)),
      list_(new QTreeWidget(this)),
      keys_(new QKeySequenceEdit(this)),
      assign_(new QPushButton(tr("Assign"), this)),
      remove_(new QPushButton(tr("Remove keys"), this)),
      reset_(new QPushButton(tr("Default"), this)),
      reset_all_(new QPushButton(tr("Reset all"), this)),
      why_(new QLabel(this)) {
  setWindowTitle(tr("Keyboard shortcuts"));
  resize(720, 560);
  words_->setPlaceholderText(tr("Search by name or keys, such as \"frame\" or \"ctrl+\""));
  words_->setAccessibleName(tr("Search"));
  words_->setClearButtonEnabled(true);
  list_->setAccessibleName(tr("Commands and their keys"));
  list_->setObjectName("keys");
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setHeaderLabels({tr("Command"), tr("Keys"), tr("Default")});
  list_->header()->setSectionResizeMode(command, QHeaderView::Stretch);
  list_->header()->setStretchLastSection(false);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(words_);
  layout->addWidget(list_, 1);
  layout->addLayout(makeEditor());
  layout->addWidget(why_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  buttons->addButton(reset_all_, QDialogButtonBox::ResetRole);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(reset_all_, &QPushButton::clicked, this, &ShortcutsDialog::resetAll);
  connect(words_, &QLineEdit::textChanged, this, &ShortcutsDialog::fill);
  connect(list_, &QTreeWidget::currentItemChanged, this, [this] {
    keys_->clear();
    follow();
  });
  fill();
}

QLayout* ShortcutsDialog::makeEditor() {
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("&New keys"), this);
  label->setBuddy(keys_);
  keys_->setAccessibleName(tr("New keys for the selected command"));
  why_->setWordWrap(true);
  why_->setObjectName("why");
  row->addWidget(label);
  row->addWidget(keys_, 1);
  for (QPushButton* button : {assign_, remove_, reset_}) {
    button->setAutoDefault(false);
    row->addWidget(button);
  }
  connect(keys_, &QKeySequenceEdit::keySequenceChanged, this, &ShortcutsDialog::follow);
  connect(assign_, &QPushButton::clicked, this, &ShortcutsDialog::assign);
  connect(remove_, &QPushButton::clicked, this, [this] {
    commands_->setKeys(chosen(), {});
    fill();
  });
  connect(reset_, &QPushButton::clicked, this, [this] {
    for (const QKeySequence& one : commands_->defaultKeys(chosen())) {
      if (const QString why = commands_->keysFault(chosen(), one); !why.isEmpty()) return why_->setText(why);
    }
    commands_->setKeys(chosen(), commands_->defaultKeys(chosen()));
    fill();
  });
  return row;
}

void ShortcutsDialog::choose(const QString& id) {
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    if (list_->topLevelItem(row)->data(command, Qt::UserRole).toString() == id)
      list_->setCurrentItem(list_->topLevelItem(row));
  }
}

QString ShortcutsDialog::chosen() const {
  const QTreeWidgetItem* item = list_->currentItem();
  return item == nullptr ? QString() : item->data(command, Qt::UserRole).toString();
}

void ShortcutsDialog::fill() {
  const QString before = chosen();
  list_->clear();
  const QStringList words = words_->text().split(' ', Qt::SkipEmptyParts);
  for (const QAction* action : commands_->all()) {
    const QString id = action->objectName(), now = text_of(action->shortcuts());
    const QString all = action->text() + " " + id + " " + now;
    if (std::any_of(words.begin(), words.end(),
                    [&](const QString& word) { return !all.contains(word, Qt::CaseInsensitive); }))
      continue;
    const bool changed = !commands_->hasDefaultKeys(id);
    auto* item = new QTreeWidgetItem(
        list_, {action->text(), now, changed ? text_of(commands_->defaultKeys(id)) : QString()});
    item->setData(command, Qt::UserRole, id);
    item->setToolTip(command, id);
    QFont font = item->font(keys);
    font.setBold(changed);
    item->setFont(keys, font);
  }
  for (const int column : {keys, default_keys})
    list_->resizeColumnToContents(column);
  choose(before);
  if (list_->currentItem() == nullptr && list_->topLevelItemCount() > 0)
    list_->setCurrentItem(list_->topLevelItem(0));
  follow();
}

/// Enables the buttons for the selected command, and shows the reason if the pressed keys cannot be its
/// shortcut.
void ShortcutsDialog::follow() {
  const QString id = chosen();
  const QKeySequence pressed = keys_->keySequence();
  const QString why = id.isEmpty() ? tr("No matching commands.") : commands_->keysFault(id, pressed);
  why_->setText(pressed.isEmpty() && !id.isEmpty()
                    ? tr("Keys without Ctrl or Alt work only while the 3D view or a chart has the focus.")
                    : why);
  assign_->setEnabled(why.isEmpty());
  assign_->setToolTip(why);
  remove_->setEnabled(!id.isEmpty() && !commands_->action(id)->shortcuts().isEmpty());
  remove_->setToolTip(remove_->isEnabled() ? QString() : tr("this command has no shortcut"));
  reset_->setEnabled(!id.isEmpty() && !commands_->hasDefaultKeys(id));
  reset_->setToolTip(reset_->isEnabled() ? QString() : tr("this command has its default shortcut"));
  reset_all_->setEnabled(!commands_->changedKeys().empty());
  reset_all_->setToolTip(reset_all_->isEnabled() ? QString()
                                                 : tr("all commands have their default shortcuts"));
}

void ShortcutsDialog::assign() {
  commands_->setKeys(chosen(), {QKeySequence(keys_->keySequence()[0])});
  keys_->clear();
  fill();
}

void ShortcutsDialog::resetAll() {
  for (const QAction* action : commands_->all())
    commands_->setKeys(action->objectName(), commands_->defaultKeys(action->objectName()));
  fill();
}

}  // namespace spira::ui
