#include "engine/map/kernel_map.hpp"

#include "engine/base/error.hpp"

#include <array>
#include <string>
#include <utility>

namespace spira {

std::string_view text_of(MapAlgorithm algorithm) noexcept {
  constexpr std::array<std::string_view, 4> names{"zdelta", "bsearch", "hash", "sorted"};
  return names.at(static_cast<std::size_t>(algorithm));
}

std::string_view text_of(MapLayout layout) noexcept {
  constexpr std::array<std::string_view, 4> names{"output-major", "offset-major", "pair lists", "z-runs"};
  return names.at(static_cast<std::size_t>(layout));
}

MapAlgorithm parse_map_algorithm(std::string_view text) {
  for (const auto algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash, MapAlgorithm::sorted_query}) {
    if (text == text_of(algorithm)) return algorithm;
  }
  throw Error(ErrorKind::usage,
              "mapping algorithm '" + std::string(text) + "': expected zdelta, bsearch, hash or sorted");
}

std::size_t KernelMap::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Part& part : parts)
    sum += part.entries.bytes() + part.counts.bytes();
  return sum;
}

MapRequest request_for_threshold(std::shared_ptr<const KernelOffsets> offsets, MapAlgorithm algorithm,
                                 int threshold, bool submanifold, MapLayout dense_layout) {
  MapRequest request;
  request.algorithm = algorithm;
  auto dense = offsets->dense_columns(threshold);
  auto sparse = offsets->sparse_columns(threshold);
  if (!dense.empty()) request.parts.push_back({dense_layout, std::move(dense)});
  if (!sparse.empty()) {
    request.parts.push_back({MapLayout::pair_lists, std::move(sparse)});
    request.half = submanifold && offsets->centred();
  }
  request.offsets = std::move(offsets);
  return request;
}

}  // namespace spira
