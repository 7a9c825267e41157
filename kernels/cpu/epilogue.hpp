// The epilogue of a layer: adds bias and residual, applies ReLU and converts to the storage type, in one pass
// over the sums.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/base/fp16.hpp"
#include "engine/voxel/coord_set.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace spira::cpu {

struct Epilogue {
  const float* sums;  ///< Shape: [rows][channels]. The sums may be in the same memory as the result.
  std::span<const float> bias;
  const Features* residual;  ///< `nullptr` if the layer has no residual.
  bool relu;
};

inline void apply(const Epilogue& epilogue, std::int64_t begin, std::int64_t end, Features& result) {
  const auto channels = static_cast<std::size_t>(result.channels);
  const bool wide = result.precision == Precision::fp32;
  for (std::int64_t row = begin; row < end; ++row) {
    const std::size_t first = static_cast<std::size_t>(row) * channels;
    for (std::size_t c = 0; c < channels; ++c) {
      float value = epilogue.sums[first + c] + epilogue.bias[c];
      if (epilogue.residual != nullptr) {
        value += wide ? epilogue.residual->data.host_span<float>()[first + c]
                      : fp16_to_float(epilogue.residual->data.host_span<Fp16>()[first + c]);
      }
      // The comparison is false for NaN, so NaN stays NaN.
      if (epilogue.relu) value = value < 0.0F ? 0.0F : value;
      if (wide) {
        result.data.host_span<float>()[first + c] = value;
      } else {
        result.data.host_span<Fp16>()[first + c] = float_to_fp16(value);
      }
    }
  }
}

/// Returns weights that are stored in fp16 as fp32.
[[nodiscard]] std::vector<float> widened(const UploadedWeights& weights);
/// Converts one row of features to fp32.
void read_row(const Features& features, std::int64_t row, float* to);
/// Stores one row of features in their precision.
void write_row(const std::vector<float>& row, std::int64_t at, Features& features);

}  // namespace spira::cpu
