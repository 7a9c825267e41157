// Facts about the host machine. They do not include its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace spira {

struct HostFacts {
  /// Examples: "Debian GNU/Linux 12 (bookworm)", "Linux 6.1.0-18-amd64", "Intel Xeon".
  std::string os, kernel, cpu;
  int cores = 0;  ///< Logical cores.
  std::uint64_t ram_bytes = 0;
  /// Governor of the first core: "performance". "unknown" if the system does not report it.
  std::string governor;
  bool container = false;  ///< Detected by marker files and cgroup names of Docker, Podman and similar tools.
};
/// `root` is "/" except in tests.
[[nodiscard]] HostFacts host_facts(const std::filesystem::path& root = "/");

}  // namespace spira
