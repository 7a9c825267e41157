// Pages of a PDF, filled from top to bottom: headings, paragraphs, facts, tables that go on over pages,
// charts.
#pragma once

#include "ui/charts/chart.hpp"

#include <QImage>
#include <QStringList>

#include <memory>
#include <utility>
#include <vector>

class QIODevice;

namespace spira::ui {

struct PdfTable {
  QStringList header;
  std::vector<double> shares;  ///< of the width, one a column
  std::vector<QStringList> rows;
  /// Columns from the left that are words, of as many lines as they need; the others are numbers, on the
  /// right of theirs.
  int words = 1;
};

class PdfPages {
 public:
  /// `footer` stands below every page, beside its number. A4 upright. `text_scale`: of all text but titles, 1
  /// for those who look things up.
  PdfPages(QIODevice& file, const QString& title, const std::vector<std::pair<QString, QString>>& tags,
           QString footer, double text_scale = 1);
  ~PdfPages();
  PdfPages(const PdfPages&) = delete;
  PdfPages& operator=(const PdfPages&) = delete;

  void page(const QString& title);  ///< begins another one
  void heading(const QString& text);
  void paragraph(const QString& text);
  /// A letter or number that is seen first, and what it says.
  void verdict(const QString& large, const QString& text);
  void facts(const std::vector<std::pair<QString, QString>>& rows);
  void table(const PdfTable& table);
  /// As wide as the page, or as high as there is room for: two fifths of the page where nothing is said.
  void picture(const QImage& picture, double highest = 0);
  /// As wide as the page. Below each chart stand its unit, its statistic and n.
  void chart(const Chart& chart);
  void charts(const Chart& left, const Chart* right);  ///< beside each other; null: room for one

  [[nodiscard]] double room() const;  ///< that is left on this page, in units of 1/96 inch
  [[nodiscard]] int pages() const;
  [[nodiscard]] static double width();  ///< of what stands on a page

 private:
  struct State;
  [[nodiscard]] bool fits(double height) const;
  void makeRoom(double height);
  double draw(const QString& text, double x, double width, int flags);
  [[nodiscard]] double rowHeight(const PdfTable& table, const QStringList& cells, bool header) const;
  void tableRow(const PdfTable& table, const QStringList& cells, bool header);

  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
