// Tests that reports of other machines can be read, and the error messages for invalid files.
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/made_timeline.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace spira {
namespace {

using nlohmann::json;
using test::recorded_report;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(parse_report(text, "r.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return {};
}

const test::JsonSchema& schema() {
  static const test::JsonSchema read = test::shipped_schema("report");
  return read;
}

TEST(ReadReport, RestoresAllWrittenValues) {
  const std::string written = report_json(recorded_report());
  const Report read = parse_report(written, "r.json");
  EXPECT_EQ(report_json(read), written);
  EXPECT_THAT(read.notes, IsEmpty());
  EXPECT_EQ(read.measurement.compiled_wall.ms, (std::vector<double>{1.0, 1.5}));
  EXPECT_EQ(read.measurement.marked_ms, (std::vector<double>{2.75, 2.75, 2.75}));
  EXPECT_EQ(read.measurement.marks, recorded_report().measurement.marks);
  EXPECT_EQ(read.measurement.indexing.clock, Clock::cuda_events);
  EXPECT_EQ(read.measurement.sum_of_stages_ms(), recorded_report().measurement.sum_of_stages_ms());
  EXPECT_EQ(read.scene.fit_limit, recorded_report().scene.fit_limit);
  ASSERT_NE(read.pack_sweep, nullptr);
  EXPECT_THAT(read.pack_sweep->rows.at(1).why_not, HasSubstr("bits"));
  EXPECT_EQ(read.threshold_sweep->rows.size(), 5U);
}

void expect_same(const Timeline& read, const Timeline& there) {
  EXPECT_EQ(read.mode, there.mode);
  EXPECT_EQ(read.clock, there.clock);
  EXPECT_EQ(read.how, there.how);
  EXPECT_EQ(read.tracks, there.tracks);
  EXPECT_EQ(read.repetition, there.repetition);
  EXPECT_EQ(read.wall_ms, there.wall_ms);
  EXPECT_EQ(read.mark_cost_ms(), there.mark_cost_ms());
  ASSERT_EQ(read.spans.size(), there.spans.size());
  for (std::size_t at = 0; at < there.spans.size(); ++at) {
    EXPECT_EQ(read.spans[at].stage, there.spans[at].stage);
    EXPECT_EQ(read.spans[at].track, there.spans[at].track);
    EXPECT_EQ(read.spans[at].parent, there.spans[at].parent);
    EXPECT_EQ(read.spans[at].start_ms, there.spans[at].start_ms);
    EXPECT_EQ(read.spans[at].end_ms, there.spans[at].end_ms);
    EXPECT_EQ(read.spans[at].samples_ms, there.spans[at].samples_ms);
  }
}

TEST(ReadReport, RestoresTheTimeline) {
  Report report = recorded_report();
  for (const Timeline& timeline : {test::in_situ_timeline(), test::host_timeline()}) {
    report.measurement.timeline = timeline;
    expect_same(parse_report(report_json(report), "r.json").measurement.timeline, timeline);
  }
}

TEST(ReadReport, RestoresTheCropAndTheId) {
  Report report = recorded_report();
  EXPECT_FALSE(json::parse(report_json(report)).at("scene").contains("crop"));
  report.scene.crop_m = Bounds{{-20.5, -1, -3}, {20, 1.25, 1}};
  report.scene.kept = report.scene.points - 1;
  json document = json::parse(report_json(report));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  const Report read = parse_report(document.dump(), "r.json");
  EXPECT_EQ(read.scene.crop_m, report.scene.crop_m);
  EXPECT_EQ(read.scene.kept, report.scene.kept);
  EXPECT_EQ(report_id(read), report_id(report));
  EXPECT_EQ(document.at("id"), report_id(report));
  document["scene"]["crop"]["high_m"][1] = -2;
  EXPECT_THROW(static_cast<void>(parse_report(document.dump(), "r.json")), Error)
      << "a crop box without volume must be refused";
  document["scene"]["crop"]["high_m"] = {1, 2};
  EXPECT_THROW(static_cast<void>(parse_report(document.dump(), "r.json")), Error);
}

TEST(ReadReport, RestoresTheBatch) {
  Report report = recorded_report();
  EXPECT_FALSE(json::parse(report_json(report)).at("scene").contains("batch"));
  EXPECT_EQ(parse_report(report_json(report), "r.json").scene.batch, 1);
  report.scene.batch = 5;
  report.scene.pack = PackSpec{10, 10, 8}.with_batch(5);
  json document = json::parse(report_json(report));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  EXPECT_EQ(document["scene"]["packing"]["batch_bits"], 3);
  const Report read = parse_report(document.dump(), "r.json");
  EXPECT_EQ(read.scene.batch, 5);
  EXPECT_EQ(read.scene.pack, (PackSpec{10, 10, 8, 3}));
  EXPECT_THAT(report_markdown(read), HasSubstr("| batch | 5 frames in one run |"));
  EXPECT_THAT(report_markdown(read), HasSubstr("wall, per frame, batch of 5"));
  for (const int batch : {0, 257}) {
    document["scene"]["batch"] = batch;
    EXPECT_THAT(fault_of(document.dump()), HasSubstr("scene.batch"));
  }
  document["scene"]["batch"] = 2;
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("batch_bits: a batch of 2 has 1"));
}

TEST(ReadReport, OpensAReportWithoutATimeline) {
  json document = json::parse(report_json(recorded_report()));
  document.erase("timeline");
  document["schema_version"] = "1.1";
  EXPECT_THAT(schema().faults(document), IsEmpty());
  const Report read = parse_report(document.dump(), "r.json");
  EXPECT_THAT(read.notes, IsEmpty());
  EXPECT_TRUE(read.measurement.timeline.empty());
  EXPECT_FALSE(json::parse(report_json(read)).contains("timeline"));
}

TEST(ReadReport, MakesTheSameTreesAndDensities) {
  const Report read = parse_report(report_json(recorded_report()), "r.json");
  for (std::size_t at = 0; at < read.measurement.layers.size(); ++at) {
    const auto& mine = read.measurement.layers[at].stages.nodes;
    const auto& theirs = recorded_report().measurement.layers[at].stages.nodes;
    ASSERT_EQ(mine.size(), theirs.size());
    for (std::size_t node = 0; node < mine.size(); ++node) {
      EXPECT_EQ(mine[node].name, theirs[node].name);
      EXPECT_EQ(mine[node].parent, theirs[node].parent);
      EXPECT_TRUE(mine[node].peak_bytes);
      EXPECT_EQ(mine[node].peak_bytes, theirs[node].peak_bytes);
    }
    const Densities &a = read.layer_densities[at], &b = recorded_report().layer_densities[at];
    EXPECT_EQ(a.kernel, b.kernel);
    EXPECT_EQ(a.stride, b.stride);
    ASSERT_EQ(a.columns.size(), b.columns.size());
    for (std::size_t column = 0; column < a.columns.size(); ++column) {
      EXPECT_EQ(a.columns[column].offset, b.columns[column].offset);
      EXPECT_EQ(a.columns[column].density, b.columns[column].density);
    }
  }
}

TEST(ReadReport, KeepsToTheSchema) {
  EXPECT_THAT(schema().faults(json::parse(report_json(recorded_report()))), IsEmpty());
  Report plain = recorded_report();
  plain.threshold_sweep = plain.pack_sweep = nullptr;
  plain.measurement.compiled_wall.ms.clear();
  EXPECT_THAT(schema().faults(json::parse(report_json(plain))), IsEmpty());
  EXPECT_EQ(report_json(parse_report(report_json(plain), "r.json")), report_json(plain));
}

TEST(ReadReport, OpensTheFirstVersion) {
  json document = json::parse(report_json(recorded_report()));
  document["schema_version"] = "1.0";
  document.erase("sweeps");
  document["device"].erase("clock");
  document["scene"].erase("reading");
  document["scene"]["packing"].erase("limit_cells");
  EXPECT_THAT(schema().faults(document), IsEmpty());
  const Report read = parse_report(document.dump(), "r.json");
  EXPECT_EQ(read.measurement.device.clock, Clock::cuda_events);
  EXPECT_EQ(read.scene.fit_limit, recorded_report().scene.fit_limit);
  EXPECT_EQ(read.threshold_sweep, nullptr);
}

TEST(ReadReport, OpensStagesWithoutAPeak) {
  json document = json::parse(report_json(recorded_report()));
  for (auto& row : document["layers"]) {
    for (auto& stage : row["stages"])
      stage.erase("peak_bytes");
  }
  EXPECT_THAT(schema().faults(document), IsEmpty());
  const Report read = parse_report(document.dump(), "r.json");
  EXPECT_THAT(read.notes, IsEmpty());
  EXPECT_EQ(read.measurement.layers[0].stages.peak_bytes(), std::nullopt);
  EXPECT_TRUE(read.measurement.indexing.peak_bytes());
}

TEST(ReadReport, OpensANewerMinorVersionWithANote) {
  json document = json::parse(report_json(recorded_report()));
  EXPECT_THAT(parse_report(document.dump(), "r.json").notes, IsEmpty())
      << "a report of the current version must have no note";
  document["schema_version"] = "1.99";
  document["trust"] = {{"grade", "A"}};
  document["device"]["mood"] = "fine";
  const Report read = parse_report(document.dump(), "r.json");
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_THAT(read.notes[0], AllOf(HasSubstr("1.99"), HasSubstr("unknown fields are ignored")));
  EXPECT_THAT(read.ignored, ElementsAre("device.mood"));
}

TEST(ReadReport, NamesEachFieldOfANewerMinorVersionOnce) {
  json document = json::parse(report_json(recorded_report()));
  document["schema_version"] = "1.99";
  EXPECT_THAT(parse_report(document.dump(), "r.json").ignored, IsEmpty())
      << "all fields of the current version must be known";
  for (auto& row : document["layers"])
    row["energy_mj"] = 3;
  document["weather"] = {{"wind", {{"knots", 4}}}};
  document["sweeps"]["thresholds"]["rows"][0]["mood"] = nullptr;
  EXPECT_THAT(parse_report(document.dump(), "r.json").ignored,
              ElementsAre("layers[].energy_mj", "sweeps.thresholds.rows[].mood", "weather"));
}

TEST(ReadReport, TheCompletePartOfACutFileCanBeRead) {
  const std::string whole = report_json(recorded_report());
  const Report all = parse_report(whole, "r.json", IfTruncated::open);
  EXPECT_THAT(all.lost, IsEmpty());
  std::size_t fewest = 7, with_wall = 0, with_sweep = 0;
  for (std::size_t part = 1; part < 400; ++part) {
    const std::string text = whole.substr(0, (whole.size() - 2) * part / 400);
    try {
      const Report read = parse_report(text, "r.json", IfTruncated::open);
      ASSERT_THAT(read.lost, Not(IsEmpty())) << part;
      const std::size_t layers = read.measurement.layers.size();
      ASSERT_GT(layers, 0U);
      fewest = std::min(fewest, layers);
      EXPECT_EQ(read.layer_densities.size(), layers);
      EXPECT_EQ(read.measurement.plan.layers.size(), 7U);
      EXPECT_EQ(read.measurement.layers[layers - 1].stages.sum_of_tops_ms(),
                all.measurement.layers[layers - 1].stages.sum_of_tops_ms())
          << "a truncated list must not be read as a shorter list";
      if (layers < 7) {
        EXPECT_THAT(read.lost.front(), HasSubstr("of 7 layers, starting with "));
      }
      with_wall += read.measurement.wall.ms == all.measurement.wall.ms ? 1 : 0;
      EXPECT_TRUE(read.measurement.wall.ms.empty() || read.measurement.wall.ms == all.measurement.wall.ms);
      if (!read.threshold_sweep) continue;
      ++with_sweep;
      EXPECT_EQ(read.threshold_sweep->rows.back().wall.ms,
                all.threshold_sweep->rows[read.threshold_sweep->rows.size() - 1].wall.ms);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), AllOf(StartsWith("r.json: "), HasSubstr("first layer"))) << part;
    }
  }
  EXPECT_EQ(fewest, 1U);
  EXPECT_GT(with_wall, 10U);
  EXPECT_GT(with_sweep, 5U);
}

