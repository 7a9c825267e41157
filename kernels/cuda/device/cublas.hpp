// Matrix products by cuBLAS, for the baselines and the peak rates.
#pragma once

#include "engine/voxel/features.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace spira::cuda {

/// Shape of product[rows][out_channels] = in[rows][in_channels] * weight[in_channels][out_channels]. All
/// matrices are dense and row-major; sums are in fp32.
struct ProductShape {
  std::int64_t rows = 0;
  int in_channels = 0, out_channels = 0;
  Precision factors = Precision::fp16, product = Precision::fp32;
};

/// cuBLAS on one stream. The library is loaded and started once, when a product is first requested. If that
/// fails, the reason is stored and no further attempt is made, because an attempt for each layer would take
/// longer than the layer.
class Cublas {
 public:
  explicit Cublas(cudaStream_t stream);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// Returns why products are not available, or an empty string if they are.
  [[nodiscard]] const std::string& why_not();
  /// multiply() and multiply_all() queue the work and do not wait. They throw Error(device) if the library is
  /// missing or returns an error.
  void multiply(const ProductShape& shape, const void* in, const void* weight, void* product);
  /// Computes `count` products of one shape at once. The arrays of pointers must be in device memory.
  void multiply_all(const ProductShape& shape, int count, const void* const* in, const void* const* weight,
                    void* const* product);

 private:
  struct Library;
  Library& library();  ///< Throws Error(device) if cuBLAS is not available.

  cudaStream_t stream_;
  std::unique_ptr<Library> library_;
  std::optional<std::string> why_not_;  ///< Has no value until the first attempt to load the library.
};

}  // namespace spira::cuda
