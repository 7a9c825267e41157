#include "kernels/cuda/device/cublas.hpp"

#include "engine/base/error.hpp"
#include "kernels/cuda/device/shared_library.hpp"

#include <library_types.h>

namespace spira::cuda {
namespace {

// Constants of the cuBLAS interface. Their values never change. They are defined here so that the program can
// be built without the cuBLAS header and started without the library.
constexpr int success = 0;
constexpr int not_transposed = 0;
constexpr int sums_in_fp32 = 68;
constexpr int best_algorithm = -1;

using Create = int (*)(void**);
using Destroy = int (*)(void*);
using SetStream = int (*)(void*, cudaStream_t);
using Multiply = int (*)(void*, int, int, int, int, int, const void*, const void*, cudaDataType_t, int,
                         const void*, cudaDataType_t, int, const void*, void*, cudaDataType_t, int, int, int);
using MultiplyAll = int (*)(void*, int, int, int, int, int, const void*, const void* const*, cudaDataType_t,
                            int, const void* const*, cudaDataType_t, int, const void*, void* const*,
                            cudaDataType_t, int, int, int, int);

constexpr cudaDataType_t type_of(Precision precision) {
  return precision == Precision::fp16 ? CUDA_R_16F : CUDA_R_32F;
}

std::string library_name() {
  return "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
}

void require_success(int status, const char* call) {
  if (status != success)
    throw Error(ErrorKind::device,
                std::string(call) + " failed with the cuBLAS status " + std::to_string(status));
}

}  // namespace

struct Cublas::Library {
  SharedLibrary file;
  void* handle = nullptr;
  Destroy destroy = nullptr;
  Multiply multiply = nullptr;
  MultiplyAll multiply_all = nullptr;

  Library() = default;
  ~Library() {
    if (handle != nullptr) static_cast<void>(destroy(handle));
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Loads and initialises the library. Returns an empty string on success, otherwise the reason for the
  /// failure.
  std::string open(cudaStream_t stream) {
    file = SharedLibrary({library_name(), SPIRA_CUDA_LIBRARIES "/" + library_name()});
    if (!file.found()) return library_name() + " was not found; install the CUDA toolkit";
    const auto create = file.function<Create>("cublasCreate_v2");
    const auto set_stream = file.function<SetStream>("cublasSetStream_v2");
    destroy = file.function<Destroy>("cublasDestroy_v2");
    multiply = file.function<Multiply>("cublasGemmEx");
    multiply_all = file.function<MultiplyAll>("cublasGemmBatchedEx");
    if (create == nullptr || set_stream == nullptr || destroy == nullptr || multiply == nullptr ||
        multiply_all == nullptr)
      return library_name() + " lacks functions that this program needs";
    if (const int status = create(&handle); status != success) {
      handle = nullptr;
      return library_name() + " could not be initialised: status " + std::to_string(status);
    }
    return set_stream(handle, stream) == success ? "" : library_name() + " rejected the CUDA stream";
  }
};

Cublas::Cublas(cudaStream_t stream) : stream_(stream) {}
Cublas::~Cublas() = default;

const std::string& Cublas::why_not() {
  if (!why_not_) {
    auto library = std::make_unique<Library>();
    why_not_ = library->open(stream_);
    if (why_not_->empty()) library_ = std::move(library);
  }
  return *why_not_;
}

Cublas::Library& Cublas::library() {
  if (!why_not().empty()) throw Error(ErrorKind::device, "matrix products need cuBLAS: " + why_not());
  return *library_;
}

// cuBLAS uses column-major order, so our matrices are transposed from its point of view. Therefore this code
// requests the transposed product.

void Cublas::multiply(const ProductShape& shape, const void* in, const void* weight, void* product) {
  if (shape.rows == 0) return;
  const Library& cublas = library();
  const float one = 1, zero = 0;
  const cudaDataType_t factor = type_of(shape.factors);
  require_success(cublas.multiply(cublas.handle, not_transposed, not_transposed, shape.out_channels,
                                  static_cast<int>(shape.rows), shape.in_channels, &one, weight, factor,
                                  shape.out_channels, in, factor, shape.in_channels, &zero, product,
                                  type_of(shape.product), shape.out_channels, sums_in_fp32, best_algorithm),
                  "cublasGemmEx");
}

void Cublas::multiply_all(const ProductShape& shape, int count, const void* const* in,
                          const void* const* weight, void* const* product) {
  if (shape.rows == 0 || count == 0) return;
  const Library& cublas = library();
  const float one = 1, zero = 0;
  const cudaDataType_t factor = type_of(shape.factors);
  require_success(
      cublas.multiply_all(cublas.handle, not_transposed, not_transposed, shape.out_channels,
                          static_cast<int>(shape.rows), shape.in_channels, &one, weight, factor,
                          shape.out_channels, in, factor, shape.in_channels, &zero, product,
                          type_of(shape.product), shape.out_channels, count, sums_in_fp32, best_algorithm),
      "cublasGemmBatchedEx");
}

}  // namespace spira::cuda
