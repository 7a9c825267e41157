// Tests lessons in the window: keys, guesses, questions, classroom mode, handouts, and lesson files that
// teachers write.
#include "app/common/backends.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/support/temp_folder.hpp"
#include "ui/features/lessons/lesson_handout.hpp"
#include "ui/lessons/controls/control_row.hpp"
#include "ui/lessons/controls/page_rows.hpp"
#include "ui/lessons/lesson_list.hpp"
#include "ui/lessons/lesson_questions.hpp"
#include "ui/lessons/lesson_verbs.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QMenuBar>
#include <QPushButton>
#include <QTimer>

#include <gmock/gmock.h>

#include <thread>

namespace spira::ui {
namespace {

using testing::HasSubstr;

TEST_F(LessonsTest, AllListedLessonsAreComplete) {
  ASSERT_GE(lessons().all().size(), 2U);
  for (const auto& one : lessons().all()) {
    EXPECT_EQ(one->questions.size(), 3U) << one->id;
    for (const LessonStep& step : one->steps) {
      EXPECT_FALSE(step.numbers.empty()) << one->id << " " << step.id;
      EXPECT_TRUE(step.motion) << one->id << " " << step.id;
      EXPECT_FALSE(step.after.empty()) << one->id << " " << step.id;
    }
  }
  QStringList listed;
  for (const QAction* menu : window.menuBar()->actions()) {
    if (menu->text() != "&Learn") continue;
    for (const QAction* action : menu->menu()->actions())
      listed += action->text();
  }
  EXPECT_TRUE(listed.contains("Voxelise and pack"));
  EXPECT_TRUE(listed.contains("Search"));
  EXPECT_TRUE(listed.contains("Density and L1 norm"));
  EXPECT_TRUE(listed.contains("Dataflows and t"));
  EXPECT_TRUE(listed.contains("Network-wide indexing"));
  EXPECT_TRUE(listed.contains("Points and cells"));
}

TEST_F(LessonsTest, TheAnimationTakesOneAndAHalfSecondsAtNormalSpeed) {
  open("street");
  start("voxelize");
  const auto played_ms = [&](int page, double speed) {
    player().setSpeed(speed);
    goTo(page);
    QElapsedTimer clock;
    clock.start();
    player().go();
    EXPECT_TRUE(waitFor([&] { return player().phase() == LessonPhase::shown; }));
    return clock.elapsed();
  };
  EXPECT_GE(played_ms(0, 1), 1450);
  const auto slowly = played_ms(1, 0.5);
  EXPECT_GE(slowly, 2950);
  EXPECT_LT(played_ms(2, 4), slowly) << "speed 4 must be faster than speed 0.5";
  player().setSpeed(100);
  EXPECT_EQ(player().speed(), 4);
}

TEST_F(LessonsTest, KeysPlayAndTurnPagesFromViewAndPanel) {
  open("street");
  start("voxelize");
  EXPECT_EQ(window.focusWidget(), &panel());
  for (QWidget* focus : std::initializer_list<QWidget*>{&panel(), app.sceneView().canvas()}) {
    goTo(0);
    focus->setFocus();
    press(Qt::Key_Right);
    EXPECT_EQ(player().page(), 1);
    press(Qt::Key_PageDown);
    EXPECT_EQ(player().page(), 2);
    press(Qt::Key_Left);
    press(Qt::Key_PageUp);
    EXPECT_EQ(player().page(), 0);
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
    press(Qt::Key_Space);
    EXPECT_EQ(player().phase(), LessonPhase::moving);
    press(Qt::Key_Space);
    EXPECT_EQ(player().phase(), LessonPhase::shown);
    press(Qt::Key_Space);
    EXPECT_EQ(player().page(), 1) << "Space must show the text of the second page first";
    EXPECT_EQ(player().phase(), LessonPhase::reading);
  }
}

TEST_F(LessonsTest, OneSpacePerStepIsEnoughForASpeaker) {
  const test::TempFolder folder;
  open("street");
  std::string steps;  // The texts are short, because the animation of a page starts after the reading time.
  for (const char* id : {"a", "b", "c"})
    steps += std::string(steps.empty() ? "" : ", ") + R"({"id": ")" + id +
             R"(", "title": "T", "text": "A short text", "before": ["kernel.size 5", "choose.offset 1 0 0"],
                 "motion": {"kind": "slide", "caption": "C"}})";
  write_file(folder / "short.json",
             R"({"schema": "spira.lesson", "schema_version": "1.0", "id": "short", "title": "Short",
      "summary": "S", "questions": [], "steps": [)" +
                 steps + "]}");
  files().openFile(QString::fromStdString((folder / "short.json").string()));
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  player().setSpeed(4);
  player().go();
  ASSERT_TRUE(waitFor([&] { return player().phase() == LessonPhase::shown; }));
  for (int page = 1; page < 3; ++page) {
    press(Qt::Key_Space);
    ASSERT_EQ(player().page(), page);
    ASSERT_TRUE(
        waitFor([&] { return player().phase() == LessonPhase::shown && lessons().pages().settled(); }));
  }
}

