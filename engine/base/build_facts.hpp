// Facts about this build of the program: commit, build type, compiler and CUDA architectures.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spira {

struct BuildFacts {
  std::string commit = "unknown";  ///< First 12 hexadecimal digits of the commit.
  /// True if files differed from the commit when the build was configured. Empty if unknown.
  std::optional<bool> dirty;
  std::string type;                ///< CMake build type, such as "Release".
  std::string compiler;            ///< Example: "GNU 12.2.0, nvcc 13.0.48".
  std::vector<std::string> archs;  ///< Architectures of the CUDA kernels: "90a-real".
};
[[nodiscard]] BuildFacts build_facts();

}  // namespace spira
