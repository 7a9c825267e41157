// Tests the export of a report as a trace, tables and a summary.
#include "engine/base/error.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/support/expect_trace.hpp"
#include "tests/support/recorded_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace spira {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Returns a report with one indexing stage and one layer. The child stages of the layer together are longer
/// than their parent, and one of them has no length.
Report made_report() {
  Report report;
  report.network.name = "two";
  report.scene.name = "a|b";
  Measurement& m = report.measurement;
  m.device.name = "A \"device\"";
  m.wall.ms = {3, 4, 5};
  m.indexing.nodes = {{"voxelize", -1, {1.5, 1.5, 1.5}}};
  LayerMeasurement layer;
  layer.name = "a";
  layer.stages.nodes = {{"map[a]", -1, {2, 2, 2}},   {"search", 0, {1.5, 1.5, 1.5}},
                        {"zero", 0, {0, 0, 0}},      {"compact", 0, {1.0, 1.0, 1.0}},
                        {"features[a]", -1, {1e-7}}, {"os", 4, {4e-7}}};
  m.layers.push_back(layer);
  m.layers.push_back({});
  m.layers.back().name = "slow";
  m.layers.back().stages.nodes = {{"features[slow]", -1, {123456.7894561}}};
  return report;
}

TEST(TraceJson, SpansAreDisjointOrNestedAndAsManyAsStages) {
  const std::string text = trace_json(made_report());
  EXPECT_EQ(test::expect_trace(text), 8U);
  test::expect_fixed_point(text);
}

TEST(TraceJson, LaysMediansEndToEndParentFirst) {
  const json events = json::parse(trace_json(made_report())).at("traceEvents");
  EXPECT_EQ(events.at(0).at("name"), "process_name");
  EXPECT_EQ(events.at(0).at("args").at("name"), "medians, end to end: A \"device\"");
  EXPECT_EQ(events.at(1).at("name"), "thread_name");
  const auto expect = [&](std::size_t at, const char* stage, double ts, double dur) {
    EXPECT_EQ(events.at(at).at("args").at("stage"), stage);
    EXPECT_DOUBLE_EQ(events.at(at).at("ts").get<double>(), ts) << stage;
    EXPECT_DOUBLE_EQ(events.at(at).at("dur").get<double>(), dur) << stage;
  };
  expect(2, "voxelize", 0, 1500);
  expect(3, "map[a]", 1500, 2000);
  // The child takes 1.5 ms of the 2.5 ms of all children. The children are scaled to a parent of 2 ms.
  expect(4, "map[a].search", 1500.001, 1199.999);
  expect(5, "map[a].zero", 2700, 0);
  expect(6, "map[a].compact", 2700, 799.999);
  EXPECT_EQ(events.at(4).at("args").at("median_ms"), 1.5) << "the reported median must not change";
  EXPECT_EQ(events.at(4).at("args").at("n"), 3);
  EXPECT_EQ(events.at(4).at("args").at("layer"), "a");
  expect(9, "features[slow]", 3500, 123456789.456);
}

/// Returns a timeline with two branches. A stage and its child have the same marks. The time of another mark
/// is too early by less than one step of the clock.
Timeline made_timeline() {
  Timeline head;
  head.mode = TimelineMode::in_situ;
  head.clock = Clock::cuda_events;
  head.how = "one graph";
  head.tracks = {"main branch", "side branch 1"};
  TimelineBuilder builder(head);
  builder.add({{"voxelize", 0, -1, 0, 1.5},
               {"map[a]", 1, -1, 1.5, 4},
               {"map[a].search", 1, 1, 1.5, 4},
               {"input", 0, -1, 1.5, 2},
               {"features[a]", 0, -1, 1.9999999, 123456.7894561}},
              123460);
  return builder.take();
}