TEST_F(LessonsTest, ThePageBarJumpsAndScrubs) {
  open("street");
  start("voxelize");
  PageBar& bar = *panel().findChild<PageBar*>();
  QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.cellOf(6).center().toPoint());
  EXPECT_EQ(player().page(), 6);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  QTest::mousePress(&bar, Qt::LeftButton, {}, bar.cellOf(6).center().toPoint());
  const QPointF quarter(bar.cellOf(6).left() + (bar.cellOf(6).width() / 4), 10);
  move_mouse(bar, quarter, Qt::LeftButton);
  EXPECT_NEAR(player().part(), 0.25, 0.03);
}

TEST_F(LessonsTest, AVoxelIsSearchedInTheBackgroundAndNotAfterTheLesson) {
  open("street");
  start("voxelize");
  player().jump(2);
  EXPECT_FALSE(app.selection().voxel())
      << "the voxel must not be selected before a worker has searched for it";
  EXPECT_FALSE(lessons().pages().settled());
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_TRUE(app.selection().voxel());
  goTo(0);
  EXPECT_FALSE(app.selection().voxel());
  player().jump(2);
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_FALSE(app.selection().voxel());
}

TEST_F(LessonsTest, AFieldThatIsTooShortIsRefusedAndTheNextStepContinues) {
  setCalm(true);
  open("street");
  start("voxelize", 6);
  const auto voxels = app.workspace().scene().voxels();
  for (QPushButton* button : panel().findChildren<QPushButton*>()) {
    if (button->text() == "Pack with the short field") button->click();
  }
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);
  goTo(7);
  EXPECT_FALSE(banner_of(window).isVisible());
  EXPECT_EQ(app.workspace().requested().pack(), voxels->pack);
}

TEST_F(LessonsTest, QuestionsAreAnsweredBySelecting) {
  setCalm(true);
  open("street");
  start("voxelize", 8);
  ASSERT_NE(panel().questions(), nullptr);
  for (std::size_t at = 0; at < 3; ++at)
    EXPECT_FALSE(panel().questions()->solved(at)) << at;
  const VoxelScene& scene = *app.workspace().scene().voxels();
  const auto crowded = std::find_if(scene.points_per_voxel.begin(), scene.points_per_voxel.end(),
                                    [](std::int32_t points) { return points > 1; });
  const auto choose = [&](std::int64_t row) {
    app.selection().setVoxel(ChosenVoxel{voxel_at(scene.level(1), row), 1});
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  };
  choose(crowded - scene.points_per_voxel.begin());
  EXPECT_TRUE(panel().questions()->solved(0));
  std::int64_t low = 0;
  for (std::int64_t row = 0; row < size_of(scene.level(1)); ++row) {
    if (voxel_at(scene.level(1), row)[2] < voxel_at(scene.level(1), low)[2]) low = row;
  }
  choose(low);
  EXPECT_TRUE(panel().questions()->solved(1));
  app.selection().setStride(16);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && panel().questions()->solved(2); }));
}