TEST(ReadReport, IsRefusedWhereverItIsCutOff) {
  const std::string whole = report_json(recorded_report());
  for (std::size_t part = 1; part < 20; ++part) {
    const std::string fault = fault_of(whole.substr(0, whole.size() * part / 20));
    EXPECT_THAT(fault, AllOf(StartsWith("r.json: invalid JSON at line "), Not(HasSubstr("\n")))) << part;
  }
}

TEST(ReadReport, RefusesDeepNestingHugeNumbersAndLists) {
  EXPECT_THAT(fault_of(std::string(100'000, '[')), HasSubstr("nested deeper than"));
  std::string deep = report_json(recorded_report());
  deep.insert(1, "\"x\": " + std::string(5000, '[') + std::string(5000, ']') + ",");
  EXPECT_THAT(fault_of(deep), HasSubstr("nested deeper than"));
  EXPECT_THAT(fault_of(R"({"schema": 1e999})"), HasSubstr("column 12: the number is out of range"));
  EXPECT_THAT(fault_of("{}"), HasSubstr("schema: missing"));
  json listed = json::parse(report_json(recorded_report()));
  listed["layers"][0]["stages"][0]["samples"] = std::vector<int>(1'000'001);
  EXPECT_THAT(fault_of(listed.dump()), HasSubstr("the limit is 1,000,000"));
}

/// One change to a valid report. A null value removes the member.
struct Fault {
  const char* pointer;
  json value;
  const char* said;
};
const Fault faults[] = {
    Fault{"/schema", "spira.network 1", "schema: \"spira.network 1\" is not a report"},
    Fault{"/schema_version", "2.0", "schema_version: 2.0 is newer"},
    Fault{"/schema_version", 1.1, "schema_version: 1.1; expected a string"},
    Fault{"/schema_version", "one", "expected a version"},
    Fault{"/created", json(), "created: missing"},
    Fault{"/command", "run", "command: \"run\"; expected an array"},
    Fault{"/command/0", 7, "command[0]: 7"},
    Fault{"/device", json(), "device: missing"},
    Fault{"/device", "H200", "device: \"H200\"; expected an object"},
    Fault{"/device/kind", "tpu", "device.kind: \"tpu\"; expected one of: reference, cpu, cuda"},
    Fault{"/device/threads", -1, "device.threads: -1"},
    Fault{"/device/name", std::string(9000, 'x'), "device.name: longer than"},
    Fault{"/device/driver", 580, "device.driver: 580; expected a string"},
    Fault{"/device/state_after/throttled_by", 3, "device.state_after.throttled_by"},
    Fault{"/device/state_before/sm_clock_mhz", "fast", "device.state_before.sm_clock_mhz"},
    Fault{"/protocol/timer_overhead_us", -1, "protocol.timer_overhead_us"},
    Fault{"/protocol/timer", "sundial", "protocol.timer"},
    Fault{"/protocol/precision", "fp8", "protocol.precision"},
    Fault{"/protocol/reached_target", 1, "expected true or false"},
    Fault{"/scene/voxels", -3, "scene.voxels: -3; expected a whole number from 0"},
    Fault{"/scene/voxels", 1e300, "scene.voxels"},
    Fault{"/scene/voxels", UINT64_MAX, "scene.voxels"},
    Fault{"/scene/keys_fingerprint", "xyz", "scene.keys_fingerprint"},
    Fault{"/scene/keys_fingerprint", "", "scene.keys_fingerprint"},
    Fault{"/scene/voxel_m", {0.1, 0.1}, "scene.voxel_m"},
    Fault{"/scene/voxel_m/1", 0, "scene.voxel_m"},
    Fault{"/scene/extent_cells/2", -1, "scene.extent_cells[2]: -1"},
    Fault{"/scene/packing/bits", {40, 1, 1}, "scene.packing.bits"},
    Fault{"/network", json(), "network: missing"},
    Fault{"/network/layers/1/kernel_size", 4, "network: layers[1].kernel_size"},
    Fault{"/layers", json::array(), "layers: 0 rows; the network has 7 layers"},
    Fault{"/layers/2/name", "nobody", "layers[2].name"},
    Fault{"/layers/0/t", 99, "layers[0].t"},
    Fault{"/layers/0/map", "magic", "layers[0].map"},
    Fault{"/layers/0/pairs", 1.5, "layers[0].pairs: 1.5"},
    Fault{"/layers/0/stages/0/stage", "", "layers[0].stages[0].stage: empty"},
    Fault{"/layers/0/stages/0/unit", "s", "expected ms"},
    Fault{"/layers/0/stages/0/peak_bytes", -1, "layers[0].stages[0].peak_bytes: -1"},
    Fault{"/layers/0/stages/0/samples/1", -2, "samples[1]: -2"},
    Fault{"/layers/0/stages/0/samples/1", "fast", "samples[1]: \"fast\""},
    Fault{"/layers/0/densities/matches_per_column", {1, 2}, "2 counts; a kernel of size 3 has 27"},
    Fault{"/layers/0/densities/outputs", 0, "more matches than outputs"},
    Fault{"/totals/wall_ms", json(), "totals.wall_ms: missing"},
    Fault{"/totals/compiled/how", json(), "totals.compiled.how: missing"},
    Fault{"/timeline/mode", "isolated", "timeline.mode: \"isolated\"; expected one of: in situ, one"},
    Fault{"/timeline/tracks", json::array(), "timeline.tracks: empty"},
    Fault{"/timeline/repetition", 3, "timeline.repetition: 3"},
    Fault{"/timeline/wall_ms/samples", json::array(), "timeline.wall_ms: no samples"},
    Fault{"/timeline/spans/0/track", 3, "timeline.spans[0].track: 3"},
    Fault{"/timeline/spans/0/parent", 0, "timeline.spans[0].parent: the first span cannot have a parent"},
    Fault{"/timeline/spans/1/parent", 1, "timeline.spans[1].parent: 1"},
    Fault{"/timeline/spans/1/stage", "", "timeline.spans[1].stage: empty"},
    Fault{"/timeline/spans/1/parent", 0, "timeline.spans: [1] is not inside [0]"},
    Fault{"/timeline/spans/2/end_ms", 0.1, "timeline.spans: [2] ends before it begins"},
    Fault{"/timeline/spans/2/start_ms", -1, "timeline.spans[2].start_ms: -1"},
    Fault{"/timeline/spans/3/start_ms", 0.1, "timeline.spans: [3] overlaps [0]"},
    Fault{"/timeline/spans/3/samples_ms/0", "x", "timeline.spans[3].samples_ms[0]"},
    Fault{"/sweeps/thresholds/schema", "?", "sweeps.thresholds.schema"},
    Fault{"/sweeps/thresholds/layer", 7, "sweeps.thresholds.layer: the network has no such layer"},
    Fault{"/sweeps/packings/rows/0/packing", "fine", "sweeps.packings.rows[0].packing"},
    Fault{"/sweeps/packings/rows/0/setting", json(), "rows[0].setting: missing"}};

TEST(ReadReport, NamesTheFieldOfEachFaultInOneLine) {
  const json sound = json::parse(report_json(recorded_report()));
  for (const auto& [pointer, value, said] : faults) {
    SCOPED_TRACE(pointer);
    json document = sound;
    const json::json_pointer at(pointer);
    if (value.is_null()) {
      document[at.parent_pointer()].erase(at.back());
    } else {
      document[at] = value;
    }
    EXPECT_THAT(fault_of(document.dump()),
                AllOf(StartsWith("r.json: "), HasSubstr(said), Not(HasSubstr("\n"))));
  }
}

/// Replaces each value of a small report with values of other kinds, one at a time.
TEST(ReadReport, AnswersAnyValueAnywhereWithAReportOrOneLine) {
  const json sound =
      json::parse(read_text_file(SPIRA_SOURCE_DIR "/tests/fuzz/corpus/report/one_layer.json", 1 << 20));
  EXPECT_THAT(schema().faults(sound), IsEmpty());
  ASSERT_EQ(fault_of(sound.dump()), "");
  std::vector<json::json_pointer> places;
  const auto list = [&](const auto& self, const json& value, const json::json_pointer& at) -> void {
    if (!at.empty()) places.push_back(at);
    if (!value.is_structured()) return;
    for (const auto& [key, member] : value.items())
      self(self, member, value.is_array() ? at / static_cast<std::size_t>(std::stoul(key)) : at / key);
  };
  list(list, sound, json::json_pointer());
  ASSERT_GT(places.size(), 200U);
  const std::vector<json> strangers{nullptr, -1,  0.5,           1e300,          UINT64_MAX,  true,
                                    "",      "x", json::array(), json::object(), {1, 2, 3, 4}};
  const std::set<std::string> not_read{"/layers/0/densities/pairs", "/protocol/mode", "/scene/packing/word",
                                       "/scene/coordinates_included", "/tool/name"};
  for (const auto& place : places) {
    for (const json& stranger : strangers) {
      json document = sound;
      document[place] = stranger;
      const std::string fault = fault_of(document.dump());
      EXPECT_THAT(fault, Not(HasSubstr("\n"))) << place.to_string();
      if (fault.empty() && !not_read.contains(place.to_string())) {
        EXPECT_THAT(schema().faults(document), IsEmpty()) << place.to_string() << " " << stranger;
      }
    }
  }
}

TEST(ReadReport, NamesTheFile) {
  const test::TempFolder folder;
  write_report(folder / "r.json", recorded_report());
  EXPECT_EQ(report_json(read_report(folder / "r.json")), report_json(recorded_report()));
  try {
    static_cast<void>(read_report(folder.write("bad.json", "{\"schema\": 1}")));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad.json: schema: 1; expected a string"));
  }
}

TEST(ReadReport, IsRecognisedByItsContent) {
  const test::TempFolder folder;
  write_report(folder / "r.dat", recorded_report());
  EXPECT_TRUE(looks_like_json(folder / "r.dat"));
  EXPECT_TRUE(looks_like_json(folder.write("marked", "\xEF\xBB\xBF\n {\"a\": 1}")));
  EXPECT_FALSE(looks_like_json(folder.write("scan.bin", std::string_view("{\0\0@", 4))));
  EXPECT_FALSE(looks_like_json(folder.write("scan.xyz", "1 2 3\n")));
  EXPECT_FALSE(looks_like_json(folder.write("empty", "")));
  EXPECT_FALSE(looks_like_json(folder / "none"));
  EXPECT_FALSE(looks_like_json(folder.path()));
}

TEST(PackingsToCompare, IncludeTheCurrentPackingAndThoseThatDoNotFit) {
  test::SmallSession some;
  some.load(test::small_room(), {13, 13, 9});
  const auto packs = packings_to_compare(*some.session.scene(), *some.network);
  EXPECT_THAT(packs, testing::IsSupersetOf({PackSpec::bits32(), PackSpec::bits64(), PackSpec{13, 13, 9}}));
}

TEST(ReadReport, RestoresTheRatesOfTheDevice) {
  Report report = recorded_report();
  EXPECT_FALSE(parse_report(report_json(report), "r.json").measurement.rates)
      << "reports without rates stay valid";
  report.measurement.rates =
      DeviceRates{{4.2e12, "copy of 1.07 GB", {0.5, 0.6}}, {std::nullopt, "cuBLAS is missing", {}}};
  const std::string written = report_json(report);
  EXPECT_THAT(schema().faults(json::parse(written)), IsEmpty());
  const Report read = parse_report(written, "r.json");
  EXPECT_EQ(report_json(read), written);
  ASSERT_TRUE(read.measurement.rates);
  EXPECT_EQ(read.measurement.rates->bytes.per_second, 4.2e12);
  EXPECT_EQ(read.measurement.rates->bytes.samples_ms, (std::vector<double>{0.5, 0.6}));
  EXPECT_FALSE(read.measurement.rates->flops.per_second);
  EXPECT_EQ(read.measurement.rates->flops.how, "cuBLAS is missing");
  json document = json::parse(written);
  document["rates"]["bytes"]["per_second"] = -1;
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("rates.bytes.per_second"));
}

}  // namespace
}  // namespace spira
