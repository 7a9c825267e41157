// Collects facts about the build of the program and about the host machine. The name of the machine is not
// included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct HostFacts {
  /// Operating system, kernel and CPU: "Debian GNU/Linux 12 (bookworm)", "Linux 6.1.0-18-amd64", "Intel
  /// Xeon".
  std::string os, kernel, cpu;
  int cores = 0;  ///< Logical cores.
  std::uint64_t ram_bytes = 0;
  /// CPU frequency governor of the first core, such as "performance". "unknown" if the system does not
  /// report it.
  std::string governor;
  bool container = false;  ///< True if marker files or cgroup names of Docker, Podman or similar tools exist.
};
/// Reads the facts from the system files below `root`, which is "/" except in tests.
[[nodiscard]] HostFacts host_facts(const std::filesystem::path& root = "/");

struct BuildFacts {
  std::string commit = "unknown";  ///< First 12 hexadecimal digits of the commit.
  /// True if files differed from the commit when the build was configured. Empty if unknown.
  std::optional<bool> dirty;
  std::string type;                ///< CMake build type, such as "Release".
  std::string compiler;            ///< Example: "GNU 12.2.0, nvcc 13.0.48".
  std::vector<std::string> archs;  ///< Architectures of the CUDA kernels, such as "90a-real".
};
[[nodiscard]] BuildFacts build_facts();

/// Returns the number of bytes that this process can still use: the smallest of the free memory of the
/// system, the remaining memory limit of the process and `most`. Returns an empty optional if none of the
/// three is known.
[[nodiscard]] std::optional<std::uint64_t> free_memory_bytes(std::optional<std::uint64_t> most = {});

}  // namespace spira
