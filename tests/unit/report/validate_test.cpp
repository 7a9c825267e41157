// Documents against the schemas that are compiled in: each kind, and a line for each fault.
#include "engine/report/validate.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/schema_json.hpp"
#include "engine/base/shipped_schemas.hpp"
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
                                            R"(d: "q"; expected at least 2 letters)", "e: unknown"));
  EXPECT_EQ(JsonSchema(schema).faults(json::parse(R"({"a": [-1, -1]})"), 1).size(), 1U);
  EXPECT_THROW(static_cast<void>(faults_of({{"anyOf", json::array()}}, 1)), Error) << "not known here";
}

TEST(JsonSchema, TakesOneOfSeveralForms) {
  const json schema = json::parse(
      R"({"oneOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"const": 1}}}]})");
  EXPECT_THAT(faults_of(schema, json::parse(R"({"a": 0})")), IsEmpty());
  EXPECT_THAT(faults_of(schema, json::parse(R"({"b": 1})")), IsEmpty());
  const auto refused = ElementsAre("the document: an object; expected one of 2 forms, and only one");
  EXPECT_THAT(faults_of(schema, json::object()), refused);
  EXPECT_THAT(faults_of(schema, json::parse(R"({"a": 0, "b": 1})")), refused);
  EXPECT_THAT(faults_of(schema, json::parse(R"({"b": 2})")), refused);
}

TEST(JsonSchema, HoldsOtherMembersAgainstTheirSchema) {
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

TEST(Validate, TakesWhatThisVersionWrites) {
  const Validation report = validate_document(report_json(test::recorded_report()), "r.json");
  EXPECT_EQ(report.kind, "report");
  EXPECT_EQ(report.version, "1.11");
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

TEST(Validate, RefusesWhatItHasNoSchemaFor) {
  const auto fault = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(validate_document(text, "x.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(fault("{"), HasSubstr("x.json: not JSON"));
  EXPECT_THAT(fault("[]"), HasSubstr("x.json: JSON, but not an object"));
  EXPECT_THAT(fault("{}"), HasSubstr("x.json: schema: missing"));
  EXPECT_THAT(fault(R"({"schema": "other"})"), HasSubstr("\"other\"; there are schemas for: spira.report"));
}

}  // namespace
}  // namespace spira
