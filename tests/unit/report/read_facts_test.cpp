// Tests that the facts about build, machine, device and trust do not change if a report is written and read.
#include "engine/base/error.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/recorded_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spira {
namespace {

using nlohmann::json;
using test::recorded_report;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(parse_report(text, "r.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return {};
}

const JsonSchema& schema() {
  static const JsonSchema read = test::shipped_schema("report");
  return read;
}

TEST(ReportFacts, RestoresTheInputsOfTrust) {
  Report report = recorded_report();
  Measurement& m = report.measurement;
  m.wall.held_back = {false, true, false};
  m.wall.sm_clock_mhz = {1980, 1755, 1980};
  m.compiled_wall.held_back = {true, true};
  m.held_back_by = {"power cap"};
  m.state_before.clocks_locked = true;
  m.state_before.other_processes = 0;
  m.input = InputValues{480, 131, 2};
  for (LayerMeasurement& layer : m.layers) {
    layer.check = OutputDifference{0.25, 0.5, false, 3};
    layer.non_finite = 9;
  }
  json document = json::parse(report_json(report));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  EXPECT_EQ(document["layers"][0]["output_check"]["tolerance"], 1e-4);
  EXPECT_EQ(document["device"]["state_after"]["other_processes"], -1)
      << "an unknown number of processes must be written as -1";
  const Report read = parse_report(document.dump(), "r.json");
  EXPECT_EQ(json::parse(report_json(read)), document);
  EXPECT_EQ(trust_of(read).text(), trust_of(report).text());
  EXPECT_EQ(read.measurement.state_before.clocks_locked, true);
  EXPECT_FALSE(read.measurement.state_after.other_processes.has_value());
  document["totals"]["wall_ms"]["held_back"] = {true};
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("totals.wall_ms.held_back: 1 for 3 samples"));
  document["totals"]["wall_ms"]["held_back"] = {1, 0, 0};
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("totals.wall_ms.held_back: expected true or false"));
}

TEST(ReportFacts, ClocksSetByTheUserAreNotThrottling) {
  json document = json::parse(report_json(recorded_report()));
  document["device"]["state_after"]["throttled_by"] = {"application clocks"};
  const DeviceState state = parse_report(document.dump(), "r.json").measurement.state_after;
  EXPECT_THAT(*state.throttled_by, IsEmpty());
  EXPECT_EQ(state.clocks_locked, true);
}

TEST(ReportFacts, APackingThatDoesNotFitTheSceneLowersTheTrust) {
  Report report = recorded_report();
  report.scene.fit_extent[0] = report.scene.fit_limit[0] + 1;
  EXPECT_THAT(trust_of(report).text(), HasSubstr("the scene does not fit the packing"));
}

TEST(ReportFacts, RestoresBuildHostAndDevice) {
  Report report = recorded_report();
  ASSERT_TRUE(report.build.has_value());
  EXPECT_FALSE(report.build->compiler.empty());
  report.build->archs = {"75-real", "90a-real"};
  report.build->dirty.reset();
  report.host->governor = "performance";
  DeviceFacts& device = report.measurement.device;
  device.ecc = true;
  device.mig = false;
  device.l2_bytes = 1 << 20;
  device.power_limit_w = 700;
  device.sm_max_mhz = 1980;
  json document = json::parse(report_json(report));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  EXPECT_TRUE(document["tool"]["dirty"].is_null());
  EXPECT_FALSE(document["device"].contains("sm_default_mhz")) << "an unknown clock must not be written";
  const Report read = parse_report(document.dump(), "r.json");
  EXPECT_EQ(json::parse(report_json(read)), document);
  EXPECT_EQ(read.build->archs.size(), 2U);
  EXPECT_EQ(read.host->ram_bytes, report.host->ram_bytes);
  EXPECT_EQ(read.measurement.device.power_limit_w, 700);
  document["tool"].erase("git");
  document.erase("host");
  document["schema_version"] = "1.5";
  const Report old = parse_report(document.dump(), "r.json");
  EXPECT_FALSE(old.build.has_value());
  EXPECT_FALSE(old.host.has_value())
      << "a report without a host must not get the current machine as its host";
}

TEST(ReportFacts, RestoresTheSourceOfEachThreshold) {
  Report report = recorded_report();
  Plan& plan = report.measurement.plan;
  note_threshold_source(plan, 0, "profile:x.tune.json");
  json document = json::parse(report_json(report));
  EXPECT_EQ(document["layers"][0]["t_source"], "profile:x.tune.json");
  EXPECT_EQ(document["layers"][1]["t_source"], "default");
  EXPECT_EQ(json::parse(report_json(parse_report(document.dump(), "r.json"))), document);
  plan.layers[0].threshold = 1;
  EXPECT_EQ(threshold_source(plan, report.network, 0), "user")
      << "a source noted for another threshold must not be used";
  for (json& layer : document["layers"])
    layer.erase("t_source");
  EXPECT_FALSE(
      json::parse(report_json(parse_report(document.dump(), "r.json")))["layers"][0].contains("t_source"))
      << "an old report must not state a source";
}

TEST(ReportFacts, NamesEachKernelMapOnceWithItsLayers) {
  const json maps = json::parse(report_json(recorded_report())).at("kernel_maps");
  std::size_t layers = 0;
  const json* stem = nullptr;
  for (const json& map : maps) {
    layers += map.at("used_by").size();
    if (map.at("used_by").at(0) == "stem") stem = &map;
  }
  EXPECT_EQ(layers, recorded_report().network.layers.size());
  ASSERT_NE(stem, nullptr);
  EXPECT_EQ(stem->at("used_by"), (json{"stem", "join.conv", "last"}));
  EXPECT_EQ(stem->at("kernel_size"), 3);
  EXPECT_EQ(stem->at("bytes"), recorded_report().measurement.layers.front().map_bytes);
}

TEST(ReportFacts, RestoresTheUnitOfAVoxelFile) {
  Report report = recorded_report();
  EXPECT_FALSE(json::parse(report_json(report)).at("scene").contains("unit"));
  report.scene.unit = LengthUnit::cells;
  report.scene.voxel_m = {1, 1, 1};
  json document = json::parse(report_json(report));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  EXPECT_EQ(parse_report(document.dump(), "r.json").scene.unit, LengthUnit::cells);
  EXPECT_THAT(report_markdown(report), Not(HasSubstr(" voxels of ")));
  document["scene"]["unit"] = "feet";
  EXPECT_THROW(static_cast<void>(parse_report(document.dump(), "r.json")), Error);
  document["scene"].erase("unit");
  EXPECT_EQ(parse_report(document.dump(), "r.json").scene.unit, LengthUnit::metres);
  document["scene"]["format"] = "voxels";
  EXPECT_EQ(parse_report(document.dump(), "r.json").scene.unit, LengthUnit::cells)
      << "reports before 1.16 do not contain the unit";
}

TEST(ReportFacts, RestoresTheDisplayOriginOfAFarScene) {
  Report report = recorded_report();
  EXPECT_FALSE(json::parse(report_json(report)).at("scene").contains("display_origin_m"));
  report.scene.display_origin_m = {455000, -5411000, 112};
  json document = json::parse(report_json(report));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  EXPECT_EQ(parse_report(document.dump(), "r.json").scene.display_origin_m, report.scene.display_origin_m);
  document["scene"]["display_origin_m"] = {1, 2};
  EXPECT_THROW(static_cast<void>(parse_report(document.dump(), "r.json")), Error);
}

}  // namespace
}  // namespace spira
