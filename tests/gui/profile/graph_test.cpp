// Tests the layout of network graphs and their chart.
#include "engine/network/network.hpp"
#include "tests/gui/mouse.hpp"
#include "ui/charts/graph/graph_chart.hpp"
#include "ui/charts/graph/graph_layout.hpp"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

namespace spira::ui {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// Returns a U-Net with residual blocks and concatenations. It is as deep as the stride limit allows and has
/// at least `layers` layers.
Network deep_network(int layers) {
  Network network;
  network.name = network.title = "deep";
  const auto add = [&](Layer layer, std::vector<std::string> inputs) {
    layer.inputs = std::move(inputs);
    layer.in_channels = layer.out_channels = 4;
    for (std::size_t at = 1; at < layer.inputs.size(); ++at)
      layer.in_channels += 4;
    network.layers.push_back(layer);
    return layer.name;
  };
  constexpr int depth = 4;
  std::string last = "input";
  std::vector<std::string> skipped;
  int blocks = 0;
  const auto block = [&] {
    const std::string name = "block" + std::to_string(++blocks), from = last;
    Layer first, second;
    first.name = name + ".conv1";
    second.name = name + ".conv2";
    last = add(first, {last});
    second.residual = from == "input" ? "" : from;
    last = add(second, {last});
  };
  const int per_level = std::max(1, layers / 2 / (2 * depth + 1));
  for (int level = 0; level < depth; ++level) {
    for (int at = 0; at < per_level; ++at)
      block();
    skipped.push_back(last);
    Layer down;
    down.name = "down" + std::to_string(level);
    down.kernel_size = down.stride = 2;
    last = add(down, {last});
  }
  for (int at = 0; at < per_level; ++at)
    block();
  for (int level = depth - 1; level >= 0; --level) {
    Layer up, join;
    up.name = "up" + std::to_string(level);
    up.kernel_size = up.stride = 2;
    up.transposed = true;
    last = add(up, {last});
    join.name = "join" + std::to_string(level);
    last = add(join, {last, skipped[static_cast<std::size_t>(level)]});
    for (int at = 0; at < per_level; ++at)
      block();
  }
  while (static_cast<int>(network.layers.size()) < layers)
    block();
  return network;
}

std::vector<Network> all_networks() {
  std::vector<Network> networks{deep_network(1000)};
  for (const PresetFacts& preset : network_presets())
    networks.push_back(network_preset(preset.id));
  for (const auto& folder : std::filesystem::directory_iterator(SPIRA_SOURCE_DIR "/tests/fixtures/oracle")) {
    if (folder.is_directory())
      networks.push_back(read_network(folder.path() / (folder.path().filename().string() + ".json")));
  }
  return networks;
}

double along(const QPointF& point, GraphDirection direction) {
  return direction == GraphDirection::down ? point.y() : point.x();
}

/// Returns points on the curves and lines of a route.
std::vector<QPointF> points_on(const std::vector<QPointF>& route, GraphDirection direction) {
  std::vector<QPointF> points;
  constexpr int steps = 16;
  for (std::size_t at = 0; at + 1 < route.size(); ++at) {
    const QPointF &a = route[at], &b = route[at + 1];
    const QPointF half =
        direction == GraphDirection::down ? QPointF(0, (b.y() - a.y()) / 2) : QPointF((b.x() - a.x()) / 2, 0);
    for (int step = 0; step <= steps; ++step) {
      const double t = double(step) / steps, u = 1 - t;
      points.push_back(at % 2 == 0 ? a * (u * u * u) + (a + half) * (3 * u * u * t) +
                                         (b - half) * (3 * u * t * t) + b * (t * t * t)
                                   : a * u + b * t);
    }
  }
  return points;
}

class GraphLayoutTest : public testing::TestWithParam<GraphDirection> {};

TEST_P(GraphLayoutTest, NodesOfAllNetworksHaveTheirOwnSpace) {
  for (const Network& network : all_networks()) {
    SCOPED_TRACE(network.name);
    const GraphLayout layout = layout_graph(graph_of(network), {}, GetParam());
    ASSERT_EQ(layout.nodes.size(), network.layers.size() + 1);
    for (std::size_t a = 0; a < layout.nodes.size(); ++a) {
      EXPECT_TRUE(layout.bounds.contains(layout.nodes[a]));
      for (std::size_t b = a + 1; b < layout.nodes.size(); ++b)
        ASSERT_FALSE(layout.nodes[a].adjusted(-4, -4, 4, 4).intersects(layout.nodes[b])) << a << " " << b;
    }
  }
}

TEST_P(GraphLayoutTest, LinksRunInTheDirectionOfTheGraphAndCrossNoNode) {
  for (const Network& network : all_networks()) {
    SCOPED_TRACE(network.name);
    const GraphShape shape = graph_of(network);
    const GraphLayout layout = layout_graph(shape, {}, GetParam());
    ASSERT_EQ(layout.routes.size(), shape.links.size());
    for (std::size_t at = 0; at < shape.links.size(); ++at) {
      const GraphLink& link = shape.links[at];
      const QRectF &from = layout.nodes[static_cast<std::size_t>(link.from)],
                   &to = layout.nodes[static_cast<std::size_t>(link.to)];
      ASSERT_LT(along(from.bottomRight(), GetParam()), along(to.topLeft(), GetParam()));
      const auto points = points_on(layout.routes[at], GetParam());
      EXPECT_TRUE(from.adjusted(-1, -1, 1, 1).contains(points.front()));
      EXPECT_TRUE(to.adjusted(-1, -1, 1, 1).contains(points.back()));
      for (std::size_t step = 1; step < points.size(); ++step)
        ASSERT_GE(along(points[step], GetParam()) + 1e-6, along(points[step - 1], GetParam()));
      // For larger networks, the comparison with all nodes would be slow.
      if (network.layers.size() > 200) continue;
      for (const QRectF& node : layout.nodes) {
        for (const QPointF& point : points)
          ASSERT_FALSE(node.adjusted(1, 1, -1, -1).contains(point)) << link.from << " to " << link.to;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, GraphLayoutTest, testing::Values(GraphDirection::down, GraphDirection::right));

TEST(GraphShapeTest, KnowsTheKindOfEachLink) {
  const GraphShape shape = graph_of(deep_network(30));
  const Network network = deep_network(30);
  const auto node = [&](const char* name) { return network.index_of(name) + 1; };
  EXPECT_THAT(shape.links, Contains(GraphLink{node("up0"), node("join0"), LinkKind::flow}));
  EXPECT_THAT(shape.links, Contains(GraphLink{node("down0"), node("up0"), LinkKind::map}));
  EXPECT_THAT(shape.links, Contains(GraphLink{node("down0"), node("block2.conv2"), LinkKind::residual}));
  const Layer& join = network.layers.at(static_cast<std::size_t>(network.index_of("join0")));
  EXPECT_THAT(shape.links,
              Contains(GraphLink{node(join.inputs[1].c_str()), node("join0"), LinkKind::concat}));
  const Network rules = read_network(SPIRA_SOURCE_DIR "/tests/fixtures/oracle/two_rules/two_rules.json");
  EXPECT_THAT(graph_of(rules).links, Contains(GraphLink{rules.index_of("reached64") + 1,
                                                        rules.index_of("inverse16") + 1, LinkKind::map}));
}

TEST(GraphShapeTest, AThousandLayersWithManyLinksAreLaidOut) {
  const Network network = deep_network(1000);
  ASSERT_GE(network.layers.size(), 1000U);
  // Each layer reads the 60 layers that precede it.
  GraphShape dense{1001, {}};
  for (int to = 1; to <= 1000; ++to)
    for (int from = std::max(0, to - 60); from < to; ++from)
      dense.links.push_back({from, to, from == to - 1 ? LinkKind::flow : LinkKind::concat});
  for (const GraphShape& shape : {graph_of(network), dense}) {
    const GraphLayout layout = layout_graph(shape, {}, GraphDirection::right);
    EXPECT_EQ(layout.routes.size(), shape.links.size());
  }
}

/// Returns a graph in which each layer reads the 64 layers before it.
NetworkGraph graph_with_many_links(int layers) {
  NetworkGraph graph;
  graph.shape.nodes = layers + 1;
  for (int to = 0; to <= layers; ++to) {
    for (int from = std::max(0, to - 64); from < to; ++from)
      graph.shape.links.push_back({from, to, from == to - 1 ? LinkKind::flow : LinkKind::concat});
    const QString name = QString("layer%1").arg(to);
    graph.nodes.push_back({name, name, {{"3x3x3", "4"}}});
  }
  graph.values.resize(graph.nodes.size());
  return graph;
}

/// The limit is far above the time that is needed, which is below 0.1 s, because a busy machine is slow.
TEST(GraphDrawingTest, AGraphWith256000LinksIsDrawnQuicklyAtEachScale) {
  constexpr qint64 limit_ms = 1000;
  Theme theme;
  GraphChart chart(&theme);
  chart.resize(1000, 400);
  QElapsedTimer timer;
  timer.start();
  chart.setGraph(graph_with_many_links(4000));
  RecordProperty("layout_ms", static_cast<int>(timer.elapsed()));
  EXPECT_LT(timer.elapsed(), 2 * limit_ms) << "layout";
  chart.show();
  chart.setChosenLayer(2000);
  const auto draw = [&](const char* what) {
    timer.restart();
    static_cast<void>(chart.grab());
    RecordProperty(what, static_cast<int>(timer.elapsed()));
    EXPECT_LT(timer.elapsed(), limit_ms) << what << " " << chart.scale();
  };
  draw("readable_ms");
  for (const char* what : {"zoom1_ms", "zoom2_ms", "zoom3_ms", "zoom4_ms"}) {
    QWheelEvent event({500, 200}, chart.mapToGlobal(QPointF(500, 200)), {}, {0, -600}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&chart, &event);
    draw(what);
  }
  chart.fit();
  draw("fit_ms");
  timer.restart();
  EXPECT_EQ(chart.table().rows.size(), 4000U);
  EXPECT_LT(timer.elapsed(), limit_ms) << "table";
}

class GraphChartTest : public testing::Test {
 protected:
  GraphChartTest() : chart(&theme) {
    chart.resize(700, 300);
    NetworkGraph graph;
    const Network network = network_preset("minkunet42");
    graph.title = "MinkUNet-42";
    graph.shape = graph_of(network);
    for (int node = 0; node < graph.shape.nodes; ++node) {
      const QString name =
          node == 0 ? "input"
                    : QString::fromStdString(network.layers[static_cast<std::size_t>(node) - 1].name);
      graph.nodes.push_back({name, name.right(4), {{"3x3x3", "4"}}});
      graph.values.push_back({1000.0 - node, node * 0.5, "", "", false});
    }
    graph.statistic = "median";
    chart.setGraph(graph);
    chart.show();
  }
  void wheel(int delta, const QPointF& at) {
    QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&chart, &event);
  }

  Theme theme;
  GraphChart chart;
};

TEST_F(GraphChartTest, AClickSelectsALayerAndTheInputIsNotALayer) {
  QSignalSpy clicked(&chart, &GraphChart::layerClicked);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(1).center().toPoint());
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_EQ(clicked[0][0].toInt(), 1);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(-1).center().toPoint());
  EXPECT_EQ(clicked.count(), 1);
}

TEST_F(GraphChartTest, TheSelectedLayerIsMovedIntoView) {
  for (const int layer : {30, 48, 0}) {
    chart.setChosenLayer(layer);
    EXPECT_TRUE(chart.canvas().contains(chart.rectOf(layer))) << layer;
  }
  EXPECT_FALSE(chart.canvas().intersects(chart.rectOf(30)));
}

TEST_F(GraphChartTest, TheWheelZoomsAtThePointerAndADragMoves) {
  chart.setChosenLayer(20);
  const QPointF at = chart.rectOf(20).center();
  const double before = chart.scale();
  wheel(-120, at);
  EXPECT_LT(chart.scale(), before);
  EXPECT_NEAR(chart.rectOf(20).center().x(), at.x(), 1);
  QSignalSpy clicked(&chart, &GraphChart::layerClicked);
  const QPoint start = chart.rectOf(20).center().toPoint();
  QTest::mousePress(&chart, Qt::LeftButton, {}, start);
  move_mouse(chart, start + QPoint(30, 0), Qt::LeftButton);
  move_mouse(chart, start + QPoint(80, 0), Qt::LeftButton);
  QTest::mouseRelease(&chart, Qt::LeftButton, {}, start + QPoint(80, 0));
  EXPECT_NEAR(chart.rectOf(20).center().x(), start.x() + 80, 2);
  EXPECT_EQ(clicked.count(), 0) << "a drag is not a click";
}

TEST_F(GraphChartTest, FitShowsAllLayers) {
  chart.fit();
  EXPECT_TRUE(chart.canvas().contains(chart.rectOf(-1)));
  EXPECT_TRUE(chart.canvas().contains(chart.rectOf(48)));
  chart.readable();
  EXPECT_EQ(chart.scale(), 1.0);
}

TEST_F(GraphChartTest, ArrowKeysVisitTheLayers) {
  std::vector<int> visited;
  QObject::connect(&chart, &GraphChart::layerClicked, [&](int layer) {
    visited.push_back(layer);
    chart.setChosenLayer(layer);
  });
  for (const auto key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Left, Qt::Key_End, Qt::Key_Right, Qt::Key_Home})
    QTest::keyClick(&chart, key);
  EXPECT_THAT(visited, ElementsAre(0, 1, 0, 48, 48, 0));
}

