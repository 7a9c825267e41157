#include "ui/features/layout/layouts_dialog.hpp"

#include "ui/features/layout/layout_menu.hpp"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

// Item role of the stored name. The text of the row can differ while the user edits it.
constexpr int name_role = Qt::UserRole;

}  // namespace

LayoutsDialog::LayoutsDialog(LayoutMenu* layouts, QWidget* parent)
    : QDialog(parent), layouts_(layouts), list_(new QListWidget(this)), word_(new QLabel(this)) {
  setWindowTitle(tr("Manage layouts"));
  resize(420, 320);
  auto* outer = new QVBoxLayout(this);
  outer->addWidget(list_, 1);
  outer->addWidget(word_);
  list_->setObjectName("layouts");
  list_->setAccessibleName(tr("Saved layouts"));
  word_->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  apply_ = buttons->addButton(tr("Apply"), QDialogButtonBox::ActionRole);
  rename_ = buttons->addButton(tr("Rename"), QDialogButtonBox::ActionRole);
  remove_ = buttons->addButton(tr("Delete"), QDialogButtonBox::ActionRole);
  apply_->setObjectName("apply");
  remove_->setObjectName("delete");
  outer->addWidget(buttons);
  connect(apply_, &QPushButton::clicked, this, [this] { layouts_->apply(chosen()); });
  connect(rename_, &QPushButton::clicked, this, [this] { list_->editItem(list_->currentItem()); });
  connect(remove_, &QPushButton::clicked, this, [this] {
    layouts_->remove(chosen());
    fill();
  });
  connect(list_, &QListWidget::itemChanged, this, &LayoutsDialog::renamed);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  fill();
}

QString LayoutsDialog::chosen() const {
  const QListWidgetItem* item = list_->currentItem();
  return item != nullptr ? item->data(name_role).toString() : QString();
}

void LayoutsDialog::fill() {
  const int row = list_->currentRow();
  filling_ = true;
  list_->clear();
  for (const NamedLayout& layout : layouts_->layouts().all()) {
    auto* item = new QListWidgetItem(layout.name, list_);
    item->setData(name_role, layout.name);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
  }
  list_->setCurrentRow(std::clamp(row, 0, std::max(0, list_->count() - 1)));
  filling_ = false;
  for (QPushButton* button : {apply_, rename_, remove_})
    button->setEnabled(list_->count() > 0);
  word_->setText(list_->count() > 0 ? QString() : tr("No saved layouts."));
}

/// Renames the layout after the user edited its row. If the name is invalid, shows an error and restores the
/// previous name.
void LayoutsDialog::renamed(const QListWidgetItem* item) {
  if (filling_) return;
  const QString from = item->data(name_role).toString(), to = item->text().trimmed();
  QString why = NamedLayouts::nameFault(to);
  if (why.isEmpty() && from != to && layouts_->layouts().find(to) != nullptr)
    why = tr("another layout has this name already");
  if (why.isEmpty()) layouts_->rename(from, to);
  // The list is filled later, because filling it deletes the row whose editor is still open.
  QMetaObject::invokeMethod(
      this,
      [this, to, why] {
        fill();
        if (!why.isEmpty()) word_->setText(tr("%1: %2.").arg(to, why));
      },
      Qt::QueuedConnection);
}

}  // namespace spira::ui
