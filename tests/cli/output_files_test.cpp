// Tests output files: inputs are never overwritten, devices and pipes are written as streams, and no file
// remains after a failed write.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace spira::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class OutputFiles : public Cli {
 protected:
  /// Writes the report of one layer of scene.ply to r.json.
  void make_report() const {
    make_scene();
    const Finished made = spira(layer_to("r.json"));
    ASSERT_EQ(made.code, 0) << made.err;
  }
  static Words layer_to(const std::string& file) {
    return {"layer", "scene.ply", "--grid", "1", "--cin", "4", "--cout", "4", "--repeat", "1", "-o", file};
  }
  [[nodiscard]] Finished shell(const std::string& script) const {
    return Program("/bin/bash", {"-c", script}, folder()).finish();
  }
  [[nodiscard]] std::vector<std::string> part_files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
      if (entry.path().filename().string().find(".part") != std::string::npos)
        found.push_back(entry.path().filename().string());
    }
    return found;
  }
};

TEST_F(OutputFiles, AnInputIsNotOverwritten) {
  make_report();
  write("net.json", R"({"name": "n", "layers": [{"name": "a", "out_channels": 8}]})");
  write("weights.safetensors", "w");
  write("plan.json", "{}");
  write("x.csv.meta.json", read("r.json"));
  std::filesystem::create_directories(folder() / "velodyne");
  std::filesystem::create_directories(folder() / "labels");
  write("velodyne/0.bin", std::string(1600, '\0'));
  write("labels/0.label", std::string(400, '\0'));
  std::filesystem::create_symlink("scene.ply", folder() / "link.ply");
  std::filesystem::create_hard_link(folder() / "scene.ply", folder() / "hard.ply");
  struct Case {
    Words words;
    std::string kept;
  };
  for (const Case& one : std::vector<Case>{
           {{"run", "scene.ply", "-o", "scene.ply"}, "scene.ply"},
           {{"run", "scene.ply", "-o", "./velodyne/../scene.ply"}, "scene.ply"},
           {{"run", "scene.ply", "-o", folder() / "scene.ply"}, "scene.ply"},
           {{"run", "scene.ply", "-o", "link.ply"}, "scene.ply"},
           {{"run", "link.ply", "-o", "scene.ply"}, "scene.ply"},
           {{"run", "scene.ply", "-o", "hard.ply"}, "scene.ply"},
           {{"run", "velodyne/0.bin", "-o", "labels/0.label"}, "labels/0.label"},
           {{"run", "velodyne", "-o", "velodyne/0.bin"}, "velodyne/0.bin"},
           {{"run", "scene.ply", "--network", "net.json", "-o", "net.json"}, "net.json"},
           {{"run", "scene.ply", "--weights", "weights.safetensors", "-o", "weights.safetensors"},
            "weights.safetensors"},
           {{"run", "scene.ply", "--plan", "plan.json", "-o", "plan.json"}, "plan.json"},
           {{"layer", "scene.ply", "-o", "scene.ply"}, "scene.ply"},
           {{"sweep", "scene.ply", "--network", "net.json", "-o", "net.json"}, "net.json"},
           {{"bench", "mapping", "scene.ply", "-o", "scene.ply"}, "scene.ply"},
           {{"tune", "scene.ply", "--fresh", "-o", "scene.ply"}, "scene.ply"},
           {{"tune", "street", "scene.ply", "--fresh", "-o", "link.ply"}, "scene.ply"},
           {{"export", "r.json", "--csv", "-o", "r.json"}, "r.json"},
           {{"export", "r.json", "--csv", "--comment", "-o", "r.json"}, "r.json"},
           {{"export", "x.csv.meta.json", "--csv", "-o", "x.csv"}, "x.csv.meta.json"}}) {
    SCOPED_TRACE(testing::PrintToString(one.words));
    const std::string before = read(one.kept);
    ASSERT_FALSE(before.empty());
    const Finished run = spira(one.words);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("is an input"));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(read(one.kept), before);
  }
  const Finished piped = spira_reading("scene.ply", {"run", "-", "-o", "scene.ply"});
  EXPECT_EQ(piped.code, 2) << piped.err;
  EXPECT_THAT(piped.err, HasSubstr("is an input (scene)"));
  EXPECT_EQ(spira(layer_to("r.json")).code, 0) << "an existing result must be overwritten";
}

TEST_F(OutputFiles, DevicesStayDevicesAndGetNoFilesNextToThem) {
  make_report();
  constexpr unsigned int null = 3, full = 7;
  for (const auto& [name, minor] : {std::pair{"null", null}, {"full", full}}) {
    if (mknod((folder() / name).c_str(), S_IFCHR | 0666, makedev(1, minor)) != 0)
      GTEST_SKIP() << "cannot create device files";
  }
  for (const Words& words :
       {layer_to("null"), Words{"export", "r.json", "--csv", "-o", "null"},
        Words{"tune", "scene.ply", "--network", "resn21", "--grid", "1", "--budget", "1s", "-o", "null"}}) {
    const Finished run = spira(words);
    EXPECT_TRUE(run.code == 0 || (words.front() == "tune" && run.code == 7)) << run.code << run.err;
  }
  const Finished no_space = spira(layer_to("full"));
  EXPECT_EQ(no_space.code, 3);
  EXPECT_THAT(no_space.err, HasSubstr("full: cannot be written: No space left on device"));
  for (const char* name : {"null", "full"})
    EXPECT_TRUE(std::filesystem::is_character_file(folder() / name)) << name;
  EXPECT_FALSE(std::filesystem::exists(folder() / "null.meta.json"));
  EXPECT_THAT(part_files(), testing::IsEmpty());
}

