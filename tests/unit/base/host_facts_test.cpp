// Tests host_facts() on synthetic copies of system folders such as /proc.
#include "engine/base/host_facts.hpp"

#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace spira {
namespace {

class HostFactsOf : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] HostFacts facts() const { return host_facts(folder_.path()); }

 private:
  test::TempFolder folder_;
};

TEST_F(HostFactsOf, AreUnknownWithoutTheFiles) {
  EXPECT_EQ(facts().os, "unknown");
  EXPECT_EQ(facts().cpu, "unknown");
  EXPECT_EQ(facts().governor, "unknown");
  EXPECT_FALSE(facts().container);
  EXPECT_GT(facts().ram_bytes, 0U);
}

TEST_F(HostFactsOf, ReadsTheFilesOfLinux) {
  write("etc/os-release", "NAME=x\nPRETTY_NAME=\"An OS 12\"\n");
  write("proc/cpuinfo", "processor : 0\nmodel name\t: A processor @ 3 GHz\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("proc/1/cgroup", "0::/kubepods/pod7\n");
  EXPECT_EQ(facts().os, "An OS 12");
  EXPECT_EQ(facts().cpu, "A processor @ 3 GHz");
  EXPECT_EQ(facts().governor, "performance");
  EXPECT_TRUE(facts().container);
}

TEST(BuildFacts, NamesTheCompiler) {
  EXPECT_FALSE(build_facts().compiler.empty());
  EXPECT_FALSE(build_facts().commit.empty());
}

}  // namespace
}  // namespace spira
