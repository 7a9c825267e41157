// Functions that write man pages and shell completions.
#pragma once

#include "app/manual/facts.hpp"

#include <map>

namespace spira::app {

/// Returns the pages of section 1 by file name: "spira.1", and one for each command, such as "spira-run.1".
[[nodiscard]] std::map<std::string, std::string> man_pages(const CommandFacts& program);
[[nodiscard]] std::string bash_completion(const CommandFacts& program);
[[nodiscard]] std::string zsh_completion(const CommandFacts& program);
[[nodiscard]] std::string fish_completion(const CommandFacts& program);

}  // namespace spira::app
