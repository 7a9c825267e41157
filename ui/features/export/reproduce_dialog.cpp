#include "ui/features/export/reproduce_dialog.hpp"

#include "engine/base/text.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {

namespace {

QStringList notes_of(const MeasuredWith& how, bool recorded) {
  QStringList notes;
  if (recorded && how.facts.format != "generated")  // A built-in scene exists on every machine.
    notes += ReproduceDialog::tr(
                 "The report was recorded elsewhere. Replace \"%1\" with the path of your copy of the scene; "
                 "its fingerprint must be %2.")
                 .arg(QString::fromStdString(how.facts.name),
                      QString::fromStdString(fingerprint_text(how.facts.fingerprint)));
  return notes << ReproduceDialog::tr(
             "Times depend on the device and on other running programs. Compare medians together with their "
             "spread.");
}

}  // namespace

ReproduceDialog::ReproduceDialog(const MeasuredWith& how, const MeasuredSubject& subject, bool recorded,
                                 QWidget* parent)
    : ReproduceDialog(QString::fromStdString(shell_text(command_of(how, subject))), textOf(how, subject),
                      notes_of(how, recorded), parent) {
  if (!how.network.ends_with(".json")) return;
  auto* network = new QPushButton(tr("Save network file..."), this);
  buttons_->insertWidget(0, network);
  connect(network, &QPushButton::clicked, this, &ReproduceDialog::networkFileRequested);
}

ReproduceDialog::ReproduceDialog(QString command, const QString& what, const QStringList& notes,
                                 QWidget* parent)
    : QDialog(parent), command_(std::move(command)), buttons_(new QHBoxLayout) {
  setWindowTitle(tr("Repeat the measurement"));
  const auto line = [this](const QString& text) {
    auto* label = new QLabel(text, this);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
  };
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(line(tr("This command measures %1 with the same settings:").arg(what)));
  auto* text = new QPlainTextEdit(command_, this);
  text->setReadOnly(true);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text->setAccessibleName(tr("Command"));
  text->setTabChangesFocus(true);
  text->setMinimumHeight(110);
  layout->addWidget(text, 1);
  for (const QString& note : notes)
    layout->addWidget(line(note));
  buttons_->addStretch(1);
  auto* copy = new QPushButton(tr("Copy"), this);
  auto* close = new QPushButton(tr("Close"), this);
  copy->setDefault(true);
  buttons_->addWidget(copy);
  buttons_->addWidget(close);
  layout->addLayout(buttons_);
  connect(copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(command_);
    accept();
  });
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  resize(640, 300);
}

}  // namespace spira::ui
