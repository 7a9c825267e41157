// The epilogue of a layer: adds bias and residual, applies ReLU and converts to the storage type, in one pass
// over the sums.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/base/fp16.hpp"
#include "engine/voxel/coord_set.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace spira::cpu {

struct Epilogue {
  const float* sums;  ///< Shape: [rows][channels]. The sums may be in the same memory as the result.
  std::span<const float> bias;
  const Features* residual;  ///< `nullptr` if the layer has no residual.
  bool relu;
};

/// Applies the epilogue to results of one storage type.
template <class Value>
void apply_as(const Epilogue& epilogue, std::int64_t begin, std::int64_t end, Features& result) {
  constexpr bool wide = std::is_same_v<Value, float>;
  const auto channels = static_cast<std::size_t>(result.channels);
  // Buffer::host_span() is too slow for the inner loop.
  const Value* const residual =
      epilogue.residual == nullptr ? nullptr : epilogue.residual->data.host_span<Value>().data();
  Value* const to = result.data.host_span<Value>().data();
  for (std::int64_t row = begin; row < end; ++row) {
    const std::size_t first = static_cast<std::size_t>(row) * channels;
    for (std::size_t c = 0; c < channels; ++c) {
      float value = epilogue.sums[first + c] + epilogue.bias[c];
      if (residual != nullptr) {
        if constexpr (wide) value += residual[first + c];
        if constexpr (!wide) value += fp16_to_float(residual[first + c]);
      }
      // The comparison is false for NaN, so NaN stays NaN.
      if (epilogue.relu) value = value < 0.0F ? 0.0F : value;
      if constexpr (wide) to[first + c] = value;
      if constexpr (!wide) to[first + c] = float_to_fp16(value);
    }
  }
}

inline void apply(const Epilogue& epilogue, std::int64_t begin, std::int64_t end, Features& result) {
  result.precision == Precision::fp32 ? apply_as<float>(epilogue, begin, end, result)
                                      : apply_as<Fp16>(epilogue, begin, end, result);
}

/// Returns weights that are stored in fp16 as fp32.
[[nodiscard]] std::vector<float> widened(const UploadedWeights& weights);
/// Converts one row of features to fp32.
void read_row(const Features& features, std::int64_t row, float* to);
/// Stores one row of features in their precision.
void write_row(const std::vector<float>& row, std::int64_t at, Features& features);

}  // namespace spira::cpu
