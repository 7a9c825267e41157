
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/fact_list.hpp"

#include <algorithm>
#include <unordered_set>

namespace spira {
namespace {

/// Merges two sorted runs and returns the number of comparisons. After one run is used up, no more
/// comparisons are needed.
std::int64_t merge(const std::vector<std::uint64_t>& from, std::size_t begin, std::size_t middle,
                   std::size_t end, std::vector<std::uint64_t>& to) {
  std::int64_t comparisons = 0;
  std::size_t left = begin, right = middle, at = begin;
  while (left < middle && right < end) {
    ++comparisons;
    to[at++] = from[right] < from[left] ? from[right++] : from[left++];
  }
  while (left < middle)
    to[at++] = from[left++];
  while (right < end)
    to[at++] = from[right++];
  return comparisons;
}

}  // namespace

std::int64_t merge_comparisons(std::vector<std::uint64_t> words, Job& job) {
  std::vector<std::uint64_t> merged(words.size());
  std::int64_t comparisons = 0;
  for (std::size_t run = 1; run < words.size(); run *= 2) {
    job.checkpoint({"sorting the words", static_cast<std::int64_t>(run), std::ssize(words)});
    for (std::size_t begin = 0; begin < words.size(); begin += 2 * run)
      comparisons += merge(words, begin, std::min(words.size(), begin + run),
                           std::min(words.size(), begin + (2 * run)), merged);
    words.swap(merged);
  }
  return comparisons;
}

std::vector<std::uint64_t> words_in_file_order(const VoxelScene& scene, int stride, Job& job) {
  const CoordSet& finest = scene.level(1);
  const std::uint64_t mask = scene.pack.round_down_mask(stride);
  std::unordered_set<std::uint64_t> met;
  std::vector<std::uint64_t> words;
  std::int64_t at = 0;
  for (const std::int32_t row : scene.voxel_of_point) {
    if (at++ % rows_per_checkpoint == 0)
      job.checkpoint({"reading the file order", at, std::ssize(scene.voxel_of_point)});
    if (row < 0) continue;  // the crop removed this point
    const std::uint64_t word = key_at(finest, row) & mask;
    if (met.insert(word).second) words.push_back(word);
  }
  return words;
}

}  // namespace spira
