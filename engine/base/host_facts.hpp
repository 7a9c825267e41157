// Collects facts about the build of the program and about the host machine, without the name of the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct HostFacts {
  /// For example "Debian GNU/Linux 12 (bookworm)", "Linux 6.1.0-18-amd64" and "Intel Xeon".
  std::string os, kernel, cpu;
  int cores = 0;  ///< Number of logical cores.
  std::uint64_t ram_bytes = 0;
  /// The CPU frequency governor of the first core, such as "performance". "unknown" if it is not reported.
  std::string governor;
  /// True if there are signs of a container: marker files or cgroup names of Docker, Podman or similar tools.
  bool container = false;
};
/// Reads the facts from system files. Their paths begin with `root`, which is "/" except in tests.
[[nodiscard]] HostFacts host_facts(const std::filesystem::path& root = "/");

struct BuildFacts {
  std::string commit = "unknown";  ///< The first 12 hexadecimal digits of the commit.
  /// True if files differed from the commit when the build was configured. Empty if not known.
  std::optional<bool> dirty;
  std::string type;                ///< The CMake build type, such as "Release".
  std::string compiler;            ///< For example "GNU 12.2.0, nvcc 13.0.48".
  std::vector<std::string> archs;  ///< The architectures of the CUDA kernels, such as "90a-real".
};
[[nodiscard]] BuildFacts build_facts();

/// Returns how many bytes this process can still use: the free memory of the system, the unused part of the
/// memory limit of the process, or `most`, whichever is smallest. Returns an empty optional if none of them
/// is known.
[[nodiscard]] std::optional<std::uint64_t> free_memory_bytes(std::optional<std::uint64_t> most = {});

}  // namespace spira
