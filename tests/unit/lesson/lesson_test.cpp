// Tests the parsing of lesson files, and the error messages for invalid files. The JSON schema must refuse
// the same files.
#include "engine/lesson/lesson.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace spira {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const sound = R"({"schema": "spira.lesson", "schema_version": "1.0", "id": "one", "title": "One",
  "summary": "A lesson.", "questions": [{"text": "Choose.", "check": "selection.voxels > 0", "hint": "L."}],
  "steps": [{"id": "a", "title": "A", "text": "There are {{voxels.count}} voxels.",
    "before": ["choose.l1 2"], "motion": {"kind": "grid", "caption": "It falls."},
    "numbers": [{"label": "voxels", "value": "voxels.count", "digits": 1, "unit": "x", "paper": "50"}],
    "bars": {"title": "B", "labels": ["1"], "values": ["density.l1.1"], "control": ["shuffled.l1.1"],
             "value_name": "scene", "control_name": "shuffled"},
    "guess": {"question": "More?", "choices": ["yes", "no"], "answer": "voxels.count > 3"},
    "controls": [{"label": "Norm", "command": "choose.l1 {}", "min": 0, "max": 0.3, "step": 0.1,
      "now": "selection.l1", "digits": 1, "unit": "steps", "shows": "{{density.outputs}} voxels"},
      {"label": "Or", "command": "choose.l1 {}", "choices": [{"name": "near", "value": "1"},
      {"name": "far", "value": "2 3"}], "now": "selection.l1 > 1"}],
    "try": [{"text": "Press it.", "button": "Go", "commands": ["view.top"]}], "key_bits": true,
    "table": {"title": "T", "columns": ["x", "y"], "rows": [{"label": "free", "values":
      ["pack.free.x", "pack.free.y"], "digits": 2, "unit": "cells"}]},
    "masks": [{"stride": 4, "text": "{{levels.s4}} voxels"}],
    "lines": [{"text": "{{border.floor}} lie low", "holds": "border.floor > 3", "when": "levels.s1 > 0"}],
    "after": "So."}]})";

