// Tests the lesson on search in the window: its pictures, its measured times and its questions.
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "ui/lessons/lesson_questions.hpp"
#include "ui/lessons/lesson_runs.hpp"
#include "ui/view3d/motion/motion_marks.hpp"

#include <QLabel>

#include <gmock/gmock.h>

#include <algorithm>

namespace spira::ui {
namespace {

using Kind = MotionMark::Kind;
using testing::HasSubstr;

class SearchLessonTest : public LessonsTest {
 protected:
  enum Page { queries, bracket, simple, groups, scan, three_keys, hash, score, times, questions };

  const AnimationScene& picture() { return *lessons().pages().picture(); }
  std::int64_t markedAt(int moment, Kind kind) {
    return std::count_if(picture().marks.begin(), picture().marks.end(), [&](const MotionMark& mark) {
      return mark.kind == kind && mark.first <= moment && mark.last >= moment;
    });
  }
  int last() { return picture().moment_at(1); }
  Point placeOf(const ChosenVoxel& chosen) {
    return app.workspace().scene().voxels()->centre_m(chosen.voxel, chosen.stride);
  }
  void choose(std::int64_t row) {
    app.selection().setVoxel(ChosenVoxel{voxel_at(app.workspace().scene().voxels()->level(1), row), 1});
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  }
  QStringList labels() {
    QStringList texts;
    for (const QLabel* label : panel().findChildren<QLabel*>())
      texts += label->text();
    return texts;
  }
};

TEST_F(SearchLessonTest, AnswersStayAfterLaterSearchesPassTheirCells) {
  setCalm(true);
  open("street");
  start("search", queries);
  const auto hits = markedAt(last(), Kind::hit), misses = markedAt(last(), Kind::miss);
  ASSERT_GT(hits, 1);
  goTo(simple);
  EXPECT_EQ(markedAt(last(), Kind::hit), hits);
  EXPECT_EQ(markedAt(last(), Kind::miss), misses);
}

TEST_F(SearchLessonTest, MarksAreTheQueryVoxelAndItsAnswers) {
  setCalm(true);
  open("street");
  start("search", queries);
  ASSERT_EQ(picture().moments.size(), 9U);
  EXPECT_EQ(markedAt(-1, Kind::asks), 1);
  EXPECT_EQ(markedAt(-1, Kind::hit), 0);
  EXPECT_EQ(markedAt(last(), Kind::hit) + 1, number("queries of the selected voxel that find a voxel"))
      << "the count must be the hits plus the query voxel itself";
  EXPECT_EQ(markedAt(last(), Kind::hit) + markedAt(last(), Kind::miss), 26);
}

TEST_F(SearchLessonTest, AnotherVoxelOrOffsetRebuildsThePicture) {
  setCalm(true);
  open("street");
  start("search", bracket);
  choose(7);
  const auto asks = std::find_if(picture().marks.begin(), picture().marks.end(),
                                 [](const MotionMark& mark) { return mark.kind == Kind::asks; });
  ASSERT_NE(asks, picture().marks.end());
  EXPECT_EQ(asks->at, placeOf(*app.selection().voxel()));
  const auto before = lessons().pages().picture();
  app.selection().setColumns({2});
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && lessons().pages().picture() != before; }));
  EXPECT_EQ(std::ssize(picture().moments), number("halvings of the shown query") + 2);
}

TEST_F(SearchLessonTest, TheKernelFollowsThePointerAndReturns) {
  const QString hits = "queries of the selected voxel that find a voxel";
  setCalm(true);
  open("street");
  start("search", queries);
  const auto asks = [&] {
    return std::find_if(picture().marks.begin(), picture().marks.end(),
                        [](const MotionMark& mark) { return mark.kind == Kind::asks; })
        ->at;
  };
  const Point chosen = asks();
  const double chosen_hits = number(hits);
  const ChosenVoxel other{voxel_at(app.workspace().scene().voxels()->level(1), 7), 1};
  app.selection().setHover({{}, other, -1});
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && asks() == placeOf(other); }));
  const double pointed_hits = number(hits);
  app.selection().setHover({});
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && asks() == chosen; }));
  EXPECT_EQ(number(hits), chosen_hits);
  choose(7);
  EXPECT_EQ(number(hits), pointed_hits) << "the earlier number must be that of the voxel under the pointer";
}

TEST_F(SearchLessonTest, ThePointerInterruptsNeitherAnAnimationNorAQuestion) {
  open("street");
  start("search", queries);
  player().scrub(0.5);
  const auto before = lessons().pages().picture();
  const ChosenVoxel other{voxel_at(app.workspace().scene().voxels()->level(1), 7), 1};
  app.selection().setHover({{}, other, -1});
  EXPECT_FALSE(lessons().pages().facts().pointed());
  EXPECT_EQ(lessons().pages().picture(), before);
  goTo(questions);
  app.selection().setHover({});
  app.selection().setHover({{}, other, -1});
  EXPECT_FALSE(lessons().pages().facts().pointed());
}

TEST_F(SearchLessonTest, TheBracketNarrowsInTheArrayAndSlidesBetweenComparisons) {
  setCalm(true);
  open("street");
  start("search", bracket);
  const auto count = static_cast<double>(picture().moments.size());
  double width = 1;
  for (int moment = 1; moment + 1 < static_cast<int>(count); ++moment) {
    const MotionMoment& now = picture().moments[static_cast<std::size_t>(moment)];
    const auto strips = strips_at(picture(), (moment + 0.5) / count);
    ASSERT_EQ(strips.size(), 1U);
    EXPECT_EQ(strips.front().now.size(), 1U);
    EXPECT_EQ(std::ssize(strips.front().before), moment - 1);
    EXPECT_LE(strips.front().end - strips.front().begin, width);
    width = strips.front().end - strips.front().begin;
    if (now.end > now.begin) {
      EXPECT_GT(width, static_cast<double>(now.end - now.begin) /
                           static_cast<double>(picture().memory.front().size));
    }
  }
  EXPECT_GT(markedAt(last(), Kind::compared), 3) << "all compared entries must stay marked";
  EXPECT_THAT(picture().moments[1].note.toStdString(), HasSubstr("comparisons: 1; remaining rows: "));
}