TEST_F(GraphChartTest, ColoursFollowTimeOrVoxels) {
  EXPECT_EQ(chart.colourOf(48), chart.colourOf(48));
  EXPECT_NE(chart.colourOf(0), chart.colourOf(48));
  const QColor slowest = chart.colourOf(48);
  chart.setColourBy(GraphColour::voxels);
  EXPECT_NE(chart.colourOf(48), slowest);
  EXPECT_EQ(chart.text().unit.toStdString(), "outputs");
  chart.setValues(std::vector<GraphValue>(50), "", "");
  EXPECT_EQ(chart.colourOf(0), theme.palette().line) << "unknown values have no colour";
}

TEST_F(GraphChartTest, TheSearchFindsPartsOfNames) {
  chart.setSearch("DECODER1.");
  ASSERT_FALSE(chart.matches().empty());
  for (const int layer : chart.matches())
    EXPECT_TRUE(chart.graph().nodes[static_cast<std::size_t>(layer) + 1].name.startsWith("decoder1."));
  chart.setSearch("no such layer");
  EXPECT_THAT(chart.matches(), IsEmpty());
}

TEST_F(GraphChartTest, APictureShowsTheWholeGraphFromTopToBottom) {
  const auto paper = Theme::forPaper();
  const auto twin = chart.twin(paper.get());
  const int height = twin->heightForWidth(648);
  twin->resize(648, height);
  auto& picture = dynamic_cast<GraphChart&>(*twin);
  EXPECT_GT(height, 2000);
  EXPECT_TRUE(QRectF(picture.rect()).contains(picture.rectOf(48)));
  EXPECT_GT(picture.rectOf(48).top(), picture.rectOf(0).bottom());
  EXPECT_EQ(picture.table().rows.size(), 49U);
}

}  // namespace
}  // namespace spira::ui
