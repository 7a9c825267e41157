// Tests `spira infer`: the results of each frame, resuming after a kill, and faults of single frames.
#include "tests/cli/cli_fixture.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <thread>

namespace spira::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class CliInfer : public Cli {
 protected:
  void SetUp() override { fs::create_directory(folder() / "set"); }
  void frames(int count) const {
    for (int at = 0; at < count; ++at) {
      const Finished made = spira({"generate", "street", "--points", "300", "--seed", std::to_string(at + 1),
                                   "-o", "set/f" + std::to_string(at) + ".ply"});
      ASSERT_EQ(made.code, 0) << made.err;
    }
  }
  [[nodiscard]] static std::vector<std::string> words(const std::string& out,
                                                      const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"infer", "set",       "--network", "resn21", "--grid",
                                 "1",     "--backend", "cpu",       "-o",     out};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Returns the content of each results file by name.
  [[nodiscard]] std::map<std::string, std::string> results(const std::string& out) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder() / out)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("manifest")) files[name] = read(out + "/" + name);
    }
    return files;
  }
  [[nodiscard]] std::vector<json> lines(const std::string& file) const {
    std::vector<json> all;
    std::istringstream text(read(file));
    for (std::string line; std::getline(text, line);) {
      all.push_back(json::parse(line));
      EXPECT_THAT(shipped_schema("frame").faults(all.back()), testing::IsEmpty());
    }
    return all;
  }
};

TEST_F(CliInfer, ManifestsCanBeValidated) {
  frames(2);
  ASSERT_EQ(spira(words("out")).code, 0);
  EXPECT_EQ(spira({"validate", "out/manifest.jsonl"}).out, "out/manifest.jsonl: manifest 1.0, valid\n");
  const std::string good = read("out/manifest.jsonl");
  const std::size_t second = good.find('\n') + 1;
  std::string bad = good;
  bad.replace(bad.find("\"frame\"", second), 7, "\"drama\"");
  write("bad.jsonl", bad + good.substr(0, 30));
  const Finished found = spira({"validate", "bad.jsonl"});
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.out, HasSubstr("bad.jsonl: line 2: frame: missing\n"));
  EXPECT_THAT(found.out, HasSubstr("bad.jsonl: line 3: invalid JSON at line 1, column "));
  EXPECT_THAT(found.out, Not(HasSubstr("line 1: frame")));
}

TEST_F(CliInfer, OutputsAreThoseOfASingleRun) {
  frames(3);
  const Finished run = spira(words("out"));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("3 finished, 0 skipped (finished before), 0 failed"));
  EXPECT_THAT(run.out, HasSubstr("frames per second over"));
  EXPECT_THAT(run.out, HasSubstr("busy"));
  const auto written = results("out");
  ASSERT_EQ(written.size(), 3U);
  for (const auto& [name, bytes] : written) {
    const Finished one =
        spira({"run", "set/" + name.substr(0, name.rfind('.')), "--network", "resn21", "--grid", "1",
               "--backend", "cpu", "--repeat", "1", "--warmup", "0", "--outputs", "one.safetensors"});
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_TRUE(read("one.safetensors") == bytes) << name;
  }
  const auto manifest = lines("out/manifest.jsonl");
  ASSERT_EQ(manifest.size(), 3U);
  EXPECT_EQ(manifest[1].at("frame"), "f1.ply");
  EXPECT_EQ(manifest[1].at("file"), "f1.ply.safetensors");
}

TEST_F(CliInfer, FinishedFramesAreSkippedWhileNothingChanges) {
  frames(3);
  ASSERT_EQ(spira(words("out")).code, 0);
  const auto skipped = [&](const std::vector<std::string>& more) {
    const Finished run = spira(words("out", more));
    EXPECT_EQ(run.code, 0) << run.err;
    const auto end = run.out.find(" skipped"), begin = run.out.rfind(' ', end - 1) + 1;
    return run.out.substr(begin, end - begin);
  };
  EXPECT_EQ(skipped({}), "3");
  write("out/f1.ply.safetensors", "short");
  EXPECT_EQ(skipped({}), "2") << "the size of a results file differs";
  fs::copy_file(folder() / "set/f0.ply", folder() / "set/f2.ply", fs::copy_options::overwrite_existing);
  write("set/f2.ply", read("set/f2.ply") + "\n");
  EXPECT_EQ(skipped({}), "2") << "the size of a frame differs";
  EXPECT_EQ(skipped({"--seed", "2"}), "0");
  EXPECT_EQ(skipped({"--seed", "2", "--precision", "fp16"}), "0");
  EXPECT_EQ(skipped({"--seed", "2", "--precision", "fp16", "--pack", "64"}), "0");
  EXPECT_EQ(skipped({"--seed", "2", "--precision", "fp16", "--pack", "64", "--threshold", "1"}), "0");
}

TEST_F(CliInfer, KilledRunsContinueWithTheSameResults) {
  frames(12);
  ASSERT_EQ(spira(words("whole")).code, 0);
  const auto expected = results("whole");
  ASSERT_EQ(expected.size(), 12U);
  std::mt19937 random(7);
  std::uniform_int_distribution<int> wait_ms(1, 120);
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    // Begin again from time to time, so that frames are left to be killed.
    if (round % 4 == 0) fs::remove_all(folder() / "out");
    Program program(SPIRA_PROGRAM, words("out"), folder());
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms(random)));
    program.send(SIGKILL);
    killed += program.finish().code == 128 + SIGKILL ? 1 : 0;
    if (!fs::exists(folder() / "out")) continue;
    for (const auto& [name, bytes] : results("out")) {
      if (name.find(".part") != std::string::npos) continue;
      EXPECT_TRUE(bytes == expected.at(name)) << name << " is incomplete";
    }
  }
  EXPECT_GT(killed, 5) << "the delays are too long to interrupt the program";
  // A torn last line must not prevent the next run.
  write("out/manifest.jsonl", read("out/manifest.jsonl") + "{\"schema\": \"spira.fr");
  write("out/f3.ply.safetensors.part123", "left by a killed process");
  fs::remove(folder() / "out/f3.ply.safetensors");
  const Finished last = spira(words("out"));
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_TRUE(results("out") == expected);
  EXPECT_GE(lines("out/manifest.jsonl").size(), 12U);
}

