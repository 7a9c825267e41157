// Tests the interactive diagrams of lessons: their final state without animation, their tables, and the
// conclusions below them.
#include "engine/lesson/diagrams/diagram.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/gui/mouse.hpp"
#include "ui/lessons/controls/number_table.hpp"
#include "ui/lessons/controls/page_rows.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/lessons/lesson_bar_chart.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/panels/scene/key_bits.hpp"
#include "ui/view3d/motion/animation_scene.hpp"
#include "ui/view3d/scene/scene_animation.hpp"

#include <QApplication>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollArea>

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace spira::ui {
namespace {

using testing::HasSubstr;

constexpr int norms_page = 1, strides_page = 4, border_page = 7, closed_page = 1, price_page = 5;

class LessonDiagramsTest : public LessonsTest {
 protected:
  DiagramView& diagram() { return lessons().pages().diagram(); }
  /// Waits until the diagram is painted.
  void painted() {
    ASSERT_TRUE(waitFor([&] {
      diagram().grab();
      return lessons().pages().settled() && !diagram().spots().empty();
    }));
  }
  void pointAt(std::size_t spot) {
    const QPointF at = diagram().spots().at(spot).area.center();
    move_mouse(diagram(), at);
  }
  /// The content of a page after its animation.
  struct End {
    QImage diagram;
    std::vector<int> columns;
    int stride = 0;
    std::vector<std::pair<QString, QString>> cells;
    bool operator==(const End&) const = default;
  };
  End end() {
    return {diagram().picture(), app.selection().columns(), app.selection().stride(), panel().cells()};
  }
};

TEST_F(LessonDiagramsTest, AHoveredColumnIsDescribedAndHighlightedInTheScene) {
  setCalm(true);
  open("street");
  start("density", norms_page);
  painted();
  ASSERT_EQ(diagram().spots().size(), 125U);
  const auto* columns = std::get_if<LessonColumns>(diagram().diagram().get());
  ASSERT_NE(columns, nullptr);
  EXPECT_THAT(diagram().status().toStdString(),
              HasSubstr("125 offsets; highest density except the centre: "));
  EXPECT_THAT(diagram_status(*columns, 0).toStdString(), HasSubstr("L1 norm 0: 1 offset with a density of "));
  EXPECT_THAT(diagram_status(*columns, 0.02).toStdString(), HasSubstr("L1 norm 1: 6 offsets with densities"));
  pointAt(3);
  EXPECT_EQ(diagram().pointedAt(), 3);
  EXPECT_EQ(app.selection().hover().columns, std::vector<int>{columns->columns[3].offset});
  EXPECT_THAT(diagram().accessibleDescription().toStdString(),
              HasSubstr(columns->columns[3].name + ", L1 norm 1: "));
  QEvent gone(QEvent::Leave);
  QApplication::sendEvent(&diagram(), &gone);
  EXPECT_TRUE(app.selection().hover().columns.empty());
  diagram().setFocus();
  ASSERT_EQ(diagram().focusPolicy(), Qt::StrongFocus);
  QTest::keyClick(&diagram(), Qt::Key_Right);
  QTest::keyClick(&diagram(), Qt::Key_Right);
  EXPECT_EQ(diagram().pointedAt(), 1) << "an arrow key must also point at a column";
  EXPECT_EQ(player().page(), norms_page) << "the arrow keys must move in the diagram and not between pages";
  QFocusEvent tabbed(QEvent::FocusOut, Qt::TabFocusReason);
  QApplication::sendEvent(&diagram(), &tabbed);
  EXPECT_EQ(diagram().pointedAt(), -1);
}

TEST_F(LessonDiagramsTest, FollowsTheDisplayedLevel) {
  setCalm(true);
  open("street");
  start("density", norms_page);
  const auto shown = [&] { return std::get<LessonColumns>(*diagram().diagram()).columns.at(1).value; };
  const double before = shown();
  app.selection().setStride(4);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && shown() != before; }));
  LessonInput input;
  input.scene = app.workspace().scene().voxels();
  input.kernel_size = 5;
  input.stride = 4;
  Job job;
  EXPECT_EQ(shown(), norm_columns(input, job).columns.at(1).value);
}

