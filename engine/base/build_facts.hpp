// Which build of the program this is.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spira {

struct BuildFacts {
  std::string commit = "unknown";  ///< first 12 digits
  std::optional<bool> dirty;       ///< files differed from the commit when the build was configured
  std::string type;                ///< "Release"
  std::string compiler;            ///< "GNU 12.2.0, nvcc 13.0.48"
  std::vector<std::string> archs;  ///< of CUDA kernels: "90a-real"
};
[[nodiscard]] BuildFacts build_facts();

}  // namespace spira
