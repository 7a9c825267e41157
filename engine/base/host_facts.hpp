// The machine that the program runs on, without its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace spira {

struct HostFacts {
  std::string os, kernel, cpu;  ///< "Debian GNU/Linux 12 (bookworm)", "Linux 6.1.0-18-amd64", "Intel Xeon"
  int cores = 0;                ///< logical ones
  std::uint64_t ram_bytes = 0;
  std::string governor;    ///< of the first core: "performance"; "unknown" where it is not told
  bool container = false;  ///< found out by the marks that Docker, Podman and the like leave
};
/// `root`: "/" but for tests.
[[nodiscard]] HostFacts host_facts(const std::filesystem::path& root = "/");

}  // namespace spira