TEST(TraceJson, AGpuTimelineIsAProcessWithAThreadPerStream) {
  Report report = made_report();
  report.measurement.timeline = made_timeline();
  const std::string text = trace_json(report);
  std::size_t recorded = 0;
  EXPECT_EQ(test::expect_trace(text, &recorded), 8U) << "the stages must be exported as without a timeline";
  EXPECT_EQ(recorded, 5U);
  test::expect_fixed_point(text);
  std::map<std::string, json> events;
  std::vector<std::string> names;
  const json trace = json::parse(text);
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("pid") != 2) continue;
    event.at("ph") == "M" ? names.push_back(event.at("args").at("name"))
                          : void(events[event.at("name")] = event);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"GPU, in situ: A \"device\"", "main branch", "side branch 1"}));
  EXPECT_EQ(events.at("voxelize").at("tid"), 1);
  EXPECT_EQ(events.at("map[a]").at("tid"), 2);
  EXPECT_DOUBLE_EQ(events.at("map[a]").at("ts"), 1500);
  EXPECT_DOUBLE_EQ(events.at("map[a].search").at("ts"), 1500.001)
      << "a nested span must start after its parent";
  EXPECT_DOUBLE_EQ(events.at("map[a].search").at("dur"), 2499.999);
  EXPECT_DOUBLE_EQ(events.at("features[a]").at("ts"), 2000)
      << "a span must start after the previous span ends";
  EXPECT_EQ(events.at("features[a]").at("args").at("layer"), "a");
  EXPECT_EQ(trace.at("otherData").at("timeline").at("mode"), "in situ");
}

TEST(TraceJson, ATimelineOfARunLayerByLayerIsMarkedAsSuch) {
  Report report = made_report();
  report.measurement.timeline = made_timeline();
  report.measurement.timeline.mode = TimelineMode::one_after_another;
  report.measurement.timeline.clock = Clock::steady;
  EXPECT_THAT(trace_json(report), HasSubstr("\"host, recorded, one after another: A "));
}

TEST(TraceJson, RefusesWorkOfOneStreamThatOverlaps) {
  Report report = made_report();
  report.measurement.timeline = made_timeline();
  // This span starts too early, but by less than one step of the clock.
  report.measurement.timeline.spans.at(3).start_ms = 1.495;
  EXPECT_NO_THROW(static_cast<void>(trace_json(report)));
  report.measurement.timeline.spans.at(3).start_ms = 1.2;
  try {
    static_cast<void>(trace_json(report));
    FAIL() << "a span that overlaps voxelize by 0.3 ms must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("trace: timeline.spans[3] overlaps [0]"));
  }
}

TEST(TraceJson, LeadsFromEachMapToItsFirstUseAndCountsBytes) {
  const Report& report = test::recorded_report();
  const json trace = json::parse(trace_json(report));
  test::expect_trace(trace.dump());
  std::vector<json> starts, ends, counters;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "s") starts.push_back(event);
    if (event.at("ph") == "f") ends.push_back(event);
    if (event.at("ph") == "C") counters.push_back(event);
  }
  ASSERT_EQ(starts.size(), 2U) << "each map in the timeline must have one arrow";
  EXPECT_EQ(starts.at(0).at("tid"), 2);
  EXPECT_EQ(ends.at(0).at("tid"), 1);
  EXPECT_DOUBLE_EQ(ends.at(0).at("ts"), 4000) << "features[stem]";
  ASSERT_EQ(counters.size(), 4U);
  EXPECT_EQ(counters.back().at("args").at("bytes"), 0);
  const json& args = trace.at("traceEvents").at(3).at("args");
  EXPECT_EQ(args.at("report"), report_id(report));
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("args").at("layer") != "stem") continue;
    EXPECT_EQ(event.at("args").at("K"), 3);
    EXPECT_EQ(event.at("args").at("t"), report.measurement.plan.layers.front().threshold);
    EXPECT_EQ(event.at("args").at("N"), report.measurement.layers.front().outputs);
  }
}

