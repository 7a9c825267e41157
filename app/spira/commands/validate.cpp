#include "engine/report/validate.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <iostream>
#include <optional>

namespace spira::app {
namespace {

/// One line a file that is valid, one a fault of the others; whether it is valid.
bool print(const std::string& file, const Validation& found) {
  if (found.faults.empty()) {
    std::cout << printable(file) << ": " << found.kind << (found.version.empty() ? "" : " ") << found.version
              << ", valid\n";
    return true;
  }
  for (const auto& fault : found.faults)
    std::cout << printable(file + ": " + fault) << "\n";
  return false;
}

/// A file that cannot be read weighs more than one that can be and is wrong.
void run(const std::vector<std::string>& files) {
  std::optional<Error> worst;
  for (const auto& file : files) {
    try {
      if (print(file, validate_file(file)) || worst) continue;
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
      "validate", "Check reports, tuning profiles, sessions, lessons and networks against their schema");
  command->footer("Example: spira validate scan.spira.json resn21.tune.json");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *files, "Files that these programs wrote, or that are to be read by them")
      ->type_name(file_value)
      ->required();
  command->callback([files] { run(*files); });
}

}  // namespace spira::app
