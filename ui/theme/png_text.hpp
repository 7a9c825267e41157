// Writes and reads PNG files with metadata in international text chunks (iTXt). Qt writes such chunks only
// for texts with certain letters.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <utility>
#include <vector>

namespace spira::ui {

using PngTexts = std::vector<std::pair<QString, QString>>;

/// Returns the image as a PNG file with one iTXt chunk for each text. Keys must have at most 79 Latin
/// letters.
[[nodiscard]] QByteArray png_with_text(const QImage& image, const PngTexts& texts);
/// Returns the text of a key as png_with_text() wrote it; Qt's reader would change white space. Returns an
/// empty string if there is none, or if `file` is not a PNG file.
[[nodiscard]] QString text_of_png(const QByteArray& file, const QString& key);

}  // namespace spira::ui
