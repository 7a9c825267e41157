// Lists the kernel maps of a run, each once, with the layers that read it.
#pragma once

#include "engine/report/report.hpp"

#include <vector>

namespace spira {

struct ReportedMap {
  MapKey key;
  int built_by = 0;          ///< Index of the layer that built the map.
  std::vector<int> used_by;  ///< Ascending layer indices. The first index is `built_by`.
  std::size_t bytes = 0;
};
/// Returns the maps in the order in which they were built, derived from the layers. A layer with a shared map
/// reads the last map that was built before it with the same key. A map with the same settings has priority.
[[nodiscard]] std::vector<ReportedMap> kernel_maps(const Report& report);

}  // namespace spira
