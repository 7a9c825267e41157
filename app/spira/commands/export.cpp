#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/report/report.hpp"

#include <array>

namespace spira::app {
namespace {

struct Format {
  const char* option;
  const char* help;
  std::string (*write)(const Report&);
};
constexpr std::array<Format, 5> formats{{
    {"--trace", "Stages as a trace for Perfetto or chrome://tracing, medians laid end to end", trace_json},
    {"--csv", "Table of all stages with their statistics", measurements_csv},
    {"--samples", "Table of all samples, a row each", samples_csv},
    {"--timeline", "Table of the timeline's spans: track, begin, end and length", timeline_csv},
    {"--markdown", "Summary for people: advice, environment, totals, slowest layers, fastest settings",
     report_markdown},
}};

struct Options {
  std::string report, output;
  std::array<bool, formats.size()> chosen{};
};

void run(const Context& context, const Options& options) {
  const Format* format = nullptr;
  for (std::size_t at = 0; at < formats.size(); ++at) {
    if (!options.chosen.at(at)) continue;
    if (format != nullptr)
      throw Error(ErrorKind::usage, std::string("export: ") + format->option + " and " +
                                        formats.at(at).option + ": one at a time");
    format = &formats.at(at);
  }
  if (format == nullptr)
    throw Error(ErrorKind::usage, "export: give --trace, --csv, --samples, --timeline or --markdown");
  const Report report = read_report(options.report);
  for (const auto& note : report.notes)
    context.say(options.report + ": " + note);
  write_file(options.output, format->write(report));
  context.say("written: " + options.output);
}

}  // namespace

void add_export(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand("export", "Write a report as a trace, tables or a summary");
  command->footer("Example: spira export scan.spira.json --trace -o scan.trace.json");
  auto options = std::make_shared<Options>();
  command->add_option("report", options->report, "A report of spira run -o")
      ->type_name(file_value)
      ->required();
  for (std::size_t at = 0; at < formats.size(); ++at)
    command->add_flag(formats.at(at).option, options->chosen.at(at), formats.at(at).help);
  command->add_option("-o,--output", options->output, "File to write")->type_name(file_value)->required();
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace spira::app
