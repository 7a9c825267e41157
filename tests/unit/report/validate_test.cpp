// Tests validate_document() on valid and invalid documents of each kind. Each fault must give one line.
#include "engine/report/validate.hpp"

#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/schema_json.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/support/recorded_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace spira {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> faults_of(const json& schema, const json& document) {
  return JsonSchema(schema).faults(document);
}

TEST(JsonSchema, NamesPlaceAndFault) {
  const json schema = json::parse(R"({"type": "object", "required": ["a"], "additionalProperties": false,
    "properties": {"a": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/$defs/small"}},
                   "b": {"enum": ["x", "y"]}, "c": {"const": 7}, "d": {"type": ["string", "null"], "minLength": 2}},
    "$defs": {"small": {"type": "integer", "minimum": 0, "maximum": 9}}})");
  EXPECT_THAT(faults_of(schema, json::parse(R"({"a": [3], "b": "x", "c": 7, "d": null})")), IsEmpty());
  EXPECT_THAT(faults_of(schema, json::array()), ElementsAre("the document: an array; expected object"));
  EXPECT_THAT(faults_of(schema, json::object()), ElementsAre("a: missing"));
  const auto found =
      faults_of(schema, json::parse(R"({"a": [-1, 10, 1.5], "b": "z", "c": 8, "d": "q", "e": 1})"));
  EXPECT_THAT(found,
              testing::UnorderedElementsAre("a[0]: -1; expected at least 0", "a[1]: 10; expected at most 9",
                                            "a[2]: 1.5; expected integer", "a: 3 entries; expected at most 2",
                                            R"(b: "z"; expected one of: "x", "y")", "c: 8; expected 7",
                                            R"(d: "q"; expected at least 2 characters)", "e: unknown"));
  EXPECT_EQ(JsonSchema(schema).faults(json::parse(R"({"a": [-1, -1]})"), 1).size(), 1U);
  EXPECT_THROW(static_cast<void>(faults_of({{"anyOf", json::array()}}, 1)), Error)
      << "an unsupported schema keyword must be refused";
}

TEST(JsonSchema, KnowsLimitsThatAreNotPartOfTheRange) {
  const json schema = json::parse(R"({"properties": {"radius": {"exclusiveMinimum": 0}}})");
  EXPECT_THAT(faults_of(schema, json::parse(R"({"radius": 0.1})")), IsEmpty());
  EXPECT_THAT(faults_of(schema, json::parse(R"({"radius": 0})")),
              ElementsAre("radius: 0; expected more than 0"));
}

TEST(JsonSchema, AcceptsOneOfSeveralForms) {
  const json schema = json::parse(
      R"({"oneOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"const": 1}}}]})");
  EXPECT_THAT(faults_of(schema, json::parse(R"({"a": 0})")), IsEmpty());
  EXPECT_THAT(faults_of(schema, json::parse(R"({"b": 1})")), IsEmpty());
  const auto refused = ElementsAre("the document: an object; expected exactly one of 2 forms");
  EXPECT_THAT(faults_of(schema, json::object()), refused);
  EXPECT_THAT(faults_of(schema, json::parse(R"({"a": 0, "b": 1})")), refused);
  EXPECT_THAT(faults_of(schema, json::parse(R"({"b": 2})")), refused);
}

TEST(JsonSchema, ChecksAdditionalMembersAgainstTheirSchema) {
  const json schema = json::parse(
      R"({"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "object", "required": ["low"]}})");
  EXPECT_THAT(faults_of(schema, json::parse(R"({"a": "x", "b": {"low": 1}})")), IsEmpty());
  EXPECT_THAT(faults_of(schema, json::parse(R"({"b": 5})")), ElementsAre("b: 5; expected object"));
  EXPECT_THAT(faults_of(schema, json::parse(R"({"b": {}})")), ElementsAre("b.low: missing"));
}

TEST(Validate, KnowsTheSchemasOfTheTree) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SPIRA_SOURCE_DIR "/resources/schemas"))
    files += entry.path().extension() == ".json" ? 1 : 0;
  EXPECT_EQ(shipped_schemas().size(), files);
  for (const ShippedSchema& one : shipped_schemas()) {
    const std::string file = SPIRA_SOURCE_DIR "/resources/schemas/" + std::string(one.name) + ".schema.json";
    EXPECT_EQ(read_text_file(file, 1 << 20), one.content) << one.name;
  }
}

