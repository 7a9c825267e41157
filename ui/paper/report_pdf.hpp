// Writes the report of a run as a PDF file. It contains the verdict, the environment and the trust grade,
// changes since a baseline, layers, densities, sweeps, the timeline, and notes.
#pragma once

#include "engine/report/compare/compare.hpp"
#include "engine/report/report.hpp"
#include "ui/charts/pdf_pages.hpp"

#include <QByteArray>

#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

/// Paints the report in pieces, so that the window stays responsive between the pieces. Must be used on the
/// GUI thread.
class ReportPdf {
 public:
  /// `tags` contains the metadata of the file. `comparison` compares the report with a baseline. It may be
  /// `nullptr`.
  ReportPdf(std::shared_ptr<const Report> report, const std::vector<std::pair<QString, QString>>& tags,
            std::shared_ptr<const Comparison> comparison);
  ~ReportPdf();
  ReportPdf(const ReportPdf&) = delete;
  ReportPdf& operator=(const ReportPdf&) = delete;

  [[nodiscard]] int steps() const;
  [[nodiscard]] int done() const;
  bool step();  ///< Paints the next piece. Returns false if it was the last piece.
  /// Returns the content of the file. It is complete after the last piece.
  [[nodiscard]] QByteArray bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the rows of the comparison whose verdict is neither `same` nor `undecided`. The result identifies
/// each row by its layer and its stage.
[[nodiscard]] PdfTable compared_table(const Comparison& comparison);
/// Returns a sentence with the number and the range of the undecided rows. Returns an empty string if there
/// are none.
[[nodiscard]] QString undecided_text(const Comparison& comparison);

/// Returns the whole report as a PDF file, painted in one call.
[[nodiscard]] QByteArray report_pdf(const std::shared_ptr<const Report>& report,
                                    const std::vector<std::pair<QString, QString>>& tags,
                                    const std::shared_ptr<const Comparison>& comparison = {});

}  // namespace spira::ui
