// Declares functions that build the dense layouts of a kernel map from its z-run words.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device/device.hpp"

#include <cstdint>

namespace spira::cuda {

/// Z-run words in device memory. Shape: [map.outputs][groups], with 32 or 64 bits per word. `groups` is K^2,
/// or a smaller number if only the first z-groups were searched.
struct RunWordsOnDevice {
  const Buffer* words;
  int word_bits;
  int groups;
};

template <class Word> struct Runs {
  const Word* words;
  int groups, z_cells;

  [[nodiscard]] __device__ Word word(std::int64_t output, int group) const {
    return words[(output * groups) + group];
  }
  /// Returns the row of the input at offset `iz` of a word's z-group, or -1 if no input exists.
  [[nodiscard]] __device__ std::int32_t input_of(Word word, int iz) const {
    const auto mask = static_cast<std::uint32_t>(word) & ((1U << z_cells) - 1U);
    const std::uint32_t bit = 1U << static_cast<unsigned>(iz);
    if ((mask & bit) == 0) return -1;
    return static_cast<std::int32_t>(word >> z_cells) + __popc(mask & (bit - 1U));
  }
  /// Returns the row of the input of `output` in `column`, or -1 if no input exists.
  [[nodiscard]] __device__ std::int32_t input(std::int64_t output, int column) const {
    return input_of(word(output, column / z_cells), column % z_cells);
  }
};

template <class Visit> void visit_runs(const RunWordsOnDevice& runs, const KernelMap& map, Visit&& visit) {
  const int groups = runs.groups, z_cells = map.offsets->z_cells();
  if (runs.word_bits == 32) {
    visit(Runs<std::uint32_t>{values<std::uint32_t>(*runs.words), groups, z_cells});
  } else {
    visit(Runs<std::uint64_t>{values<std::uint64_t>(*runs.words), groups, z_cells});
  }
}

void fill_dense(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                KernelMap::Part& part);
/// Fills a mask_sorted part, whose number of splits must be set.
void fill_mask_sorted(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                      KernelMap::Part& part, Job& job);

}  // namespace spira::cuda
