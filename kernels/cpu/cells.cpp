// Inner loops of images of cells. CMakeLists.txt compiles this file once per instruction set;
// SPIRA_CELL_SET is the name of the copy. Only the baseline copy calls inline functions of other headers. The
// linker could use their code for newer processors in the copy for older processors.
#include "kernels/cpu/cells.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#else
#include "engine/base/fp16.hpp"
#endif

namespace spira::cpu {
namespace {

// A vector of floats. `max_vectors` is the number of vectors of outputs that one pass over the inputs
// computes, and max_cells() the number of cells. Their product is limited by the number of registers.
#if defined(__AVX512F__)
struct Lanes {
  static constexpr int count = 16, max_vectors = 3;
  static constexpr int max_cells(int vectors) { return vectors == 3 ? 8 : 12; }
  __m512 v;

  static Lanes zero() { return {_mm512_setzero_ps()}; }
  static Lanes load(const float* from) { return {_mm512_loadu_ps(from)}; }
  static Lanes load_first(const float* from, int n) { return {_mm512_maskz_loadu_ps(mask(n), from)}; }
  void store(float* to) const { _mm512_storeu_ps(to, v); }
  void store_first(float* to, int n) const { _mm512_mask_storeu_ps(to, mask(n), v); }
  void add(Lanes other) { v = _mm512_add_ps(v, other.v); }
  void add_product(float factor, Lanes other) { v = _mm512_fmadd_ps(_mm512_set1_ps(factor), other.v, v); }
  // The maximum is its second operand if that is NaN.
  void relu() { v = _mm512_max_ps(_mm512_setzero_ps(), v); }

 private:
  static __mmask16 mask(int n) { return static_cast<__mmask16>((1U << static_cast<unsigned>(n)) - 1U); }
};
#elif defined(__AVX2__)
struct Lanes {
  static constexpr int count = 8, max_vectors = 3;
  static constexpr int max_cells(int vectors) { return vectors == 3 ? 4 : vectors == 2 ? 6 : 8; }
  __m256 v;

