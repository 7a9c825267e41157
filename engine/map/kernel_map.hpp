// Kernel maps: M[i, k] = j where q_i + delta_k = p_j (section 2.2). This file defines their layouts for ALL
// back ends.
#pragma once

#include "engine/map/kernel_offsets.hpp"
#include "engine/memory/buffer.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <typeindex>
#include <vector>

namespace spira {

enum class MapAlgorithm : std::uint8_t { z_delta, binary_search, hash, sorted_query };
enum class MapLayout : std::uint8_t {
  /// int32 [outputs][columns], -1 = no input. The dense layout for output-stationary (section 2.2).
  output_major,
  offset_major,  ///< int32 [columns][outputs], -1 = no input. The transposed dense layout, before filtering.
  /// One list per column of int32 pairs (output, input), sorted by output, without -1. The lists follow each
  /// other in column order. The layout for weight-stationary.
  pair_lists,
  /// [outputs][K^2], one word per output and z-group. The low K bits mark the offsets of the group that have
  /// an input. The other bits are the position of the first match; the j-th match is at first + j. Words have
  /// 32 bits if every position fits in 32 - K bits, otherwise 64. A word without a match is 0.
  z_runs
};
[[nodiscard]] std::string_view text_of(
    MapAlgorithm algorithm) noexcept;  ///< Returns "zdelta", "bsearch", "hash" or "sorted".
[[nodiscard]] std::string_view text_of(MapLayout layout) noexcept;
/// Returns the algorithm with this name. Throws Error(usage) that lists the valid names.
[[nodiscard]] MapAlgorithm parse_map_algorithm(std::string_view text);

/// Row orders that a back end stores with a map. It builds them when a layer first needs them. Each back end
/// defines its own types of orders, which must have a function bytes().
class RowOrders {
 public:
  /// Returns the orders of one type. They are default-constructed at the first call.
  template <class Orders> [[nodiscard]] Orders& get() {
    auto& kept = kept_[typeid(Orders)];
    if (!kept) kept = std::make_unique<Typed<Orders>>();
    return static_cast<Typed<Orders>&>(*kept).orders;  // the key guarantees the type
  }
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct Kept {
    virtual ~Kept() = default;
    [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
  };
  template <class Orders> struct Typed final : Kept {
    Orders orders;
    [[nodiscard]] std::size_t bytes() const noexcept override { return orders.bytes(); }
  };
  std::map<std::type_index, std::unique_ptr<Kept>> kept_;
};

/// A kernel map may store its columns in several parts (hybrid, section 5.4). The layout of a part decides
/// its dataflow: pair_lists run weight-stationary, all others output-stationary.
struct KernelMap {
  struct Part {
    MapLayout layout = MapLayout::output_major;
    /// Offsets k of this part, ascending, in storage order. The words of a z_runs part hold the presence
    /// bits of all columns, but only the columns in this list belong to the part.
    std::vector<int> columns;
    Buffer entries;      ///< Data in the format of `layout`.
    Buffer counts;       ///< pair_lists only: pairs per stored column, int32.
    int word_bits = 32;  ///< z_runs only: 32 or 64.
    /// z_runs and pair_lists only: the orders in which kernels process the rows. They are specific to a back
    /// end and are not copied to another one.
    std::shared_ptr<RowOrders> orders{};
  };
  std::shared_ptr<const KernelOffsets> offsets;
  std::int64_t outputs = 0, inputs = 0;
  /// True if the map uses submanifold symmetry (trap 5): pair_lists store only the smaller column of each
  /// symmetric pair. Its partner k' = K^3-1-k has the same pairs with output and input exchanged. The centre
  /// column is stored.
  bool half = false;
  bool submanifold = false;  ///< True if the outputs and the inputs are the same voxels.
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  /// The parts have disjoint columns and together cover all K^3 columns. A half map covers some columns only
  /// through their partners.
  std::vector<Part> parts;
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
  bool half = false;  ///< If true, pair_lists of a submanifold layer store one column of each symmetric pair.
};
/// Throws Error(internal) if no back end can answer the request: offsets of another stride, a column in two
/// parts or in none, more than one part of z_runs, a half map of a layer without symmetry, or a symmetric
/// pair that is split between two parts.
void require_sound(const MapRequest& request, int stride_in, int stride_out);
/// Returns the columns that a part stores, in ascending order. In a half map these are the centre and the
/// smaller column of each symmetric pair.
[[nodiscard]] std::vector<int> stored_columns(const MapPartRequest& part, const MapRequest& request);
/// Returns the request for a layer with threshold t: `dense_layout` for its dense columns and pair_lists for
/// its sparse ones.
[[nodiscard]] MapRequest request_for_threshold(std::shared_ptr<const KernelOffsets> offsets,
                                               MapAlgorithm algorithm, int threshold, bool submanifold,
                                               MapLayout dense_layout = MapLayout::z_runs);

}  // namespace spira
