#include "kernels/cuda/device/counter_sets.hpp"

#include "kernels/cuda/device/handles.hpp"

#include <algorithm>

namespace spira::cuda {

CounterSets::Set CounterSets::take(const Device& device) {
  const auto empty =
      std::find_if(sets_.begin(), sets_.end(), [](const Set& set) { return set.left_over == 0; });
  if (empty != sets_.end()) {
    Set set = std::move(*empty);
    sets_.erase(empty);
    return set;
  }
  Set set{Buffer(device.pool, std::size_t{max_columns} * ranges * sizeof(std::uint32_t))};
  SPIRA_CUDA(cudaMemsetAsync(set.memory.data(), 0, set.memory.bytes(), device.stream));
  return set;
}

CounterSets::PublishedCounts CounterSets::published_counts(const Device& device, std::uint32_t blocks) {
  if (launches_ == 0 || launches_ == max_published_launches) {
    if (published_.bytes() == 0)
      published_ = Buffer(device.pool, (max_published_counts + 1) * sizeof(std::uint32_t));
    SPIRA_CUDA(cudaMemsetAsync(published_.data(), 0, published_.bytes(), device.stream));
    launches_ = blocks_ = 0;
  }
  auto* words = values<std::uint32_t>(published_);
  return {words, launches_ + 1, words + max_published_counts, blocks_ + blocks};
}

void CounterSets::launched(const PublishedCounts& published) {
  launches_ = published.launch;
  blocks_ = published.last;
}

void CounterSets::give(Set set, int left_over) {
  set.left_over = left_over;
  sets_.push_back(std::move(set));
}

CounterSets::Set* CounterSets::to_empty() {
  const auto used =
      std::find_if(sets_.begin(), sets_.end(), [](const Set& set) { return set.left_over != 0; });
  return used == sets_.end() ? nullptr : &*used;
}

}  // namespace spira::cuda
