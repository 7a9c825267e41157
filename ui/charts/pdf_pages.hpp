// Writes the pages of a PDF from top to bottom: headings, paragraphs, facts, charts, and tables that continue
// on the next page.
#pragma once

#include "ui/charts/chart.hpp"

#include <QFont>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include <memory>
#include <utility>
#include <vector>

class QFontMetricsF;
class QIODevice;
class QPdfWriter;

namespace spira::ui {

struct PdfTable {
  QStringList header;
  std::vector<double> shares;  ///< Relative width of each column.
  std::vector<QStringList> rows;
  /// The first `words` columns contain text, which wraps. The other columns contain numbers, aligned right.
  int words = 1;
};

/// Returns the width of each column in units of 1/96 inch. A column of numbers is at least as wide as its
/// widest number, because a truncated number would be wrong. The columns of text become narrower instead, and
/// the text wraps.
[[nodiscard]] std::vector<double> column_widths(const PdfTable& table, const QFontMetricsF& metrics);

class PdfPages {
 public:
  /// The pages are A4 portrait. `footer` appears on every page next to the page number. `text_scale` scales
  /// all text except titles. A scale of 1 gives small text, which is suitable for reference pages.
  PdfPages(QIODevice& file, const QString& title, const std::vector<std::pair<QString, QString>>& tags,
           QString footer, double text_scale = 1);
  ~PdfPages();
  PdfPages(const PdfPages&) = delete;
  PdfPages& operator=(const PdfPages&) = delete;

  void page(const QString& title);
  void heading(const QString& text);
  void paragraph(const QString& text);
  /// Writes a large letter or number with an explanation next to it.
  void verdict(const QString& large, const QString& text);
  void facts(const std::vector<std::pair<QString, QString>>& rows);
  void table(const PdfTable& table);
  /// Draws the picture, scaled to fit the page width and the height `highest`, in units of 1/96 inch. If
  /// `highest` is 0, the height is limited to two fifths of the page height.
  void picture(const QImage& picture, double highest = 0);
  /// Draws the chart at page width. The unit, the statistic and the number of samples appear below the chart.
  void chart(const Chart& chart);
  /// Draws two charts side by side. If `right` is null, the right half stays empty.
  void charts(const Chart& left, const Chart* right);

  [[nodiscard]] double room() const;  ///< Remaining height of this page, in units of 1/96 inch.
  [[nodiscard]] int pages() const;
  [[nodiscard]] static double width();  ///< Returns the width of the page content, in units of 1/96 inch.

 private:
  struct State;
  [[nodiscard]] bool fits(double height) const;
  void makeRoom(double height);
  double draw(const QString& text, double x, double width, int flags);
  [[nodiscard]] double rowHeight(const PdfTable& table, const QStringList& cells, bool header) const;
  void tableRow(const PdfTable& table, const QStringList& cells, bool header);

  std::unique_ptr<State> state_;
};

enum class PaperText { small, heading, title };

/// Returns a font for text on paper. Font sizes are in units of 1/96 inch, so text has the same size on every
/// device. No font is smaller than 8 points.
[[nodiscard]] QFont paper_font(PaperText use = PaperText::small);

/// Sets up pages of this size, in inches and without margins. Also writes the title and the metadata.
void set_up_pdf(QPdfWriter& device, const QString& title,
                const std::vector<std::pair<QString, QString>>& tags, const QSizeF& page_in);
/// Returns the number of device dots per 1/96 inch.
[[nodiscard]] double pdf_scale(const QPdfWriter& device);

}  // namespace spira::ui
