// The forms in which a program's options are written down.
#pragma once

#include "app/manual/facts.hpp"

#include <map>

namespace spira::app {

/// Pages of section 1 by file name: "spira.1" and one a command, "spira-run.1".
[[nodiscard]] std::map<std::string, std::string> man_pages(const CommandFacts& program);
[[nodiscard]] std::string bash_completion(const CommandFacts& program);
[[nodiscard]] std::string zsh_completion(const CommandFacts& program);
[[nodiscard]] std::string fish_completion(const CommandFacts& program);

}  // namespace spira::app
