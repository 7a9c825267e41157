// Tests that all formulas in the lesson files can be computed on the generated scenes "street" and "room".
// The formulas are in numbers, tables, bar charts and the answers to guesses. Also tests that no question
// counts as answered when its page opens.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/file.hpp"
#include "engine/lesson/lesson.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace spira {
namespace {

std::shared_ptr<const LessonRun> recorded_run() {
  const auto report = std::make_shared<const Report>(
      read_report(SPIRA_SOURCE_DIR "/samples/reports/h100-minkunet42-lidar-street.spira.json"));
  auto run = std::make_shared<LessonRun>(*run_of_report(report));
  for (const auto algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash, MapAlgorithm::sorted_query})
    run->searches.push_back({algorithm, {0.5}, {1.0, 2.0, 3.0}});
  run->neighbours = NeighbourTimes{{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, {{2.0, 3.0, 4.0}, {5.0, 6.0, 7.0}}};
  return run;
}

class LessonNumbers : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  LessonNumbers() {
    Job job;
    const auto cloud = generate_scene(GetParam().second, 6000, 3, job);
    const double voxel_m = cloud->name == "room" ? 0.1 : 0.4;
    input_.scene = voxelize_scene(*backend_, cloud, {{voxel_m, voxel_m, voxel_m}, {}}, PackSpec::bits32(),
                                  {5, 16}, job, {}, most_native_stride);
    input_.run = recorded_run();
  }

  std::shared_ptr<const KernelMap> ball_map() {
    KernelShape kernel(input_.kernel_size);
    kernel.neighbourhood.shape = NeighbourShape::ball;
    Job job;
    return map_of_scene(*backend_, *input_.scene, {kernel, input_.stride, input_.stride}, job);
  }
  /// Applies the commands of a step that affect facts. The window does the same before it shows the step.
  void prepare(const LessonStep& step) {
    bool voxel = false;
    input_.voxel.reset();
    input_.rows.clear();
    input_.columns.clear();
    for (const LessonCommand& command : step.before) {
      if (command.id == "choose.offset") input_.columns = {0};
      if (command.id == "kernel.size") input_.kernel_size = std::stoi(command.words.at(0));
      voxel = voxel || command.id == "choose.voxel";
      if (command.id == "neighbours.ball") input_.map = ball_map();
      if (command.id == "choose.shape") input_.rows = {0, 1, 2};
      if (command.id.starts_with("view.stride_")) input_.stride = std::stoi(command.id.substr(12));
    }
    if (voxel) input_.voxel = all_voxels(input_.scene->level(input_.stride)).front();
    facts_.clear();
    computed_.clear();
  }
  const Fact* look_up(const std::string& name) {
    const std::string group(group_of_fact(name));
    Job job;
    if (computed_.insert(group).second) {
      for (const Fact& fact : compute_facts(group, input_, job))
        facts_[fact.name] = fact;
    }
    const auto found = facts_.find(name);
    return found == facts_.end() ? nullptr : &found->second;
  }
  std::optional<double> value(const Expression& formula) {
    const auto found = formula.evaluate([&](const std::string& name) { return look_up(name); });
    return found ? std::optional(found->value) : std::nullopt;
  }
  void expect_value(const Expression& formula) {
    const auto found = value(formula);
    ASSERT_TRUE(found.has_value()) << formula.text();
    EXPECT_TRUE(std::isfinite(*found)) << formula.text();
  }

  /// Expects that each row of a table has either all of its values or none of them.
  void expect_rows(const LessonStep& step) {
    if (!step.table) return;
    int there = 0;
    for (const LessonTable::Row& row : step.table->rows) {
      if (!value(row.values.front())) {
        for (const Expression& formula : row.values)
          EXPECT_FALSE(value(formula)) << formula.text();
        continue;
      }
      ++there;
      for (const Expression& formula : row.values)
        expect_value(formula);
    }
    EXPECT_GT(there, 0);
  }

  Lesson lesson_ = parse_lesson(
      read_text_file(SPIRA_SOURCE_DIR "/resources/lessons/" + std::string(GetParam().first), 1 << 20),
      GetParam().first, {});
  std::shared_ptr<Backend> backend_ = app::make_registry().make("cpu");
  LessonInput input_;
  std::map<std::string, Fact> facts_;
  std::set<std::string> computed_;
};

TEST_P(LessonNumbers, AllHaveAValue) {
  for (const LessonStep& step : lesson_.steps) {
    SCOPED_TRACE(step.id);
    prepare(step);
    for (const Expression& formula : step.text.expressions)
      expect_value(formula);
    for (const LessonNumber& number : step.numbers)
      expect_value(number.value);
    if (step.bars) {
      for (const auto* formulas : {&step.bars->values, &step.bars->control}) {
        for (const Expression& formula : *formulas)
          expect_value(formula);
      }
    }
    expect_rows(step);
    for (const LessonMask& mask : step.masks) {
      for (const Expression& formula : mask.text.expressions)
        expect_value(formula);
    }
    for (const LessonLine& line : step.lines) {
      if (line.when && value(*line.when).value_or(1) == 0) continue;
      EXPECT_TRUE(!line.when || value(*line.when)) << line.when->text();
      if (line.holds) expect_value(*line.holds);
    }
    if (!step.guess) continue;
    const auto answer = value(step.guess->answer);
    ASSERT_TRUE(answer.has_value()) << step.guess->question;
    EXPECT_TRUE(*answer >= 0 && *answer < static_cast<double>(step.guess->choices.size()) &&
                *answer == std::round(*answer))
        << step.guess->question;
  }
}

TEST_P(LessonNumbers, QuestionsAreNotAnsweredAtTheStart) {
  input_.kernel_size = 3;
  ASSERT_EQ(lesson_.questions.size(), 3U);
  for (const LessonQuestion& question : lesson_.questions)
    EXPECT_FALSE(question.check.holds([&](const std::string& name) { return look_up(name); }))
        << question.text;
}

INSTANTIATE_TEST_SUITE_P(
    Lessons, LessonNumbers,
    testing::Values(std::pair("1-voxelize.json", "street"), std::pair("1-voxelize.json", "room"),
                    std::pair("3-density.json", "street"), std::pair("3-density.json", "room"),
                    std::pair("2-search.json", "street"), std::pair("2-search.json", "room"),
                    std::pair("4-dataflows.json", "street"), std::pair("4-dataflows.json", "room"),
                    std::pair("5-indexing.json", "street"), std::pair("5-indexing.json", "room"),
                    std::pair("6-points.json", "street"), std::pair("6-points.json", "room")),
    [](const auto& of) { return std::string(1, of.param.first[0]) + of.param.second; });

}  // namespace
}  // namespace spira