std::string refuse(const LessonCommand& command) {
  return command.id == "choose.l1" || command.id == "view.top" ? "" : "no such command";
}
Lesson read(const json& document) {
  return parse_lesson(document.dump(), "one.json", refuse);
}
std::string fault(const json& document) {
  try {
    static_cast<void>(read(document));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return {};
}
const test::JsonSchema& schema() {
  static const test::JsonSchema read = test::shipped_schema("spira.lesson");
  return read;
}

TEST(LessonFile, IsRead) {
  ASSERT_THAT(schema().faults(json::parse(sound)), IsEmpty());
  const Lesson lesson = read(json::parse(sound));
  ASSERT_EQ(lesson.steps.size(), 1U);
  const LessonStep& step = lesson.steps.front();
  EXPECT_EQ(step.before.front().text(), "choose.l1 2");
  EXPECT_THAT(step.before.front().words, ElementsAre("2"));
  EXPECT_EQ(step.motion->kind, "grid");
  EXPECT_EQ(step.numbers.front().paper, "50");
  EXPECT_TRUE(step.key_bits);
  EXPECT_THAT(facts_of(step),
              ElementsAre("voxels.count", "density.l1.1", "shuffled.l1.1", "pack.free.x", "pack.free.y",
                          "levels.s4", "border.floor", "levels.s1", "selection.l1", "density.outputs"));
  ASSERT_TRUE(step.table);
  EXPECT_THAT(step.table->columns, ElementsAre("x", "y"));
  EXPECT_EQ(step.table->rows.front().digits, 2);
  EXPECT_EQ(step.table->rows.front().unit, "cells");
  EXPECT_EQ(step.masks.front().stride, 4);
  EXPECT_TRUE(step.lines.front().holds && step.lines.front().when);
  EXPECT_EQ(words_of(step.text), 4);
}

TEST(LessonFile, AControlHasACommandForEachOfItsValues) {
  const Lesson lesson = read(json::parse(sound));
  const auto& controls = lesson.steps.front().controls;
  ASSERT_EQ(controls.size(), 2U);
  const auto commands = [](const LessonControl& control) {
    std::vector<std::string> texts;
    for (const LessonCommand& command : control.commands)
      texts.push_back(command.text());
    return texts;
  };
  EXPECT_THAT(commands(controls[0]),
              ElementsAre("choose.l1 0", "choose.l1 0.1", "choose.l1 0.2", "choose.l1 0.3"));
  EXPECT_THAT(controls[0].values, ElementsAre(0, 0.1, 0.2, 0.3));
  EXPECT_EQ(controls[0].unit, "steps");
  EXPECT_EQ(controls[0].shows.expressions.size(), 1U);
  EXPECT_THAT(commands(controls[1]), ElementsAre("choose.l1 1", "choose.l1 2 3"));
  EXPECT_THAT(controls[1].names, ElementsAre("near", "far"));
  json listed = json::parse(sound);
  listed["steps"][0]["controls"][0] = {
      {"label", "L"}, {"command", "choose.l1 {}"}, {"values", {1, 4, 9}}, {"now", "selection.l1"}};
  EXPECT_THAT(schema().faults(listed), IsEmpty());
  EXPECT_THAT(commands(read(listed).steps.front().controls[0]),
              ElementsAre("choose.l1 1", "choose.l1 4", "choose.l1 9"));
}

/// One change to a valid file, and the error message that it must cause.
struct Change {
  const char* pointer;
  json value;
  const char* says;
  bool schema_too = true;
};
class BrokenLesson : public testing::TestWithParam<Change> {};

TEST_P(BrokenLesson, IsRefusedWithItsPlace) {
  json document = json::parse(sound);
  document[json::json_pointer(GetParam().pointer)] = GetParam().value;
  EXPECT_THAT(fault(document), HasSubstr(GetParam().says));
  EXPECT_THAT(fault(document), HasSubstr("one.json: "));
  EXPECT_EQ(schema().faults(document).empty(), !GetParam().schema_too);
}

INSTANTIATE_TEST_SUITE_P(
    Changes, BrokenLesson,
    testing::Values(
        Change{"/schema", "spira.network", "schema"}, Change{"/schema_version", "2.0", "2.0", false},
        Change{"/title", "", "title: expected a non-empty string"}, Change{"/extra", 1, "extra: unknown key"},
        Change{"/steps", json::array(), "steps: a lesson needs at least one"},
        Change{"/steps/0/title", 7, "steps[0] 'a'.title"},
        Change{"/steps/0/texts", "x", "steps[0] 'a'.texts: unknown key"},
        Change{"/steps/0/text", "{{voxel.count}}", "steps[0] 'a'.text: unknown fact 'voxel.count'", false},
        Change{"/steps/0/text", "{{", "'{{' without '}}'", false},
        Change{"/steps/0/before/0", "fly.away", "'fly.away': no such command", false},
        Change{"/steps/0/motion/kind", "dance", "unknown animation 'dance'; expected one of: points"},
        Change{"/steps/0/numbers/0/value", "voxels.count +",
               "steps[0] 'a'.numbers[0].value: 'voxels.count +': column", false},
        Change{"/steps/0/numbers/0/digits", 9, "numbers[0].digits: 9; expected a whole number from 0 to 6"},
        Change{"/steps/0/numbers/0/points_at", "view.top",
               "numbers[0].points_at: expected choose.offset or choose.l1", false},
        Change{"/steps/0/numbers/0/points_at", "choose.offset",
               "steps[0] 'a'.numbers[0].points_at: 'choose.offset': no such command", false},
        Change{"/steps/0/bars/labels", json::array({"1", "2"}), "bars.labels: expected one entry per value",
               false},
        Change{"/steps/0/table/columns", json::array({"x"}),
               "steps[0] 'a'.table.rows[0].values: expected one entry per column", false},
        Change{"/steps/0/table/rows", json::array(), "table.rows: a table needs columns and rows"},
        Change{"/steps/0/table/rows/0/values/0", "pack.loose", "rows[0].values: unknown fact 'pack.loose'",
               false},
        Change{"/steps/0/table/rows/0/colour", 1, "table.rows[0].colour: unknown key"},
        Change{"/steps/0/masks/0/stride", 3, "masks[0].stride: expected a power of two", false},
        Change{"/steps/0/masks/0/text", "", "masks[0].text: expected a non-empty string"},
        Change{"/steps/0/lines/0/when", "later", "lines[0].when: unknown fact 'later'", false},
        Change{"/steps/0/lines/0/holds", 1, "lines[0].holds"},
        Change{"/steps/0/guess/choices", json::array({"one"}), "guess.choices: expected at least two"},
        Change{"/steps/0/controls/0/label", "",
               "steps[0] 'a'.controls[0].label: expected a non-empty string"},
        Change{"/steps/0/controls/0/colour", 1, "steps[0] 'a'.controls[0].colour: unknown key"},
        Change{"/steps/0/controls/0/command", "choose.l1 2",
               "controls[0].command: 'choose.l1 2': expected {} exactly once", false},
        Change{"/steps/0/controls/0/command", "{} {}",
               "controls[0].command: '{} {}': expected {} exactly once", false},
        Change{"/steps/0/controls/0/command", "fly.away {}",
               "controls[0].command: 'fly.away 0': no such command", false},
        Change{"/steps/0/controls/0/max", 0, "controls[0].max: must be larger than min", false},
        Change{"/steps/0/controls/0/step", -1, "controls[0].step: must be larger than 0"},
        Change{"/steps/0/controls/0/step", 0.2,
               "controls[0].step: expected a whole number of steps from min to max", false},
        Change{"/steps/0/controls/0/step", 1e-6,
               "controls[0].step: expected at most 100 steps from min to max", false},
        Change{"/steps/0/controls/0/values", json::array({1, 2}), "controls[0].min: cannot be combined with"},
        Change{"/steps/0/controls/0/now", "now", "controls[0].now: unknown fact 'now'", false},
        Change{"/steps/0/controls/0/shows", "{{now}}", "controls[0].shows: unknown fact 'now'", false},
        Change{"/steps/0/controls/1/unit", "m", "controls[1].unit: cannot be combined with", false},
        Change{"/steps/0/controls/1/choices", json::array(), "controls[1].choices: expected at least two"},
        Change{"/steps/0/controls/1/choices/0/value", "",
               "controls[1].choices[0].value: expected a non-empty string"},
        Change{"/questions/0/check", "nothing == 1", "questions[0].check: unknown fact 'nothing'", false}),
    [](const auto& info) { return test::case_name(info.index, info.param.pointer); });

TEST(LessonFile, IsRefusedIfTheValuesOfASliderDoNotIncrease) {
  json document = json::parse(sound);
  document["steps"][0]["controls"][0] = {
      {"label", "L"}, {"command", "choose.l1 {}"}, {"values", {1, 4, 4}}, {"now", "selection.l1"}};
  EXPECT_THAT(fault(document), HasSubstr("controls[0].values: expected ascending values"));
  document["steps"][0]["controls"][0]["values"] = {1};
  EXPECT_THAT(fault(document), HasSubstr("controls[0].values: expected at least two"));
  document["steps"][0]["controls"][0].erase("values");
  EXPECT_THAT(fault(document), HasSubstr("controls[0].min: missing"));
}

TEST(LessonFile, IsRefusedForDuplicateStepNamesAndForTooManyWords) {
  json document = json::parse(sound);
  document["steps"].push_back(document["steps"][0]);
  EXPECT_THAT(fault(document), HasSubstr("duplicate step id 'a'"));
  document = json::parse(sound);
  std::string words;
  for (int word = 0; word < 61; ++word)
    words += "word ";
  document["steps"][0]["text"] = words;
  EXPECT_THAT(fault(document), HasSubstr("61 words; the limit is 60"));
}

TEST(LessonFile, WithInvalidJsonIsRefusedWithTheLine) {
  try {
    static_cast<void>(parse_lesson("{\n\"schema\": ]", "broken.json", refuse));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("broken.json: invalid JSON at line 2"));
  }
}

TEST(LessonFile, BundledLessonsMatchTheSchemaAndCanBeRead) {
  int read_lessons = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SPIRA_SOURCE_DIR "/resources/lessons")) {
    const std::string text = read_text_file(entry.path(), 1 << 20);
    EXPECT_THAT(schema().faults(json::parse(text)), IsEmpty()) << entry.path();
    const Lesson lesson = parse_lesson(text, entry.path().filename().string(), {});
    EXPECT_EQ(lesson.questions.size(), 3U) << entry.path();
    ++read_lessons;
  }
  EXPECT_GE(read_lessons, 2);
}

}  // namespace
}  // namespace spira
