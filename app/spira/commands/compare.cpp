#include "engine/report/compare/compare.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/report/report_exports.hpp"

#include <iostream>

namespace spira::app {
namespace {

struct CompareOptions {
  std::string baseline, current, fail_on;
  bool json = false, csv = false, markdown = false, ignore_devices = false, ignore_mask = false;
};

/// Returns 0.02 for "slower:2%". Throws Error(usage) if the text is not valid.
double parse_gate(const std::string& text) {
  constexpr std::string_view begin = "slower:";
  if (text.starts_with(begin) && text.ends_with('%')) {
    const auto percent =
        parse_double(std::string_view(text).substr(begin.size(), text.size() - begin.size() - 1));
    if (percent && *percent >= 0 && *percent <= 1000) return *percent / 100.0;
  }
  throw Error(ErrorKind::usage, "--fail-on " + text + ": expected slower:P%, such as slower:2%");
}

Report open(const Context& context, const std::string& file) {
  Report report = read_report(file);
  for (const auto& note : report.notes)
    context.say(file + ": " + note);
  return report;
}

void print_comparison(const Comparison& comparison, const CompareOptions& options) {
  if (options.json) {
    std::cout << compare_json(comparison);
  } else if (options.csv) {
    std::cout << compare_csv(comparison);
  } else if (options.markdown) {
    std::cout << compare_markdown(comparison);
  } else {
    std::cout << table_text(compare_cells(comparison));
    for (const auto& note : compare_notes(comparison))
      std::cout << printable(note) << "\n";
  }
}

/// Returns the reason why a comparison stays undecided even with more samples: a difference between the
/// reports, or trust grade X. Returns an empty string if no such reason exists.
std::string why_undecided(const Comparison& comparison) {
  if (!comparison.differences.empty()) return ": " + comparison.differences.front();
  if (!comparison.why_no_pass.empty()) return ": " + comparison.why_no_pass;
  return comparison.current.trust == TrustGrade::x ? ": the trust grade of the current report is X" : "";
}

void run_compare(const Context& context, const CompareOptions& options) {
  const double share = options.fail_on.empty() ? 0.0 : parse_gate(options.fail_on);
  Comparison comparison = compare(open(context, options.baseline), open(context, options.current),
                                  options.ignore_devices, options.ignore_mask);
  comparison.baseline.file = std::filesystem::path(options.baseline).filename().string();
  comparison.current.file = std::filesystem::path(options.current).filename().string();
  print_comparison(comparison, options);
  if (options.fail_on.empty()) return;
  const std::string limit = percent_text(share);
  switch (gate(comparison, share)) {
    case Gate::passed:
      return;
    case Gate::slower:
      throw Error(ErrorKind::slower, "the whole network is slower than the baseline by more than " + limit);
    case Gate::undecided:
      throw Error(ErrorKind::undecided,
                  "it is undecided whether the whole network is slower than the baseline by more than " +
                      limit + why_undecided(comparison));
  }
}

}  // namespace

void add_compare(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "compare", "Compare two reports row by row, and report which rows are slower or faster");
  command->footer("Example: spira compare before.spira.json after.spira.json --fail-on slower:2%");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("baseline", options->baseline, "The baseline report")
      ->type_name(file_value)
      ->required();
  command->add_option("current", options->current, "The report to compare with the baseline")
      ->type_name(file_value)
      ->required();
  command->add_option("--fail-on", options->fail_on,
                      "slower:P% sets a speed limit: exit code 6 if the whole network is slower than the "
                      "baseline by more than P percent; exit code 7 if there are too few samples to decide");
  command->add_flag("--ignore-devices", options->ignore_devices,
                    "Compare the reports even if the devices are different; the output then contains a note");
  command->add_flag(
      "--ignore-mask", options->ignore_mask,
      "Compare bird's-eye views even if their masks are different; the output then contains a note");
  auto* json = command->add_flag("--json", options->json, "Write JSON to stdout");
  auto* csv = command->add_flag("--csv", options->csv, "Write CSV to stdout")->excludes(json);
  command->add_flag("--markdown", options->markdown, "Write Markdown to stdout")
      ->excludes(json)
      ->excludes(csv);
  command->callback([options, &context] { run_compare(context, *options); });
}

}  // namespace spira::app