TEST(TraceJson, HasACounterForTheClockOfEachSample) {
  Report report = test::recorded_report();
  EXPECT_THAT(trace_json(report), Not(HasSubstr("SM clock")));
  report.measurement.wall.sm_clock_mhz = {1980, 1965, 1500};
  const std::string text = trace_json(report);
  test::expect_trace(text);
  std::vector<std::pair<double, int>> clocks;
  const json trace = json::parse(text);
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") != "SM clock (layer by layer)") continue;
    EXPECT_EQ(event.at("ph"), "C");
    EXPECT_EQ(event.at("pid"), 4) << "clock samples must be in a separate process of the trace";
    clocks.emplace_back(event.at("ts"), event.at("args").at("MHz"));
  }
  const double sample_us = 2500;
  EXPECT_EQ(clocks,
            (std::vector<std::pair<double, int>>{{0, 1980}, {sample_us, 1965}, {2 * sample_us, 1500}}));
}

TEST(TraceJson, KeepsTheRulesOnRecordedRuns) {
  for (const char* name : {"h100-minkunet42-street", "h100-resnl20-kitchen"}) {
    SCOPED_TRACE(name);
    const Report report =
        read_report(SPIRA_SOURCE_DIR "/samples/reports/" + std::string(name) + ".spira.json");
    const std::string text = trace_json(report);
    std::size_t recorded = 0;
    EXPECT_GT(test::expect_trace(text, &recorded), 0U);
    EXPECT_EQ(recorded, report.measurement.timeline.spans.size());
    test::expect_fixed_point(text);
    EXPECT_THAT(text, HasSubstr("\"ph\":\"s\""));
  }
}

TEST(ReportMarkdown, AddsUpTheTracksOfATimeline) {
  Report report = made_report();
  EXPECT_THAT(report_markdown(report), Not(HasSubstr("Timeline")));
  report.measurement.timeline = made_timeline();
  const std::string text = report_markdown(report);
  EXPECT_THAT(text, HasSubstr("## Timeline, in situ\n"));
  EXPECT_THAT(text, HasSubstr("| side branch 1 | 2.500 | 0.0 % |"));
  EXPECT_THAT(text, HasSubstr("Overlap factor 1.00"));
}

TEST(ReportCsv, HasTheSpansOfATimelineInASeparateTable) {
  Report report = made_report();
  const std::string heading =
      "mode,track,layer,stage,inside,start_ms,end_ms,n,median_ms,q1_ms,q3_ms,min_ms,max_ms\r\n";
  EXPECT_EQ(timeline_csv(report), heading) << "without a timeline there must be no rows";
  report.measurement.timeline = made_timeline();
  const std::string text = timeline_csv(report);
  EXPECT_THAT(text, StartsWith(heading + "\"in situ\",\"main branch\",\"\",\"voxelize\",\"\",0.000000,"));
  EXPECT_THAT(text, HasSubstr("\"side branch 1\",\"a\",\"map[a].search\",\"map[a]\",1.500000,4.000000,"));
  EXPECT_THAT(measurements_csv(report), Not(HasSubstr("in situ")))
      << "the table of measurements must not contain in-situ times";
}

TEST(ReportCsv, NamesTheClockOfEachTable) {
  Report report = made_report();
  const auto timer = [&] { return json::parse(csv_meta_json(report, "samples"))["device"]["timer"]; };
  EXPECT_EQ(timer(), "steady clock");
  report.measurement.device.clock = Clock::cuda_events;
  EXPECT_EQ(timer(), "CUDA events, wall times by the host clock");
}