  static Lanes zero() { return {_mm256_setzero_ps()}; }
  static Lanes load(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Lanes load_first(const float* from, int n) { return {_mm256_maskload_ps(from, mask(n))}; }
  void store(float* to) const { _mm256_storeu_ps(to, v); }
  void store_first(float* to, int n) const { _mm256_maskstore_ps(to, mask(n), v); }
  void add(Lanes other) { v = _mm256_add_ps(v, other.v); }
  void add_product(float factor, Lanes other) { v = _mm256_fmadd_ps(_mm256_set1_ps(factor), other.v, v); }
  // The maximum is its second operand if that is NaN.
  void relu() { v = _mm256_max_ps(_mm256_setzero_ps(), v); }

 private:
  static __m256i mask(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};
#else
struct Lanes {
  static constexpr int count = 4, max_vectors = 3;
  static constexpr int max_cells(int vectors) { return vectors == 3 ? 4 : vectors == 2 ? 6 : 8; }
  using Vector [[gnu::vector_size(16)]] = float;
  Vector v;

  static Lanes zero() { return {Vector{}}; }
  static Lanes load(const float* from) {
    Lanes loaded{};
    __builtin_memcpy(&loaded.v, from, sizeof loaded.v);
    return loaded;
  }
  static Lanes load_first(const float* from, int n) {
    Lanes loaded = zero();
    for (int at = 0; at < n; ++at)
      loaded.v[at] = from[at];
    return loaded;
  }
  void store(float* to) const { __builtin_memcpy(to, &v, sizeof v); }
  void store_first(float* to, int n) const {
    for (int at = 0; at < n; ++at)
      to[at] = v[at];
  }
  void add(Lanes other) { v += other.v; }
  void add_product(float factor, Lanes other) { v += factor * other.v; }
  // The comparison is false for NaN, so NaN stays NaN.
  void relu() { v = v < Vector{} ? Vector{} : v; }
};
#endif

/// Returns the number of vectors of the panel that begins when `channels` output channels are left.
int panel_vectors(std::int64_t channels) {
  const std::int64_t vectors = (channels + Lanes::count - 1) / Lanes::count;
  // Two panels of two vectors are faster than a panel of three and one of one.
  return static_cast<int>(vectors == 4 ? 2 : vectors < Lanes::max_vectors ? vectors : Lanes::max_vectors);
}

std::int64_t packed_size(std::int64_t inner, int out_channels) {
  const std::int64_t vectors = (out_channels + Lanes::count - 1) / Lanes::count;
  return inner * vectors * Lanes::count;
}

/// The packed weights have the shape [panels][inner][channels of the panel]. The last panel is padded with
/// zeros.
void pack(const float* weight, std::int64_t inner, int out_channels, float* packed) {
  for (std::int64_t first = 0; first < out_channels;) {
    const std::int64_t width = std::int64_t{panel_vectors(out_channels - first)} * Lanes::count;
    for (std::int64_t row = 0; row < inner; ++row) {
      for (std::int64_t at = 0; at < width; ++at)
        *packed++ = first + at < out_channels ? weight[row * out_channels + first + at] : 0.0F;
    }
    first += width;
  }
}

/// A panel of output channels.
struct Panel {
  const float* weight;
  int first, channels;  ///< Its channels without padding.
};

/// Adds bias and residual to a sum, and stores its first `count` values.
void finish(Lanes sum, int count, const float* bias, const float* residual, bool relu, float* out) {
  const bool whole = count >= Lanes::count;
  sum.add(whole ? Lanes::load(bias) : Lanes::load_first(bias, count));
  if (residual != nullptr) sum.add(whole ? Lanes::load(residual) : Lanes::load_first(residual, count));
  if (relu) sum.relu();
  whole ? sum.store(out) : sum.store_first(out, count);
}

/// Computes `Cells` adjacent cells of a row for one panel. `column` is the first cell.
template <int Cells, int Vectors>
void cells_of_row(const CellRect& rect, const Panel& panel, std::int64_t row, std::int64_t column) {
  constexpr std::int64_t lanes = Lanes::count;
  const std::int64_t in_cell = std::int64_t{rect.step} * rect.in_channels;
  const std::int64_t inner = std::int64_t{rect.kernel_size} * rect.in_channels;
  const float* in = rect.in + row * rect.step * rect.in_row + column * in_cell;
  const float* weight = panel.weight;
  const float* const bias = rect.bias + panel.first;
  const std::int64_t first = column * rect.out_channels + panel.first;
  const float* const residual =
      rect.residual == nullptr ? nullptr : rect.residual + row * rect.residual_row + first;
  float* const out = rect.out + row * rect.out_row + first;
  if (residual != nullptr) {
    // The residual is rarely in the cache. Its loads run while the products are computed.
#pragma GCC unroll 16
    for (int c = 0; c < Cells; ++c) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        __builtin_prefetch(residual + std::int64_t{c} * rect.out_channels + v * lanes, 1);
    }
  }
  Lanes sums[Cells][Vectors];
#pragma GCC unroll 16
  for (int c = 0; c < Cells; ++c) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      sums[c][v] = Lanes::zero();
  }
  for (int line = 0; line < rect.kernel_size; ++line, in += rect.in_row) {
    // The cells that the columns of the kernel read are adjacent, so they form one vector of inputs.
    for (std::int64_t k = 0; k < inner; ++k, weight += Vectors * lanes) {
      Lanes factors[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        factors[v] = Lanes::load(weight + v * lanes);
#pragma GCC unroll 16
      for (int c = 0; c < Cells; ++c) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          sums[c][v].add_product(in[c * in_cell + k], factors[v]);
      }
    }
  }
#pragma GCC unroll 16
  for (int c = 0; c < Cells; ++c) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      const std::int64_t at = std::int64_t{c} * rect.out_channels + v * lanes;
      finish(sums[c][v], panel.channels - static_cast<int>(v * lanes), bias + v * lanes,
             residual == nullptr ? nullptr : residual + at, rect.relu, out + at);
    }
  }
}

