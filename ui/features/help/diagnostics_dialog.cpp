#include "ui/features/help/diagnostics_dialog.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {

DiagnosticsDialog::DiagnosticsDialog(Diagnostics what, QWidget* parent)
    : QDialog(parent),
      what_(std::move(what)),
      text_(new QPlainTextEdit(this)),
      with_files_(new QCheckBox(tr("Include file names, paths and the log"), this)) {
  setWindowTitle(tr("Copy diagnostics"));
  resize(620, 460);
  auto* layout = new QVBoxLayout(this);
  auto* say = new QLabel(tr("Only this text is copied. Nothing is sent."), this);
  say->setWordWrap(true);
  layout->addWidget(say);
  layout->addWidget(text_, 1);
  layout->addWidget(with_files_);
  text_->setReadOnly(true);
  text_->setAccessibleName(tr("Diagnostics"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::AcceptRole);
  copy->setDefault(true);
  layout->addWidget(buttons);
  connect(with_files_, &QCheckBox::toggled, this, &DiagnosticsDialog::fill);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    QApplication::clipboard()->setText(text_->toPlainText());
    accept();
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  fill();
}

/// Shows the facts in the text field. Replaces the home folder by "~", because its path contains the user
/// name.
void DiagnosticsDialog::fill() {
  QString text = what_.facts;
  if (with_files_->isChecked()) text += "\n" + what_.files;
  text_->setPlainText(text.replace(QDir::homePath(), "~"));
}

}  // namespace spira::ui
