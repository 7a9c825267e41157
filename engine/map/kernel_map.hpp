// Defines kernel maps and their layouts for ALL back ends. In a kernel map, M[i, k] = j if q_i + delta_k =
// p_j: output i has the input j at offset k (section 2.2 of the Spira paper).
#pragma once

#include "engine/map/kernel_offsets.hpp"
#include "engine/memory/buffer.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

namespace spira {

enum class MapAlgorithm : std::uint8_t { z_delta, binary_search, hash, sorted_query };
enum class MapLayout : std::uint8_t {
  /// The dense layout, which output-stationary layers read. Shape: int32 [outputs][columns]; -1 means no
  /// input (section 2.2 of the Spira paper).
  output_major,
  /// The transposed dense layout, before filtering. Shape: int32 [columns][outputs]; -1 means no input.
  offset_major,
  /// The layout that weight-stationary layers read: for each column, a list of int32 pairs (output, input),
  /// sorted by output. The lists are stored one after another in column order. Offsets without an input have
  /// no pair.
  pair_lists,
  /// One word per output and z-group. Shape: [outputs][z-groups]. The low K_z bits mark the offsets of the
  /// z-group
  /// that have an input. The other bits are the position of the first match; the j-th match is at position
  /// first + j. A word without a match is 0. Words have 32 bits if every position fits in 32 - K_z bits,
  /// otherwise 64 bits.
  z_runs,
  /// The dense layout with sorted outputs (section 4.1 of the TorchSparse++ paper). The columns are divided
  /// into splits of columns_per_split() columns. In each split, the mask of an output has one bit per column,
  /// which is 1 if the output has an input there; the first column is the lowest bit. The outputs of a split
  /// are stored by mask in descending order, and outputs with equal masks in their natural order. Shape:
  /// int32 [splits][padded_rows_of()][columns_per_split()]; -1 means no input. `order` of the part gives the
  /// output of each row.
  mask_sorted
};
[[nodiscard]] std::string_view text_of(
    MapAlgorithm algorithm) noexcept;  ///< Returns "zdelta", "bsearch", "hash" or "sorted".
[[nodiscard]] std::string_view text_of(MapLayout layout) noexcept;
/// Returns the algorithm with this name. Throws `Error(usage)` with a list of the valid names.
[[nodiscard]] MapAlgorithm parse_map_algorithm(std::string_view text);

/// Returns the number of columns of each split. The last split can have fewer columns; its missing columns
/// contain -1.
[[nodiscard]] constexpr int columns_per_split(int columns, int splits) noexcept {
  return (columns + splits - 1) / splits;
}
/// Returns the reason why `columns` cannot be divided into `splits` splits. Returns an empty string if they
/// can. Each split needs at least one column, and at most 64 columns, because a mask has 64 bits.
[[nodiscard]] std::string why_not_splits(int columns, int splits);
/// Returns the number of rows that the mask_sorted layout stores for each split: the outputs and the padding
/// up to a multiple of 128, so that a tile of rows needs no check of its bounds.
[[nodiscard]] constexpr std::int64_t padded_rows_of(std::int64_t outputs) noexcept {
  constexpr std::int64_t tallest_tile = 128;
  return (outputs + tallest_tile - 1) / tallest_tile * tallest_tile;
}

/// The row orders that a back end stores together with a map. A row order is built when a layer first needs
/// it. Each back end defines its own types of row orders; a type must have a function bytes().
class RowOrders {
 public:
  /// Returns the row orders of this type. The first call creates an empty object.
  template <class Orders> [[nodiscard]] Orders& get() {
    auto& kept = kept_[typeid(Orders)];
    if (!kept) kept = std::make_unique<Typed<Orders>>();
    return static_cast<Typed<Orders>&>(*kept).orders;  // The key of `kept_` guarantees this type.
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

/// A kernel map can store its columns in several parts (hybrid dataflow). The layout of a part determines its
/// dataflow: a pair_lists part runs weight-stationary, and a part with any other layout runs
/// output-stationary.
struct KernelMap {
  struct Part {
    MapLayout layout = MapLayout::output_major;
    /// The columns (offsets) of this part, in ascending order. They are stored in this order. The words of a
    /// z_runs part contain the presence bits of all columns, but only the columns in this list belong to the
    /// part.
    std::vector<int> columns;
    Buffer entries;
    Buffer counts;       ///< Only for pair_lists: the number of pairs of each stored column, as int32.
    int word_bits = 32;  ///< Only for z_runs: 32 or 64.
    /// The orders in which kernels process the rows of a z_runs or pair_lists part. They are valid only for
    /// one back end, so they are not copied to another back end.
    std::shared_ptr<RowOrders> orders{};
    int splits = 0;  ///< Only for mask_sorted.
    /// Only for mask_sorted: the output of each row, as int32. Shape: [splits][padded_rows_of()]. The padding
    /// is at the end of each split and contains -1.
    Buffer order{};
  };
  std::shared_ptr<const KernelOffsets> offsets;
  std::int64_t outputs = 0, inputs = 0;
  /// True if the map stores only half of its pairs, because submanifold maps are symmetric (trap 5 in
  /// docs/architecture.md). pair_lists then contain only the smaller column of each symmetric pair of
  /// columns. The partner column k' = K^3-1-k has the same pairs with output and input exchanged. The centre
  /// column is always stored.
  bool half = false;
  /// True if the outputs are the same voxels as the inputs and the kernel is not native, so that the centre
  /// column is the identity.
  bool submanifold = false;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  /// No column is in two parts. Together, the parts contain all K^3 columns. In a half map, a column can be
  /// represented by its partner column.
  std::vector<Part> parts;
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// True if the kernel is native. The map then has one part, pair_lists with all columns. An output can have
  /// several pairs (triplets in the PointCNN++ paper) in a column; they are sorted by output and then by
  /// input. Outputs ascend along a column but can repeat, and inputs ascend only within one output.
  [[nodiscard]] bool many() const noexcept { return offsets && offsets->kernel().native(); }
};

struct MapPartRequest {
  MapLayout layout = MapLayout::z_runs;
  std::vector<int> columns;
  int splits = 0;  ///< Only for mask_sorted, which must contain all columns.
};
struct MapRequest {
  std::shared_ptr<const KernelOffsets> offsets;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<MapPartRequest> parts;
  /// If true, pair_lists of a submanifold layer contain only one column of each symmetric pair of columns.
  bool half = false;
  /// The positions of the inputs and of the outputs. Both are set if the kernel is native, otherwise neither.
  const Positions *in_positions = nullptr, *out_positions = nullptr;
};
/// Throws `Error(usage)` if the algorithm cannot find the inputs of a native kernel.
/// Throws `Error(internal)` if no back end can build the requested map. This is the case if the offsets and
/// the input have different strides, if a column is in two parts or in no part, or if there is more than one
/// z_runs part. It is also the case if a half map is requested for a layer without symmetry, or if the two
/// columns of a symmetric pair are in different parts, or if the columns cannot be divided into the splits of
/// a mask_sorted part.
void require_sound(const MapRequest& request, const CoordSet& in, const CoordSet& out);
/// Returns the columns that a part stores, in ascending order. In a half map, these are the centre column and
/// the smaller column of each symmetric pair.
[[nodiscard]] std::vector<int> stored_columns(const MapPartRequest& part, const MapRequest& request);
/// Returns the reason why an algorithm cannot build the map of a kernel. Returns an empty string if it can.
[[nodiscard]] std::string why_not_algorithm(MapAlgorithm algorithm, const KernelShape& kernel);
/// Returns the request for the map of a layer with threshold t, without positions. Dense columns use
/// `dense_layout`, sparse columns use pair_lists. `splits` is only for the layout mask_sorted.
[[nodiscard]] MapRequest request_for_threshold(std::shared_ptr<const KernelOffsets> offsets,
                                               MapAlgorithm algorithm, int threshold, bool submanifold,
                                               MapLayout dense_layout = MapLayout::z_runs, int splits = 0);

// The declarations below describe the density of each column of a kernel map, and the mean density of all
// columns with the same L1 norm (section 5.4 of the Spira paper). The threshold t separates the columns by
// their L1 norm.

struct ColumnDensity {
  int column = 0;
  Voxel offset{0, 0, 0};
  int l1 = 0;                ///< L1 norm of the offset, in units of the input stride.
  std::int64_t matches = 0;  ///< Number of outputs with an input in the column.
  double density = 0.0;      ///< matches / outputs, from 0 to 1. 0 if the map has no outputs.
  /// Number of pairs. Larger than `matches` if an output has several inputs in the column of a native map.
  std::int64_t triplets = matches;
};
struct L1Density {
  int l1 = 0, offsets = 0;
  double mean = 0.0, min = 0.0, max = 0.0;
};
struct Densities {
  /// `pairs` is the sum of the matches of all columns. These are the groups of a native map.
  std::int64_t outputs = 0, pairs = 0;
  std::int64_t triplets = 0;  ///< The sum of the triplets of all columns.
  KernelShape kernel;
  PerAxis stride;                      ///< The stride of the inputs.
  std::vector<ColumnDensity> columns;  ///< In column order. Shape: [columns].
  /// One entry per L1 norm, in ascending order.
  std::vector<L1Density> groups;
};
[[nodiscard]] Densities densities(const KernelMap& map);
/// Computes the densities from a selection of the outputs, such as the outputs in a part of the scene.
/// `outputs` contains rows of the map without duplicates.
[[nodiscard]] Densities densities(const KernelMap& map, std::span<const std::int32_t> outputs);
/// Computes the densities from the number of matches of each column. Shape of `matches`: [K^3]. `triplets`
/// has the same shape, or is empty if each column has as many triplets as matches.
[[nodiscard]] Densities densities(const KernelOffsets& offsets, std::span<const std::int64_t> matches,
                                  std::int64_t outputs, std::span<const std::int64_t> triplets = {});

}  // namespace spira
