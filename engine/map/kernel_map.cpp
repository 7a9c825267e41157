#include "engine/map/kernel_map.hpp"

#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace spira {

std::string_view text_of(MapAlgorithm algorithm) noexcept {
  constexpr std::array<std::string_view, 4> names{"zdelta", "bsearch", "hash", "sorted"};
  return names.at(static_cast<std::size_t>(algorithm));
}

std::string_view text_of(MapLayout layout) noexcept {
  constexpr std::array<std::string_view, 5> names{"output-major", "offset-major", "pair lists", "z-runs",
                                                  "mask-sorted"};
  return names.at(static_cast<std::size_t>(layout));
}

MapAlgorithm parse_map_algorithm(std::string_view text) {
  for (const auto algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash, MapAlgorithm::sorted_query}) {
    if (text == text_of(algorithm)) return algorithm;
  }
  throw Error(ErrorKind::usage,
              "search algorithm '" + std::string(text) + "': expected zdelta, bsearch, hash or sorted");
}

std::string why_not_splits(int columns, int splits) {
  constexpr int mask_bits = 64;
  const auto possible = [columns](int parts) {
    const int length = columns_per_split(columns, parts);
    return length <= mask_bits && (parts - 1) * length < columns;
  };
  if (splits >= 1 && possible(splits)) return {};
  constexpr int most_named = 8;
  std::string named;
  for (int parts = 1; parts <= most_named; ++parts) {
    if (possible(parts)) named += (named.empty() ? "" : ", ") + std::to_string(parts);
  }
  return std::to_string(columns) + " offsets cannot be divided into " + std::to_string(splits) +
         (splits == 1 ? " split" : " splits") + " of 1 to 64 offsets; possible: " + named;
}

std::size_t RowOrders::bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& [type, kept] : kept_)
    sum += kept->bytes();
  return sum;
}

std::size_t KernelMap::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Part& part : parts)
    sum += part.entries.bytes() + part.counts.bytes() + part.order.bytes() +
           (part.orders ? part.orders->bytes() : 0);
  return sum;
}

std::string why_not_algorithm(MapAlgorithm algorithm, const KernelShape& kernel) {
  if (!kernel.native() || algorithm == MapAlgorithm::z_delta || algorithm == MapAlgorithm::hash) return {};
  return "search algorithm '" + std::string(text_of(algorithm)) + "' cannot find native neighbours (" +
         text_of(kernel.neighbourhood) + "); use zdelta or hash";
}

MapRequest request_for_threshold(std::shared_ptr<const KernelOffsets> offsets, MapAlgorithm algorithm,
                                 int threshold, bool submanifold, MapLayout dense_layout, int splits) {
  MapRequest request;
  request.algorithm = algorithm;
  auto dense = offsets->dense_columns(threshold);
  auto sparse = offsets->sparse_columns(threshold);
  if (!dense.empty()) request.parts.push_back({dense_layout, std::move(dense), splits});
  if (!sparse.empty()) {
    request.parts.push_back({MapLayout::pair_lists, std::move(sparse), 0});
    request.half = submanifold && offsets->centred() && !offsets->kernel().native();
  }
  request.offsets = std::move(offsets);
  return request;
}

namespace {

/// Throws `Error(internal)` if the two columns of a symmetric pair are in different parts. In this case, the
/// pairs of the column that is not stored would be lost.
void require_whole_pairs(const MapRequest& request) {
  for (const auto& part : request.parts) {
    if (part.layout != MapLayout::pair_lists) continue;
    for (const int column : part.columns) {
      const int partner = request.offsets->partner(column);
      SPIRA_ASSERT(std::find(part.columns.begin(), part.columns.end(), partner) != part.columns.end(),
                   "a half map requires that one part contains both columns of a symmetric pair");
    }
  }
}

void require_native(const MapRequest& request) {
  if (std::string why = why_not_algorithm(request.algorithm, request.offsets->kernel()); !why.empty())
    throw Error(ErrorKind::usage, why);
  SPIRA_ASSERT(request.in_positions != nullptr && request.out_positions != nullptr,
               "a native kernel needs the positions of the inputs and the outputs");
  SPIRA_ASSERT(
      request.parts.size() == 1 && request.parts.front().layout == MapLayout::pair_lists && !request.half,
      "the map of a native kernel has one part, whole pair lists");
}

}  // namespace

