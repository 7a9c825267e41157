#include "engine/report/report.hpp"

#include "engine/base/file.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace spira {
namespace {

class ReportOfARun : public testing::Test {
 protected:
  void SetUp() override {
    some.load();
    SamplingProtocol how;
    how.min_samples = how.max_samples = 3;
    Job job;
    measurement = some.session.measure(some.plan, how, job);
    report = make_report(some.session, *measurement, {"spira", "run", "room"});
  }
  test::SmallSession some;
  std::shared_ptr<const Measurement> measurement;
  Report report;
};

TEST_F(ReportOfARun, ContainsTheMeasurement) {
  const auto document = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(document["schema"], "spira.report");
  EXPECT_EQ(document["command"][1], "run");
  EXPECT_EQ(document["scene"]["voxels"], some.session.result(0)->features->rows);
  EXPECT_EQ(document["scene"]["packing"]["bits"], (std::vector<int>{12, 12, 8}));
  EXPECT_EQ(document["totals"]["wall_ms"]["samples"], measurement->wall.ms);
  EXPECT_EQ(document["totals"]["sum_of_stages_ms"], measurement->sum_of_stages_ms());
  EXPECT_EQ(document["trust"]["grade"], "C") << "three samples must give grade C";
  EXPECT_EQ(document["trust"]["reasons"][0], "few_samples");
  ASSERT_EQ(document["layers"].size(), some.network->layers.size());
  for (std::size_t at = 0; at < some.network->layers.size(); ++at) {
    const auto& row = document["layers"][at];
    EXPECT_EQ(row["name"], some.network->layers[at].name);
    EXPECT_EQ(row["pairs"], row["densities"]["pairs"]);
    for (const auto& stage : row["stages"])
      EXPECT_EQ(stage["samples"].size(), 3U) << stage["stage"];
  }
}

TEST_F(ReportOfARun, ContainsTheTimerResolutionAndTheDeviceState) {
  const auto plain = nlohmann::json::parse(report_json(report));
  EXPECT_GT(plain["protocol"]["timer_resolution_us"], 0.0);
  EXPECT_GE(plain["protocol"]["timer_overhead_us"], 0.0);
  EXPECT_EQ(plain["protocol"]["order"], "one_after_another");
  EXPECT_EQ(plain["protocol"]["seed"], seed_of(report.weights).value());
  EXPECT_FALSE(plain["device"]["path"].get<std::string>().empty());
  EXPECT_FALSE(plain["device"].contains("state_before") &&
               plain["device"]["state_before"]["sm_clock_mhz"].is_number())
      << "a CPU has no SM clock";
  EXPECT_FALSE(plain["totals"]["wall_ms"]["stats"].contains("ci95_median"))
      << "three samples must give no confidence interval";
  Measurement told = *measurement;
  told.device.driver = "580.159.04";
  told.state_before.sm_clock_mhz = 1980;
  told.state_after.throttled_by = {"power cap"};
  report.measurement = told;
  const auto device = nlohmann::json::parse(report_json(report))["device"];
  EXPECT_EQ(device["driver"], "580.159.04");
  EXPECT_EQ(device["state_before"]["sm_clock_mhz"], 1980);
  EXPECT_TRUE(device["state_before"]["throttled_by"].is_null())
      << "an unknown reason must be null, not an empty list";
  EXPECT_EQ(device["state_after"]["throttled_by"], std::vector<std::string>{"power cap"});
}

TEST_F(ReportOfARun, HoldsTheNetworkSoThatItCanRunAgain) {
  const auto document = nlohmann::json::parse(report_json(report));
  const Network back = parse_network(document["network"].dump(), "report");
  EXPECT_EQ(network_json(back), network_json(*some.network));
}

TEST_F(ReportOfARun, HoldsNoCoordinates) {
  const auto document = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(document["scene"]["coordinates_included"], false);
  // The report must contain neither points nor keys. Its only arrays of variable length are the counts per
  // column and the stages per layer, and they do not grow with the scene.
  const std::size_t most = document["timeline"]["spans"].size();
  EXPECT_LT(most, 100U);
  const std::function<void(const nlohmann::json&)> check = [&](const nlohmann::json& value) {
    if (value.is_array()) {
      EXPECT_LE(value.size(), std::max<std::size_t>(most, 27));
    }
    if (value.is_structured()) {
      for (const auto& member : value)
        check(member);
    }
  };
  check(document);
}

TEST_F(ReportOfARun, FingerprintFollowsTheVoxels) {
  test::SmallSession other;
  other.load(test::small_room(3000, 2));
  Job job;
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  const auto measured = other.session.measure(other.plan, how, job);
  EXPECT_NE(make_report(other.session, *measured, {}).scene.fingerprint, report.scene.fingerprint);
  EXPECT_EQ(make_report(some.session, *measurement, {}).scene.fingerprint, report.scene.fingerprint);
}

TEST_F(ReportOfARun, ContainsTheDisplayOriginOfAFarScene) {
  EXPECT_EQ(report.scene.display_origin_m, Point{});
  auto far = *test::small_room();
  for (Point& position : far.positions)
    position[0] += 455'000;
  test::SmallSession other;
  other.load(std::make_shared<const PointCloud>(std::move(far)));
  const Point origin = make_report(other.session, *measurement, {}).scene.display_origin_m;
  EXPECT_NEAR(origin[0], 455'000, 10);
  EXPECT_EQ(origin[0], std::round(origin[0]));
}

TEST_F(ReportOfARun, IsWrittenToAFile) {
  const test::TempFolder folder;
  write_report(folder / "r.json", report);
  EXPECT_EQ(read_text_file(folder / "r.json", 1 << 24), report_json(report));
}

TEST(ReportCsv, QuotesAsRfc4180Says) {
  Report report;
  LayerMeasurement layer;
  layer.name = "a \"b\", c";
  layer.stages.nodes.push_back({"features[x]", -1, {1, 2, 3}, 0, 0, false});
  layer.stages.nodes.push_back({"os", 0, {0.001}, 0, 0, false, 123456});
  report.measurement.layers.push_back(layer);
  report.measurement.wall.ms = {4};
  report.measurement.peak_bytes = 200000;
  report.measurement.plan.layers.push_back({2});
  report.measurement.wall.held_back = {true};
  report.measurement.wall.sm_clock_mhz = {1755};
  report.scene.name = "a scan";
  const std::string head = report_id(report) + ",\"\",\"\",\"a scan\",";
  const std::string text = measurements_csv(report);
  EXPECT_EQ(
      text.substr(text.find('\n') + 1),
      head +
          "\"a \"\"b\"\", c\",\"features\",isolated,warm,2,32,3,2.000000,1.500000,2.500000,1.000000,3.000000,"
          "0.500000,,,\"features[x]\",,,,,\r\n" +
          head +
          "\"a \"\"b\"\", c\",\"os\",isolated,warm,2,32,1,0.001000,0.001000,0.001000,0.001000,0.001000,"
          "0.000000,,near_timer_resolution,\"features[x].os\",123456,,,,\r\n" +
          head +
          "\"\",\"wall\",wall,warm,,32,1,4.000000,4.000000,4.000000,4.000000,4.000000,0.000000,1755,"
          "held_back:1,\"wall\",200000,,,,\r\n");
}

TEST(ReportCsv, HasThePercentilesThatTheSamplesAllow) {
  Report report;
  for (int at = 0; at <= 20; ++at)
    report.measurement.wall.ms.push_back(at);
  EXPECT_THAT(measurements_csv(report), testing::EndsWith(",18.000000,19.000000,,\r\n"));
  const std::string text = report_markdown(report);
  EXPECT_THAT(text, testing::HasSubstr("| 18.000 | 19.000 | - |"));
  EXPECT_THAT(text, testing::HasSubstr("p99 needs 100 samples"));
  report.measurement.compiled_wall.ms = {1, 2, 3, 4, 5};
  EXPECT_THAT(report_markdown(report), testing::Not(testing::HasSubstr("\n- :")))
      << "the report must have no empty bullet";
  EXPECT_THAT(report_markdown(report), testing::HasSubstr("p90 needs 10 samples, p95 20, p99 100"))
      << "the second row must explain its dashes";
}

TEST(ReportJson, OmitsPercentilesThatTheSamplesDoNotAllow) {
  Report report;
  report.measurement.wall.ms = std::vector<double>(9, 1.0);
  const auto stats = [&] { return nlohmann::json::parse(report_json(report))["totals"]["wall_ms"]["stats"]; };
  EXPECT_FALSE(stats().contains("p90"));
  EXPECT_EQ(stats()["ci95_median"], (std::vector<double>{1, 1}));
  report.measurement.wall.ms.push_back(1.0);
  EXPECT_EQ(stats()["p90"], 1.0);
}

}  // namespace
}  // namespace spira