TEST_F(LessonDiagramsTest, ALevelNamesItsSourceAndThatBothMethodsAgree) {
  setCalm(true);
  open("room");
  start("indexing", closed_page);
  painted();
  ASSERT_EQ(diagram().spots().size(), 5U);
  EXPECT_THAT(diagram().status().toStdString(),
              HasSubstr("4 of 4 levels are equal to the step-by-step result."));
  pointAt(3);
  const auto voxels = app.workspace().scene().voxels()->level(8).size.value();
  EXPECT_THAT(diagram().accessibleDescription().toStdString(), HasSubstr("stride 8: computed from V"));
  EXPECT_THAT(diagram().accessibleDescription().remove(',').toStdString(),
              HasSubstr(std::to_string(voxels) + " words each equal to the step-by-step result"));
  player().scrub(0.1);
  EXPECT_THAT(diagram().status().toStdString(),
              HasSubstr("Step by step: 3 other levels are computed before the last level"));
}

TEST_F(LessonDiagramsTest, EveryPartOfARunShowsHowMuchItStretched) {
  setCalm(true);
  open("street");
  start("indexing", price_page);
  painted();
  const auto* price = std::get_if<LessonPrice>(diagram().diagram().get());
  ASSERT_NE(price, nullptr);
  ASSERT_EQ(diagram().spots().size(), price->ratios.columns.size());
  ASSERT_GT(price->ratios.columns.size(), 20U) << "a recorded run of a GPU must have many columns";
  pointAt(5);
  EXPECT_THAT(diagram().accessibleDescription().toStdString(),
              HasSubstr(price->ratios.columns[5].name + " takes "));
  EXPECT_THAT(diagram().accessibleDescription().toStdString(),
              HasSubstr("times as long in the run as alone"));
}

TEST_F(LessonDiagramsTest, PagesWithoutAnimationShowItsFinalState) {
  open("street");
  for (const int page : {norms_page, strides_page}) {
    setCalm(false);
    start("density", page);
    player().go();
    ASSERT_TRUE(
        waitFor([&] { return player().phase() == LessonPhase::shown && lessons().pages().settled(); }));
    const End moved = end();
    lessons().leave();
    setCalm(true);
    start("density", page);
    ASSERT_EQ(player().phase(), LessonPhase::shown);
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
    EXPECT_EQ(end(), moved) << page;
    EXPECT_EQ(moved.columns.empty(), page == strides_page)
        << "the columns of the last norm must stay selected";
    lessons().leave();
  }
}

TEST_F(LessonDiagramsTest, MasksGreyOutTheLowBitsOfEachFieldAndShowTheRest) {
  setCalm(true);
  open("street");
  start("voxelize", border_page);
  const auto masks = panel().findChildren<MaskRow*>();
  ASSERT_EQ(masks.size(), 4);
  const PackSpec pack = app.workspace().requested().pack();
  for (const int stride : {2, 4, 8, 16}) {
    const MaskRow& row = *masks[std::countr_zero(static_cast<unsigned>(stride)) - 1];
    EXPECT_TRUE(row.bits().isVisible());
    const auto voxels = app.workspace().scene().voxels()->level(stride).size.value();
    EXPECT_THAT(QString(row.text()).remove(',').toStdString(), HasSubstr(std::to_string(voxels)));
    for (int bit = 0; bit < 32; ++bit)
      EXPECT_EQ(row.bits().isCleared(bit), ((pack.round_down_mask(stride) >> bit) & 1U) == 0)
          << stride << " " << bit;
  }
}

