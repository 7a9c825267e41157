#include "ui/theme/png_text.hpp"

#include <QBuffer>
#include <QtEndian>

#include <zlib.h>

namespace spira::ui {
namespace {

QByteArray big_endian(quint32 number) {
  QByteArray bytes(4, '\0');
  qToBigEndian(number, bytes.data());
  return bytes;
}

QByteArray chunk_of(const QString& key, const QString& value) {
  constexpr int longest_key = 79;
  QByteArray body("iTXt");
  body += key.toLatin1().left(longest_key);
  // Five zero bytes: the end of the key, two bytes for "not compressed", an empty language and an empty
  // translated key.
  body += QByteArray(5, '\0');
  body += value.toUtf8();
  const auto* bytes = reinterpret_cast<const Bytef*>(body.constData());
  const auto sum = static_cast<quint32>(crc32(0, bytes, static_cast<uInt>(body.size())));
  return big_endian(static_cast<quint32>(body.size() - 4)) + body + big_endian(sum);
}

}  // namespace

QByteArray png_with_text(const QImage& image, const PngTexts& texts) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  QByteArray file = buffer.data();
  constexpr qsizetype after_header = 8 + 25;  // Size of the PNG signature and of the IHDR chunk, in bytes.
  QByteArray chunks;
  for (const auto& [key, value] : texts)
    chunks += chunk_of(key, value);
  return file.insert(after_header, chunks);
}

QString text_of_png(const QByteArray& file, const QString& key) {
  // In bytes. `around` is the size of a chunk without its data: its length, name and checksum.
  constexpr qsizetype signature = 8, around = 12;
  if (!file.startsWith(QByteArrayLiteral("\x89PNG"))) return {};
  const QByteArray wanted = QByteArray("iTXt") + key.toLatin1() + QByteArray(5, '\0');
  for (qsizetype at = signature; at + around <= file.size();) {
    const qsizetype length = qFromBigEndian<quint32>(file.constData() + at);
    if (length > file.size() - at - around) return {};
    const QByteArray body = QByteArray::fromRawData(file.constData() + at + 4, length + 4);
    if (body.startsWith(wanted)) return QString::fromUtf8(body.mid(wanted.size()));
    if (body.startsWith("IDAT"))
      return {};  // png_with_text() writes its chunks before the pixels, so no text follows.
    at += length + around;
  }
  return {};
}

}  // namespace spira::ui
