// A run as a PDF for people: verdict, environment and trust; what changed since a baseline; layers;
// densities; sweeps and timeline; notes.
#pragma once

#include "engine/report/compare.hpp"
#include "engine/report/report.hpp"
#include "ui/charts/pdf_pages.hpp"

#include <QByteArray>

#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

/// Painted piece by piece, so that a window lives on between them. On the GUI thread.
class ReportPdf {
 public:
  /// `tags`: metadata of the file. `comparison`: of the report with a baseline; null: none.
  ReportPdf(std::shared_ptr<const Report> report, const std::vector<std::pair<QString, QString>>& tags,
            std::shared_ptr<const Comparison> comparison);
  ~ReportPdf();
  ReportPdf(const ReportPdf&) = delete;
  ReportPdf& operator=(const ReportPdf&) = delete;

  [[nodiscard]] int steps() const;
  [[nodiscard]] int done() const;
  bool step();                             ///< paints the next piece; false: it was the last
  [[nodiscard]] QByteArray bytes() const;  ///< of the file, after the last piece

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The rows that changed or cannot be told. Each is known by its layer and its stage.
[[nodiscard]] PdfTable compared_table(const Comparison& comparison);

/// All of it at once.
[[nodiscard]] QByteArray report_pdf(const std::shared_ptr<const Report>& report,
                                    const std::vector<std::pair<QString, QString>>& tags,
                                    const std::shared_ptr<const Comparison>& comparison = {});

}  // namespace spira::ui
