// Tests `spira compare` on reports that `spira` wrote. The tests of verdicts use copies of one report in
// which the samples are replaced, because measured times vary.
#include "tests/cli/cli_fixture.hpp"
#include "tests/cli/expect_csv.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class CliCompare : public Cli {
 protected:
  void record(const std::string& name) const {
    const Finished run = spira({"run", "scene.ply", "--network", "resn21", "--grid", "0.5", "--backend",
                                "cpu", "--repeat", "5", "-o", name});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  /// Writes a report to base.json. Its samples are replaced by nine nearly equal values.
  json make_base() const {
    make_scene();
    record("real.json");
    json report = json::parse(read("real.json"));
    set_wall(report, 10.0);
    write("base.json", report.dump());
    return report;
  }
  static void set_wall(json& report, double ms, double spread = 0.001) {
    json samples = json::array();
    for (int at = -4; at <= 4; ++at)
      samples.push_back(ms * (1.0 + (spread * at / 4.0)));
    report["totals"]["wall_ms"]["samples"] = samples;
  }
  Finished compare_with(const json& current, std::vector<std::string> more = {}) const {
    write("now.json", current.dump());
    std::vector<std::string> arguments{"compare", "base.json", "now.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return spira(arguments);
  }
};

TEST_F(CliCompare, MatchesAllRowsOfTwoRecordedReports) {
  make_scene();
  record("a.json");
  record("b.json");
  const Finished run = spira({"compare", "a.json", "b.json", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = json::parse(run.out), a = json::parse(read("a.json"));
  EXPECT_EQ(result.at("schema"), "spira.compare");
  EXPECT_EQ(result.at("baseline").at("file"), "a.json");
  EXPECT_TRUE(result.at("unmatched").empty()) << result.at("unmatched");
  EXPECT_TRUE(result.at("differences").empty()) << result.at("differences");
  std::size_t stages = a.at("indexing").size();
  for (const json& layer : a.at("layers"))
    stages += layer.at("stages").size();
  EXPECT_EQ(result.at("rows").size(), stages + 1);
  for (const json& row : result.at("rows")) {
    EXPECT_NE(row.at("verdict"), "not comparable");
    EXPECT_LE(row.at("ratio_low"), row.at("ratio_high"));
  }
}

TEST_F(CliCompare, AReportAndItsCopyAreTheSameInEachRow) {
  make_scene();
  record("a.json");
  write("copy.json", read("a.json"));
  for (const char* current : {"a.json", "copy.json"}) {
    const Finished run = spira({"compare", "a.json", current, "--fail-on", "slower:0%"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("both reports are copies of the same run"));
    EXPECT_THAT(run.out, HasSubstr(" SAME"));
    EXPECT_THAT(run.out, Not(HasSubstr(" UNDECIDED ")));
    EXPECT_THAT(run.out, Not(HasSubstr("may suffice for a verdict")));
  }
  record("b.json");
  EXPECT_THAT(spira({"compare", "a.json", "b.json"}).out, Not(HasSubstr("same run")));
}

TEST_F(CliCompare, PrintsATableWithVerdictsAndWarnsOfFalseAlarms) {
  json now = make_base();
  set_wall(now, 10.5);
  const Finished run = compare_with(now);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out,
              testing::ContainsRegex("whole network, wall +wall +10.0000 +10.5000 +1.0500 .*SLOWER"));
  EXPECT_THAT(run.out, HasSubstr("by chance"));
  const Finished markdown = compare_with(now, {"--markdown"});
  EXPECT_THAT(markdown.out, HasSubstr("| whole network, wall | wall | 10.0000 | 10.5000 | 1.0500 |"));
  EXPECT_EQ(compare_with(now, {"--markdown", "--json"}).code, 2);
  const Finished table = compare_with(now, {"--csv"});
  expect_csv(table.out,
             "layer,stage,mode,baseline_n,baseline_median_ms,baseline_q1_ms,baseline_q3_ms,current_n,"
             "current_median_ms,current_q1_ms,current_q3_ms,ratio,ratio_low,ratio_high,verdict,why");
  EXPECT_THAT(table.out, HasSubstr("\r\n\"\",\"\",wall,9,10.000000,"));
  EXPECT_THAT(table.out, HasSubstr(",1.050000,"));
  EXPECT_EQ(compare_with(now, {"--markdown", "--csv"}).code, 2);
}

TEST_F(CliCompare, FailsIfSlowerThanTheLimitOrUndecided) {
  json now = make_base();
  EXPECT_EQ(compare_with(now, {"--fail-on", "slower:2%"}).code, 0);
  set_wall(now, 10.5);
  const Finished slower = compare_with(now, {"--fail-on", "slower:2%"});
  EXPECT_EQ(slower.code, 6);
  EXPECT_THAT(slower.err, HasSubstr("slower than the baseline by more than 2.0 %"));
  EXPECT_THAT(slower.out, HasSubstr("SLOWER")) << "the table must be printed even if the gate fails";
  EXPECT_EQ(compare_with(now, {"--fail-on", "slower:10%"}).code, 0);
  set_wall(now, 10.3, 0.4);
  EXPECT_EQ(compare_with(now, {"--fail-on", "slower:2%"}).code, 7);
  EXPECT_EQ(compare_with(now).code, 0) << "without --fail-on the exit code must be 0";
  for (const char* wrong : {"slower", "slower:", "slower:two%", "slower:-1%", "faster:2%", "slower:2"})
    EXPECT_EQ(compare_with(now, {"--fail-on", wrong}).code, 2) << wrong;
}

TEST_F(CliCompare, OtherDevicesAreComparedOnlyOnRequest) {
  json now = make_base();
  now["device"]["name"] = "Another device";
  const Finished refused = compare_with(now);
  EXPECT_EQ(refused.code, 0);
  EXPECT_THAT(refused.out, HasSubstr("NOT COMPARABLE"));
  EXPECT_THAT(refused.out, HasSubstr("not comparable: device differs"));
  EXPECT_EQ(compare_with(now, {"--fail-on", "slower:2%"}).code, 7);
  const Finished asked = compare_with(now, {"--ignore-devices", "--fail-on", "slower:2%"});
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_THAT(asked.out, HasSubstr("device differences are ignored, as you requested"));
  EXPECT_THAT(asked.out, Not(HasSubstr("NOT COMPARABLE")));
}

TEST_F(CliCompare, ABaselineWithAWrongOutputReturnsSevenWithTheReason) {
  json now = make_base(), wrong = now;
  wrong["layers"][0]["output_check"] = {
      {"max_abs", 1.0}, {"max_rel", 1.0}, {"tolerance", 1e-4}, {"ok", false}};
  write("wrong.json", wrong.dump());
  set_wall(now, 9.0);
  write("now.json", now.dump());
  const Finished refused = spira({"compare", "wrong.json", "now.json", "--fail-on", "slower:2%"});
  EXPECT_EQ(refused.code, 7);
  EXPECT_THAT(refused.out, HasSubstr("NOT COMPARABLE"));
  EXPECT_THAT(refused.err, HasSubstr("the baseline cannot be used, because its trust grade is X"));
  const Finished current = spira({"compare", "now.json", "wrong.json", "--fail-on", "slower:50%"});
  EXPECT_EQ(current.code, 7);
  EXPECT_THAT(current.out, HasSubstr("warning: the current report cannot pass a speed limit"));
  EXPECT_THAT(current.err, HasSubstr("the trust grade of the current report is X"));
}

TEST_F(CliCompare, FilesThatAreNotReportsReturnThree) {
  const json base = make_base();
  const Finished missing = spira({"compare", "base.json", "none.json"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("none.json"));
  write("cut.json", base.dump().substr(0, 1000));
  const Finished cut = spira({"compare", "cut.json", "base.json"});
  EXPECT_EQ(cut.code, 3);
  EXPECT_THAT(cut.err, HasSubstr("cut.json"));
  EXPECT_EQ(spira({"compare", "base.json", "scene.ply"}).code, 3);
  EXPECT_EQ(spira({"compare", "base.json"}).code, 2);
}

}  // namespace
}  // namespace spira::test
