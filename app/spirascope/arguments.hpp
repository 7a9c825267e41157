// All that `spirascope` understands, declared once, without Qt: parsed by main, written down as its man page.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace spira::app {

struct Arguments {
  std::vector<std::string> scenes, commands;
  std::string format, network, grid, pack, screenshots, size, theme;
  int threshold = -1;
};

/// `arguments` outlives `program`.
void declare(CLI::App& program, Arguments& arguments);

}  // namespace spira::app