TEST_F(LessonDiagramsTest, AVerdictRefersToThePackingInUse) {
  setCalm(true);
  openWith("street", 0.1);
  start("voxelize", border_page);
  const auto said = [&] {
    QStringList texts;
    for (const LineRow* row : panel().findChildren<LineRow*>()) {
      if (!row->isHidden()) texts += row->accessibleName();
    }
    return texts;
  };
  ASSERT_EQ(said().size(), 6);
  for (const QString& text : said().mid(2, 3))
    EXPECT_TRUE(text.startsWith(QString::fromUtf8("\u2713 Kernels of size "))) << text.toStdString();
  EXPECT_EQ(number("example without guard cells, K = 5: queries that find a wrong voxel"), 0);
  EXPECT_TRUE(said()[5].contains("All these cells are empty, so these queries find nothing."))
      << "the verdict must give the reason why no query finds a voxel here";
  lessons().leave();
  // The column has as many layers as z can hold at K = 3. K = 5 needs one more guard cell.
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = "column";
  cloud->format = "made";
  for (int z = 0; z < 255; ++z)
    cloud->positions.push_back({0.5, 0.5, z + 0.5});
  app.workspace().requested().setGridAndPack({{1, 1, 1}, {}}, PackSpec::bits32());
  app.jobs().scenes().options().keep_grid = true;
  app.jobs().runs().chooseNetwork("resn21");
  app.jobs().scenes().useCloud(cloud);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud() == cloud; }));
  start("voxelize", border_page);
  ASSERT_GE(said().size(), 3);
  EXPECT_EQ(said()[2], QString::fromUtf8("\u2713 Kernels of size 3 are safe. The axis with the fewest spare "
                                         "guard cells needs 1 and has 1."));
  EXPECT_EQ(said()[3],
            QString::fromUtf8("\u2717 Kernels of size 5 are not safe, so the program refuses them. The axis "
                              "with the fewest spare guard cells needs 2 and has 1."));
}

TEST_F(LessonDiagramsTest, ATableStacksItsNumbersIfColumnsDoNotFit) {
  setCalm(true);
  open("street");
  start("search", 7);
  auto* table = panel().findChild<NumberTable*>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->numbers().size(), 16U) << "the table must have four methods with four quantities each";
  EXPECT_GT(number("number of searches, binary"), number("number of searches, z-delta"));
  EXPECT_EQ(number("preparation steps per voxel, binary"), number("preparation steps per voxel, z-delta"));
  QWidget sheet;  // Unlike the panel, this widget can have any width.
  NumberTable alone(*player().step()->table, &lessons().pages().facts(), &sheet);
  sheet.show();
  alone.resize(3 * alone.width() + 1000, 300);
  EXPECT_FALSE(alone.isStacked());
  alone.resize(alone.minimumSizeHint().width(), 300);
  EXPECT_TRUE(alone.isStacked());
}

/// The hatching is needed for projectors and for people who cannot see red.
TEST(LessonDiagramKeys, RedPartsAreAlsoHatched) {
  const auto theme = Theme::forPaper();
  for (const auto play : {MapMatrix::Play::rows, MapMatrix::Play::columns, MapMatrix::Play::divide}) {
    MapMatrix matrix;
    matrix.play = play;
    int hatched = 0;
    for (const DiagramKey& key : diagram_keys(matrix, *theme)) {
      const bool red = key.colour.rgb() == theme->palette().error.rgb();
      EXPECT_EQ(key.hatched, red) << key.text.toStdString();
      hatched += key.hatched ? 1 : 0;
    }
    EXPECT_EQ(hatched, 1);
  }
  for (const bool folds : {false, true}) {
    LessonSorting sorting;
    sorting.folds = folds;
    const auto keys = diagram_keys(sorting, *theme);
    EXPECT_EQ(std::count_if(keys.begin(), keys.end(), [](const DiagramKey& key) { return key.hatched; }), 1);
  }
  QImage cell(16, 16, QImage::Format_RGB32);
  {
    QPainter painter(&cell);
    fill_hatched(painter, cell.rect(), theme->palette().error, *theme);
  }
  std::set<QRgb> colours;
  for (int at = 0; at < 16; ++at)
    colours.insert(cell.pixel(at, 8));
  EXPECT_GE(colours.size(), 2U);
}

