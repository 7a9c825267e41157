// Tests how a command is divided between processes, one for each GPU.
#include "app/spira/gpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <stop_token>
#include <string>
#include <vector>

namespace spira::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Gpus, ArgumentsOfAProcessHaveAShardInsteadOfDevices) {
  const auto of = [](const std::vector<std::string>& words) {
    return process_arguments(words, {"--x", "1"});
  };
  EXPECT_THAT(of({"spira", "infer", "my set", "--devices", "all", "--json", "-o", "out"}),
              ElementsAre("infer", "my set", "-o", "out", "--x", "1"));
  EXPECT_THAT(of({"spira", "infer", "--devices=all", "set"}), ElementsAre("infer", "set", "--x", "1"));
  EXPECT_THAT(of({"spira", "infer", "--devices", "all", "--", "--json"}),
              ElementsAre("infer", "--x", "1", "--", "--json"));
}

// The processes are this program, so its own options serve as commands.
TEST(Gpus, ProcessesRunAtTheSameTimeAndKeepTheirOutput) {
  const auto results = run_processes({{"--gtest_list_tests", "--gtest_filter=Gpus.Arguments*"},
                                      {"--gtest_list_tests", "--gtest_filter=Gpus.Processes*"}},
                                     {});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_THAT(results[0].output, HasSubstr("ArgumentsOfAProcess"));
  EXPECT_THAT(results[1].output, HasSubstr("ProcessesRunAtTheSameTime"));
  EXPECT_EQ(results[1].exit_code, 0);
}

TEST(Gpus, AStopRequestEndsTheProcesses) {
  std::stop_source source;
  source.request_stop();
  const std::vector<std::string> endless{"--gtest_filter=Gpus.Arguments*", "--gtest_repeat=-1"};
  for (const ProcessResult& result : run_processes({endless, endless}, source.get_token()))
    EXPECT_EQ(result.exit_code, 128 + SIGTERM);
}

}  // namespace
}  // namespace spira::app
