#include "engine/base/error.hpp"
#include "engine/report/validate.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/tuning_profile.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace spira {
namespace {

using nlohmann::json;
using test::tuned_profile;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const test::JsonSchema& schema() {
  static const test::JsonSchema made = test::shipped_schema("tune");
  return made;
}

/// Returns the error message, or an empty string if `text` is a valid profile.
std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(parse_profile(text, "p.json"));
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
}

TEST(Profile, KeepsTheNeighboursOfItsLayersAndMaps) {
  json profile = json::parse(profile_json(tuned_profile()));
  json& shape = profile["features"][0]["key"];
  json& map = profile["maps"][0]["key"];
  for (json* key : {&shape, &map}) {
    (*key)["kernel_size"] = 3;
    (*key)["neighbours"] = "ball";
    (*key)["radius"] = 1.5;
  }
  EXPECT_THAT(schema().faults(profile), IsEmpty());
  const TuningProfile read = parse_profile(profile.dump(), "p.json");
  EXPECT_EQ(read.features[0].shape.kernel.neighbourhood, (Neighbourhood{NeighbourShape::ball, 1, 1.5}));
  EXPECT_EQ(read.maps[0].map.kernel.neighbourhood, (Neighbourhood{NeighbourShape::ball, 1, 1.5}));
  const json again = json::parse(profile_json(read));
  EXPECT_EQ(again["features"][0]["key"], shape);
  EXPECT_EQ(again["maps"][0]["key"], map);
  map["neighbours"] = "cube";
  EXPECT_THAT(fault_of(profile.dump()), HasSubstr("maps[0].key.radius: a cube has none"));
  map.erase("radius");
  map["padding"] = 0;
  EXPECT_THAT(fault_of(profile.dump()), HasSubstr("maps[0].key.padding: a kernel with native neighbours"));
}

TEST(Profile, SurvivesAFileAndKeepsToItsSchema) {
  const test::TempFolder folder;
  write_profile(folder / "p.tune.json", tuned_profile());
  EXPECT_TRUE(profile_json(read_profile(folder / "p.tune.json")) == profile_json(tuned_profile()));
  EXPECT_THAT(schema().faults(json::parse(profile_json(tuned_profile()))), IsEmpty());
  EXPECT_TRUE(looks_like_profile(folder / "p.tune.json"));
  EXPECT_FALSE(looks_like_profile(folder.write("q.json", R"({"schema": "spira.plan 1"})")));
  EXPECT_FALSE(looks_like_profile(folder.write("r.json", "{")));
  EXPECT_THROW(static_cast<void>(looks_like_profile(folder / "missing.json")), Error);
}

TEST(Profile, KeepsTheUnitOfAVoxelFile) {
  TuningProfile profile = tuned_profile();
  EXPECT_FALSE(json::parse(profile_json(profile))["scenes"][0].contains("unit"));
  profile.scenes.front().unit = LengthUnit::cells;
  const std::string text = profile_json(profile);
  EXPECT_THAT(schema().faults(json::parse(text)), IsEmpty());
  EXPECT_EQ(parse_profile(text, "p.json").scenes.front().unit, LengthUnit::cells);
}

TEST(Profile, KeepsThePositionsOfItsScenes) {
  TuningProfile profile = tuned_profile();
  EXPECT_FALSE(json::parse(profile_json(profile))["scenes"][0].contains("positions"));
  profile.scenes.front().positions = PositionKind::grid;
  json document = json::parse(profile_json(profile));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  EXPECT_EQ(parse_profile(document.dump(), "p.json").scenes.front().positions, PositionKind::grid);
  document["scenes"][0]["positions"] = "corner";
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("scenes[0].positions"));
}

TEST(Profile, RefusesDataflowsThatALayerCannotRun) {
  json document = json::parse(profile_json(tuned_profile()));
  std::size_t cubic = 0;
  while (document["features"].at(cubic)["key"]["kernel_size"] != 3)
    ++cubic;
  json& record = document["features"][cubic];
  const std::string place = "p.json: features[" + std::to_string(cubic) + "].";
  record.erase("t");
  for (const char* name : {"unsorted", "mask-sorted:3", "gather"}) {
    record["dataflow"] = name;
    EXPECT_EQ(fault_of(document.dump()), "") << name;
    EXPECT_THAT(schema().faults(document), IsEmpty()) << name;
  }
  for (const char* name : {"os", "ws", "hybrid:2", "mask-sorted:0", "mask-sorted:28", "fast", ""}) {
    record["dataflow"] = name;
    EXPECT_THAT(fault_of(document.dump()), HasSubstr(place + "dataflow: ")) << name;
  }
  record.erase("dataflow");
  EXPECT_THAT(fault_of(document.dump()), HasSubstr(place + "t: missing"));
  EXPECT_FALSE(schema().faults(document).empty());
  record["t"] = 0;
  document["maps"][0].erase("t");
  document["maps"][0]["dataflow"] = "gather";
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("maps[0].dataflow: this dataflow has no separate map"));
  document["maps"][0]["dataflow"] = "unsorted";
  document["choices"][0]["ties"] = {"unsorted", 2};
  document["choices"][0]["scene_t"] = {"gather", nullptr};
  EXPECT_EQ(fault_of(document.dump()), "");
  document["choices"][0]["ties"] = {"sorted"};
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("choices[0].ties: "));
}