TEST(Validate, AcceptsDocumentsOfThisVersion) {
  const Validation report = validate_document(report_json(test::recorded_report()), "r.json");
  EXPECT_EQ(report.kind, "report");
  EXPECT_EQ(report.version, "1.21");
  EXPECT_THAT(report.faults, IsEmpty());
  EXPECT_THAT(validate_document(sweep_json(*test::recorded_report().threshold_sweep), "s.json").faults,
              IsEmpty());
  for (const char* folder : {"/samples/reports", "/samples/networks", "/resources/lessons"}) {
    for (const auto& entry : std::filesystem::directory_iterator(SPIRA_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".json") continue;
      EXPECT_THAT(validate_file(entry.path()).faults, IsEmpty()) << entry.path();
    }
  }
}

TEST(Validate, HasALineForEachFault) {
  json document = json::parse(report_json(test::recorded_report()));
  document["layers"][1]["pairs"] = -3;
  document["scene"].erase("voxels");
  document["schema_version"] = "2.0";
  EXPECT_THAT(
      validate_document(document.dump(), "r.json").faults,
      testing::UnorderedElementsAre("schema_version: \"2.0\"; expected 1.x",
                                    "layers[1].pairs: -3; expected at least 0", "scene.voxels: missing"));
}

struct FaultyText {
  const char* name;
  std::string text;
  std::string says;
};
class FaultyJson : public testing::TestWithParam<FaultyText> {};

TEST_P(FaultyJson, IsRefusedInOneLineWithPlaceAndReason) {
  try {
    static_cast<void>(parse_json_object(GetParam().text, "x.json"));
    FAIL() << "the faulty text must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.what(), "x.json: " + GetParam().says);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, FaultyJson,
    testing::Values(
        FaultyText{"DuplicateKey", R"({"a": 1, "b": 2, "a": 3})", "a: the key occurs twice in one object"},
        FaultyText{"DuplicateKeyInARow", R"({"l": [[0], {"k": 1}, {"k": 1, "m": {"n": 0, "n": 1}}]})",
                   "l[2].m.n: the key occurs twice in one object"},
        FaultyText{"NumberOutOfRange", "{\n \"a\": [1, -1e9999]}",
                   "invalid JSON at line 2, column 11: the number is out of range (-1e9999)"},
        FaultyText{"UnexpectedByte", "{ x", "invalid JSON at line 1, column 3: unexpected \"x\""},
        FaultyText{"Comma", "{\"a\": [1,]}", "invalid JSON at line 1, column 10: unexpected \"]\""},
        FaultyText{"CutOff", "{\"a\": [1,\n 2",
                   "invalid JSON at line 2, column 3: unexpected end of the text"},
        FaultyText{"Empty", "", "the file is empty; expected a JSON object"},
        FaultyText{"Text", "\"a\"", "\"a\"; expected a JSON object"}),
    [](const auto& about) { return about.param.name; });

TEST(FaultyJson, NamesOfMegabytesAreShortened) {
  const std::string huge(2'000'000, 'n');
  const std::vector<std::string> documents{
      R"({")" + huge + R"(": 1, ")" + huge + R"(": 2})",
      R"({"schema": ")" + huge + R"("})",
      R"({"layers": [{"name": ")" + huge + R"(", "out_channels": 4}]})",
      R"({"layers": [{"name": "a", "inputs": [")" + huge + R"("], "out_channels": 4}]})",
      R"({"layers": [{"name": "a", "residual": ")" + huge + R"(", "out_channels": 4}]})",
      R"({"layers": [{"name": "a", ")" + huge + R"(": 4, "out_channels": 4}]})",
      R"({"schema": "spira.report", ")" + huge + R"(": 4})"};
  for (const std::string& document : documents) {
    SCOPED_TRACE(document.substr(0, 50));
    try {
      const Validation found = validate_document(document, "x.json");
      ASSERT_FALSE(found.faults.empty());
      for (const auto& fault : found.faults)
        EXPECT_LT(fault.size(), 1000U);
    } catch (const Error& error) {
      EXPECT_LT(std::string(error.what()).size(), 1000U);
    }
  }
}

struct Kinds {
  const char* text;
  DocumentKind kind;
};
TEST(DocumentKind, IsFoundByTheSchemaOrTheLayers) {
  const Kinds all[] = {{R"({"layers": []})", DocumentKind::network},
                       {R"({"schema": "spira.network 1"})", DocumentKind::network},
                       {R"({"schema": "spira.network 2"})", DocumentKind::network},
                       {R"({"schema": "spira.report"})", DocumentKind::report},
                       {R"({"schema": "spira.report", "created": "2026)", DocumentKind::report},
                       {R"({"schema": "spira.tune"})", DocumentKind::tuning_profile},
                       {R"({"schema": "spirascope.session"})", DocumentKind::session},
                       {R"({"schema": "spira.lesson"})", DocumentKind::lesson},
                       {R"({"schema": "spira.sweep 1"})", DocumentKind::sweep}};
  for (const Kinds& one : all)
    EXPECT_EQ(document_kind(one.text, "x.json"), one.kind) << one.text;
  EXPECT_EQ(text_of(DocumentKind::tuning_profile), "tuning profile");
  EXPECT_EQ(text_of(DocumentKind::sweep), "sweep");
}

/// A document that matches its schema but violates a rule of the program that reads it.
struct BrokenRule {
  const char* name;
  std::string text, says;
};
class Rules : public testing::TestWithParam<BrokenRule> {};

TEST_P(Rules, OfReadersAreRulesOfValidate) {
  EXPECT_THAT(validate_document(GetParam().text, "x.json").faults, ElementsAre(HasSubstr(GetParam().says)));
}

std::string changed(json document, const char* pointer, const json& value) {
  document[json::json_pointer(pointer)] = value;
  return document.dump();
}
json sound_session() {
  return json::parse(R"({"schema": "spirascope.session", "schema_version": "1.4",
    "open": {"kind": "built_in", "name": "street", "frame": 0},
    "voxels": {"size_m": {"x": 0.5, "y": 0.5, "z": 0.5}, "pack": "12/12/8"},
    "network": {"inline": {"layers": [{"name": "a", "out_channels": 4}]}}, "thresholds": [4],
    "colours": {"by": "height", "map": "viridis", "range": "all", "typed_ranges": {}, "hidden_classes": []},
    "view": {"scene_kernel_size": 3, "stride": 1, "layer": -1, "offsets": [],
             "voxel": {"cell": {"x": 0, "y": 0, "z": 0}, "stride": 2}}})");
}

