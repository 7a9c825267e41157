// The option --list-readers.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace spira::app {

/// Returns one line for each format that can be read: id, extensions, label.
[[nodiscard]] std::string reader_list();
/// Adds the option --list-readers, which prints reader_list() to stdout and ends the program, as --version
/// does.
void add_list_readers(CLI::App& program);

}  // namespace spira::app
