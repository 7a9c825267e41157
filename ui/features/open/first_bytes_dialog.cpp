#include "ui/features/open/first_bytes_dialog.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

#include <QDialogButtonBox>
#include <QFile>
#include <QFileInfo>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>
#include <QtEndian>

namespace spira::ui {
namespace {

constexpr qsizetype row_bytes = 16, float_bytes = 4;
constexpr qint64 shown_bytes = 512;

QString letters(const QByteArray& row) {
  QString text;
  for (const char byte : row)
    text += byte >= ' ' && byte <= '~' ? QLatin1Char(byte) : QLatin1Char('.');
  return text;
}

QString floats(const QByteArray& row) {
  QString text;
  for (qsizetype at = 0; at + float_bytes <= row.size(); at += float_bytes)
    text += QString::number(qFromLittleEndian<float>(row.constData() + at), 'g', 5).rightJustified(13);
  return text;
}

}  // namespace

QString bytes_text(const QByteArray& bytes) {
  QString text;
  for (qsizetype at = 0; at < bytes.size(); at += row_bytes) {
    const QByteArray row = bytes.mid(at, row_bytes);
    text += QString("%1  %2  %3 %4\n")
                .arg(at, 6)
                .arg(QString::fromLatin1(row.toHex(' ')), -3 * row_bytes)
                .arg(letters(row), -row_bytes)
                .arg(floats(row));
  }
  return text;
}

FirstBytesDialog::FirstBytesDialog(const QString& file, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("First bytes of %1").arg(QFileInfo(file).fileName()));
  QFile source(file);
  const QByteArray bytes = source.open(QIODevice::ReadOnly) ? source.read(shown_bytes) : QByteArray();
  auto* layout = new QVBoxLayout(this);
  auto* facts = new QLabel(
      source.isOpen()
          ? tr("%1 bytes in total. Each row shows 16 bytes: offset, bytes, text, four float32 values.")
                .arg(onScreen(count_text(source.size())))
          : tr("Cannot open the file: %1").arg(source.errorString()),
      this);
  facts->setWordWrap(true);
  auto* text = new QPlainTextEdit(bytes_text(bytes), this);
  text->setReadOnly(true);
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text->setAccessibleName(tr("First bytes"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(facts);
  layout->addWidget(text, 1);
  layout->addWidget(buttons);
  constexpr int letters_wide = 132, rows_high = 22;
  const QFontMetrics metrics(text->font());
  resize((metrics.horizontalAdvance('0') * letters_wide) + 40, (metrics.lineSpacing() * rows_high) + 100);
}

}  // namespace spira::ui
