// PNG files that say what they show: international text chunks (iTXt), which Qt writes for some letters only.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <utility>
#include <vector>

namespace spira::ui {

using PngTexts = std::vector<std::pair<QString, QString>>;

/// The image as a PNG file with one iTXt chunk a text; keys are Latin letters, up to 79.
[[nodiscard]] QByteArray png_with_text(const QImage& image, const PngTexts& texts);
/// The text of that key as png_with_text() wrote it: Qt's reader changes white space. Empty: there is none,
/// or the bytes are no PNG file.
[[nodiscard]] QString text_of_png(const QByteArray& file, const QString& key);

}  // namespace spira::ui