TEST_F(LessonDiagramsTest, SortedRowsAndTheirPartialSumsHaveTheNumbersOfThePage) {
  setCalm(true);
  window.resize(1440, 900);
  open("street");
  for (const int page : {8, 9}) {
    start("dataflows", page);
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
    const auto* shown = std::get_if<LessonSorting>(lessons().pages().diagram().diagram().get());
    ASSERT_NE(shown, nullptr) << page;
    EXPECT_EQ(shown->folds, page == 9);
    const QString splits =
        page == 8 ? "twenty outputs, sorted: slots per pair" : "twenty outputs, 2 splits: slots per pair";
    EXPECT_NEAR(number(splits), shown->after.slots_per_pair(), 0.005);
    EXPECT_LE(shown->after.slots_per_pair(), shown->before.slots_per_pair());
    const QImage end = lessons().pages().diagram().picture();
    lessons().pages().diagram().setPart(0.5);
    EXPECT_NE(lessons().pages().diagram().picture(), end);
    EXPECT_THAT(lessons().pages().diagram().status().toStdString(),
                testing::HasSubstr(page == 8 ? "Outputs sorted: 10 of 20" : "finished outputs: 0 of 20"));
  }
}

/// The bars of the control experiment are next to the bars of the scene, and readers compare the numbers of
/// both.
TEST_F(LessonDiagramsTest, EveryBarHasItsNumberAndNoNumberCoversAnother) {
  setCalm(true);
  open("street");
  window.resize(1024, 640);
  for (const auto& [id, page] : {std::pair{"density", 2}, {"search", 7}, {"search", 4}}) {
    SCOPED_TRACE(id);
    start(id, page);
    const auto& bars = *panel().findChild<LessonBarChart*>();
    const auto numbers = bars.numbers();
    ASSERT_EQ(numbers.size(), 2 * player().step()->bars->labels.size());
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      EXPECT_NE(numbers[at].text, "0") << at;
      EXPECT_GE(numbers[at].area.top(), bars.fontMetrics().height()) << "the number must be below the title";
      for (std::size_t other = 0; other < at; ++other)
        EXPECT_FALSE(numbers[at].area.intersects(numbers[other].area)) << at << " and " << other;
    }
  }
}

TEST_F(LessonDiagramsTest, BarsAreVisibleDownToTheirLegendInALowWindow) {
  open("street");
  window.resize(1024, 640);
  start("search", 7);
  player().go();
  const auto& bars = *panel().findChild<LessonBarChart*>();
  const QWidget& page = *panel().findChild<QScrollArea*>()->viewport();
  const auto lowest = [&] { return bars.mapTo(&page, QPoint(0, bars.height())).y(); };
  const auto& table = *panel().findChild<NumberTable*>();
  EXPECT_TRUE(waitFor([&] { return bars.isVisible() && lowest() <= page.height(); }));
  player().go();
  EXPECT_TRUE(waitFor([&] { return player().phase() == LessonPhase::shown && lowest() <= page.height(); }));
  EXPECT_GE(table.mapTo(&page, QPoint(0, 0)).y(), 0) << "the counters must be below the top of the page";
}

TEST_F(LessonDiagramsTest, APageEndsWithAWholeLineInALowWindow) {
  setCalm(true);
  open("street");
  window.resize(1024, 640);
  start("search", 8);
  const auto& scroll = *panel().findChild<WholeRowScroll*>();
  const auto& bars = *panel().findChild<LessonBarChart*>();
  ASSERT_TRUE(waitFor([&] { return bars.isVisible(); }));
  const auto cut = [&scroll](const LessonBarChart& chart) {
    const int top = chart.mapTo(scroll.viewport(), QPoint()).y();
    const int end = scroll.viewport()->height() - scroll.hiddenHeight(chart);
    return top < end && top + chart.height() - chart.legendHeight() > end;
  };
  bool longer = false;
  for (int height = 640; height < 760; height += 17) {
    window.resize(1024, height);
    EXPECT_TRUE(waitFor([&] { return window.height() == height && !cut(bars); })) << height;
    longer = longer || scroll.widget()->height() > scroll.viewport()->height();
  }
  EXPECT_TRUE(longer) << "the page must be longer than the window";
}

