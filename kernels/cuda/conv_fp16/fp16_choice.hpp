// Computes the features of a layer in fp16 from a z-run map: selects the kernel, and builds the row order
// that this kernel reads. Layers that need the same row order share it. fp16_choice.cu contains the table of
// kernels.
#pragma once

#include "engine/job/job.hpp"
#include "kernels/cuda/conv/conv_kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace spira::cuda {

struct OccupancyMap;
struct Fp16Kernel;

/// The data that a kernel reads in addition to the layer: the row order and scratch memory.
struct OrderedRows {
  const Buffer& order;
  int block_rows = 0;        ///< Number of rows per block, or 0 if the row order has no blocks.
  float* partial = nullptr;  ///< Scratch memory of at least Fp16Choice::partial_bytes().
};

struct Fp16Choice {
  /// The selected kernel. `nullptr` if the layer is too wide for all kernels of the table. In this case,
  /// output_stationary_fp16() computes the layer without a row order.
  const Fp16Kernel* kernel = nullptr;
  int block_rows = 0;  ///< Number of rows per block, or 0 if the row order has no blocks.

  [[nodiscard]] explicit operator bool() const noexcept { return kernel != nullptr; }
  /// Returns the name of the selected kernel. A kernel must be selected.
  [[nodiscard]] const char* name() const;
  /// Returns the id of the row order. Choices with the same id read the same row order.
  [[nodiscard]] int order() const;
  [[nodiscard]] std::size_t order_bytes(std::int64_t outputs, int kernel_size) const;
  /// Writes the row order of a map into `order`, whose size must be order_bytes() for the largest number of
  /// outputs. `source` must have 32-bit words.
  void make_order(const Device& device, const MapSource& source, Buffer& order) const;
  /// Builds the row order of a map whose words are computed from an occupancy grid and are not stored in
  /// memory.
  void make_order(const Device& device, const OccupancyMap& map, int kernel_size, Buffer& order) const;
  /// Returns the size of the scratch memory that the kernel needs for a layer, in bytes.
  [[nodiscard]] std::size_t partial_bytes(const LayerOnDevice& layer, int kernel_size,
                                          std::int64_t outputs) const;
  /// Computes the layer. make_order() must have filled `order`, and the size of `partial` must be
  /// partial_bytes().
  void launch(const Device& device, const MapSource& source, const LayerOnDevice& layer, const Buffer& order,
              float* partial) const;
};

[[nodiscard]] Fp16Choice choose_fp16(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                     const MapRows& rows);

/// The row orders that are stored with a map. Each row order is built when a layer first needs it.
class Fp16Orders {
 public:
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// Returns the row order for `choice`. The first call builds it and records the "order" stage.
  [[nodiscard]] const Buffer& of(const Device& device, const MapSource& source, const Fp16Choice& choice,
                                 Job& job);

 private:
  std::map<int, Buffer> kept_;  // The key is Fp16Choice::order().
};

// The kernels of the table. Each function suits_...() returns the number of rows per block with which its
// kernel is expected to be fastest. It returns 0 if the row order of the kernel has no blocks, and
// `std::nullopt` if the kernel cannot compute the layer or if another kernel is expected to be faster.

/// Accepts layers with few channels, many rows and K = 5. The kernel reads offset_lists().
[[nodiscard]] std::optional<int> suits_lists(const Device& device, const LayerOnDevice& layer,
                                             int kernel_size, const MapRows& rows);
void lists_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const OrderedRows& rows);
/// Accepts wide layers with K = 3 or 5 on sm_90a. The kernel reads row_slices().
[[nodiscard]] std::optional<int> suits_tiles(const Device& device, const LayerOnDevice& layer,
                                             int kernel_size, const MapRows& rows);
/// Returns the size in bytes of the memory in which the sections of a map (row_slices.hpp) store partial
/// sums.
[[nodiscard]] std::size_t partial_bytes_of_tiles(const LayerOnDevice& layer, int kernel_size,
                                                 std::int64_t outputs);
void tiles_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const OrderedRows& rows);
/// Accepts layers with K <= 3 whose weights fit in the shared memory of a thread block. A block holds the
/// weights of all output channels, of half of them or, if the map has many outputs, of a quarter. The kernel
/// reads row_slices().
[[nodiscard]] std::optional<int> suits_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                            const MapRows& rows);
void rows_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
               const OrderedRows& rows);
/// Accepts all layers that are not too wide. The kernel reads group_slices().
[[nodiscard]] std::optional<int> suits_groups(const Device& device, const LayerOnDevice& layer,
                                              int kernel_size, const MapRows& rows);
void groups_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                 const OrderedRows& rows);

}  // namespace spira::cuda
