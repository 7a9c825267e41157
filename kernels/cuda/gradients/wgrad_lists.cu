// Builds the pair lists that wgrad reads from maps in other layouts (stage "order").
#include "kernels/cuda/gradients/wgrad_lists.hpp"
#include "kernels/cuda/map/map_source.cuh"
#include "kernels/cuda/map/pair_lists.hpp"

#include <numeric>
#include <utility>

namespace spira::cuda {
namespace {

/// The lists that were built for wgrad from one part of a map.
struct WgradOrders {
  KernelMap::Part lists;
  [[nodiscard]] std::size_t bytes() const noexcept { return lists.entries.bytes() + lists.counts.bytes(); }
};

/// Adds the columns of a dense part, or of one split of a mask_sorted part, to z-run words. The splits must
/// be added in ascending order, because a word stores the input of its first column. The columns of the part
/// must be adjacent in each z-group, as the columns with an L1 norm below a threshold are.
template <class Word>
void add_words(const Device& device, const KernelMap& map, const KernelMap::Part& part, int split,
               Buffer& words) {
  Buffer slots;
  const MapSource source = source_of(device, map, part, slots, split);
  auto* const to = values<Word>(words);
  for_each(device, map.outputs * source.groups, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / source.groups;
    const auto group = static_cast<int>(at % source.groups);
    const std::uint32_t mask = source.present(row, group);
    if (mask == 0) return;
    Word& word = to[(source.output_of(row) * source.groups) + group];
    const std::int32_t first = source.input(row, group, __ffs(static_cast<int>(mask)) - 1);
    if (word == 0) word = static_cast<Word>(first) << source.z_cells;
    word |= mask;
  });
}

/// Returns the z-run words of a part in one of the layouts whose entries are inputs.
Buffer words_of(const Device& device, const KernelMap& map, const KernelMap::Part& part, int word_bits) {
  const std::int64_t count = map.outputs * map.offsets->z_groups();
  Buffer words(device.pool, static_cast<std::size_t>(count * word_bits / 8));
  SPIRA_CUDA(cudaMemsetAsync(words.data(), 0, words.bytes(), device.stream));
  for (int split = 0; split < std::max(1, part.splits); ++split)
    word_bits == 32 ? add_words<std::uint32_t>(device, map, part, split, words)
                    : add_words<std::uint64_t>(device, map, part, split, words);
  return words;
}

KernelMap::Part lists_from_words(const Device& device, const KernelMap& map, const Buffer& words,
                                 int word_bits, std::vector<int> columns) {
  KernelMap::Part lists;
  lists.layout = MapLayout::pair_lists;
  lists.columns = std::move(columns);
  const int groups = map.offsets->z_groups();
  PairLists(device, map, lists.columns, groups).finish({&words, word_bits, groups}, lists);
  return lists;
}

/// Returns the columns whose lists are enough for all pairs of a symmetric map.
std::vector<int> half_of(const KernelOffsets& offsets) {
  std::vector<int> columns(static_cast<std::size_t>(offsets.centre()) + 1);
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

}  // namespace

std::vector<WgradList> wgrad_lists(const Device& device, const KernelMap& map,
                                   std::vector<KernelMap::Part>& built, Job& job) {
  std::vector<WgradList> all;
  built.reserve(map.parts.size());
  const bool symmetric = map.submanifold && map.offsets->centred();
  const auto words = std::find_if(map.parts.begin(), map.parts.end(), [](const KernelMap::Part& part) {
    return part.layout == MapLayout::z_runs && !part.columns.empty();
  });
  for (auto part = map.parts.begin(); part != map.parts.end(); ++part) {
    if (part->columns.empty()) continue;
    if (words != map.parts.end() && part != words) continue;  // The words contain all columns of the map.
    if (part->layout == MapLayout::pair_lists) {
      all.push_back({&*part, map.half});
      continue;
    }
    const bool runs = part == words;
    const auto build = [&] {
      const auto stage = job.stage("order");
      if (runs) {
        std::vector<int> columns(static_cast<std::size_t>(map.offsets->columns()));
        std::iota(columns.begin(), columns.end(), 0);
        return lists_from_words(device, map, part->entries, part->word_bits,
                                symmetric ? half_of(*map.offsets) : columns);
      }
      const int bits = map.inputs <= (std::int64_t{1} << (32 - map.offsets->z_cells())) ? 32 : 64;
      return lists_from_words(device, map, words_of(device, map, *part, bits), bits, part->columns);
    };
    if (!part->orders) {
      all.push_back({&built.emplace_back(build()), runs && symmetric});
      continue;
    }
    auto& kept = part->orders->get<WgradOrders>();
    if (kept.lists.columns.empty()) kept.lists = build();
    all.push_back({&kept.lists, runs && symmetric});
  }
  return all;
}

}  // namespace spira::cuda
