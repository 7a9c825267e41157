// What --list-readers prints.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace spira::app {

/// A line a format that can be read: id, extensions, label.
[[nodiscard]] std::string reader_list();
/// Prints it to stdout and ends, as --version does.
void add_list_readers(CLI::App& program);

}  // namespace spira::app