TEST_F(OutputFiles, StandardOutputHasMoreNamesThanADash) {
  make_report();
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    SCOPED_TRACE(name);
    Words words = layer_to(name);
    words.insert(words.begin(), "--quiet");
    const Finished run = spira(words);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out).at("schema"), "spira.report");
    EXPECT_THAT(spira({"export", "r.json", "--csv", "-o", name}).out, testing::StartsWith("report_id,"));
    EXPECT_EQ(spira({"generate", "street", "-o", name}).code, 2);
  }
}

TEST_F(OutputFiles, PipesGetTheWholeResult) {
  make_report();
  const std::string report = " layer scene.ply --grid 1 --cin 4 --cout 4 --repeat 1 --quiet";
  const Finished substituted = shell(SPIRA_PROGRAM + report + " -o >(cat > got.json); sleep 0.5");
  EXPECT_EQ(substituted.code, 0) << substituted.err;
  EXPECT_EQ(nlohmann::json::parse(read("got.json")).at("schema"), "spira.report");
  const Finished table = shell(SPIRA_PROGRAM " export r.json --csv -o >(cat > got.csv) && sleep 0.5");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(read("got.csv"), testing::StartsWith("report_id,"));
  const Finished named = shell("mkfifo p; " SPIRA_PROGRAM + report + " -o p & cat p > fifo.json; wait");
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(nlohmann::json::parse(read("fifo.json")).at("schema"), "spira.report");
  EXPECT_TRUE(std::filesystem::is_fifo(folder() / "p"));
}

TEST_F(OutputFiles, WaitingForAReaderOfAPipeCanBeInterrupted) {
  make_report();
  ASSERT_EQ(mkfifo((folder() / "p").c_str(), 0600), 0);
  Program program(SPIRA_PROGRAM, {"export", "r.json", "--csv", "-o", "p"}, folder());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.interrupt();
  const Finished run = program.finish();
  EXPECT_EQ(run.code, 130) << run.err;
}

TEST_F(OutputFiles, ModesAndLinksAreKeptAndReadOnlyFilesRefused) {
  make_scene();
  write("kept.json", "old");
  std::filesystem::create_symlink("kept.json", folder() / "link.json");
  const auto file = (folder() / "kept.json").string();
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  EXPECT_EQ(spira(layer_to("link.json")).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder() / "link.json"));
  EXPECT_EQ(nlohmann::json::parse(read("kept.json")).at("schema"), "spira.report");
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  ASSERT_EQ(chmod(file.c_str(), 0444), 0);
  for (const Words& words : {layer_to("kept.json"), Words{"run", "missing.ply", "-o", "link.json"}}) {
    const Finished refused = spira(words);
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("cannot be written: it is read-only"));
  }
}

TEST_F(OutputFiles, AFileSizeLimitOrAFullDiskIsReportedAndLeavesNothing) {
  const std::string generate = SPIRA_PROGRAM " generate street --points 50000 -o ";
  const Finished limited = shell("ulimit -f 8; " + generate + "big.ply");
  EXPECT_EQ(limited.code, 3) << limited.err;
  EXPECT_THAT(limited.err, HasSubstr("big.ply: cannot be written: File too large"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "big.ply"));
  EXPECT_THAT(part_files(), testing::IsEmpty());
  const Finished full =
      shell("mkdir small && unshare -m bash -c 'mount -t tmpfs -o size=64k none small || exit 77; " +
            generate + "small/big.ply; code=$?; ls -A small; exit $code'");
  if (full.code == 77 || full.code == 1) GTEST_SKIP() << "cannot mount a small disk: " << full.err;
  EXPECT_EQ(full.code, 3) << full.err;
  EXPECT_THAT(full.err, HasSubstr("cannot be written: No space left on device"));
  EXPECT_EQ(full.out, "") << "the program must not leave files on the full disk";
}

TEST_F(OutputFiles, AProfileWrittenByAnotherProgramDuringTheRunIsKept) {
  make_scene();
  const Words tune{"tune",     "scene.ply", "--network",     "resn21", "--grid", "1",
                   "--budget", "4s",        "--min-samples", "1",      "-o",     "p.json"};
  Program program(SPIRA_PROGRAM, tune, folder());
  ASSERT_TRUE(program.wait_for_message("scene.ply: read as"));
  write("p.json", "another profile");
  const Finished run = program.finish();
  if (run.code == 7) GTEST_SKIP() << "too few samples to choose a setting: " << run.err;
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_THAT(
      run.err,
      HasSubstr(
          "another program changed this file during the measurement; the new profile was saved as p.json.2"));
  EXPECT_EQ(read("p.json"), "another profile");
  EXPECT_EQ(nlohmann::json::parse(read("p.json.2")).at("schema"), "spira.tune");
}

}  // namespace
}  // namespace spira::test
