// Tests the page on walls, poles and leaves: the lasso selection of the user has its own curve next to the
// curves of these shapes.
#include "engine/backend/host_read.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/gui/mouse.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <QPushButton>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace spira::ui {
namespace {

using Of = LessonCurves::Of;

constexpr int shapes_page = 3;

class LessonShapesTest : public LessonsTest {
 protected:
  void press(const QString& text) {
    for (QPushButton* button : panel().findChildren<QPushButton*>()) {
      if (button->text() == text) return button->click();
    }
    FAIL() << "no button " << text.toStdString();
  }
  void drawAround(const QRect& area) {
    ASSERT_TRUE(waitFor([&] { return app.sceneView().settled() && lessons().pages().settled(); }));
    VtkWidget* canvas = app.sceneView().canvas();
    QTest::mousePress(canvas, Qt::LeftButton, {}, area.topLeft());
    for (const QPoint& at : {area.topRight(), area.bottomRight(), area.bottomLeft()}) {
      move_mouse(*canvas, at, Qt::LeftButton);
    }
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, area.bottomLeft());
    ASSERT_TRUE(waitFor([&] { return !app.selectionJobs().busy() && lessons().pages().settled(); }));
  }
  const LessonCurves::Curve* curve(Of of) {
    const auto& diagram = lessons().pages().diagram().diagram();
    const auto* curves = diagram ? std::get_if<LessonCurves>(diagram.get()) : nullptr;
    if (curves == nullptr) return nullptr;
    const auto found = std::find_if(curves->curves.begin(), curves->curves.end(),
                                    [&](const LessonCurves::Curve& one) { return one.of == of; });
    return found == curves->curves.end() ? nullptr : &*found;
  }
  /// Returns the densities in percent for the L1 norms 1 to 6 of a kernel with K = 5. Counts the matches by
  /// looking up every offset of every row in a set of voxels.
  static std::array<double, 6> counted(const CoordSet& level, const std::vector<std::int32_t>& rows) {
    const auto all = all_voxels(level);
    const std::set<Voxel> there(all.begin(), all.end());
    std::array<double, 6> hits{}, asked{};
    for (const std::int32_t row : rows) {
      const Voxel v = all[static_cast<std::size_t>(row)];
      for (int at = 0; at < 125; ++at) {
        const int dx = (at / 25) - 2, dy = (at / 5 % 5) - 2, dz = (at % 5) - 2;
        const int norm = std::abs(dx) + std::abs(dy) + std::abs(dz);
        if (norm == 0) continue;
        const auto place = static_cast<std::size_t>(norm) - 1;
        asked.at(place) += 1;
        hits.at(place) += there.contains(Voxel{v[0] + dx, v[1] + dy, v[2] + dz}) ? 1 : 0;
      }
    }
    for (std::size_t at = 0; at < hits.size(); ++at)
      hits.at(at) *= 100 / asked.at(at);
    return hits;
  }
};

TEST_F(LessonShapesTest, ALassoSelectionHasItsOwnCurveAndNumbers) {
  setCalm(true);
  open("street");
  start("density", shapes_page);
  ASSERT_NE(curve(Of::walls), nullptr);
  EXPECT_EQ(curve(Of::chosen), nullptr) << "the selected walls must not have a second curve";
  const auto walls = app.selection().rows();
  press("Draw with the lasso");
  ASSERT_EQ(app.sceneView().tools().lasso()->mode(), DrawMode::lasso);
  const QRect all = app.sceneView().canvas()->rect();
  drawAround({all.width() / 4, all.height() / 4, all.width() / 3, all.height() / 3});
  const auto& rows = app.selection().rows();
  ASSERT_TRUE(rows);
  ASSERT_NE(rows, walls) << "the lasso must select other voxels than the walls";
  ASSERT_GT(rows->rows.size(), 50U);
  EXPECT_EQ(number("selected voxels"), static_cast<double>(rows->rows.size()));
  ASSERT_TRUE(waitFor([&] { return curve(Of::chosen) != nullptr; }));
  const auto* drawn = curve(Of::chosen);
  const auto expected = counted(app.workspace().scene().voxels()->level(1), rows->rows);
  ASSERT_EQ(drawn->points.size(), expected.size());
  for (std::size_t at = 0; at < expected.size(); ++at) {
    EXPECT_EQ(drawn->points[at].x, static_cast<int>(at) + 1);
    EXPECT_NEAR(drawn->points[at].value, expected.at(at), 1e-9);
  }
  EXPECT_NE(curve(Of::walls), nullptr) << "the curve of the walls must stay";
}

}  // namespace
}  // namespace spira::ui