TEST(Profile, HoldsARecordForEachKeyAndSetting) {
  const json document = json::parse(profile_json(tuned_profile()));
  std::set<std::string> seen;
  for (const char* kind : {"features", "maps"}) {
    for (json record : document[kind]) {
      EXPECT_FALSE(record["samples_ms"].empty());
      EXPECT_EQ(record["stats"]["n"], record["samples_ms"].size());
      for (const char* measured : {"samples_ms", "stats", "dropped", "output_vs_t_max"})
        record.erase(measured);
      EXPECT_TRUE(seen.insert(kind + record.dump()).second) << record;
    }
  }
  EXPECT_EQ(document["scenes"].size(), 2U);
  EXPECT_FALSE(document["scenes"][0].contains("points_m")) << "the profile must not contain coordinates";
  EXPECT_EQ(document["regret"].size(), 3U);
}

TEST(Profile, KeepsWhichRegretsAreTied) {
  TuningProfile profile = tuned_profile();
  profile.regret = {{Regret{0, false}, Regret{0.487, true}}, {std::nullopt, Regret{}}, {Regret{}, Regret{}}};
  json document = json::parse(profile_json(profile));
  EXPECT_EQ(document["regret"][0]["tied"], json({false, true}));
  EXPECT_TRUE(document["regret"][1]["tied"][0].is_null());
  const TuningProfile again = parse_profile(document.dump(), "p.json");
  EXPECT_EQ(regret_text(again.regret[0][1]), "+48.7 %, tied");
  EXPECT_EQ(regret_text(again.regret[0][0]), "+0.0 %");
  EXPECT_EQ(regret_text(again.regret[1][0]), "not measured");
  for (json& row : document["regret"])
    row.erase("tied");
  const TuningProfile before = parse_profile(document.dump(), "p.json");
  EXPECT_EQ(before.regret[0][1]->tied, std::nullopt) << "an old file must not state whether regrets are tied";
  EXPECT_EQ(regret_text(before.regret[0][1]), "+48.7 %");
  document = json::parse(profile_json(before));
  EXPECT_TRUE(document["regret"][0]["tied"][1].is_null())
      << "a profile made from an old file must not state it either";
  EXPECT_THAT(schema().faults(document), IsEmpty());
}

TEST(Profile, GivesTheSameChoicesFromItsRecords) {
  TuningProfile again = parse_profile(profile_json(tuned_profile()), "p.json");
  decide(again, test::little_unet());
  TuningProfile once = tuned_profile();
  decide(once, test::little_unet());
  EXPECT_TRUE(profile_json(again) == profile_json(once));
}

TEST(Profile, OpensOneOfTheFirstVersion) {
  json document = json::parse(profile_json(tuned_profile()));
  document["schema_version"] = "1.0";
  for (const char* later : {"validity", "expected_gain"})
    document.erase(later);
  for (json& scene : document["scenes"])
    scene.erase("densities");
  for (json& choice : document["choices"]) {
    choice.erase("margin_ms");
    choice.erase("margin_rel");
  }
  EXPECT_THAT(schema().faults(document), IsEmpty());
  const TuningProfile old = parse_profile(document.dump(), "p.json");
  EXPECT_FALSE(old.scenes.at(0).densities.has_value());
  EXPECT_EQ(old.validity.outputs_factor, 2);
  EXPECT_EQ(old.choices.size(), tuned_profile().choices.size());
}