TEST(ReportCsv, HasEverySampleAndTheGraph) {
  Report report = made_report();
  report.measurement.layers.resize(0);
  report.measurement.compiled_wall.ms = {0.5};
  report.measurement.compiled_bytes = 4096;
  report.measurement.wall.held_back = {false, true, false};
  // This is the clock of the idle device, which does not belong to any sample.
  report.measurement.state_before.sm_clock_mhz = 345;
  report.measurement.wall.sm_clock_mhz = {1980, 1500, 1980};
  const std::string id = report_id(report) + "\r\n";
  EXPECT_EQ(samples_csv(report),
            "layer,stage,sample,ms,held_back,sm_clock_mhz,report_id\r\n"
            "\"\",\"voxelize\",0,1.500000,,," +
                id + "\"\",\"voxelize\",1,1.500000,,," + id + "\"\",\"voxelize\",2,1.500000,,," + id +
                "\"\",\"wall\",0,3.000000,0,1980," + id + "\"\",\"wall\",1,4.000000,1,1500," + id +
                "\"\",\"wall\",2,5.000000,0,1980," + id + "\"\",\"one graph\",0,0.500000,,," + id);
  EXPECT_THAT(measurements_csv(report),
              HasSubstr("\"\",\"one graph\",one graph,warm,,32,1,0.500000,0.500000,0.500000,0.500000,"
                        "0.500000,0.000000,,,\"one graph\",4096,,,,\r\n"));
  EXPECT_THAT(measurements_csv(report), HasSubstr(",1980,held_back:1,\"wall\","));
  EXPECT_THAT(measurements_csv(report), Not(HasSubstr("345")));
}

TEST(ReportCsv, HasTheColumnsOfEachMapOnceAndTheSettingsOfBothSweeps) {
  const Report& report = test::recorded_report();
  const std::string densities = densities_csv(report), sweeps = sweeps_csv(report);
  std::size_t columns = 0;
  for (const ReportedMap& map : kernel_maps(report))
    columns += report.layer_densities.at(static_cast<std::size_t>(map.built_by)).columns.size();
  EXPECT_EQ(static_cast<std::size_t>(std::count(densities.begin(), densities.end(), '\n')), columns + 1);
  EXPECT_THAT(densities, HasSubstr("\r\nm1,0,0,0,0,"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(sweeps.begin(), sweeps.end(), '\n')),
            1 + report.threshold_sweep->rows.size() + report.pack_sweep->rows.size());
  EXPECT_THAT(csv_comment(report), StartsWith("# report " + report_id(report)));
}

TEST(ReportCsv, OneMapHasTheColumnsOfTheReport) {
  Densities densities;
  densities.outputs = 4;
  densities.columns = {{0, {-2, 0, 2}, 2, 1, 0.25}, {1, {0, 0, 0}, 0, 4, 1.0}};
  EXPECT_EQ(densities_csv("scene, stride 2", densities),
            "map,dx,dy,dz,l1,matches,n_out,density,triplets\r\n"
            "\"scene, stride 2\",-2,0,2,2,1,4,0.250000000,1\r\n"
            "\"scene, stride 2\",0,0,0,0,4,4,1.000000000,4\r\n");
}

TEST(ReportMarkdown, NamesTheEnvironmentTheSlowestLayersAndTheWinners) {
  Report report = made_report();
  auto sweep = std::make_shared<Sweep>();
  sweep->subject = "two, 5 voxels";
  for (const double ms : {4.0, 2.0, 3.0}) {
    SweepRow row;
    row.label = "t = " + std::to_string(sweep->rows.size());
    row.wall.ms = std::vector<double>(9, ms);
    sweep->rows.push_back(row);
  }
  judge(*sweep);
  report.threshold_sweep = sweep;
  const std::string text = report_markdown(report);
  EXPECT_THAT(text, HasSubstr("# Report of two on a\\|b\n"));
  EXPECT_THAT(text, HasSubstr("| wall | 4.000 | 1.000 | 3.000 | 3 |"));
  EXPECT_LT(text.find("| slow |"), text.find("| a |")) << "the slowest layer must come first";
  EXPECT_THAT(text, HasSubstr("| t = 1 | 2.000 | 0.000 | 2.000 | 9 | fastest |"));
  EXPECT_THAT(text, Not(HasSubstr("t = 2")));
  EXPECT_THAT(text, Not(HasSubstr("packings")));
}

}  // namespace
}  // namespace spira
