// Tests the peak memory that is recorded for each stage. Also tests that recording does not change the peak
// of the memory pool.
#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/memory/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace spira {
namespace {

/// A memory pool that counts bytes but allocates nothing. All its buffers have the same address.
class CountingPool final : public MemoryPool {
 public:
  [[nodiscard]] MemorySpace space() const noexcept override { return MemorySpace::cuda; }
  [[nodiscard]] void* allocate(std::size_t bytes) override {
    if (bytes > limit_bytes - used_) throw Error(ErrorKind::device, "out of memory");
    used_ += bytes;
    raise_peak(used_);
    return &place_;
  }
  void release(void* /*data*/, std::size_t bytes) noexcept override { used_ -= bytes; }
  [[nodiscard]] std::size_t used_bytes() const noexcept override { return used_; }
  [[nodiscard]] std::size_t peak_bytes() const noexcept override { return peak_; }
  void reset_peak() noexcept override { peak_ = used_; }
  void raise_peak(std::size_t bytes) noexcept override { peak_ = std::max(peak_, bytes); }

  std::size_t limit_bytes = std::numeric_limits<std::size_t>::max();

 private:
  std::size_t used_ = 0, peak_ = 0;
  std::byte place_{};
};

class StagePeak : public testing::Test {
 protected:
  Buffer buffer(std::size_t bytes) { return {pool, bytes}; }
  std::size_t peak_of(const StageTree& tree, std::string_view path) {
    const int node = tree.find(path);
    EXPECT_GE(node, 0) << path;
    const auto peak = tree.nodes.at(static_cast<std::size_t>(node)).peak_bytes;
    EXPECT_TRUE(peak.has_value()) << path;
    return peak.value_or(0);
  }

  std::shared_ptr<CountingPool> pool = std::make_shared<CountingPool>();
  std::unique_ptr<StageSource> clock = make_steady_stages();
};

TEST_F(StagePeak, IsThatOfTheBuffersWhileTheStageWasOpen) {
  const Buffer session = buffer(1000);
  Recorder recorder(*clock, pool.get());
  Job job({}, &recorder);
  { const Buffer outside = buffer(5000); }
  Buffer kept;
  {
    const auto stage = job.stage("a");
    const Buffer scratch = buffer(300);
    kept = buffer(40);
  }
  {
    const auto stage = job.stage("b");
    const Buffer more = buffer(2);
  }
  const StageTree tree = recorder.take();
  EXPECT_EQ(peak_of(tree, "a"), 340U)
      << "buffers freed before the stage, or allocated while it was closed, must not count";
  EXPECT_EQ(peak_of(tree, "b"), 42U) << "a buffer that an earlier stage still holds must count";
  EXPECT_EQ(tree.peak_bytes(), 340U);
  EXPECT_EQ(pool->peak_bytes(), 6000U) << "the peak of the pool must not be reset";
}

TEST_F(StagePeak, AParentHasAtLeastThatOfItsChildren) {
  Recorder recorder(*clock, pool.get());
  Job job({}, &recorder);
  {
    const auto map = job.stage("map");
    { const Buffer scratch = buffer(700); }
    const Buffer kept = buffer(10);
    {
      const auto search = job.stage("search");
      const Buffer scratch = buffer(90);
    }
    {
      const auto filter = job.stage("filter");
      const Buffer scratch = buffer(50);
    }
  }
  {
    const auto features = job.stage("features");
    const auto os = job.stage("os");
    const Buffer scratch = buffer(400);
  }
  const StageTree tree = recorder.take();
  EXPECT_EQ(peak_of(tree, "map"), 700U) << "the parent's own peak, before its children began, must count";
  EXPECT_EQ(peak_of(tree, "map.search"), 100U);
  EXPECT_EQ(peak_of(tree, "map.filter"), 60U);
  EXPECT_EQ(peak_of(tree, "features"), 400U) << "the peak of a child must count for its parent";
  EXPECT_EQ(peak_of(tree, "features.os"), 400U);
}

TEST_F(StagePeak, IsTheLargestOfAllRepetitions) {
  Recorder recorder(*clock, pool.get());
  Job job({}, &recorder);
  for (const std::size_t bytes : {20U, 80U, 50U}) {
    for (const std::size_t times : {1U, 2U}) {
      const auto stage = job.stage("os");
      const Buffer scratch = buffer(bytes * times);
    }
    recorder.next_repetition();
  }
  EXPECT_EQ(peak_of(recorder.take(), "os"), 160U);
}

TEST_F(StagePeak, SurvivesAnExceptionInAStage) {
  Recorder recorder(*clock, pool.get());
  Job job({}, &recorder);
  pool->limit_bytes = 600;
  {
    const auto features = job.stage("features");
    { const Buffer scratch = buffer(500); }
    try {
      const auto os = job.stage("os");
      const Buffer scratch = buffer(200);
      static_cast<void>(buffer(1000));
      FAIL() << "the allocation must throw, because it exceeds the limit";
    } catch (const Error&) {
      const auto rest = job.stage("epilogue");
      const Buffer scratch = buffer(30);
    }
  }
  const StageTree tree = recorder.take();
  EXPECT_EQ(peak_of(tree, "features"), 500U);
  EXPECT_EQ(peak_of(tree, "features.os"), 200U);
  EXPECT_EQ(peak_of(tree, "features.epilogue"), 30U);
  EXPECT_EQ(pool->used_bytes(), 0U);
}

TEST_F(StagePeak, IsZeroIfMemoryOnlyShrinks) {
  Buffer session = buffer(1000);
  Recorder recorder(*clock, pool.get());
  Job job({}, &recorder);
  session = {};
  {
    const auto stage = job.stage("pack");
    const Buffer scratch = buffer(10);
  }
  EXPECT_EQ(peak_of(recorder.take(), "pack"), 0U);
}

TEST_F(StagePeak, IsNotMeasuredWithoutAPool) {
  Recorder recorder(*clock);
  Job job({}, &recorder);
  {
    const auto stage = job.stage("pack");
    const Buffer scratch = buffer(10);
  }
  const StageTree tree = recorder.take();
  EXPECT_EQ(tree.nodes.at(0).peak_bytes, std::nullopt);
  EXPECT_EQ(tree.peak_bytes(), std::nullopt);
}

TEST(StageTree, MergeKeepsTheLargerPeak) {
  StageTree a, b;
  a.nodes.push_back({"x", -1, {1}, 0, 0, false, 70});
  a.nodes.push_back({"y", -1, {1}, 0, 0, false});
  b.nodes.push_back({"x", -1, {1}, 0, 0, false, 30});
  b.nodes.push_back({"y", -1, {1}, 0, 0, false, 5});
  a.merge(b);
  EXPECT_EQ(a.nodes[0].peak_bytes, 70U);
  EXPECT_EQ(a.nodes[1].peak_bytes, 5U);
}

}  // namespace
}  // namespace spira
