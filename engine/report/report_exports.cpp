#include "engine/report/report_exports.hpp"

#include "engine/base/file.hpp"

#include <array>

namespace spira {
namespace {

struct Writer {
  ReportExport what;
  std::string (*text)(const Report&);
  std::string_view table;
};
constexpr std::array<Writer, 7> writers{{
    {ReportExport::stages, measurements_csv, "measurements"},
    {ReportExport::samples, samples_csv, "samples"},
    {ReportExport::timeline, timeline_csv, "timeline"},
    {ReportExport::sweeps, sweeps_csv, "sweep"},
    {ReportExport::densities, densities_csv, "density"},
    {ReportExport::trace, trace_json, ""},
    {ReportExport::summary, report_markdown, ""},
}};
constexpr bool in_the_order_of_the_names = [] {
  for (std::size_t at = 0; at < writers.size(); ++at) {
    if (writers.at(at).what != static_cast<ReportExport>(at)) return false;
  }
  return true;
}();
static_assert(in_the_order_of_the_names);

constexpr const Writer& writer_of(ReportExport what) {
  return writers[static_cast<std::size_t>(what)];
}

}  // namespace

std::string export_text(const Report& report, ReportExport what) {
  return writer_of(what).text(report);
}

std::string_view table_name(ReportExport what) noexcept {
  return writer_of(what).table;
}

void write_export(const std::filesystem::path& file, const Report& report, ReportExport what,
                  const std::stop_token& stop) {
  write_file(file, export_text(report, what), stop);
  if (table_name(what).empty() || is_stream(file)) return;
  std::filesystem::path beside = file;
  write_file(beside += ".meta.json", csv_meta_json(report, std::string(table_name(what))));
}

}  // namespace spira