TEST(Validate, AcceptsAValidSession) {
  EXPECT_THAT(validate_document(sound_session().dump(), "x.json").faults, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Documents, Rules,
    testing::Values(
        BrokenRule{"ResidualOfOtherChannels",
                   R"({"layers": [{"name": "a", "out_channels": 16}, {"name": "b", "out_channels": 32},
                       {"name": "s", "residual": "a", "out_channels": 32}]})",
                   "layers[2].residual: 'a' has 16 channels"},
        BrokenRule{"CycleOfLayers",
                   R"({"layers": [{"name": "a", "out_channels": 16, "inputs": ["b"]},
                       {"name": "b", "out_channels": 16, "inputs": ["a"]}]})",
                   "layers[0].inputs[0]: no earlier layer is called 'b'"},
        BrokenRule{"StridesBeyond64",
                   R"({"layers": [{"name": "a", "stride": 16, "out_channels": 4},
                       {"name": "b", "stride": 8, "out_channels": 4}]})",
                   "layers[1].stride: the output would have stride 128"},
        BrokenRule{"SessionWithStride7", changed(sound_session(), "/view/voxel/stride", 7),
                   "view.voxel.stride: 7; expected one of: 1, 2, 4, 8, 16"},
        BrokenRule{"SessionWithoutPath", changed(sound_session(), "/open/kind", "file"),
                   "open.paths: missing"},
        BrokenRule{"SessionWithAnotherPacking", changed(sound_session(), "/voxels/pack", "40/40/40"),
                   "voxels.pack: "},
        BrokenRule{"SessionWithTooManyThresholds", changed(sound_session(), "/thresholds", {1, 2}),
                   "thresholds: 2 values; the network has 1 layers"},
        BrokenRule{"SessionWithAThresholdBeyondTheKernel", changed(sound_session(), "/thresholds/0", 77),
                   "thresholds[0]: "},
        BrokenRule{"SessionWithAnUnknownPreset", changed(sound_session(), "/network", {{"preset", "resn99"}}),
                   "network.preset: "},
        BrokenRule{"SessionWithABadNetwork",
                   changed(sound_session(), "/network/inline/layers/0/kernel_size", 4),
                   "network.inline: layers[0].kernel_size: 4"}),
    [](const auto& about) { return about.param.name; });

TEST(Rules, OfReadersOfReportsAreRulesOfValidate) {
  const std::string text =
      changed(json::parse(report_json(test::recorded_report())), "/network/layers/0/kernel_size", 4);
  EXPECT_THAT(validate_document(text, "x.json").faults, ElementsAre(HasSubstr("kernel_size")));
}

TEST(Validate, RefusesDocumentsWithoutASchema) {
  const auto fault = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(validate_document(text, "x.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(fault("{"), HasSubstr("x.json: invalid JSON at line 1, column 2: unexpected end of the text"));
  EXPECT_THAT(fault("[]"), HasSubstr("x.json: an array; expected a JSON object"));
  EXPECT_THAT(fault("{}"), HasSubstr("x.json: JSON, but not a document of SpiraScope"));
  EXPECT_THAT(fault(R"({"schema": "other"})"), HasSubstr("\"other\"; known schemas: spira.report"));
}

}  // namespace
}  // namespace spira
