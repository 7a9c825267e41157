// Main function of the command-line program `spira`: parses the arguments, runs one command and returns the
// exit code.
#include "app/common/backends.hpp"
#include "app/common/faults.hpp"
#include "app/spira/program.hpp"
#include "engine/base/error.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

namespace {

int run_program(int argc, char** argv) {
  using namespace spira;
  const Registry registry = app::make_registry();
  app::Context context{registry, app::interrupt_token(), std::vector<std::string>(argv, argv + argc)};
  // Reports are copied to other machines, so they contain only the file name of the program, not its folder.
  context.command_line.front() = std::filesystem::path(argv[0]).filename().string();
  CLI::App program;
  app::declare(program, context);
  try {
    program.parse(argc, argv);
    // CLI11 could require a command itself with require_subcommand(), but its error message would not contain
    // the name of an unknown command.
    if (program.get_subcommands().empty()) throw CLI::RequiredError("A command");
    std::cout.flush();
    if (!std::cout) throw Error(ErrorKind::input, "stdout: cannot be written");
  } catch (const CLI::ParseError& error) {
    const int code = program.exit(error);
    return code == 0 ? 0 : facts(ErrorKind::usage).exit_code;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  spira::app::prepare_for_faults("spira");
  try {
    return run_program(argc, argv);
  } catch (...) {
    const int code = spira::app::report_fault("spira");
    const int signal = spira::app::interrupt_exit_code();
    return signal != 0 && code == spira::facts(spira::ErrorKind::cancelled).exit_code ? signal : code;
  }
}
