// A run as a PDF for people: verdict, environment and trust; layers; densities; sweeps and timeline; notes.
#pragma once

#include "engine/report/report.hpp"

#include <QByteArray>

#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

/// `tags`: metadata of the file.
[[nodiscard]] QByteArray report_pdf(const std::shared_ptr<const Report>& report,
                                    const std::vector<std::pair<QString, QString>>& tags);

}  // namespace spira::ui
