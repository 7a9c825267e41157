// Fonts and PDF setup for exported pictures and pages.
#pragma once

#include <QFont>
#include <QSizeF>
#include <QString>

#include <utility>
#include <vector>

class QPdfWriter;

namespace spira::ui {

enum class PaperText { small, heading, title };

/// Font sizes are in units of 1/96 inch, so that text has the same size on every device. No font is smaller
/// than 8 points.
[[nodiscard]] QFont paper_font(PaperText use = PaperText::small);

/// Sets up pages of this size, in inches, without margins, and writes title and metadata.
void set_up_pdf(QPdfWriter& device, const QString& title,
                const std::vector<std::pair<QString, QString>>& tags, const QSizeF& page_in);
/// Returns the device dots per unit of 1/96 inch.
[[nodiscard]] double pdf_scale(const QPdfWriter& device);

}  // namespace spira::ui
