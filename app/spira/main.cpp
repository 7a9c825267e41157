// spira: the engine without a window. Parses, calls one command, maps errors to exit codes.
#include "app/common/backends.hpp"
#include "app/spira/interrupt.hpp"
#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

namespace {

int run(int argc, char** argv) {
  using namespace spira;
  const Registry registry = app::make_registry();
  app::Context context{registry, app::interrupt_token(), std::vector<std::string>(argv, argv + argc)};
  // Reports travel: they name the program, not the folder that it lay in.
  context.command_line.front() = std::filesystem::path(argv[0]).filename().string();
  CLI::App program("spira: run and measure Spira sparse convolution on point clouds", "spira");
  program.set_version_flag("--version", "spira " SPIRA_VERSION);
  program.add_flag("--quiet", context.quiet, "No messages and no progress on stderr, only errors");
  program.add_option("--threads", context.threads, "Threads of the CPU back end (default: one a core)")
      ->check(CLI::Range(1, 1024));
  program.add_option("--memory-limit", context.memory_limit,
                     "Most memory for buffers of the back end: 500M, 2G");
  program.fallthrough();
  program.footer("Example: spira run street --network minkunet42");
  program.failure_message([](const CLI::App* app, const CLI::Error& error) {
    return "spira: " + printable(error.what()) + "\nSee " + (app->get_parent() ? "spira " : "") +
           app->get_name() + " --help\n";
  });
  app::add_devices(program, context);
  app::add_info(program, context);
  app::add_densities(program, context);
  app::add_run(program, context);
  app::add_layer(program, context);
  app::add_sweep(program, context);
  app::add_verify(program, context);
  app::add_bench(program, context);
  app::add_compare(program, context);
  app::add_export(program, context);
  app::add_generate(program, context);
  try {
    program.parse(argc, argv);
    // Not require_subcommand(): it would hide the name of a command that there is not.
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
  try {
    return run(argc, argv);
  } catch (const spira::Error& error) {
    std::cerr << "spira: " << spira::printable(error.what()) << "\n";
    return spira::facts(error.kind()).exit_code;
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "spira: " << spira::printable(error.path1().string()) << ": " << error.code().message()
              << "\n";
    return spira::facts(spira::ErrorKind::input).exit_code;
  } catch (const std::bad_alloc&) {
    std::cerr << "spira: out of memory\n";
    return spira::facts(spira::ErrorKind::device).exit_code;
  } catch (const std::exception& error) {
    std::cerr << "spira: " << spira::printable(error.what()) << "\n";
    return 1;
  }
}
