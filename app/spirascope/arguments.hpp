// All options of `spirascope`, declared for both main() and the man page. Does not use Qt.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace spira::app {

struct Arguments {
  std::vector<std::string> scenes, commands, charts;
  std::string format, network, grid, pack, screenshots, size, theme;
  std::string picture, pdf, layer, lesson, width = "page";
  int threshold = -1, scale = 2;
  std::int64_t every = 1;          ///< Reads only every n-th point of a file.
  std::uint64_t memory_limit = 0;  ///< In bytes. 0 disables the limit.
  bool no_caption = false, view_only = false, transparent = false;
  bool no_config = false, list_bindings = false, all_screenshots = false;
};

/// Returns the output files that --chart, --picture and --pdf name.
[[nodiscard]] std::vector<std::string> written_files(const Arguments& arguments);

/// Adds all options to `program`. `arguments` must outlive `program`.
void declare(CLI::App& program, Arguments& arguments);

}  // namespace spira::app
