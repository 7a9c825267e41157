// Exit codes and messages: usage 2, input 3, does not fit 4, device 5, interrupted 130; one clear line each.
#include "tests/support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace spira::test {
namespace {

using testing::HasSubstr;

Finished run(const std::vector<std::string>& arguments) {
  return Program(SPIRA_PROGRAM, arguments).wait();
}

void expect_fault(const std::vector<std::string>& arguments, int code, const std::string& text) {
  const Finished result = run(arguments);
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_THAT(result.err, HasSubstr(text));
  EXPECT_TRUE(result.out.empty()) << result.out;
}

TEST(CliFaults, UsageIsTwo) {
  expect_fault({}, 2, "subcommand");
  expect_fault({"densities"}, 2, "scene");
  expect_fault({"--quiet", "densities", "random", "--grid", "-1"}, 2, "expected metres");
  expect_fault({"--quiet", "densities", "random", "--pack", "40,40,40"}, 2, "packing");
  expect_fault({"--quiet", "densities", "random", "--kernel", "4"}, 2, "kernel size 4 is not one of");
  expect_fault({"--quiet", "run", "random", "--network", "alexnet"}, 2, "expected resn21");
  expect_fault({"--quiet", "sweep", "random"}, 2, "--network or --cin");
  expect_fault({"generate", "moon", "-o", "x.ply"}, 2, "street, room, random");
  expect_fault({"generate", "random", "-o", "x.las"}, 2, ".ply");
}

TEST(CliFaults, BadFilesAreThree) {
  TempFolder folder;
  expect_fault({"info", folder / "missing.bin"}, 3, "there is no such file");
  expect_fault({"info", folder.path()}, 3, "is a folder");
  expect_fault({"info", folder.write("empty.bin", "")}, 3, "empty.bin: is empty");
  expect_fault({"info", folder.write("torn.bin", std::string(37, 'a'))}, 3, "torn.bin");
  expect_fault({"info", folder.write("odd.bin", std::string(33, '\1')), "--format", "kitti"}, 3,
               "not a multiple of 16");
  expect_fault({"info", folder.write("scan.laz", "LASF")}, 3, "not supported yet");
  std::string nan(16 * 20, '\xFF');
  expect_fault({"info", folder.write("nan.bin", nan), "--format", "kitti"}, 3,
               "none of its 20 points is finite");
  expect_fault(
      {"--quiet", "run", "random", "--network",
       folder.write("net.json", R"({"layers": [{"name": "a", "kernel_size": 4, "out_channels": 8}]})")},
      3, "layers[0].kernel_size: 4 is not one of");
  expect_fault({"--quiet", "run", "random", "--network", folder.write("bad.json", "{\n \"layers\": [,]\n}")},
               3, "line 2");
}

TEST(CliFaults, WhatDoesNotFitIsFour) {
  expect_fault({"--quiet", "densities", "random", "--grid", "0.1", "--pack", "6,6,6"}, 4, "x needs 9 bits");
}

TEST(CliFaults, MemoryAndDevicesAreFive) {
  expect_fault({"--quiet", "--memory-limit", "100k", "densities", "random"}, 5, "memory limit");
  const Finished cuda = run({"--quiet", "run", "random", "--backend", "cuda"});
  EXPECT_EQ(cuda.code, 5);
}

TEST(CliFaults, InterruptedIs130) {
  Program program(SPIRA_PROGRAM, {"--quiet", "run", "street", "--network", "minkunet42", "--repeat", "1000"});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));  // any moment will do: the run takes minutes
  program.interrupt();
  EXPECT_EQ(program.wait().code, 130);
}

}  // namespace
}  // namespace spira::test