TEST_F(SearchLessonTest, OffTheGridNeedsALevelWithGaps) {
  setCalm(true);
  open("street");
  start("search", three_keys);
  EXPECT_EQ(markedAt(last(), Kind::stray), 1);
  EXPECT_EQ(number("the program detects the added voxel off the grid (1 = yes, 0 = no)"), 1);
  const auto before = lessons().pages().picture();
  app.commands().trigger("view.stride_1");
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && lessons().pages().picture() != before; }));
  EXPECT_TRUE(picture().nothing);
  app.commands().trigger("view.stride_4");
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && !picture().nothing; }));
  EXPECT_EQ(markedAt(last(), Kind::stray), 1);
}

TEST_F(SearchLessonTest, TheTableReadsMoreSectorsThanTheArray) {
  setCalm(true);
  open("street");
  start("search", score);
  ASSERT_EQ(picture().moments.size(), 3U);
  EXPECT_EQ(markedAt(-1, Kind::asks), 32);
  EXPECT_GT(picture().moments[2].positions.size(), picture().moments[1].positions.size());
  EXPECT_EQ(picture().memory.size(), 2U);
}

TEST_F(SearchLessonTest, TimesAreMeasuredWhenTheirPageOpensAndNameTheirMethod) {
  setCalm(true);
  open("street");
  start("search", score);
  EXPECT_FALSE(app.jobs().lane().busy());
  goTo(times);
  for (const char* label :
       {"median time of z-delta search", "median time of binary search",
        "median time of the search with sorted queries", "median time of the search in the hash table",
        "median time to build the hash table"})
    EXPECT_GT(number(label), 0) << label;
  EXPECT_EQ(number("samples of each search"), 11);
  const QString device = QString::fromStdString(app.workspace().device().name);
  EXPECT_FALSE(device.isEmpty());
  EXPECT_EQ(labels().filter("median of 11 samples, IQR ").filter(device).size(), 5);
  const auto before = numbers();
  goTo(score);
  goTo(times);
  EXPECT_EQ(numbers(), before) << "times must be kept while scene, kernel and level are the same";
  app.workspace().requested().setSceneKernelSize(5);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && numbers() != before; }));
}

TEST_F(SearchLessonTest, StoppedTimingDoesNotRestart) {
  setCalm(true);
  open("street");
  lessons().start(lesson("search"), times);
  ASSERT_TRUE(waitFor([&] { return app.jobs().lane().trying(); }));
  EXPECT_EQ(numbers().at("median time of z-delta search"), "computing");
  app.jobs().lane().cancel();
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  QTest::qWait(300);
  EXPECT_FALSE(app.jobs().lane().busy());
  EXPECT_EQ(numbers().at("median time of z-delta search"), QString("\u2013"));
  goTo(score);
  goTo(times);
  EXPECT_GT(number("median time of z-delta search"), 0) << "the page must measure again";
}

TEST_F(SearchLessonTest, TheRaceWaitsForItsTimes) {
  open("street");
  lessons().start(lesson("search"), times);
  player().go();
  ASSERT_TRUE(waitFor([&] { return player().part() > 0; }));
  EXPECT_GT(number("median time of z-delta search"), 0);
}

TEST_F(SearchLessonTest, QuestionsAreAnsweredBySelecting) {
  setCalm(true);
  open("street");
  start("search", questions);
  ASSERT_NE(panel().questions(), nullptr);
  for (std::size_t at = 0; at < 3; ++at)
    EXPECT_FALSE(panel().questions()->solved(at)) << at;
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  for (std::int64_t row = size_of(level) / 2; row < size_of(level); ++row) {
    const Voxel v = voxel_at(level, row);
    int found = 0;
    for (int column = 0; column < 27; ++column) {
      const Voxel there{v[0] + (column / 9) - 1, v[1] + ((column / 3) % 3) - 1, v[2] + (column % 3) - 1};
      found += row_of_voxel(level, there) ? 1 : 0;
    }
    if (found < 9) continue;
    choose(row);
    break;
  }
  EXPECT_TRUE(panel().questions()->solved(0));
  app.selection().setColumns({12});
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && panel().questions()->solved(1); }));
  EXPECT_FALSE(panel().questions()->solved(2));
  app.workspace().requested().setSceneKernelSize(5);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && panel().questions()->solved(2); }));
}

TEST_F(SearchLessonTest, SearchesAreNotTimedDuringOtherWork) {
  open("room");
  bool disturbed = true;
  LessonTimer timer(Timed::searches, &app.workspace(), &app.selection(), &app.jobs().lane(),
                    &app.jobs().sweeps());
  timer.waitWhile([&] { return disturbed; });
  const QSignalSpy begun(&app.jobs().lane().task(), &TaskSlot::started);
  timer.setWanted(true);
  constexpr int several_tries_ms = 500;
  QTest::qWait(several_tries_ms);
  EXPECT_EQ(begun.count(), 0);
  EXPECT_TRUE(timer.busy());
  disturbed = false;
  ASSERT_TRUE(waitFor([&] { return timer.run() != nullptr; }));
  EXPECT_EQ(begun.count(), 1);
}

}  // namespace
}  // namespace spira::ui
