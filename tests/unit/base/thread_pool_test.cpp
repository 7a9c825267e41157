#include "engine/base/thread_pool.hpp"

#include "engine/base/error.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <vector>

namespace spira {
namespace {

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const int count : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      pool.for_blocks(count, 3, [&](std::int64_t begin, std::int64_t end, int worker) {
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, threads);
        EXPECT_LE(end - begin, 3);
        for (std::int64_t i = begin; i < end; ++i)
          ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& times : seen)
        ASSERT_EQ(times.load(), 1);
    }
  }
}

TEST(ThreadPool, ThrowsTheFirstExceptionAgainAndGoesOn) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.for_blocks(100, 1,
                               [](std::int64_t begin, std::int64_t, int) {
                                 if (begin == 40) throw Error(ErrorKind::input, "bad block");
                               }),
               Error);
  std::atomic<int> calls{0};
  pool.for_blocks(10, 1, [&](std::int64_t, std::int64_t, int) { ++calls; });
  EXPECT_EQ(calls.load(), 10);
}

TEST(ThreadPool, SkipsBlocksAfterAStop) {
  ThreadPool pool(2);
  std::stop_source stop;
  std::atomic<int> calls{0};
  pool.for_blocks(
      1000, 1,
      [&](std::int64_t, std::int64_t, int) {
        ++calls;
        stop.request_stop();
      },
      stop.get_token());
  EXPECT_GE(calls.load(), 1);
  EXPECT_LE(calls.load(), 2);
}

// This test is skipped with sanitizers, because they reserve more memory than the limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ThreadPool, AThreadThatCannotBeStartedIsADeviceFault) {
  const auto start_many = [] {
    rlimit few{};
    getrlimit(RLIMIT_AS, &few);
    // The stacks of 1,000 threads need 8 GB.
    few.rlim_cur = 600U << 20U;
    setrlimit(RLIMIT_AS, &few);
    try {
      const ThreadPool pool(1000);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(facts(error.kind()).exit_code);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(start_many(), testing::ExitedWithCode(5), "only [0-9]+ of 1000 threads could be started");
}
#endif

}  // namespace
}  // namespace spira
