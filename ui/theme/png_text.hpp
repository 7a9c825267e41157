// Writes and reads PNG files with metadata in international text chunks (iTXt). Qt itself writes iTXt chunks
// only for texts that contain certain letters.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <utility>
#include <vector>

namespace spira::ui {

using PngTexts = std::vector<std::pair<QString, QString>>;

/// Returns the image as a PNG file with one iTXt chunk for each text. A key must have at most 79 Latin
/// letters.
[[nodiscard]] QByteArray png_with_text(const QImage& image, const PngTexts& texts);
/// Returns the text that png_with_text() wrote for a key. Returns an empty string if the file has no such
/// text, or if `file` is not a PNG file. Qt's reader is not used, because it would change white space.
[[nodiscard]] QString text_of_png(const QByteArray& file, const QString& key);

}  // namespace spira::ui