TEST(Profile, StatesItsGainAndItsMargins) {
  TuningProfile profile = tuned_profile();
  PlanCheck& check = profile.checks.at(0);
  check.tuned.ms.assign(6, 2.0);
  check.all_output_stationary.ms.assign(6, 4.0);
  check.all_weight_stationary.ms.assign(3, 4.0);
  const json document = json::parse(profile_json(profile));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  ASSERT_EQ(document["expected_gain"].size(), 1U) << "too few samples of t = 0 must give no expected gain";
  EXPECT_EQ(document["expected_gain"][0]["vs"], "t_max");
  EXPECT_EQ(document["expected_gain"][0]["median_ratio"], 0.5);
  EXPECT_EQ(document["expected_gain"][0]["ci95"], json({0.5, 0.5}));
  const TunedShape& stem = profile.choices.at(0);
  EXPECT_EQ(document["choices"][0]["margin_ms"], margin_ms(stem).value());
  EXPECT_EQ(document["choices"][0]["margin_rel"], margin_share(stem).value());
}

TEST(Profile, OpensANewerMinorVersion) {
  json document = json::parse(profile_json(tuned_profile()));
  document["schema_version"] = "1.9";
  document["mood"] = "fine";
  EXPECT_EQ(fault_of(document.dump()), "");
}

TEST(Profile, IsRefusedWhereverItIsCutOff) {
  const std::string whole = profile_json(tuned_profile());
  EXPECT_THAT(fault_of(""), HasSubstr("the file is empty"));
  for (std::size_t part = 1; part < 20; ++part) {
    EXPECT_THAT(fault_of(whole.substr(0, whole.size() * part / 20)),
                AllOf(StartsWith("p.json: invalid JSON at line "), Not(HasSubstr("\n"))))
        << part;
  }
  EXPECT_THAT(fault_of(std::string(100'000, '[')), HasSubstr("nested deeper than"));
  EXPECT_THAT(fault_of("[]"), HasSubstr("expected a JSON object"));
}

TEST(Profile, HasNoMoreThanAMillionSamples) {
  json document = json::parse(profile_json(tuned_profile()));
  document["features"][0]["samples_ms"] = std::vector<int>(1'000'001);
  EXPECT_THAT(fault_of(document.dump()), AllOf(StartsWith("p.json: "), HasSubstr("the limit is 1,000,000")));
}

struct Fault {
  const char* pointer;
  json value;  ///< Null means that the member is removed.
  const char* said;
};
class ProfileWithAFault : public testing::TestWithParam<Fault> {};

TEST_P(ProfileWithAFault, IsRefusedInOneLineThatNamesTheField) {
  json document = json::parse(profile_json(tuned_profile()));
  const json::json_pointer at(GetParam().pointer);
  if (GetParam().value.is_null()) {
    document[at.parent_pointer()].erase(at.back());
  } else {
    document[at] = GetParam().value;
  }
  EXPECT_THAT(fault_of(document.dump()),
              AllOf(StartsWith("p.json: "), HasSubstr(GetParam().said), Not(HasSubstr("\n"))));
  EXPECT_THAT(validate_document(document.dump(), "p.json").faults, Not(IsEmpty()))
      << "spira validate must apply the rules of the reader";
}

/// Returns a profile of a network with `levels` levels that use the reached rule.
TuningProfile reached_profile(int levels) {
  std::string layers;
  for (int at = 0; at < levels; ++at)
    layers += std::string(at == 0 ? "" : ", ") + R"({"name": "l)" + std::to_string(at) +
              R"(", "inputs": ["input"], "stride": 2, "rule": "reached", "padding": 1, "cells": [)" +
              std::to_string(100 + at) + R"(, 100, 100], "out_channels": 4})";
  const Network network =
      parse_network(R"({"schema": "spira.network 2", "layers": [)" + layers + "]}", "net.json");
  TuningProfile profile;
  profile.created = "2026-11-21T20:01:03Z";
  profile.network = network.name;
  profile.levels = numbered_levels(levels_of(network));
  TunedScene scene;
  scene.name = "room";
  scene.voxel_m = {0.1, 0.1, 0.1};
  scene.levels.push_back({1, 9});
  for (const SceneLevel& level : profile.levels)
    scene.levels.push_back({level.number, 5});
  profile.scenes = {scene};
  const Levels all = levels_of(network);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    FeatureRecord record{0, shape_of(network.layers[at], all.layers[at]), 0, {1.0}, false, {}};
    profile.features.push_back(record);
    profile.maps.push_back(
        {0, all.layers[at].map, PackSpec::bits32(), 0, MapAlgorithm::z_delta, {1.0}, false});
  }
  return profile;
}

TEST(ReachedProfile, KeepsTheRulesOfItsLevels) {
  constexpr int many = 8;
  const TuningProfile made = reached_profile(many);
  const std::string text = profile_json(made);
  EXPECT_THAT(text, HasSubstr("\"text\": \"2 (reached #8)\""));
  EXPECT_THAT(validate_document(text, "p.json").faults, IsEmpty());
  const TuningProfile read = parse_profile(text, "p.json");
  ASSERT_EQ(read.levels.size(), static_cast<std::size_t>(many));
  for (std::size_t at = 0; at < read.levels.size(); ++at) {
    EXPECT_EQ(read.levels[at].number, made.levels[at].number);
    EXPECT_EQ(read.levels[at].rule, made.levels[at].rule);
  }
  EXPECT_EQ(read.scenes.front().levels.size(), static_cast<std::size_t>(many + 1));
  EXPECT_EQ(read.features.front().shape.text(read.levels), "3x3x3 1>2 (reached) 4->4");
  EXPECT_EQ(profile_json(read), text);
}

TEST(ReachedProfile, KeepsTheRulesOfJoinedAndFlatLevelsAndOfPoints) {
  const Network network = parse_network(R"({"schema": "spira.network 2", "layers": [
      {"name": "a", "stride": 2, "out_channels": 4},
      {"name": "b", "stride": 2, "rule": "reached", "cells": [9, 9, 9], "out_channels": 4},
      {"name": "j", "op": "union_add", "inputs": ["a", "b"]}, {"name": "f", "op": "drop_axis"},
      {"name": "c", "rule": "reached", "kernel_size": [3, 3, 1], "out_channels": 4},
      {"name": "k", "op": "union_add", "inputs": ["c", "f"]},
      {"name": "z", "op": "to_points", "inputs": ["b"]}]})",
                                        "net.json");
  TuningProfile made = reached_profile(1);
  made.levels = numbered_levels(levels_of(network));
  ASSERT_EQ(made.levels.size(), 6U);
  EXPECT_TRUE(made.levels.back().rule.is_points());
  made.scenes.clear();
  made.features.clear();
  made.maps.clear();
  const std::string text = profile_json(made);
  EXPECT_THAT(text, HasSubstr("\"text\": \"2 (joined)\""));
  EXPECT_THAT(validate_document(text, "p.json").faults, IsEmpty());
  const TuningProfile read = parse_profile(text, "p.json");
  ASSERT_EQ(read.levels.size(), made.levels.size());
  for (std::size_t at = 0; at < read.levels.size(); ++at)
    EXPECT_EQ(read.levels[at].rule, made.levels[at].rule) << at;
  EXPECT_EQ(profile_json(read), text);
}

