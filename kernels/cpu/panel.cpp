// Inner loops of feature computation. CMakeLists.txt compiles this file once per instruction set;
// SPIRA_PANEL_SET is the name of the copy. The option -DEigen=... gives each copy its own Eigen namespace.
// Without it, the linker could use code for newer processors in the copy for older processors.
#include "kernels/cpu/panel.hpp"

#include <Eigen/Core>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace spira::cpu {
namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void gather_fp32(const float* features, int channels, const std::int32_t* index, std::int64_t count,
                 float* panel) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float* from = features + (static_cast<std::int64_t>(index[i]) * channels);
    float* to = panel + (i * channels);
    for (int c = 0; c < channels; ++c)
      to[c] = from[c];
  }
}

float widen(std::uint16_t half) {
#if defined(__F16C__)
  return _cvtsh_ss(half);
#else
  // Shifts the exponent to its position in fp32 and rescales the value. The result is exact for every finite
  // value. Infinities and NaN are handled separately.
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16U;
  const std::uint32_t rest = half & 0x7FFFU;
  std::uint32_t bits = rest << 13U;
  float value = 0;
  __builtin_memcpy(&value, &bits, sizeof value);
  value *= 0x1p112F;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if (rest >= 0x7C00U) bits = 0x7F800000U | ((rest & 0x3FFU) << 13U);
  bits |= sign;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

void gather_fp16(const std::uint16_t* features, int channels, const std::int32_t* index, std::int64_t count,
                 float* panel) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint16_t* from = features + (static_cast<std::int64_t>(index[i]) * channels);
    float* to = panel + (i * channels);
    int c = 0;
#if defined(__F16C__) && defined(__AVX__)
    for (; c + 8 <= channels; c += 8) {
      __m128i halves;
      __builtin_memcpy(&halves, from + c, sizeof halves);
      _mm256_storeu_ps(to + c, _mm256_cvtph_ps(halves));
    }
#endif
    for (; c < channels; ++c)
      to[c] = widen(from[c]);
  }
}

void multiply(const float* panel, std::int64_t rows, int in_channels, const float* weight, int out_channels,
              float* out) {
  const Eigen::Map<const Rows> left(panel, rows, in_channels);
  const Eigen::Map<const Rows> right(weight, in_channels, out_channels);
  Eigen::Map<Rows>(out, rows, out_channels).noalias() = left * right;
}

void add_transposed_product(const float* left, std::int64_t rows, int in_channels, const float* right,
                            int out_channels, float* sums) {
  const Eigen::Map<const Rows> a(left, rows, in_channels);
  const Eigen::Map<const Rows> b(right, rows, out_channels);
  Eigen::Map<Rows>(sums, in_channels, out_channels).noalias() += a.transpose() * b;
}

void scatter_add(const float* rows, int channels, const std::int32_t* index, std::int64_t count,
                 float* sums) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float* from = rows + (i * channels);
    float* to = sums + (static_cast<std::int64_t>(index[i]) * channels);
    for (int c = 0; c < channels; ++c)
      to[c] += from[c];
  }
}

}  // namespace

extern const PanelKernels SPIRA_PANEL_SET;
const PanelKernels SPIRA_PANEL_SET{SPIRA_PANEL_NAME,       gather_fp32, gather_fp16, multiply,
                                   add_transposed_product, scatter_add};

}  // namespace spira::cpu
