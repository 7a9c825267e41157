// Kernel maps: M[i, k] = j where q_i + delta_k = p_j (section 2.2). Layouts are defined here for ALL back
// ends.
#pragma once

#include "engine/map/kernel_offsets.hpp"
#include "engine/memory/buffer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

enum class MapAlgorithm : std::uint8_t { z_delta, binary_search, hash, sorted_query };
enum class MapLayout : std::uint8_t {
  output_major,  ///< int32 [outputs][columns], -1 = no input: dense, for output-stationary (section 2.2)
  offset_major,  ///< int32 [columns][outputs], -1 = no input: the transposed dense layout, before filtering
  pair_lists,    ///< per column (output, input) int32 pairs sorted by output, no -1, columns one after the
                 ///< other: weight-stationary
  z_runs  ///< one word per (output, z-group), [outputs][K^2]: low K bits say which offsets of the group have
          ///< an input, the rest is the position of the first match; the j-th match is first + j. 32-bit
          ///< words while every position fits in 32 - K bits, else 64. A word without a match is 0.
};
[[nodiscard]] std::string_view text_of(
    MapAlgorithm algorithm) noexcept;  ///< "zdelta", "bsearch", "hash", "sorted"
[[nodiscard]] std::string_view text_of(MapLayout layout) noexcept;
/// Throws Error(usage) naming the choices.
[[nodiscard]] MapAlgorithm parse_map_algorithm(std::string_view text);

/// What a back end keeps beside a map and makes when a layer first needs it.
class RowOrders {
 public:
  RowOrders() = default;
  virtual ~RowOrders() = default;
  RowOrders(const RowOrders&) = delete;
  RowOrders& operator=(const RowOrders&) = delete;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
};

/// One map may store its columns in several parts (hybrid, section 5.4). The layout of a part decides its
/// dataflow: pair_lists run weight-stationary, the others output-stationary.
struct KernelMap {
  struct Part {
    MapLayout layout = MapLayout::output_major;
    std::vector<int> columns;  ///< which offsets k, ascending, in storage order. A z_runs part holds the
                               ///< words of all groups with all their presence bits; `columns` says which of
                               ///< them this part answers for.
    Buffer entries;            ///< as the layout says
    Buffer counts;             ///< pair_lists: int32 pairs per stored column
    int word_bits = 32;        ///< z_runs: 32 or 64
    /// z_runs, pair_lists: in which orders kernels take the rows, a back end's own. It stays behind when a
    /// map is copied to another back end.
    std::shared_ptr<RowOrders> orders{};
  };
  std::shared_ptr<const KernelOffsets> offsets;
  std::int64_t outputs = 0, inputs = 0;
  /// Submanifold symmetry (trap 5): of each symmetric pair of pair_lists columns only the smaller column is
  /// stored, its partner k' = K^3-1-k holds the same pairs with output and input exchanged. The centre column
  /// is stored.
  bool half = false;
  bool submanifold = false;  ///< outputs are the inputs
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<Part> parts;  ///< disjoint columns; together (with partners where half) all K^3
  [[nodiscard]] std::size_t bytes() const noexcept;
};

struct MapPartRequest {
  MapLayout layout = MapLayout::z_runs;
  std::vector<int> columns;
};
struct MapRequest {
  std::shared_ptr<const KernelOffsets> offsets;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<MapPartRequest> parts;
  bool half = false;  ///< pair_lists of a submanifold layer keep one column of each symmetric pair
};
/// Throws Error(internal) for a request that no back end can answer: offsets of another stride, a column in
/// two parts or in none, a half map of a layer without symmetry or with a pair torn over two parts.
void require_sound(const MapRequest& request, int stride_in, int stride_out);
/// Columns that a part stores, ascending: of symmetric ones in a half map only the smaller, and the centre.
[[nodiscard]] std::vector<int> stored_columns(const MapPartRequest& part, const MapRequest& request);
/// What a layer with threshold t needs: z_runs (or `dense_layout`) for its dense columns, pair_lists for its
/// sparse ones.
[[nodiscard]] MapRequest request_for_threshold(std::shared_ptr<const KernelOffsets> offsets,
                                               MapAlgorithm algorithm, int threshold, bool submanifold,
                                               MapLayout dense_layout = MapLayout::z_runs);

}  // namespace spira
