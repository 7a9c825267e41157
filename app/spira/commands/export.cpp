#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/report/report_exports.hpp"

#include <array>
#include <iostream>

namespace spira::app {
namespace {

struct Format {
  const char* option;
  const char* help;
  ReportExport what;
};
constexpr std::array<Format, 7> formats{{
    {"--trace",
     "Trace for Perfetto or chrome://tracing: the stages one after the other with their median times, and "
     "the recorded timeline",
     ReportExport::trace},
    {"--csv", "Table of all stages with their statistics", ReportExport::stages},
    {"--samples", "Table of all samples, one row per sample", ReportExport::samples},
    {"--timeline", "Table of the spans of the timeline: track, begin, end and length",
     ReportExport::timeline},
    {"--sweep", "Table of the settings that a sweep measured", ReportExport::sweeps},
    {"--densities", "Table of the columns of each kernel map: offset, matches, density",
     ReportExport::densities},
    {"--markdown", "Summary as Markdown text: advice, environment, totals, slowest layers, fastest settings",
     ReportExport::summary},
}};

/// Writes a report in one format. For a table, also writes its origin (report, device, network and scene): to
/// FILE.meta.json, or to the first lines of the table if `comment` is true.
void write_export(const Format& format, const Report& report, const std::string& output, bool comment,
                  const std::stop_token& stop) {
  const auto text = [&] {
    return (comment ? csv_comment(report) : std::string()) + export_text(report, format.what);
  };
  if (is_standard_output(output)) {
    std::cout << text();
  } else if (comment) {
    write_file(output, text(), stop);
  } else {
    write_export(output, report, format.what, stop);
  }
}

struct ExportOptions {
  std::string report, output;
  std::array<bool, formats.size()> chosen{};
  bool comment = false;
};

void run_export(const Context& context, const ExportOptions& options) {
  const Format* format = nullptr;
  for (std::size_t at = 0; at < formats.size(); ++at) {
    if (!options.chosen.at(at)) continue;
    if (format != nullptr)
      throw Error(ErrorKind::usage, std::string("export: ") + format->option + " and " +
                                        formats.at(at).option + ": use only one of them");
    format = &formats.at(at);
  }
  if (format == nullptr)
    throw Error(
        ErrorKind::usage,
        "export: use one of --trace, --csv, --samples, --timeline, --sweep, --densities or --markdown");
  if (options.comment && table_name(format->what).empty())
    throw Error(ErrorKind::usage,
                std::string("export: --comment can only be used with tables, not with ") + format->option);
  const Report report = read_report(options.report);
  for (const auto& note : report.notes)
    context.say(options.report + ": " + note);
  write_export(*format, report, options.output, options.comment, context.stop);
  if (!is_standard_output(options.output)) context.say("written: " + options.output);
}

}  // namespace

void add_export(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand("export", "Write a report as a trace, tables or a summary");
  command->footer("Example: spira export scan.spira.json --trace -o scan.trace.json");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("report", options->report, "A report that was written by spira run -o")
      ->type_name(file_value)
      ->required();
  for (std::size_t at = 0; at < formats.size(); ++at)
    command->add_flag(formats.at(at).option, options->chosen.at(at), formats.at(at).help);
  command->add_flag("--comment", options->comment,
                    "Begin the table with lines that start with # and name the report, device, network and "
                    "scene; FILE.meta.json is then not written");
  command->add_option("-o,--output", options->output, "File to write; - is standard output")
      ->type_name(file_value)
      ->required();
  command->callback([command, options, &context] {
    if (!is_standard_output(options->output)) require_result_file(*command, options->output);
    run_export(context, *options);
  });
}

}  // namespace spira::app