void require_sound(const MapRequest& request, const CoordSet& in, const CoordSet& out) {
  SPIRA_ASSERT(request.offsets != nullptr && request.offsets->stride() == in.rule.stride(),
               "the offsets and the input have different strides");
  for (std::size_t axis = 0; axis < 3; ++axis)
    SPIRA_ASSERT(out.rule.stride()[axis] >= in.rule.stride()[axis],
                 "the stride of the outputs is smaller than the stride of the inputs");
  std::vector<int> seen(static_cast<std::size_t>(request.offsets->columns()), 0);
  int z_run_parts = 0;
  for (const auto& part : request.parts) {
    z_run_parts += part.layout == MapLayout::z_runs ? 1 : 0;
    for (const int column : part.columns)
      ++seen.at(static_cast<std::size_t>(column));
    if (part.layout != MapLayout::mask_sorted) continue;
    SPIRA_ASSERT(std::ssize(part.columns) == request.offsets->columns() &&
                     why_not_splits(request.offsets->columns(), part.splits).empty(),
                 "a mask-sorted part must contain all columns, in splits that are possible");
  }
  SPIRA_ASSERT(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }),
               "each column must be in exactly one part of the map");
  SPIRA_ASSERT(z_run_parts <= 1, "at most one part of the map can have the z-run layout");
  SPIRA_ASSERT(!request.half || (in.stride == out.stride && request.offsets->centred()),
               "only the map of a submanifold convolution is symmetric");
  if (request.half) require_whole_pairs(request);
  if (request.offsets->kernel().native()) require_native(request);
}

std::vector<int> stored_columns(const MapPartRequest& part, const MapRequest& request) {
  std::vector<int> columns = part.columns;
  std::sort(columns.begin(), columns.end());
  if (request.half && part.layout == MapLayout::pair_lists) {
    std::erase_if(columns, [&](int column) { return column > request.offsets->partner(column); });
  }
  return columns;
}

Densities densities(const KernelMap& map) {
  const auto matches = matches_per_column(map);
  return densities(*map.offsets, matches, map.outputs, map.many() ? triplets_per_column(map) : matches);
}

Densities densities(const KernelMap& map, std::span<const std::int32_t> outputs) {
  const auto matches = matches_per_column(map, outputs);
  return densities(*map.offsets, matches, std::ssize(outputs),
                   map.many() ? triplets_per_column(map, outputs) : matches);
}

Densities densities(const KernelOffsets& offsets, std::span<const std::int64_t> matches, std::int64_t outputs,
                    std::span<const std::int64_t> triplets) {
  SPIRA_ASSERT(
      std::ssize(matches) == offsets.columns() && (triplets.empty() || triplets.size() == matches.size()),
      "one count per column is needed");
  Densities result;
  result.outputs = outputs;
  result.kernel = offsets.kernel();
  result.stride = offsets.stride();
  for (int column = 0; column < offsets.columns(); ++column) {
    const std::int64_t count = matches[static_cast<std::size_t>(column)];
    const double density = outputs == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(outputs);
    const std::int64_t all = triplets.empty() ? count : triplets[static_cast<std::size_t>(column)];
    result.columns.push_back({column, offsets.offset(column), offsets.l1(column), count, density, all});
    result.pairs += count;
    result.triplets += all;
  }
  for (int l1 = 0; l1 <= offsets.max_l1(); ++l1) {
    L1Density group{l1, 0, 0.0, 1.0, 0.0};
    for (const ColumnDensity& column : result.columns) {
      if (column.l1 != l1) continue;
      ++group.offsets;
      group.mean += column.density;
      group.min = std::min(group.min, column.density);
      group.max = std::max(group.max, column.density);
    }
    if (group.offsets == 0) continue;
    group.mean /= group.offsets;
    result.groups.push_back(group);
  }
  return result;
}

}  // namespace spira
