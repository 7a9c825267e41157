// Tests the control experiment in the window: every lesson can replace the scene by the same number of voxels
// at random positions, and restore the scene.
#include "engine/backend/host_read.hpp"
#include "engine/map/kernel_map.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "ui/jobs/parameter_history.hpp"

#include <QLabel>
#include <QPushButton>

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class LessonShuffleTest : public LessonsTest {
 protected:
  /// Returns the page that offers the control experiment, or -1 if there is none.
  static int pageOf(const Lesson& lesson) {
    const auto offers = [](const LessonStep& step) {
      return std::any_of(step.tries.begin(), step.tries.end(), [](const LessonTry& one) {
        return !one.commands.empty() && one.commands.front().id == "voxels.shuffle";
      });
    };
    const auto found = std::find_if(lesson.steps.begin(), lesson.steps.end(), offers);
    return found == lesson.steps.end() ? -1 : static_cast<int>(found - lesson.steps.begin());
  }
  void press(const QString& text) {
    for (QPushButton* button : panel().findChildren<QPushButton*>()) {
      if (button->text() != text) continue;
      button->click();
      ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
      return;
    }
    FAIL() << "no button " << text.toStdString();
  }
  std::string shown() {
    std::string all;
    for (const QLabel* label : panel().findChildren<QLabel*>())
      if (label->isVisible()) all += label->text().toStdString() + "\n";
    return all;
  }
  std::vector<Voxel> voxels() { return all_voxels(app.workspace().scene().voxels()->level(1)); }
  static std::array<Voxel, 2> box(const std::vector<Voxel>& voxels) {
    Voxel low = voxels.front(), high = low;
    for (const Voxel& v : voxels) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low.at(axis) = std::min(low.at(axis), v.at(axis));
        high.at(axis) = std::max(high.at(axis), v.at(axis));
      }
    }
    return {low, high};
  }
};

TEST_F(LessonShuffleTest, EveryLessonOffersTheExperimentAndRestoresTheScene) {
  setCalm(true);
  open("street");
  const auto before = app.workspace().scene().voxels();
  const auto sorted = voxels();
  const int undoable = app.history().stack()->count();
  for (const auto& one : lessons().all()) {
    SCOPED_TRACE(one->id);
    const int page = pageOf(*one);
    ASSERT_GE(page, 0);
    lessons().start(one, page);
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
    const auto of_page = app.workspace().scene().voxels();  // The pages on native layers have positions.
    press("Shuffle voxels");
    const auto shuffled = voxels();
    EXPECT_EQ(shuffled.size(), sorted.size())
        << "the shuffled scene must have as many voxels as the original";
    const auto [low, high] = box(sorted);
    for (const Voxel& v : shuffled) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_TRUE(v.at(axis) >= 0 && v.at(axis) <= high.at(axis))
            << "the shuffled voxels must lie in the same box";
    }
    EXPECT_NE(shuffled, sorted);
    EXPECT_THAT(shown(), HasSubstr("Control experiment: "));
    for (const auto& [label, text] : numbers())
      EXPECT_NE(text, "computing") << label.toStdString();
    press("Unshuffle");
    EXPECT_EQ(app.workspace().scene().voxels(), of_page);
    EXPECT_THAT(shown(), testing::Not(HasSubstr("Control experiment: ")));
    press("Shuffle voxels");
    goTo(page == 0 ? 1 : page - 1);
    EXPECT_EQ(app.workspace().scene().cloud(), before->cloud)
        << "the next page must show the scene and not the shuffled voxels";
    EXPECT_EQ(voxels(), sorted);
  }
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  EXPECT_EQ(app.history().stack()->count(), undoable);
}

TEST_F(LessonShuffleTest, PositionsAtTheCentresOfVoxelsKeepAllColumns) {
  setCalm(true);
  open("room");
  start("points", 2);
  const QString kept = "voxel neighbours that keep their column, all rows";
  const QString added = "share of inputs that are new, all rows";
  EXPECT_LT(number(kept), 95);
  EXPECT_GT(number(added), 5);
  press("Shuffle voxels");
  EXPECT_EQ(number(kept), 100);
  EXPECT_EQ(number(added), 0);
  EXPECT_TRUE(app.selection().voxel()) << "the page also has numbers of the selected row";
  EXPECT_GE(number("voxel neighbours of the selected row"), 1);
  press("Unshuffle");
  EXPECT_GE(number("of these: another column"), 1);
}

TEST_F(LessonShuffleTest, LeavingDuringTheExperimentRestoresTheScene) {
  setCalm(true);
  open("room");
  app.jobs().runs().runLayer(0);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layer(0); }));
  const auto before = app.workspace().scene().voxels();
  const auto layer = app.workspace().results().layer(0);
  start("indexing", 1);
  press("Shuffle voxels");
  EXPECT_EQ(number("levels of the scene"),
            number("levels with equal words in the closed form and step by step"))
      << "masked words must equal the levels for any voxels";
  EXPECT_EQ(app.workspace().results().layer(0), nullptr);
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  EXPECT_EQ(app.workspace().results().layer(0), layer);
}

/// Voxels on surfaces often share a coarse cell, but voxels at random positions rarely do. The expected
/// levels are computed with sets.
TEST_F(LessonShuffleTest, LevelsOfShuffledVoxelsShrinkLess) {
  setCalm(true);
  open("street");
  start("voxelize", 7);
  const auto level = [&](int stride) {
    std::set<Voxel> coarse;
    for (const Voxel& v : voxels())
      coarse.insert({v[0] / stride * stride, v[1] / stride * stride, v[2] / stride * stride});
    return static_cast<double>(coarse.size());
  };
  const double scene = lessons().pages().facts().fact("levels.s4")->value;
  EXPECT_EQ(scene, level(4));
  press("Shuffle voxels");
  EXPECT_EQ(lessons().pages().facts().fact("levels.s4")->value, level(4));
  EXPECT_GT(lessons().pages().facts().fact("levels.s4")->value, 1.5 * scene);
}

}  // namespace
}  // namespace spira::ui
