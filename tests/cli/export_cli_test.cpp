// Tests `spira export` on a report that `spira run` wrote.
#include "tests/cli/cli_fixture.hpp"
#include "tests/cli/expect_csv.hpp"
#include "tests/support/expect_trace.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class CliExport : public Cli {
 protected:
  void record() const {
    make_scene();
    const Finished run = spira({"run", "scene.ply", "--network", "minkunet42", "--grid", "0.5", "--backend",
                                "cpu", "--repeat", "2", "-o", "r.json"});
    ASSERT_EQ(run.code, 0) << run.err;
  }
};

TEST_F(CliExport, TraceHasAnEventForEachStageOfTheReport) {
  record();
  const Finished run = spira({"export", "r.json", "--trace", "-o", "r.trace.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json report = json::parse(read("r.json"));
  std::size_t stages = report.at("indexing").size();
  for (const json& layer : report.at("layers"))
    stages += layer.at("stages").size();
  const std::string trace = read("r.trace.json");
  std::size_t recorded = 0;
  EXPECT_EQ(expect_trace(trace, &recorded), stages);
  EXPECT_EQ(recorded, report.at("timeline").at("spans").size());
  expect_fixed_point(trace);
}

TEST_F(CliExport, TablesAndSummary) {
  record();
  ASSERT_EQ(spira({"export", "r.json", "--csv", "-o", "r.csv"}).code, 0);
  expect_csv(read("r.csv"), measurements_heading);
  ASSERT_EQ(spira({"export", "r.json", "--samples", "-o", "s.csv"}).code, 0);
  expect_csv(read("s.csv"), "layer,stage,sample,ms,held_back,sm_clock_mhz,report_id");
  const json meta = json::parse(read("s.csv.meta.json")), report = json::parse(read("r.json"));
  EXPECT_EQ(meta.at("table"), "samples");
  EXPECT_EQ(meta.at("report"), report.at("id"));
  ASSERT_EQ(spira({"export", "r.json", "--densities", "-o", "d.csv"}).code, 0);
  expect_csv(read("d.csv"), "map,dx,dy,dz,l1,matches,n_out,density,triplets");
  ASSERT_EQ(spira({"export", "r.json", "--sweep", "-o", "t.csv"}).code, 0);
  EXPECT_EQ(read("t.csv"), "subject,setting,t,word_bits,n,median_ms,q1_ms,q3_ms,min_ms,max_ms,why_not\r\n");
  ASSERT_EQ(spira({"export", "r.json", "--csv", "--comment", "-o", "c.csv"}).code, 0);
  EXPECT_THAT(read("c.csv"), testing::StartsWith("# report " + report.at("id").get<std::string>()));
  EXPECT_FALSE(std::filesystem::exists(folder() / "c.csv.meta.json"));
  ASSERT_EQ(spira({"export", "r.json", "--markdown", "-o", "r.md"}).code, 0);
  EXPECT_THAT(read("r.md"), HasSubstr("## Slowest layers"));
}

TEST_F(CliExport, RequiresOneFormatAReportAndAFile) {
  record();
  EXPECT_EQ(spira({"export", "r.json", "-o", "x"}).code, 2);
  EXPECT_EQ(spira({"export", "r.json", "--csv", "--trace", "-o", "x"}).code, 2);
  EXPECT_EQ(spira({"export", "r.json", "--csv"}).code, 2);
  EXPECT_EQ(spira({"export", "r.json", "--trace", "--comment", "-o", "x"}).code, 2);
  EXPECT_EQ(spira({"export", "scene.ply", "--csv", "-o", "x"}).code, 3);
  EXPECT_EQ(spira({"export", "none.json", "--csv", "-o", "x"}).code, 3);
  EXPECT_EQ(spira({"export", "r.json", "--csv", "-o", "no/folder/x"}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder() / "x"));
}

}  // namespace
}  // namespace spira::test
