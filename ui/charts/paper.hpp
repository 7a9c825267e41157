// What pictures and printed pages share: fonts, and how a PDF is set up.
#pragma once

#include <QFont>
#include <QSizeF>
#include <QString>

#include <utility>
#include <vector>

class QPdfWriter;

namespace spira::ui {

enum class PaperText { small, heading, title };

/// In units of 1/96 inch, so that it is as large on every device; none is smaller than 8 points.
[[nodiscard]] QFont paper_font(PaperText use = PaperText::small);

/// Pages of this size without margins, with title and metadata.
void set_up_pdf(QPdfWriter& device, const QString& title,
                const std::vector<std::pair<QString, QString>>& tags, const QSizeF& page_in);
/// Dots of the device a unit.
[[nodiscard]] double pdf_scale(const QPdfWriter& device);

}  // namespace spira::ui