/// Calls cells_of_row() for a number of cells that is only known at run time, at most `Cells`.
template <int Cells, int Vectors>
void some_cells_of_row(int cells, const CellRect& rect, const Panel& panel, std::int64_t row,
                       std::int64_t column) {
  if constexpr (Cells > 0) {
    if (cells == Cells) {
      cells_of_row<Cells, Vectors>(rect, panel, row, column);
    } else {
      some_cells_of_row<Cells - 1, Vectors>(cells, rect, panel, row, column);
    }
  }
}

template <int Vectors> void all_cells(const CellRect& rect, const Panel& panel) {
  constexpr int most = Lanes::max_cells(Vectors);
  // Divide each row into parts of almost equal size, because short parts are slow.
  const std::int64_t parts = (rect.columns + most - 1) / most;
  for (std::int64_t row = 0; row < rect.rows; ++row) {
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t begin = rect.columns * part / parts, end = rect.columns * (part + 1) / parts;
      some_cells_of_row<most, Vectors>(static_cast<int>(end - begin), rect, panel, row, begin);
    }
  }
}

void convolve(const CellRect& rect) {
  const std::int64_t inner = std::int64_t{rect.kernel_size} * rect.kernel_size * rect.in_channels;
  const float* weight = rect.weight;
  for (int first = 0; first < rect.out_channels;) {
    const int vectors = panel_vectors(rect.out_channels - first), width = vectors * Lanes::count;
    const int left = rect.out_channels - first;
    const Panel panel{weight, first, left < width ? left : width};
    if (vectors == 1) all_cells<1>(rect, panel);
    if (vectors == 2) all_cells<2>(rect, panel);
    if (vectors == 3) all_cells<3>(rect, panel);
    weight += inner * width;
    first += width;
  }
}

#if defined(__AVX512F__) || defined(__AVX2__)
std::uint16_t rounded(float value) {
  const int half = _mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT));
  return static_cast<std::uint16_t>(half);
}

void widen(const std::uint16_t* from, std::int64_t count, float* to) {
  std::int64_t at = 0;
  for (; at + 8 <= count; at += 8) {
    __m128i halves;
    __builtin_memcpy(&halves, from + at, sizeof halves);
    _mm256_storeu_ps(to + at, _mm256_cvtph_ps(halves));
  }
  for (; at < count; ++at)
    to[at] = _cvtsh_ss(from[at]);
}

void narrow(const float* from, std::int64_t count, std::uint16_t* to) {
  std::int64_t at = 0;
  for (; at + 8 <= count; at += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + at), _MM_FROUND_TO_NEAREST_INT);
    __builtin_memcpy(to + at, &halves, sizeof halves);
  }
  for (; at < count; ++at)
    to[at] = rounded(from[at]);
}

void round(float* values, std::int64_t count) {
  std::int64_t at = 0;
  for (; at + 8 <= count; at += 8)
    _mm256_storeu_ps(values + at, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(values + at),
                                                                  _MM_FROUND_TO_NEAREST_INT)));
  for (; at < count; ++at)
    values[at] = _cvtsh_ss(rounded(values[at]));
}
#else
void widen(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t at = 0; at < count; ++at)
    to[at] = fp16_to_float(from[at]);
}

void narrow(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t at = 0; at < count; ++at)
    to[at] = float_to_fp16(from[at]);
}

void round(float* values, std::int64_t count) {
  for (std::int64_t at = 0; at < count; ++at)
    values[at] = fp16_to_float(float_to_fp16(values[at]));
}
#endif

}  // namespace

extern const CellKernels SPIRA_CELL_SET;
const CellKernels SPIRA_CELL_SET{packed_size, pack, convolve, widen, narrow, round};

}  // namespace spira::cpu
