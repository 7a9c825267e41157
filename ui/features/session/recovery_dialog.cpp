#include "ui/features/session/recovery_dialog.hpp"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace spira::ui {
namespace {

constexpr int file_role = Qt::UserRole, fault_role = Qt::UserRole + 1;

}  // namespace

RecoveryDialog::RecoveryDialog(const std::vector<RecoveryRow>& rows, QWidget* parent)
    : QDialog(parent), list_(new QTreeWidget(this)), fault_(new QLabel(this)) {
  setWindowTitle(tr("Restore after a crash"));
  resize(560, 340);
  auto* layout = new QVBoxLayout(this);
  auto* heading = new QLabel(
      tr("These scenes were open in windows that did not shut down properly. Each copy is kept until you "
         "restore or discard it."),
      this);
  heading->setWordWrap(true);
  layout->addWidget(heading);
  layout->addWidget(list_, 1);
  layout->addWidget(fault_);
  fault_->setWordWrap(true);
  list_->setObjectName("copies");
  list_->setAccessibleName(tr("Recovery copies"));
  list_->setHeaderLabels({tr("Scene"), tr("Last saved")});
  list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  list_->header()->setStretchLastSection(false);
  list_->setRootIsDecorated(false);
  for (const RecoveryRow& row : rows) {
    auto* item =
        new QTreeWidgetItem(list_, {row.fault.isEmpty() ? row.scene : tr("Damaged copy"), row.written});
    item->setData(0, file_role, row.file);
    item->setData(0, fault_role, row.fault);
    item->setToolTip(0, row.file);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  restore_ = buttons->addButton(tr("Restore"), QDialogButtonBox::AcceptRole);
  discard_ = buttons->addButton(tr("Discard"), QDialogButtonBox::DestructiveRole);
  restore_->setObjectName("restore");
  discard_->setObjectName("discard");
  restore_->setDefault(true);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(discard_, &QPushButton::clicked, this, &RecoveryDialog::discard);
  connect(list_, &QTreeWidget::currentItemChanged, this, &RecoveryDialog::follow);
  list_->setCurrentItem(list_->topLevelItem(0));
  follow();
  list_->setFocus();
}

QString RecoveryDialog::chosen() const {
  const QTreeWidgetItem* item = list_->currentItem();
  return item != nullptr ? item->data(0, file_role).toString() : QString();
}

void RecoveryDialog::follow() {
  const QTreeWidgetItem* item = list_->currentItem();
  const QString fault = item != nullptr ? item->data(0, fault_role).toString() : QString();
  restore_->setEnabled(item != nullptr && fault.isEmpty());
  discard_->setEnabled(item != nullptr);
  fault_->setText(fault);
}

void RecoveryDialog::discard() {
  emit discardRequested(chosen());
  const std::unique_ptr<QTreeWidgetItem> removed(
      list_->takeTopLevelItem(list_->indexOfTopLevelItem(list_->currentItem())));
  if (list_->topLevelItemCount() == 0) reject();
}

}  // namespace spira::ui
