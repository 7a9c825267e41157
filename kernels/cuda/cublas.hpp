// Matrix products by cuBLAS, for the baselines and floors that our kernels are compared with.
#pragma once

#include "engine/voxel/features.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace spira::cuda {

/// product[rows][out_channels] = in[rows][in_channels] * weight[in_channels][out_channels], all dense and
/// row-major; sums in fp32.
struct ProductShape {
  std::int64_t rows = 0;
  int in_channels = 0, out_channels = 0;
  Precision factors = Precision::fp16, product = Precision::fp32;
};

/// cuBLAS on one stream. The library is looked for and started once, when a product is first asked for. Where
/// that fails, the reason stays: to try again with each layer would take longer than what the layer is
/// measured for.
class Cublas {
 public:
  explicit Cublas(cudaStream_t stream);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// Why there are no products; empty: there are.
  [[nodiscard]] const std::string& why_not();
  /// Both queue and do not wait. They throw Error(device) where the library is missing or refuses.
  void multiply(const ProductShape& shape, const void* in, const void* weight, void* product);
  /// `count` products of one shape at once; the arrays of pointers are in the device's memory.
  void multiply_all(const ProductShape& shape, int count, const void* const* in, const void* const* weight,
                    void* const* product);

 private:
  struct Library;
  Library& library();  ///< throws Error(device)

  cudaStream_t stream_;
  std::unique_ptr<Library> library_;
  std::optional<std::string> why_not_;  ///< empty: not looked for yet
};

}  // namespace spira::cuda
