// The kernel maps of a run, each once, with the layers that read it.
#pragma once

#include "engine/report/report.hpp"

#include <vector>

namespace spira {

struct ReportedMap {
  MapKey key;
  int built_by = 0;          ///< layer
  std::vector<int> used_by;  ///< ascending; the first is built_by
  std::size_t bytes = 0;
};
/// In the order they are built. Follows from the layers: one that shares its map reads the last one built
/// before it with the same key, with its own settings where there is one.
[[nodiscard]] std::vector<ReportedMap> kernel_maps(const Report& report);

}  // namespace spira
