#include "engine/memory/memory_pool.hpp"

#include <gtest/gtest.h>

#include <random>

namespace spira {
namespace {

bool share_memory(const ArenaTensor& a, const ArenaTensor& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}
bool share_time(const ArenaTensor& a, const ArenaTensor& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

TEST(ArenaPlan, TensorsThatLiveAtTheSameTimeDoNotOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaTensor> tensors(1 + (random() % 40));
    for (ArenaTensor& tensor : tensors) {
      tensor.bytes = random() % 5000;
      tensor.first_step = static_cast<int>(random() % 30);
      tensor.last_step = tensor.first_step + static_cast<int>(random() % 6);
    }
    const std::size_t bytes = plan_arena(tensors);
    for (std::size_t a = 0; a < tensors.size(); ++a) {
      EXPECT_LE(tensors[a].offset + tensors[a].bytes, bytes);
      EXPECT_EQ(tensors[a].offset % 256, 0U);
      for (std::size_t b = a + 1; b < tensors.size(); ++b) {
        EXPECT_FALSE(share_time(tensors[a], tensors[b]) && share_memory(tensors[a], tensors[b])) << round;
      }
    }
  }
}

TEST(ArenaPlan, AChainNeedsNoMoreThanTwoOfItsTensors) {
  std::vector<ArenaTensor> chain;
  for (int step = 0; step < 20; ++step)
    chain.push_back({4096, step, step + 1});
  EXPECT_EQ(plan_arena(chain), std::size_t{2} * 4096);
}

TEST(ArenaPlan, NoTensorsNeedNoMemory) {
  std::vector<ArenaTensor> none;
  EXPECT_EQ(plan_arena(none), 0U);
}

}  // namespace
}  // namespace spira