TEST_F(LessonsTest, ANumberShowsItsFormulaAndItsOffsets) {
  setCalm(true);
  open("street");
  start("density", 1);
  const auto rows = panel().findChildren<NumberRow*>();
  const auto near = std::find_if(rows.begin(), rows.end(), [](const NumberRow* row) {
    return row->label() == "mean density at norm 1";
  });
  ASSERT_NE(near, rows.end());
  const double mean = lessons().pages().facts().fact("density.l1.1")->value;
  EXPECT_EQ((*near)->toolTip().toStdString(), "percent(density.l1.1)\ndensity.l1.1 = " + shortest(mean));
  QEvent enter(QEvent::Enter), leave(QEvent::Leave);
  QApplication::sendEvent(*near, &enter);
  EXPECT_EQ(app.selection().hover().columns.size(), 6U)
      << "the number must highlight the six offsets one step along an axis";
  QApplication::sendEvent(*near, &leave);
  EXPECT_TRUE(app.selection().hover().columns.empty());
  QFocusEvent tabbed(QEvent::FocusIn, Qt::TabFocusReason);
  QApplication::sendEvent(*near, &tabbed);
  EXPECT_EQ(app.selection().hover().columns.size(), 6U) << "the keyboard must highlight the same six offsets";
}

TEST_F(LessonsTest, TheFileOfATeacherOpensAndAnInvalidOneIsRefused) {
  const test::TempFolder folder;
  open("street");
  const std::string good =
      R"({"schema": "spira.lesson", "schema_version": "1.0", "id": "mine", "title": "Mine",
    "summary": "S", "questions": [], "steps": [{"id": "a", "title": "A", "text": "{{voxels.count}} voxels",
    "before": ["view.top"]}]})";
  write_file(folder / "mine.json", good);
  files().openFile(QString::fromStdString((folder / "mine.json").string()));
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_EQ(player().lesson()->title, "Mine");
  std::string bad = good;
  bad.replace(bad.find("view.top"), 8, "view.tip");
  write_file(folder / "bad.json", bad);
  try {
    files().openFile(QString::fromStdString((folder / "bad.json").string()));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad.json: steps[0] 'a'.before: 'view.tip': unknown command"));
  }
  EXPECT_EQ(player().lesson()->title, "Mine") << "the previous lesson must stay open";
}

TEST_F(LessonsTest, CommandsThatOpenCloseOrAskAreUnavailableToLessons) {
  for (const char* id : {"lesson.next", "lesson.leave", "file.quit", "file.open", "edit.settings",
                         "tune.save", "export.pdf", "help.palette"}) {
    ASSERT_NE(app.commands().action(id), nullptr) << id;
    EXPECT_EQ(fault_of({id, {}}, app.commands()), "not allowed in lessons") << id;
  }
  for (const char* id : {"view.top", "colour.bands", "view.stride_2"})
    EXPECT_EQ(fault_of({id, {}}, app.commands()), "") << id;
}

TEST_F(LessonsTest, AnAnswerBetweenTwoChoicesIsTheNearerOneOrNone) {
  const test::TempFolder folder;
  open("street");
  const auto said = [&](const std::string& answer) {
    const std::string lesson =
        R"({"schema": "spira.lesson", "schema_version": "1.0", "id": "g", "title": "G", "summary": "S",
        "questions": [], "steps": [{"id": "a", "title": "A", "text": "{{voxels.count}}", "guess":
        {"question": "Q", "choices": ["one", "two", "three"], "answer": ")" +
        answer + R"( + 0 * voxels.count"}}]})";
    write_file(folder / "guess.json", lesson);
    files().openFile(QString::fromStdString((folder / "guess.json").string()));
    EXPECT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
    player().go();
    EXPECT_TRUE(
        waitFor([&] { return player().phase() == LessonPhase::shown && lessons().pages().settled(); }));
    for (const QLabel* label : panel().findChildren<QLabel*>()) {
      if (label->text().startsWith("Answer: ") && !label->isHidden()) return label->text().toStdString();
    }
    return std::string();
  };
  EXPECT_EQ(said("1.6"), "Answer: three.");
  EXPECT_EQ(said("2.6"), "") << "an answer outside the three choices must select none";
  EXPECT_EQ(said("0.4"), "Answer: one.");
}

