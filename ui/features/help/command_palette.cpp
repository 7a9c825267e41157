#include "ui/features/help/command_palette.hpp"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr int command_role = Qt::UserRole, name_role = Qt::UserRole + 1, keys_role = Qt::UserRole + 2,
              why_role = Qt::UserRole + 3, item_role = Qt::UserRole + 4;

/// Paints one row. The name is on the left and the shortcut on the right. If the command is not available,
/// the reason is between them.
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
      none_(new QLabel(tr("No command, layer, setting or file matches all words."), this)) {
  setWindowTitle(tr("Find"));
  setModal(true);
  resize(680, 460);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text_);
  layout->addWidget(none_);
  layout->addWidget(list_, 1);
  text_->setPlaceholderText(tr("Type parts of the name of a command, layer, setting or recent file"));
  text_->setAccessibleName(tr("Parts of a name"));
  text_->installEventFilter(this);
  list_->setAccessibleName(tr("Found commands, layers, settings and files"));
  list_->setItemDelegate(new RowDelegate(list_));
  connect(text_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(text_, &QLineEdit::returnPressed, this, &CommandPalette::runChosen);
  connect(list_, &QListWidget::itemActivated, this, &CommandPalette::runChosen);
  commands_->refresh();
  fill();
}

void CommandPalette::setItems(std::vector<PaletteItem> items) {
  items_ = std::move(items);
  fill();
}

void CommandPalette::addRow(const QString& name, const QString& keys, const QString& why_not, int role,
                            const QVariant& value) {
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
  for (std::size_t at = 0; at < items_.size(); ++at) {
    const PaletteItem& item = items_[at];
    if (matches(item.name + " " + item.hint))
      addRow(item.name, item.hint, item.why_not, item_role, static_cast<int>(at));
  }
  none_->setVisible(list_->count() == 0);
  if (list_->count() > 0) list_->setCurrentRow(0);
}

void CommandPalette::runChosen() {
  QListWidgetItem* item = list_->currentItem();
  if (item == nullptr || (item->flags() & Qt::ItemIsEnabled) == 0) return;
  const QString id = item->data(command_role).toString();
  const QVariant row = item->data(item_role);
  accept();
  // The palette must be closed before a command opens a dialog.
  if (row.isValid())
    QTimer::singleShot(0, commands_, items_.at(static_cast<std::size_t>(row.toInt())).run);
  else
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
