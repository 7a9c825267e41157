// Writes the man pages and completions of `spira` and `spirascope` to a folder. This program runs only during
// the build.
#include "app/manual/writers.hpp"
#include "app/spira/program.hpp"
#include "app/spirascope/arguments.hpp"

#include <CLI/App.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) throw std::runtime_error(file.string() + ": cannot be written");
}

/// Writes the man pages and completions of one program to a subfolder with the name of the program. The
/// subfolder has the structure of share/, where man and the shells search.
void write_all(const CLI::App& program, const std::filesystem::path& folder) {
  const auto facts = spira::app::facts_of(program);
  const auto share = folder / facts.name;
  for (const auto& [name, page] : spira::app::man_pages(facts))
    write(share / "man" / "man1" / name, page);
  write(share / "bash-completion" / "completions" / facts.name, spira::app::bash_completion(facts));
  write(share / "zsh" / "site-functions" / ("_" + facts.name), spira::app::zsh_completion(facts));
  write(share / "fish" / "vendor_completions.d" / (facts.name + ".fish"), spira::app::fish_completion(facts));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "Usage: spira_manual FOLDER\n";
    return 2;
  }
  try {
    const spira::Registry no_backends({});
    spira::app::Context context{no_backends, {}, {}};
    CLI::App spira;
    spira::app::declare(spira, context);
    write_all(spira, argv[1]);
    spira::app::Arguments arguments;
    CLI::App spirascope;
    spira::app::declare(spirascope, arguments);
    write_all(spirascope, argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "spira_manual: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
