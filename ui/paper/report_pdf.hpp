// Writes a run as a PDF report: verdict, environment and trust; changes since a baseline; layers; densities;
// sweeps and timeline; notes.
#pragma once

#include "engine/report/compare/compare.hpp"
#include "engine/report/report.hpp"
#include "ui/charts/pdf_pages.hpp"

#include <QByteArray>

#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

/// Paints the report piece by piece, so that the window stays responsive in between. Must be used on the GUI
/// thread.
class ReportPdf {
 public:
  /// `tags` is the metadata of the file. `comparison` compares the report with a baseline, or is null.
  ReportPdf(std::shared_ptr<const Report> report, const std::vector<std::pair<QString, QString>>& tags,
            std::shared_ptr<const Comparison> comparison);
  ~ReportPdf();
  ReportPdf(const ReportPdf&) = delete;
  ReportPdf& operator=(const ReportPdf&) = delete;

  [[nodiscard]] int steps() const;
  [[nodiscard]] int done() const;
  bool step();                             ///< paints the next piece; returns false if it was the last
  [[nodiscard]] QByteArray bytes() const;  ///< contents of the file, complete after the last piece

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns all rows whose verdict is not `same`. Layer and stage identify a row.
[[nodiscard]] PdfTable compared_table(const Comparison& comparison);

/// Paints the whole report at once.
[[nodiscard]] QByteArray report_pdf(const std::shared_ptr<const Report>& report,
                                    const std::vector<std::pair<QString, QString>>& tags,
                                    const std::shared_ptr<const Comparison>& comparison = {});

}  // namespace spira::ui
