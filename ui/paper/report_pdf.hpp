// A run as a PDF for people: verdict, environment and trust; what changed since a baseline; layers;
// densities; sweeps and timeline; notes.
#pragma once

#include "engine/report/compare.hpp"
#include "engine/report/report.hpp"

#include <QByteArray>

#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

/// `tags`: metadata of the file. `comparison`: of the report with a baseline; null: none.
[[nodiscard]] QByteArray report_pdf(const std::shared_ptr<const Report>& report,
                                    const std::vector<std::pair<QString, QString>>& tags,
                                    const Comparison* comparison = nullptr);

}  // namespace spira::ui
