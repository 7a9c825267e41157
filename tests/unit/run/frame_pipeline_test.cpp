// Tests the stages of `spira infer`: their order, their limits, and faults of single frames.
#include "engine/run/infer/frame_pipeline.hpp"

#include "engine/scene/point_cloud.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <ostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace spira {
namespace {

using testing::ElementsAre;

struct Readers {
  std::size_t count;
  friend void PrintTo(const Readers& readers, std::ostream* out) { *out << readers.count << "_readers"; }
};

class FramePipeline : public testing::TestWithParam<Readers> {
 protected:
  FramePipeline() {
    stages_.read = [this](std::size_t frame, Job& job) {
      job.checkpoint({"reading", 0, 1});
      const auto ahead = static_cast<std::int64_t>(frame) - ran_count_;
      for (std::int64_t seen = most_ahead_;
           ahead > seen && !most_ahead_.compare_exchange_weak(seen, ahead);) {
      }
      // Later frames are often ready first.
      std::this_thread::sleep_for(std::chrono::microseconds(frame % 3 == 0 ? 2000 : 100));
      if (frame == broken_) throw Error(ErrorKind::input, "broken");
      if (frame == faulty_) throw Error(ErrorKind::internal, "a fault of the program");
      FrameInput input;
      input.cloud = std::make_shared<const PointCloud>();
      return input;
    };
    stages_.run = [this](std::size_t frame, const FrameInput& input, Job&) {
      EXPECT_NE(input.cloud, nullptr);
      ran_.push_back(frame);
      ++ran_count_;
      if (frame == stop_at_) source_.request_stop();
      return FrameOutputs{};
    };
    stages_.write = [](const FrameResult&) {};
    stages_.record = [this](const FrameResult& result) {
      recorded_.push_back(result.frame);
      if (result.fault) faults_.emplace_back(result.fault->what());
    };
  }
  void run(std::size_t frames) {
    Job job(source_.get_token());
    run_frames(frames, stages_, times_, job, {GetParam().count});
  }
  [[nodiscard]] static std::vector<std::size_t> numbers(std::size_t count) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  static constexpr std::size_t none = 1'000'000;
  std::size_t broken_ = none, faulty_ = none, stop_at_ = none;
  std::stop_source source_;
  std::atomic<std::int64_t> ran_count_ = 0, most_ahead_ = 0;
  std::vector<std::size_t> ran_, recorded_;
  std::vector<std::string> faults_;
  FrameStages stages_;
  PipelineTimes times_;
};

TEST_P(FramePipeline, FramesRunAndAreRecordedInOrder) {
  run(60);
  EXPECT_EQ(ran_, numbers(60));
  EXPECT_EQ(recorded_, numbers(60));
  EXPECT_EQ(times_.finished, 60);
  // Frames that wait for the engine, that are being read, and that the engine runs.
  const auto readers = static_cast<std::int64_t>(GetParam().count);
  EXPECT_LE(most_ahead_, std::max<std::int64_t>(2, readers) + readers + 1);
}

TEST_P(FramePipeline, ABrokenFrameIsRecordedAndTheOthersRun) {
  broken_ = 3;
  run(8);
  EXPECT_THAT(ran_, ElementsAre(0, 1, 2, 4, 5, 6, 7));
  EXPECT_EQ(recorded_, numbers(8));
  EXPECT_THAT(faults_, ElementsAre("broken"));
  EXPECT_EQ(times_.failed, 1);
}

TEST_P(FramePipeline, AFaultOfTheProgramEndsAllStages) {
  faulty_ = 5;
  EXPECT_THROW(run(1000), Error);
  EXPECT_LE(ran_.size(), 5U);
  EXPECT_EQ(recorded_, numbers(recorded_.size()));
}

TEST_P(FramePipeline, AStoppedJobRecordsWhatHasRun) {
  stop_at_ = 4;
  EXPECT_THROW(run(1000), Error);
  EXPECT_EQ(ran_, numbers(5));
  EXPECT_EQ(recorded_, numbers(5));
}

TEST_P(FramePipeline, NoFrames) {
  run(0);
  EXPECT_EQ(times_.finished, 0);
}

INSTANTIATE_TEST_SUITE_P(Any, FramePipeline, testing::Values(Readers{1}, Readers{2}, Readers{8}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace spira