TEST(ReachedProfile, ANumberThatIsNoLevelIsRefused) {
  const json document = json::parse(profile_json(reached_profile(2)));
  const auto fault = [&](const char* place, const json& value) {
    json changed = document;
    changed[json::json_pointer(place)] = value;
    return fault_of(changed.dump());
  };
  EXPECT_THAT(fault("/maps/0/key/out_stride", 1007),
              HasSubstr("maps[0].key.out_stride: 1007 is not the number of a level"));
  EXPECT_THAT(fault("/scenes/0/levels/1/stride", 1007), HasSubstr("1007 is not the number of a level"));
  EXPECT_THAT(fault("/levels/1/number", 1000), HasSubstr("levels[1].number: 1000; expected 1001 or more"));
  EXPECT_THAT(fault("/levels/0/x/0/stride", 0), HasSubstr("levels[0].x[0].stride"));
  EXPECT_THAT(fault("/levels/0/z", "no"), HasSubstr("levels[0].z"));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ProfileWithAFault,
    testing::Values(
        Fault{"/schema", "spira.report", "schema: \"spira.report\" is not a tuning profile"},
        Fault{"/schema_version", "2.0", "schema_version: 2.0 is newer"},
        Fault{"/device", json(), "device: missing"}, Fault{"/device/kind", "tpu", "device.kind"},
        Fault{"/precision", "fp8", "precision: \"fp8\"; expected one of: fp32, fp16"},
        Fault{"/stopped", "tired", "stopped: \"tired\""}, Fault{"/budget_ms", -1, "budget_ms: -1"},
        Fault{"/network/fingerprint", "xyz", "network.fingerprint"},
        Fault{"/scenes/0/voxel_m", {0.1, 0.1}, "scenes[0].voxel_m"},
        Fault{"/scenes/0/packing", "fine", "scenes[0].packing"},
        Fault{"/scenes/0/weight", -1, "scenes[0].weight"},
        Fault{"/scenes/1/levels/0/stride", 3, "scenes[1].levels[0].stride"},
        Fault{"/scenes/0/densities/kernel_size", 5, "scenes[0].densities.kernel_size"},
        Fault{"/scenes/0/densities/mean_by_l1", {1, 0.5}, "expected four shares, 0 to 1"},
        Fault{"/scenes/0/densities/mean_by_l1/1", 1.5, "expected four shares, 0 to 1"},
        Fault{"/validity/outputs_factor", 0.5, "validity.outputs_factor: 0.5"},
        Fault{"/validity/density_distance_limit", 2, "validity.density_distance_limit: 2"},
        Fault{"/scenes", json::array(), "the profile has no scenes"},
        Fault{"/features/0/scene", 2, "features[0].scene: 2"}, Fault{"/features/0/t", 5, "features[0].t: 5"},
        Fault{"/features/0/t", -1, "features[0].t: -1"},
        Fault{"/features/0/key/kernel_size", 8, "features[0].key.kernel_size"},
        Fault{"/features/0/key/in_channels", 0, "features[0].key.in_channels"},
        Fault{"/features/0/samples_ms/0", -2, "features[0].samples_ms[0]: -2"},
        Fault{"/features/0/output_vs_t_max/ok", 1, "expected true or false"},
        Fault{"/maps/0/map", "magic", "maps[0].map: \"magic\"; expected one of: zdelta"},
        Fault{"/maps/0/key/packing", "40/40/40", "maps[0].key.packing"},
        Fault{"/indexing/0/samples_ms", json(), "indexing[0].samples_ms: missing"},
        Fault{"/packing/why", "luck", "packing.why"}, Fault{"/packing/why", "user", "packing.why"},
        Fault{"/choices/0/t", 9, "choices[0].t: 9"},
        Fault{"/choices/0/layers", json::array(), "choices[0].layers: empty"},
        Fault{"/choices/0/outputs/high", 0, "choices[0].outputs.high"},
        Fault{"/choices/0/scene_t", 4, "choices[0].scene_t: expected an array"},
        Fault{"/choices/0/scene_t", {1}, "choices[0].scene_t: expected one entry for each of 2 scenes"},
        Fault{"/choices/0/scene_t/0", 99, "choices[0].scene_t"},
        Fault{"/choices/0/costs/0/n", -1, "choices[0].costs[0].n"},
        Fault{"/regret/0/share_over_own_picks", {0.0}, "regret[0].share_over_own_picks"},
        Fault{"/regret/0/tied", {true}, "regret[0].tied: expected one entry for each of 2 scenes"},
        Fault{"/regret",
              {{{"share_over_own_picks", {0.0, 0.0}}}},
              "regret: expected one row for each scene and one row for all scenes together"},
        Fault{"/checks/0/wall/0/plan", "best", "checks[0].wall[0].plan"}),
    [](const auto& info) { return test::case_name(info.index, info.param.pointer); });

