#include "engine/report/validate.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/lesson.hpp"

#include <cstdint>
#include <iostream>
#include <optional>

namespace spira::app {
namespace {

/// Prints one line if the file is valid, otherwise one line for each fault. Returns true if the file is
/// valid.
bool print_validation(const std::string& file, const Validation& found) {
  if (found.faults.empty()) {
    std::cout << printable(file) << ": " << found.kind << (found.version.empty() ? "" : " ") << found.version
              << ", valid\n";
    return true;
  }
  for (const auto& fault : found.faults)
    std::cout << printable(file + ": " + fault) << "\n";
  return false;
}

/// Validates a file with its schema. Lessons are also parsed, but their commands are not checked, because
/// only the window knows the commands.
Validation validated(const std::string& file) {
  Validation found = validate_file(file);
  if (found.kind != "lesson" || !found.faults.empty()) return found;
  try {
    constexpr std::uint64_t max_bytes = 16ULL << 20U;
    const auto any_command = [](const LessonCommand&) { return std::string(); };
    static_cast<void>(parse_lesson(read_text_file(file, max_bytes), file, any_command));
  } catch (const Error& error) {
    const std::string fault = error.what(), place = file + ": ";
    found.faults.push_back(fault.starts_with(place) ? fault.substr(place.size()) : fault);
  }
  return found;
}

/// Validates all files. Then throws Error(input) if a file could not be read, or Error(failed_check) if a
/// file is not valid.
void run_validate(const std::vector<std::string>& files) {
  std::optional<Error> worst;
  for (const auto& file : files) {
    try {
      if (print_validation(file, validated(file)) || worst) continue;
      worst = Error(ErrorKind::failed_check,
                    files.size() == 1 ? file + ": not valid" : "not all files are valid");
    } catch (const Error& error) {
      if (files.size() == 1 || error.kind() != ErrorKind::input) throw;
      std::cerr << "spira: " << printable(error.what()) << "\n";
      worst = Error(ErrorKind::input, "not all files could be read");
    }
  }
  if (worst) throw Error(*worst);
}

}  // namespace

void add_validate(CLI::App& program, Context& /*context*/) {
  auto* command = program.add_subcommand(
      "validate",
      "Check reports, tuning profiles, sessions, lessons, networks and manifests against their schema");
  command->footer("Example: spira validate scan.spira.json resn21.tune.json");
  auto files = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("file", *files,
                   "Reports, tuning profiles, sessions, lessons, networks and manifests to check")
      ->type_name(file_value)
      ->required();
  command->callback([files] { run_validate(*files); });
}

}  // namespace spira::app