/// Tests that pointing at a number highlights its bar, and that pointing at a bar highlights its number.
TEST_F(LessonDiagramsTest, PointingAtANumberHighlightsItsBarAndViceVersa) {
  setCalm(true);
  open("street");
  start("density", norms_page);
  auto& bars = *panel().findChild<LessonBarChart*>();
  const auto& shown = *app.workspace().shownMap(-1).densities;
  const auto of_norm = [&](int norm) {
    std::vector<int> columns;
    for (const auto& column : shown.columns)
      if (column.l1 == norm) columns.push_back(column.column);
    return columns;
  };
  const auto lit = [&] {
    std::vector<QString> labels;
    for (const NumberRow* row : panel().findChildren<NumberRow*>())
      if (row->isLit()) labels.push_back(row->label());
    return labels;
  };
  Hover over;
  over.columns = of_norm(1);
  app.selection().setHover(over);
  EXPECT_EQ(lit(), std::vector<QString>{"mean density at norm 1"});
  EXPECT_EQ(bars.lit(), (std::vector<bool>{false, true, false, false, false, false, false}));
  const double bar = bars.width() / 7.0;
  const QPointF at(2.5 * bar, bars.height() / 2.0);
  move_mouse(bars, at);
  EXPECT_EQ(app.selection().hover().columns, of_norm(2));
  EXPECT_TRUE(lit().empty());
  EXPECT_TRUE(bars.lit().at(2));
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&bars, &leave);
  EXPECT_TRUE(app.selection().hover().columns.empty());
  EXPECT_FALSE(bars.lit().at(2));
}

TEST_F(LessonDiagramsTest, SharesInSentencesHaveOneDecimal) {
  setCalm(true);
  open("street");
  start("density", strides_page);
  int exceptions = 0;
  for (const LineRow* row : panel().findChildren<LineRow*>()) {
    QString text = row->findChild<QLabel*>()->text();
    text.remove(QRegularExpression("<[^>]*>"));
    if (!text.contains("with a smaller norm")) continue;
    ++exceptions;
    EXPECT_EQ(text.count(QRegularExpression(" \\d+\\.\\d %")), 2) << text.toStdString();
  }
  EXPECT_EQ(exceptions, 5);
}

/// Twenty outputs surround the selected voxel. The boxes of its 124 neighbours would cover them.
TEST_F(LessonDiagramsTest, TheOutputsOfAMatrixHideTheNeighboursOfTheVoxel) {
  setCalm(true);
  open("street");
  start("dataflows");
  Selection& selection = app.selection();
  ASSERT_TRUE(waitFor([&] { return selection.rows() != nullptr && app.sceneView().settled(); }));
  ASSERT_TRUE(selection.voxel().has_value());
  EXPECT_FALSE(selection.neighboursShown());
  const auto& marks = lessons().pages().picture()->marks;
  EXPECT_EQ(std::count_if(marks.begin(), marks.end(),
                          [](const MotionMark& mark) { return mark.kind == MotionMark::Kind::output; }),
            20);
  const QImage marked = app.sceneView().picture(1, false);
  app.sceneView().animation().set(nullptr, {});
  EXPECT_NE(app.sceneView().picture(1, false), marked)
      << "the marked outputs must be drawn over the voxels in front of them";
  const QImage outputs = app.sceneView().grab3d();
  selection.setVoxel(selection.voxel());
  EXPECT_TRUE(selection.neighboursShown()) << "selecting the voxel again must show its neighbours";
  EXPECT_NE(app.sceneView().grab3d(), outputs);
}

}  // namespace
}  // namespace spira::ui
