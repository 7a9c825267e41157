#include "ui/features/help/command_palette.hpp"

#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

constexpr int command_role = Qt::UserRole, file_role = Qt::UserRole + 1, name_role = Qt::UserRole + 2,
              keys_role = Qt::UserRole + 3, why_role = Qt::UserRole + 4, action_role = Qt::UserRole + 5;

/// Paints one row. The name is at the left and the shortcut at the right. The reason why the command is not
/// available is between them.
class RowDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int margin = 8, gap = 14;
    QStyleOptionViewItem ground(option);
    initStyleOption(&ground, index);
    ground.text.clear();
    ground.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
    const bool chosen = (option.state & QStyle::State_Selected) != 0;
    const bool able = (option.state & QStyle::State_Enabled) != 0;
    const QPalette& colours = option.palette;
    const QColor faint =
        chosen ? colours.color(QPalette::HighlightedText) : colours.color(QPalette::PlaceholderText);
    const QRect room = option.rect.adjusted(margin, 0, -margin, 0);
    const auto write = [&](const QRect& area, const QColor& colour, int where, const QString& text) {
      painter->setPen(colour);
      painter->drawText(area, Qt::AlignVCenter | where,
                        option.fontMetrics.elidedText(text, Qt::ElideRight, area.width()));
    };
    const QString name = index.data(name_role).toString(), keys = index.data(keys_role).toString();
    const int name_width = option.fontMetrics.horizontalAdvance(name);
    const int keys_width = keys.isEmpty() ? 0 : option.fontMetrics.horizontalAdvance(keys) + gap;
    const QColor strong = chosen ? faint : colours.color(QPalette::Text);
    write(room.adjusted(0, 0, -keys_width, 0), able ? strong : faint, Qt::AlignLeft, name);
    write(room.adjusted(name_width + gap, 0, -keys_width, 0), faint, Qt::AlignLeft,
          index.data(why_role).toString());
    write(room, faint, Qt::AlignRight, keys);
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    constexpr int air = 10;
    return {200, option.fontMetrics.height() + air};
  }
};

}  // namespace

CommandPalette::CommandPalette(CommandSet* commands, QWidget* parent)
    : QDialog(parent),
      commands_(commands),
      text_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      none_(new QLabel(tr("No command matches all these words."), this)) {
  setWindowTitle(tr("Find a command"));
  setModal(true);
  resize(680, 460);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text_);
  layout->addWidget(none_);
  layout->addWidget(list_, 1);
  text_->setPlaceholderText(tr("Type part of a command name or of a recent file name"));
  text_->setAccessibleName(tr("Part of a command name"));
  text_->installEventFilter(this);
  list_->setAccessibleName(tr("Commands"));
  list_->setItemDelegate(new RowDelegate(list_));
  connect(text_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(text_, &QLineEdit::returnPressed, this, &CommandPalette::runChosen);
  connect(list_, &QListWidget::itemActivated, this, &CommandPalette::runChosen);
  commands_->refresh();
  fill();
}

void CommandPalette::setFiles(const QStringList& files) {
  files_ = files;
  fill();
}

void CommandPalette::setActions(const QList<QAction*>& actions) {
  actions_ = actions;
  fill();
}

void CommandPalette::addRow(const QString& name, const QString& keys, const QString& why_not, int role,
                            const QString& value) {
  QString line = name;
  if (!keys.isEmpty()) line += "    " + keys;
  if (!why_not.isEmpty()) line += "    (" + why_not + ")";
  // The item has a text only for screen readers, because the delegate paints the row.
  auto* item = new QListWidgetItem(line, list_);
  item->setData(role, value);
  item->setData(name_role, name);
  item->setData(keys_role, keys);
  item->setData(why_role, why_not);
  item->setToolTip(why_not);
  if (!why_not.isEmpty()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
}

void CommandPalette::fill() {
  list_->clear();
  const QStringList words = text_->text().split(' ', Qt::SkipEmptyParts);
  const auto matches = [&](const QString& text) {
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
  };
  for (QAction* action : commands_->all()) {
    if (!matches(action->text() + " " + action->objectName())) continue;
    QStringList keys;
    for (const QKeySequence& one : action->shortcuts())
      keys.append(one.toString(QKeySequence::NativeText));
    addRow(action->text(), keys.join(", "), commands_->unavailableReason(action->objectName()), command_role,
           action->objectName());
  }
  for (qsizetype at = 0; at < actions_.size(); ++at) {
    const QString name = QString(actions_[at]->text()).replace("&&", "&");
    if (matches(name)) addRow(name, {}, {}, action_role, QString::number(at));
  }
  for (const QString& file : files_) {
    const QString name = tr("Open %1").arg(QFileInfo(file).fileName());
    if (matches(name))
      addRow(name, {}, QFileInfo::exists(file) ? QString() : tr("file not found"), file_role, file);
  }
  none_->setVisible(list_->count() == 0);
  if (list_->count() > 0) list_->setCurrentRow(0);
}

void CommandPalette::runChosen() {
  QListWidgetItem* item = list_->currentItem();
  if (item == nullptr || (item->flags() & Qt::ItemIsEnabled) == 0) return;
  const QString id = item->data(command_role).toString(), file = item->data(file_role).toString();
  const QVariant own = item->data(action_role);
  accept();
  if (own.isValid()) {
    QAction* action = actions_.at(own.toInt());
    QTimer::singleShot(0, action, [action] { action->trigger(); });
  } else if (!file.isEmpty()) {
    emit openRequested(file);
  } else {
    QTimer::singleShot(0, commands_, [commands = commands_, id] { commands->trigger(id); });
  }
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
