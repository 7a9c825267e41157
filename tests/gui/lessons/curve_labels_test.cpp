// Tests the positions of the numbers next to curves, and the status line above a diagram.
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>

#include <gmock/gmock.h>

#include <map>

namespace spira::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Stores the position of each text. If the same text is drawn several times, stores the first position.
class TextEngine : public QPaintEngine {
 public:
  TextEngine() : QPaintEngine(QPaintEngine::AllFeatures) {}
  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  void updateState(const QPaintEngineState&) override {}
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
  void drawPath(const QPainterPath&) override {}
  void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
  void drawTextItem(const QPointF& at, const QTextItem& item) override { texts.emplace(item.text(), at); }
  [[nodiscard]] Type type() const override { return QPaintEngine::User; }

  std::map<QString, QPointF> texts;
};

class TextDevice : public QPaintDevice {
 public:
  [[nodiscard]] QPaintEngine* paintEngine() const override { return &engine; }
  [[nodiscard]] int metric(PaintDeviceMetric which) const override {
    constexpr int side = 2000, dots = 96;
    switch (which) {
      case PdmWidth:
      case PdmHeight:
        return side;
      case PdmDpiX:
      case PdmDpiY:
      case PdmPhysicalDpiX:
      case PdmPhysicalDpiY:
        return dots;
      case PdmDevicePixelRatio:
        return 1;
      default:
        return QPaintDevice::metric(which);
    }
  }
  mutable TextEngine engine;
};

std::map<QString, QPointF> texts_of(const LessonCurves& curves) {
  TextDevice device;
  QPainter painter(&device);
  paint_diagram(painter, curves, QRectF(0, 0, 800, 360), 1, *Theme::forPaper());
  painter.end();
  return device.engine.texts;
}

TEST(CurveLabels, TheHigherOfTwoPointsHasItsNumberAbove) {
  for (const auto& [rows, pairs] : {std::pair(25.0, 28.6), {28.6, 25.0}}) {
    LessonCurves curves;
    curves.curves = {{LessonCurves::Of::dense_slots, {{2, 1.25, 0}, {3, rows, 0}, {4, 125, 0}}},
                     {LessonCurves::Of::sparse_pairs, {{2, 36.5, 0}, {3, pairs, 0}, {4, 8.5, 0}}}};
    const auto texts = texts_of(curves);
    for (const char* number : {"1.25", "36.5", "25.0", "28.6", "125", "8.50"})
      EXPECT_TRUE(texts.contains(number)) << number;
    EXPECT_LT(texts.at("28.6").y(), texts.at("25.0").y());
    EXPECT_NEAR(texts.at("28.6").x(), texts.at("25.0").x(), 3);
  }
}

TEST(CurveLabels, ANumberDoesNotCoverAPointOfTheModel) {
  LessonCurves curves;
  curves.unit = "ms";
  curves.curves = {{LessonCurves::Of::measured, {{0, 5.99, 0}, {1, 5.1, 0}, {2, 7, 0}}},
                   {LessonCurves::Of::modelled, {{0, 6.45, 0}, {1, 4.6, 0}}}};
  const auto texts = texts_of(curves);
  curves.curves[1].points[0].value = 3;
  EXPECT_LT(texts_of(curves).at("5.99").y(), texts.at("5.99").y())
      << "the number must be below its point if the model is above, and above it otherwise";
}

TEST(CurveLabels, TheNamesOfLayersAreBelowTheZeroOfTheAxis) {
  LessonCurves curves;
  curves.over = LessonCurves::Over::layer;
  curves.unit = "B";
  curves.curves = {{LessonCurves::Of::held_layer_by_layer, {}}};
  for (int layer = 0; layer < 49; ++layer)
    curves.curves[0].points.push_back({layer, 4e6, 0});
  const auto texts = texts_of(curves);
  EXPECT_GT(texts.at("layer 1").y() - texts.at("0").y(), QFontMetricsF(QFont()).ascent());
}

/// The page asks for a guess above the empty diagram, so the status line must not reveal the answer.
TEST_F(LessonsTest, TheStatusLineShowsNoValueBeforeTheCurvesArePlayed) {
  open("street");
  for (const int page : {3, 4}) {
    start("density", page);
    DiagramView& diagram = lessons().pages().diagram();
    EXPECT_THAT(diagram.status().toStdString(), HasSubstr("Curves over the L1 norm: "));
    EXPECT_THAT(diagram.status().toStdString(), Not(HasSubstr("%")));
    EXPECT_THAT(diagram.accessibleDescription().toStdString(), Not(HasSubstr("%")));
    player().scrub(1);
    EXPECT_THAT(diagram.status().toStdString(), HasSubstr(" %"));
  }
}

}  // namespace
}  // namespace spira::ui
