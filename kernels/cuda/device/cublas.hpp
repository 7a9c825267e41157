// Matrix products by cuBLAS, which the baselines and the peak rates use.
#pragma once

#include "engine/voxel/coord_set.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace spira::cuda {

/// The dimensions of product[rows][out_channels] = in[rows][in_channels] * weight[in_channels][out_channels].
/// All matrices are dense and row-major. Sums are in fp32.
struct ProductShape {
  std::int64_t rows = 0;
  int in_channels = 0, out_channels = 0;
  Precision factors = Precision::fp16, product = Precision::fp32;
};

/// Uses cuBLAS on one stream. The first request for a product loads and initialises the library. If this
/// fails, the reason is stored and later requests do not try again. An attempt for each layer would take
/// longer than computing the layer.
class Cublas {
 public:
  explicit Cublas(cudaStream_t stream);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// Returns an empty string if products are available, otherwise the reason why they are not.
  [[nodiscard]] const std::string& why_not();
  /// multiply() and multiply_all() queue the work and do not wait for it. They throw Error(device) if the
  /// library is missing or returns an error.
  void multiply(const ProductShape& shape, const void* in, const void* weight, void* product);
  /// Computes `count` products of the same shape with one call. The arrays of pointers must be in device
  /// memory.
  void multiply_all(const ProductShape& shape, int count, const void* const* in, const void* const* weight,
                    void* const* product);

 private:
  struct Library;
  Library& library();  ///< Throws Error(device) if cuBLAS is not available.

  cudaStream_t stream_;
  std::unique_ptr<Library> library_;
  std::optional<std::string> why_not_;  ///< Has no value before the first attempt to load the library.
};

}  // namespace spira::cuda
