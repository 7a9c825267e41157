// `spira validate` of files that the program wrote, and of others.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace spira::test {
namespace {

using testing::HasSubstr;

TEST_F(Cli, ValidateSaysWhatIsWrongInALineAFault) {
  make_scene();
  ASSERT_EQ(spira({"run", "scene.ply", "--network", "resn21", "--grid", "0.5", "--backend", "cpu", "--repeat",
                   "1", "--check", "-o", "r.json"})
                .code,
            0);
  const Finished good = spira({"validate", "r.json"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_EQ(good.out, "r.json: report 1.6, valid\n");
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

TEST_F(Cli, ValidateLooksAtAllFilesAndEndsWithTheWorst) {
  write("lesson.json", R"({"schema": "spira.lesson"})");
  write("text.json", "no JSON");
  const Finished both = spira({"validate", "lesson.json", "text.json", "none.json"});
  EXPECT_EQ(both.code, 3);
  EXPECT_THAT(both.out, HasSubstr("lesson.json: steps: missing\n"));
  EXPECT_THAT(both.err, HasSubstr("text.json: not JSON"));
  EXPECT_THAT(both.err, HasSubstr("none.json"));
  EXPECT_EQ(spira({"validate", "text.json"}).code, 3);
  EXPECT_EQ(spira({"validate"}).code, 2);
}

}  // namespace
}  // namespace spira::test