/// Replaces each value of a profile with values of other kinds, one at a time.
TEST(Profile, AnswersAnyValueAnywhereWithAProfileOrOneLine) {
  json sound = json::parse(profile_json(tuned_profile()));
  for (const char* list : {"features", "maps", "indexing", "choices"}) {
    while (sound[list].size() > 2)
      sound[list].erase(sound[list].size() - 1);
  }
  ASSERT_EQ(fault_of(sound.dump()), "");
  std::vector<json::json_pointer> places;
  const auto list = [&](const auto& self, const json& value, const json::json_pointer& at) -> void {
    if (!at.empty()) places.push_back(at);
    if (!value.is_structured() || at.back() == "stats") return;
    for (const auto& [key, member] : value.items())
      self(self, member, value.is_array() ? at / static_cast<std::size_t>(std::stoul(key)) : at / key);
  };
  for (const auto& [key, member] : sound.items())
    list(list, member, json::json_pointer() / key);
  ASSERT_GT(places.size(), 200U);
  const std::vector<json> strangers{nullptr, -1,  0.5,           1e300,          UINT64_MAX,  true,
                                    "",      "x", json::array(), json::object(), {1, 2, 3, 4}};
  const std::set<std::string> not_read{"name",       "precision", "log2_outputs", "word_bits",    "stats",
                                       "picked_for", "margin_ms", "margin_rel",   "expected_gain"};
  for (const auto& place : places) {
    for (const json& stranger : strangers) {
      json document = sound;
      document[place] = stranger;
      const std::string fault = fault_of(document.dump());
      EXPECT_THAT(fault, Not(HasSubstr("\n"))) << place.to_string();
      if (fault.empty() && !not_read.contains(place.back())) {
        EXPECT_THAT(schema().faults(document), IsEmpty()) << place.to_string() << " " << stranger;
      }
    }
  }
}

}  // namespace
}  // namespace spira
