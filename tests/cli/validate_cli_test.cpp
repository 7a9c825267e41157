// Tests `spira validate` on files that `spira` wrote, and on files that are not valid.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace spira::test {
namespace {

using testing::HasSubstr;

TEST_F(Cli, ValidatePrintsOneLinePerFault) {
  make_scene();
  ASSERT_EQ(spira({"run", "scene.ply", "--network", "resn21", "--grid", "0.5", "--backend", "cpu", "--repeat",
                   "1", "--check", "-o", "r.json"})
                .code,
            0);
  const Finished good = spira({"validate", "r.json"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_EQ(good.out, "r.json: report 1.21, valid\n");
  auto document = nlohmann::json::parse(read("r.json"));
  EXPECT_TRUE(document["layers"][0]["output_check"]["ok"]);
  document["layers"][0]["pairs"] = "many";
  document.erase("weights");
  write("bad.json", document.dump());
  const Finished bad = spira({"validate", "bad.json"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.out, "bad.json: layers[0].pairs: \"many\"; expected integer\nbad.json: weights: missing\n");
  EXPECT_THAT(bad.err, HasSubstr("bad.json: not valid"));
}

TEST_F(Cli, ValidateKnowsTheFilesWrittenNextToTablesAndBenches) {
  make_scene();
  ASSERT_EQ(spira({"layer", "scene.ply", "--grid", "0.5", "--repeat", "1", "-o", "r.json"}).code, 0);
  for (const char* table : {"--csv", "--samples", "--timeline", "--sweep", "--densities"}) {
    ASSERT_EQ(spira({"export", "r.json", table, "-o", "t.csv"}).code, 0);
    EXPECT_EQ(spira({"validate", "t.csv.meta.json"}).out, "t.csv.meta.json: origin of a table 1.0, valid\n");
  }
  for (const char* suite : {"mapping", "layers", "network"}) {
    const Finished run = spira({"bench", suite, "scene.ply", "--grid", "1", "--repeat", "2", "--only",
                                suite == std::string("network") ? "resn21" : "K=3", "-o", "b.json"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(spira({"validate", "b.json"}).out, "b.json: bench 1.3, valid\n") << suite;
  }
  auto bench = nlohmann::json::parse(read("b.json"));
  bench["rows"][0].erase("median_ms");
  write("bad.json", bench.dump());
  EXPECT_EQ(spira({"validate", "bad.json"}).out, "bad.json: rows[0].median_ms: missing\n");
}

TEST_F(Cli, ValidateKnowsTheFirstVersionsOfDocumentsThatAreOnlyWritten) {
  make_scene();
  for (const char* file : {"a.json", "b.json"})
    ASSERT_EQ(spira({"layer", "scene.ply", "--grid", "0.5", "--repeat", "1", "-o", file}).code, 0);
  auto compared = nlohmann::json::parse(spira({"compare", "a.json", "b.json", "--json"}).out);
  write("c.json", compared.dump());
  EXPECT_EQ(spira({"validate", "c.json"}).out, "c.json: comparison 1.2, valid\n");
  compared["schema_version"] = "1.0";
  for (const char* side : {"baseline", "current"})
    compared[side].erase("trust");
  write("c.json", compared.dump());
  EXPECT_EQ(spira({"validate", "c.json"}).out, "c.json: comparison 1.0, valid\n");
  auto surveyed = nlohmann::json::parse(spira({"info", ".", "--grid", "1", "--json"}).out);
  surveyed["schema_version"] = "1.0";
  write("s.json", surveyed.dump());
  EXPECT_EQ(spira({"validate", "s.json"}).out, "s.json: survey 1.0, valid\n");
}

TEST_F(Cli, ALessonIsRefusedWithTheMenuItemThatOpensIt) {
  write("lesson.json", R"({"schema": "spira.lesson", "schema_version": "1.0"})");
  EXPECT_THAT(spira({"compare", "lesson.json", "lesson.json"}).err, HasSubstr("Learn > Open lesson file..."));
}

TEST_F(Cli, ALessonIsReadAsTheWindowReadsIt) {
  auto lesson = nlohmann::json::parse(std::ifstream(SPIRA_SOURCE_DIR "/resources/lessons/2-search.json"));
  const auto faults = [&](const char* file) {
    write(file, lesson.dump());
    return spira({"validate", file}).out;
  };
  EXPECT_EQ(faults("good.json"), "good.json: lesson 1.0, valid\n");
  lesson["steps"][0]["numbers"][0]["value"] = "search.no_such_fact";
  EXPECT_THAT(faults("fact.json"), HasSubstr("fact.json: steps[0] 'queries'.numbers[0].value: unknown fact"));
  lesson["steps"][0]["numbers"][0]["value"] = "1 +";
  EXPECT_THAT(faults("formula.json"), HasSubstr("formula.json: steps[0] 'queries'.numbers[0].value: "));
  lesson["steps"][0].erase("numbers");
  lesson["steps"][0]["guess"] = {{"question", "?"}, {"choices", {"a", "b", "c"}}, {"answer", "7"}};
  EXPECT_THAT(faults("guess.json"), HasSubstr("guess.answer: expected the index of a choice"));
}

TEST_F(Cli, ValidateChecksAllFilesAndReturnsTheWorstExitCode) {
  write("lesson.json", R"({"schema": "spira.lesson"})");
  write("text.json", "no JSON");
  const Finished both = spira({"validate", "lesson.json", "text.json", "none.json"});
  EXPECT_EQ(both.code, 3);
  EXPECT_THAT(both.out, HasSubstr("lesson.json: steps: missing\n"));
  EXPECT_THAT(both.err, HasSubstr("text.json: invalid JSON at line 1, column 2"));
  EXPECT_THAT(both.err, HasSubstr("none.json"));
  EXPECT_EQ(spira({"validate", "text.json"}).code, 3);
  EXPECT_EQ(spira({"validate"}).code, 2);
}

TEST_F(Cli, FaultsOfJsonAreOneLineWithFilePlaceAndReason) {
  write("big.json", R"({"layers": [{"name": "a", "out_channels": 1e9999}]})");
  write("twice.json",
        R"({"layers": [{"name": "a", "kernel_size": 3, "kernel_size": 5, "out_channels": 16}]})");
  write("name.json",
        R"({"layers": [{"name": ")" + std::string(2'000'000, 'n') + R"(", "out_channels": 4}]})");
  const std::pair<const char*, const char*> all[] = {
      {"big.json", "./big.json: invalid JSON at line 1, column 43: the number is out of range (1e9999)"},
      {"twice.json", "./twice.json: layers[0].kernel_size: the key occurs twice in one object"},
      {"name.json", "./name.json: layers[0].name: 2,000,000 bytes; expected at most 1,000"}};
  for (const auto& [file, says] : all) {
    SCOPED_TRACE(file);
    const std::string path = std::string("./") + file;
    const Finished run = spira({"--quiet", "run", "street", "--network", path});
    EXPECT_EQ(run.code, 3);
    EXPECT_EQ(run.err.substr(0, 500), std::string("spira: ") + says + "\n");
    const Finished checked = spira({"validate", path});
    EXPECT_NE(checked.code, 0);
    EXPECT_THAT(checked.out + checked.err, HasSubstr(says));
  }
}

TEST_F(Cli, ValidateRefusesWhatRunRefuses) {
  write("residual.json", R"({"layers": [{"name": "a", "out_channels": 16}, {"name": "b", "out_channels": 32,
    "residual": "a"}]})");
  const Finished checked = spira({"validate", "residual.json"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr("residual.json: layers[1].residual: 'a' has 16 channels"));
  EXPECT_EQ(spira({"run", "street", "--network", "residual.json"}).code, 3);
}

TEST_F(Cli, APipeIsNotOpenedAsAFile) {
  ASSERT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  for (const char* command : {"info", "validate"}) {
    const Finished done = spira({command, "pipe"});
    EXPECT_EQ(done.code, 3);
    EXPECT_THAT(done.err, HasSubstr("pipe: is a pipe or a device, expected a regular file"));
  }
}

/// Tests documents from public bug reports: `run` must give the expected error, and `validate` must refuse
/// the document too.
TEST_F(Cli, ReportedDocumentsAreRefusedWithTheirFault) {
  const std::filesystem::path data = std::filesystem::path(SPIRA_TEST_DATA) / "reported/programs";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no " << data;
  const std::pair<const char*, const char*> networks[] = {
      {"number_overflow.json", "line 1, column 74: the number is out of range"},
      {"duplicate_keys.json", "layers[0].kernel_size: the key occurs twice"},
      {"refused_by_run_add_shape.json", "layers[2].residual: 'a' has 16 channels"},
      {"refused_by_run_cycle.json", "layers[0].inputs[0]: no earlier layer is called 'b'"},
      {"refused_by_run_strides_2e33.json", "layers[6].stride: the output would have stride 128"}};
  for (const auto& [name, says] : networks) {
    SCOPED_TRACE(name);
    const std::string file = (data / name).string();
    const Finished run = spira({"--quiet", "run", "street", "--network", file});
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.err, testing::StartsWith("spira: " + file + ": "));
    EXPECT_THAT(run.err, HasSubstr(says));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
    const Finished checked = spira({"validate", file});
    EXPECT_NE(checked.code, 0);
    EXPECT_THAT(checked.out + checked.err, HasSubstr(says));
  }
  EXPECT_THAT(spira({"validate", (data / "voxel_stride_7.spirasession").string()}).out,
              HasSubstr("view.voxel.stride: 7; expected one of: 1, 2, 4, 8, 16"));
  const Finished weights = spira({"--quiet", "run", "street", "--network", (data / "one_layer.json").string(),
                                  "--weights", (data / "weights_nan.safetensors").string(), "--check"});
  EXPECT_EQ(weights.code, 3);
  EXPECT_THAT(weights.err, HasSubstr("tensor a.weight has NaN or infinite values: 16 of 16"));
}

}  // namespace
}  // namespace spira::test