TEST_F(LessonsTest, TheHandoutHasAPageForEachStepAndKeepsThePositionOfTheLesson) {
  const test::TempFolder folder;
  window.resize(window.minimumSize());  // Most of the time is needed to draw the pictures.
  open("street");
  for (const char* id : {"voxelize", "search", "density", "dataflows", "indexing", "points"}) {
    start(id, 2);
    const LessonPhase phase = std::string(id) == "search" ? LessonPhase::shown : LessonPhase::reading;
    if (phase == LessonPhase::shown) player().scrub(1);
    const QString file = QString::fromStdString((folder / "lesson.pdf").string());
    saveHandout(file);
    const std::string pdf = read_text_file(file.toStdString(), 100 << 20);
    EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
    std::size_t pages = 0;
    for (auto at = pdf.find("/Type /Page\n"); at != std::string::npos; at = pdf.find("/Type /Page\n", at + 1))
      ++pages;
    EXPECT_EQ(pages, lesson(id)->steps.size() + 1)
        << id << ": the handout must have a page for each step and one for the questions";
    EXPECT_EQ(player().page(), 2);
    EXPECT_EQ(player().phase(), phase);
    EXPECT_FALSE(player().calm());
    EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("written: " + file.toStdString()));
  }
}

TEST(HandoutPages, ABoxIsOnALineWithAllOfItsWords) {
  const LessonGuess guess{"Which is it?", {"a third to two thirds", "more"}, Expression("1.0")};
  QString text = guess_text(guess);
  text.replace(QChar::Nbsp, '_');
  EXPECT_EQ(text, QString("Guess first: Which is it?   \u25a1_a_third_to_two_thirds   \u25a1_more"));
}

/// The handout contains copies of texts and pictures. Therefore the window can continue while another thread
/// lays out the pages.
TEST(HandoutPages, AreLaidOutOnAnyThread) {
  Handout handout;
  handout.title = "Lesson";
  HandoutPage page;
  page.title = "1. Step";
  page.text = "Text";
  page.view = QImage(64, 48, QImage::Format_RGB32);
  page.view.fill(Qt::white);
  handout.pages = {page, page};
  handout.questions = {"Why?"};
  QByteArray pdf;
  std::thread([&] { pdf = handout_pdf(handout); }).join();
  EXPECT_TRUE(pdf.startsWith("%PDF-"));
  EXPECT_EQ(pdf.count("/Type /Page\n"), 3);
}

TEST(LessonPlaces, AreKept) {
  const test::TempFolder folder;
  const QString state = QString::fromStdString((folder / "state").string());
  const auto registry = std::make_shared<const Registry>(app::make_registry());
  {
    Application app(registry, state);
    app.lessons().start(app.lessons().all().front(), 3);
    app.lessons().leave();
  }
  Application app(registry, state);
  MainWindow& window = app.window();
  QString row;
  QTimer::singleShot(0, &window, [&] {
    auto* list = qobject_cast<LessonList*>(QApplication::activeModalWidget());
    if (list == nullptr) return;
    row = list->findChild<QListWidget*>()->item(0)->text();
    list->reject();
  });
  app.commands().trigger("lesson.list");
  EXPECT_THAT(row.toStdString(), HasSubstr("continues at step 4"));
}

}  // namespace
}  // namespace spira::ui