TEST_F(CliInfer, BrokenFramesAreNamedAndTheOthersRun) {
  frames(2);
  write("set/f5.ply", "ply\nformat nothing 1.0\n");
  write("set/f6.csv", "x,y,z\n0,0,0\n900000000,900000000,900000000\n");
  const Finished run = spira(words("out"));
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("spira: f5.ply: "));
  EXPECT_THAT(run.err, HasSubstr("spira: f6.csv: "));
  EXPECT_THAT(run.err, HasSubstr("2 of 4 frames failed"));
  EXPECT_EQ(results("out").size(), 2U);
  const auto manifest = lines("out/manifest.jsonl");
  ASSERT_EQ(manifest.size(), 4U);
  EXPECT_TRUE(manifest[2].contains("fault"));
  EXPECT_THAT(spira(words("out")).out, HasSubstr("0 finished, 2 skipped (finished before), 2 failed"));
}

TEST_F(CliInfer, ShardsShareTheFolderOfTheResults) {
  frames(3);
  ASSERT_EQ(spira(words("whole")).code, 0);
  for (const char* shard : {"1/2", "2/2"})
    ASSERT_EQ(spira(words("out", {"--shard", shard})).code, 0);
  EXPECT_TRUE(results("out") == results("whole"));
  EXPECT_EQ(lines("out/manifest-1-of-2.jsonl").size(), 2U);
  EXPECT_EQ(lines("out/manifest-2-of-2.jsonl").at(0).at("shard").at("number"), 2);
  EXPECT_THAT(spira(words("out")).out, HasSubstr("3 skipped"));
}

TEST_F(CliInfer, AnInterruptKeepsTheFinishedFrames) {
  make_scene();
  for (int at = 0; at < 60; ++at)
    fs::create_hard_link(folder() / "scene.ply", folder() / ("set/f" + std::to_string(at) + ".ply"));
  Program program(SPIRA_PROGRAM, words("out", {"--threads", "1"}), folder());
  while (!fs::exists(folder() / "out/f0.ply.safetensors"))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.interrupt();
  const Finished run = program.finish();
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.err, HasSubstr("of 60 frames; run the same command again to continue"));
  const auto finished = lines("out/manifest.jsonl");
  EXPECT_EQ(results("out").size(), finished.size());
  EXPECT_LT(finished.size(), 60U);
}

TEST_F(CliInfer, JsonContainsTheCountsAndTheTimes) {
  frames(2);
  ASSERT_EQ(spira(words("out", {"--shard", "1/2"})).code, 0);
  const Finished run = spira(words("out", {"--json"}));
  ASSERT_EQ(run.code, 0) << run.err;
  const json facts = json::parse(run.out);
  EXPECT_EQ(facts.at("finished"), 1);
  EXPECT_EQ(facts.at("skipped"), 1);
  EXPECT_EQ(facts.at("failed"), 0);
  EXPECT_GE(facts.at("total_ms").get<double>(), facts.at("engine_ms").get<double>());
}

TEST_F(CliInfer, AllDevicesNeedAGpuAndChooseTheShards) {
  frames(1);
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& text) {
    const Finished run = spira(words("out", more));
    EXPECT_EQ(run.code, code);
    EXPECT_THAT(run.err, HasSubstr(text));
  };
  refused({"--devices", "2"}, 2, "--devices 2: expected all; --device N selects one GPU");
  refused({"--devices", "all", "--shard", "1/2"}, 2, "excludes --shard");
  ASSERT_EQ(setenv("CUDA_VISIBLE_DEVICES", "", 1), 0);
  std::vector<std::string> on_any = words("out", {"--devices", "all"});
  on_any.erase(std::find(on_any.begin(), on_any.end(), "--backend"),
               std::find(on_any.begin(), on_any.end(), "-o"));
  const Finished none = spira(on_any);
  EXPECT_EQ(none.code, 5);
  EXPECT_THAT(none.err, HasSubstr("--devices all: this machine has no usable GPU"));
  refused({"--devices", "all"}, 2, "--devices all: excludes --backend cpu");
  ASSERT_EQ(setenv("CUDA_VISIBLE_DEVICES", "3,1", 1), 0);
  refused({"--device", "2"}, 2, "--device 2: CUDA_VISIBLE_DEVICES contains only 2 GPUs");
  refused({"--device", "1"}, 5, "--device 1: ");
  unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_F(CliInfer, UsageErrorsAre2) {
  frames(1);
  for (const std::vector<std::string>& all : {std::vector<std::string>{"infer", "set", "-o", "out"},
                                              {"infer", "set", "--grid", "1"},
                                              {"infer", "set", "--grid", "1", "-o", "set"},
                                              {"infer", "set/f0.ply", "--grid", "1", "-o", "out"},
                                              words("out", {"--shard", "3/2"}),
                                              words("out", {"--output-layers", "none"})}) {
    const Finished run = spira(all);
    EXPECT_EQ(run.code, 2) << run.err;
  }
}

}  // namespace
}  // namespace spira::test
