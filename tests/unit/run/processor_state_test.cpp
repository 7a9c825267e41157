// Tests processor_state() on synthetic folders that have the layout of /sys and /proc on Linux.
#include "kernels/cpu/cpu_backend.hpp"
#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace spira {
namespace {

class ProcessorState : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void policy(const std::string& name, const std::string& low, const std::string& high,
              const std::string& governor) const {
    write("cpufreq/" + name + "/scaling_min_freq", low);
    write("cpufreq/" + name + "/scaling_max_freq", high);
    write("cpufreq/" + name + "/scaling_governor", governor);
  }
  [[nodiscard]] DeviceState state() const { return cpu::processor_state(folder_.path(), folder_.path()); }

 private:
  test::TempFolder folder_;
};

TEST_F(ProcessorState, IsUnknownWithoutTheFiles) {
  EXPECT_FALSE(state().clocks_locked.has_value());
  EXPECT_FALSE(state().other_processes.has_value());
}

TEST_F(ProcessorState, ClocksAreLockedIfOnlyOneFrequencyIsAllowed) {
  policy("policy0", "3000000", "3000000", "schedutil");
  EXPECT_EQ(state().clocks_locked, true);
  policy("policy1", "800000", "3000000", "performance");
  EXPECT_EQ(state().clocks_locked, false)
      << "with turbo, the performance governor must not count as locked clocks";
  write("intel_pstate/no_turbo", "1");
  EXPECT_EQ(state().clocks_locked, true);
}

TEST_F(ProcessorState, ThreadsOfThisProcessAreNotCountedAsOthers) {
  write("loadavg", "1.00 0.50 0.20 4/99 23531");
  write("self/task/7/stat", "7 (a) b) R 1 2 3");
  write("self/task/8/stat", "8 (worker R) S 1 2 3");
  EXPECT_EQ(state().other_processes, 3);
  write("loadavg", "1.00 0.50 0.20 0/99 23531");
  EXPECT_EQ(state().other_processes, 0);
}

}  // namespace
}  // namespace spira
