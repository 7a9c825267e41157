// Tests opening a network together with its weights and its voxels.
#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/level_build.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/charts/graph/graph_chart.hpp"
#include "ui/features/open/drop_target.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QRegularExpression>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextDocumentFragment>
#include <QTreeWidget>
#include <QUrl>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <tuple>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class NetworkFilesTest : public WindowTest {
 protected:
  /// Copies a file of a recorded network to the folder of the test, and returns the path of the copy.
  QString copy(const QString& name, const QString& as = {}) {
    const QString to = folder.filePath(as.isEmpty() ? name : as);
    QFile::copy(QString(SPIRA_SOURCE_DIR "/tests/fixtures/oracle/%1/%2").arg(name.section('.', 0, 0), name),
                to);
    return to;
  }
  void drop(const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files)
      urls += QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(700, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QDropEvent event(QPointF(700, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
    EXPECT_TRUE(event.isAccepted());
    finish();
  }
  void openFile(const QString& file) {
    app.opening().open(file);
    finish();
  }
  void openNetwork(const QStringList& files) {
    app.jobs().scenes().openSequence(files, {}, SceneJobs::Together::network);
  }
  void finish() {
    ASSERT_TRUE(waitFor([&] { return idle(); })) << shown();
  }
  [[nodiscard]] std::string network() { return app.workspace().network()->name; }
  [[nodiscard]] std::string weights() {
    return app.workspace().weights() ? app.workspace().weights()->source : "";
  }
  [[nodiscard]] std::string scene() {
    return app.workspace().scene().cloud() ? app.workspace().scene().cloud()->source : "";
  }
  [[nodiscard]] std::string shown() {
    const auto& notice = app.notices().shown();
    return notice ? (notice->title + "\n" + notice->message).toStdString() : "";
  }
  /// Runs the network and returns the sum of the norms of the outputs of the last layer.
  double run() {
    EXPECT_TRUE(app.commands().trigger("run.run"));
    const int last = static_cast<int>(app.workspace().network()->layers.size()) - 1;
    EXPECT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == last + 1; }))
        << shown();
    double sum = 0;
    if (!app.workspace().results().layer(last)) return sum;
    for (const float norm : feature_norms(*app.workspace().results().layer(last)->features))
      sum += norm;
    return sum;
  }

  QTemporaryDir folder;
};

TEST_F(NetworkFilesTest, ANetworkItsWeightsAndItsVoxelsAreDroppedTogether) {
  const QString net = copy("second.json"), values = copy("second.safetensors"),
                voxels = copy("second.capture.safetensors");
  drop({voxels, values, net});
  EXPECT_EQ(network(), "second");
  EXPECT_EQ(weights(), values.toStdString());
  EXPECT_EQ(scene(), voxels.toStdString());
  EXPECT_EQ(shown(), "");
  const double trained = run();
  app.workspace().setNetwork(app.workspace().network());
  EXPECT_EQ(app.workspace().results().layersRun(), 0) << "other weights have other results";
  EXPECT_GT(std::abs(run() - trained), 1e-3 * trained);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(weights(), values.toStdString());
  EXPECT_EQ(run(), trained);
}

TEST_F(NetworkFilesTest, AVoxelFileIsShownInCellsAndAScanInMetres) {
  const SceneView& view = child<SceneView>(window);
  QString legend;
  QObject::connect(&view, &SceneView::legendChanged, &view,
                   [&](const ColourLegend& shown) { legend = shown.title; });
  const auto labels = [this] {
    QString all;
    for (const QLabel* label : window.findChildren<QLabel*>())
      all += label->text() + "\n";
    return QTextDocumentFragment::fromHtml(all.replace("</td>", " "))
        .toPlainText()
        .simplified()
        .toStdString();
  };
  const auto scale = [this] { return child<ViewOverlay>(window).scaleText().toStdString(); };
  openFile(copy("second.capture.safetensors"));
  ASSERT_TRUE(waitFor([&] { return legend == "height, cells" && !scale().empty(); })) << legend.toStdString();
  EXPECT_THAT(scale(), EndsWith(" cells"));
  const QString caption = OpenRun(&app.workspace()).caption().join("\n");
  EXPECT_THAT(caption.toStdString(), AllOf(HasSubstr(" voxels, packing "), Not(HasSubstr(" m,"))));
  EXPECT_THAT(labels(), AllOf(HasSubstr("voxel size 1 cell"), HasSubstr("from, cells"),
                              HasSubstr("Voxel size, cells"), HasSubstr("Size, cells")));
  EXPECT_FALSE(QRegularExpression("[0-9,] m\\b").match(QString::fromStdString(labels())).hasMatch())
      << labels();
  open("room");
  ASSERT_TRUE(waitFor([&] { return legend == "height, m"; })) << legend.toStdString();
  EXPECT_THAT(scale(), EndsWith(" m"));
  EXPECT_THAT(labels(), AllOf(HasSubstr("voxel size 0.02 m"), HasSubstr("from, m"),
                              HasSubstr("Voxel size, m"), HasSubstr("Size, m")));
}

TEST_F(NetworkFilesTest, WeightsAreFoundByTheNameOfTheirNetworkAndViceVersa) {
  const QString net = copy("second.json"), values = copy("second.safetensors");
  openFile(net);
  EXPECT_EQ(network(), "second");
  EXPECT_EQ(weights(), values.toStdString());
  app.jobs().runs().chooseNetwork("resn21");
  EXPECT_EQ(weights(), "");
  openFile(values);
  EXPECT_EQ(network(), "second");
  EXPECT_EQ(weights(), values.toStdString());
}

TEST_F(NetworkFilesTest, TheOtherPartIsOfferedAndOpenedOneAfterTheOther) {
  const QString net = copy("second.json"), voxels = copy("second.capture.safetensors");
  openFile(voxels);
  EXPECT_THAT(shown(), HasSubstr("second.json"));
  app.notices().answer(0);
  finish();
  EXPECT_EQ(network(), "second");
  EXPECT_EQ(scene(), voxels.toStdString());
  EXPECT_EQ(shown(), "") << "both parts are open";
  open("room");
  openFile(net);
  EXPECT_THAT(shown(), HasSubstr("second.capture.safetensors"));
  app.notices().answer(0);
  finish();
  EXPECT_EQ(scene(), voxels.toStdString());
  EXPECT_EQ(shown(), "");
}

TEST_F(NetworkFilesTest, WeightsWithAnotherNameAreForTheOpenNetwork) {
  openFile(copy("second.json"));
  ASSERT_EQ(weights(), "");
  const auto before = app.workspace().network();
  const QString values = copy("second.safetensors", "trained.safetensors");
  openFile(values);
  EXPECT_EQ(weights(), values.toStdString());
  EXPECT_EQ(app.workspace().network(), before);
}

TEST_F(NetworkFilesTest, WeightsThatDoNotFitAreRefusedAndNothingIsLost) {
  open("room");
  const auto net = app.workspace().network();
  const auto voxels = app.workspace().scene().voxels();
  const QString values = copy("second.safetensors", "trained.safetensors");
  openFile(values);
  EXPECT_THAT(shown(), HasSubstr("trained.safetensors"));
  EXPECT_THAT(shown(), HasSubstr("not weights of the open network"));
  // One of the files is invalid, so none of them is opened.
  drop({copy("minkunet18.json"), values, copy("second.capture.safetensors")});
  EXPECT_THAT(shown(), HasSubstr("trained.safetensors: tensor"));
  QFile broken(folder.filePath("broken.json"));
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
  broken.write(R"({"layers": [{"name": "a", "out_channels": -1}]})");
  broken.close();
  drop({broken.fileName(), values});
  EXPECT_THAT(shown(), HasSubstr("out_channels"));
  EXPECT_EQ(app.workspace().network(), net);
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);
  EXPECT_EQ(weights(), "");
}

TEST_F(NetworkFilesTest, WeightsThatWereOnlyFoundByTheirNameDoNotBlockTheNetwork) {
  copy("second.safetensors", "minkunet18.safetensors");
  openFile(copy("minkunet18.json"));
  EXPECT_EQ(network(), "minkunet18");
  EXPECT_EQ(weights(), "");
  EXPECT_THAT(shown(), HasSubstr("random weights"));
  EXPECT_THAT(shown(), HasSubstr("minkunet18.safetensors"));
}

TEST_F(NetworkFilesTest, TwoNetworksAreRefused) {
  const auto before = app.workspace().network();
  drop({copy("second.json"), copy("minkunet18.json"), copy("second.safetensors")});
  EXPECT_THAT(shown(), HasSubstr("a second network"));
  EXPECT_EQ(app.workspace().network(), before);
}

TEST_F(NetworkFilesTest, TheNetworkBoxOpensFilesAndRefusesScenes) {
  const QString net = copy("second.json");
  auto* box = app.window().findChild<QComboBox*>("network");
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(box->itemText(box->count() - 1).toStdString(), "From file...");
  openNetwork({net});
  finish();
  EXPECT_EQ(network(), "second");
  EXPECT_EQ(weights(), "");
  EXPECT_THAT(box->toolTip().toStdString(), HasSubstr("Random weights"));
  openNetwork({copy("second.capture.safetensors")});
  finish();
  EXPECT_THAT(shown(), HasSubstr("not a network file"));
  openNetwork({net, copy("second.safetensors")});
  finish();
  EXPECT_THAT(box->toolTip().toStdString(), EndsWith("second.safetensors"));
}

TEST_F(NetworkFilesTest, OpaquePartsAreGreyAndTheOtherLayersRun) {
  QFile file(folder.filePath("attends.json"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(R"({"schema": "spira.network 2", "name": "attends", "title": "Attends", "layers": [
      {"name": "a", "out_channels": 8, "multiply_adds": 300},
      {"name": "attention", "op": "opaque", "operation": "torch softmax", "output_shape": [5, 8], "multiply_adds": 600},
      {"name": "c", "out_channels": 4},
      {"name": "b", "inputs": ["a"], "out_channels": 8, "multiply_adds": 100}]})");
  file.close();
  open("room");
  openFile(file.fileName());
  static_cast<void>(run());
  auto& chart = child<GraphChart>(window);
  app.docks().show("graph");
  ASSERT_TRUE(waitFor([&] { return idle() && chart.graph().nodes.size() == 5; }));
  const auto& nodes = chart.graph().nodes;
  EXPECT_EQ(nodes[2].name, "b");
  EXPECT_EQ(nodes[3].name, "attention");
  EXPECT_TRUE(nodes[3].skipped && nodes[4].skipped);
  EXPECT_FALSE(nodes[2].skipped);
  EXPECT_EQ(nodes[3].lines[0].first.toStdString(), "opaque: torch softmax");
  EXPECT_EQ(nodes[3].lines[2].first.toStdString(), "60.0 % of the known work");
  EXPECT_EQ(nodes[4].lines[2].first.toStdString(), "work unknown");
  EXPECT_EQ(chart.colourOf(2), app.theme().palette().faint_text);
  EXPECT_NE(chart.colourOf(1), app.theme().palette().faint_text);
  EXPECT_THAT(chart.graph().shape.links, testing::Contains(GraphLink{1, 3, LinkKind::flow}));
  EXPECT_THAT(chart.graph().shape.links, testing::Contains(GraphLink{3, 4, LinkKind::flow}));
  QSignalSpy clicked(&chart, &GraphChart::layerClicked);
  chart.resize(900, 500);
  chart.fit();
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(2).center().toPoint());
  EXPECT_EQ(clicked.count(), 0);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(1).center().toPoint());
  EXPECT_EQ(clicked.count(), 1);
  EXPECT_EQ(networkText(*app.workspace().network()).toStdString(), "Attends (partial: 2 of 4 layers)");
}

TEST_F(NetworkFilesTest, LayersOnPointsAreCountedInPointsAndHaveNoMap) {
  drop({copy("spvcnn.json"), copy("spvcnn.safetensors"), copy("spvcnn.capture.safetensors")});
  static_cast<void>(run());
  auto& chart = child<GraphChart>(window);
  app.docks().show("graph");
  const Network& net = *app.workspace().network();
  ASSERT_TRUE(waitFor([&] { return idle() && chart.graph().nodes.size() == net.layers.size() + 1; }));
  const auto node = [&](const char* name) { return static_cast<std::size_t>(net.index_of(name)) + 1; };
  const auto line = [&](const char* name) {
    const auto& lines = chart.graph().nodes[node(name)].lines;
    return (lines[0].first + ", " + lines[1].first + ", " + lines[1].second).toStdString();
  };
  EXPECT_EQ(line("z0"), "to points, stride 1\u2192points, trilinear");
  EXPECT_EQ(line("y1.mean"), "to voxels, points\u219216, mean of points");
  EXPECT_EQ(line("point_transforms.0"), "linear, points, same points");
  EXPECT_EQ(line("z1"), "add, points, same points");
  EXPECT_EQ(chart.graph().values[node("z1")].voxels_text.toStdString(), "309 points");
  EXPECT_EQ(chart.graph().values[node("y1.mean")].voxels_text.toStdString(), "13 outputs");
  EXPECT_THAT(chart.graph().shape.links,
              testing::Contains(GraphLink{0, static_cast<int>(node("voxelize")), LinkKind::flow}));
  const int stride = app.selection().stride();
  app.selection().setLayer(net.index_of("point_transforms.0"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_FALSE(has_shown_map(app.workspace(), app.selection().layer()));
  EXPECT_EQ(shown_map(app.workspace(), app.selection()).layer, -1);
  EXPECT_EQ(app.selection().stride(), stride) << "views show no points as voxels";
  EXPECT_TRUE(has_shown_map(app.workspace(), net.index_of("stem1")));
  app.docks().show("density");
  app.selection().setLayer(net.index_of("z0"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  const auto labels = child<DensityPanel>(window).findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->text() ==
           "This layer has no kernel map. Operation to points: reads the 8 cells around each point, weighted "
           "by distance.";
  }));
  EXPECT_FALSE(banner_of(window).isVisible()) << shown();
}

using Tensors = std::vector<std::tuple<std::string, std::vector<int>, std::vector<float>>>;

/// Returns the content of a .safetensors file. Tensors whose name ends with "coords", "rows" or "stride" are
/// stored as int32.
QByteArray tensor_file(const Tensors& tensors) {
  QByteArray data;
  nlohmann::json header;
  for (const auto& [name, shape, values] : tensors) {
    const bool whole = name.ends_with("coords") || name.ends_with("rows") || name.ends_with("stride");
    const auto begin = data.size();
    for (const float value : values) {
      const auto integer = static_cast<std::int32_t>(value);
      data.append(whole ? reinterpret_cast<const char*>(&integer) : reinterpret_cast<const char*>(&value), 4);
    }
    header[name] = {
        {"dtype", whole ? "I32" : "F32"}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t size = text.size();
  return QByteArray(reinterpret_cast<const char*>(&size), 8) + QByteArray::fromStdString(text) + data;
}

/// Writes a network with an opaque part, a convolution behind it, and a capture.
class CapturedLayerTest : public NetworkFilesTest {
 protected:
  CapturedLayerTest() {
    write("net.json",
          R"({"schema": "spira.network 2", "name": "net", "title": "Attends", "input": {"features": "file"},
      "layers": [{"name": "a", "out_channels": 8, "norm": false},
      {"name": "attention", "op": "opaque", "operation": "torch softmax", "output_shape": [3, 8]},
      {"name": "c", "out_channels": 4, "residual": "attention", "norm": false, "activation": "none"}]})");
    // The centre of the kernel of c sums the 8 channels of its input, so each output is 8 + the residual.
    std::vector<float> weight(27 * 8 * 4, 0.0F);
    std::fill(weight.begin() + (13 * 32), weight.begin() + (14 * 32), 1.0F);
    write("net.safetensors", tensor_file({{"a.weight", {27, 4, 8}, std::vector<float>(27 * 4 * 8, 0.1F)},
                                          {"c.weight", {27, 8, 4}, weight}}));
  }
  void write(const QString& name, const QByteArray& content) {
    QFile file(folder.filePath(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(content);
  }
  /// Writes the capture. `output` is the value of each captured output of c. The right value is 11.
  void writeCapture(float output) {
    const std::vector<float> cells{0, 0, 0, 0, 0, 1, 5, 5, 5};
    write("net.capture.safetensors", tensor_file({{"coords", {3, 3}, cells},
                                                  {"features", {3, 4}, std::vector<float>(12, 1.0F)},
                                                  {"c.in_coords", {3, 3}, cells},
                                                  {"c.in_features", {3, 8}, std::vector<float>(24, 1.0F)},
                                                  {"c.in_residual", {3, 4}, std::vector<float>(12, 3.0F)},
                                                  {"c.in_stride", {3}, {1, 1, 1}},
                                                  {"c.rows", {1}, {3}},
                                                  {"c.coords", {3, 3}, cells},
                                                  {"c.output", {3, 4}, std::vector<float>(12, output)}}));
  }
  /// Clicks a box of the graph.
  void click(const QString& name) {
    auto& chart = child<GraphChart>(window);
    app.docks().show("graph");
    ASSERT_TRUE(waitFor([&] { return idle() && chart.graph().nodes.size() == 4; }));
    chart.resize(900, 500);
    chart.fit();
    const auto& nodes = chart.graph().nodes;
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [&](const GraphNode& node) { return node.name == name; });
    ASSERT_NE(found, nodes.end());
    const auto row = static_cast<int>(found - nodes.begin()) - 1;
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(row).center().toPoint());
  }
};

TEST_F(CapturedLayerTest, RunsFromItsInputAndResidualAndIsComparedWithItsOutput) {
  const auto& workspace = app.workspace();
  for (const float output : {11.0F, 12.0F}) {
    writeCapture(output);
    drop({folder.filePath("net.json"), folder.filePath("net.safetensors"),
          folder.filePath("net.capture.safetensors")});
    ASSERT_EQ(workspace.network()->layers.size(), 1U) << shown();
    click("attention");
    EXPECT_THAT(shown(), HasSubstr("attention does not run"));
    click("c");
    ASSERT_THAT(shown(), HasSubstr("Run c from its captured input?"));
    app.notices().answer(0);
    ASSERT_TRUE(waitFor([&] {
      return idle() && network() == "net:c" && workspace.scene().cloud()->feature_channels == 12;
    })) << shown();
    EXPECT_GT(run(), 0);
    EXPECT_FLOAT_EQ(feature_at(*workspace.results().layer(2)->features, 0, 0), 11.0F);
    ASSERT_TRUE(waitFor([&] { return shown().find("from the capture") != std::string::npos; }));
    EXPECT_THAT(
        shown(),
        HasSubstr(output == 11 ? "The output of c differs from the capture by up to 0 of the largest value"
                               : "Limit exceeded: the output"));
    EXPECT_THAT(shown(), HasSubstr("3 of 3 rows were compared"));
    app.notices().answer(0);
    ASSERT_TRUE(waitFor(
        [&] { return idle() && network() == "net" && workspace.scene().cloud()->feature_channels == 4; }));
    EXPECT_EQ(weights(), folder.filePath("net.safetensors").toStdString());
  }
}

TEST_F(CapturedLayerTest, ASessionRestoresTheOpenLayer) {
  writeCapture(11);
  drop({folder.filePath("net.json"), folder.filePath("net.safetensors"),
        folder.filePath("net.capture.safetensors")});
  auto& workspace = app.workspace();
  Plan plan = workspace.requested().plan();
  plan.layers[0].threshold = 2;
  workspace.setPlan(plan);
  click("c");
  app.notices().answer(0);
  ASSERT_TRUE(waitFor(
      [&] { return idle() && network() == "net:c" && workspace.scene().cloud()->feature_channels == 12; }));
  plan = workspace.requested().plan();
  plan.layers[2].threshold = 1;
  workspace.setPlan(plan);
  app.selection().setLayer(2);
  app.selection().setColumns({4});
  const QString session = folder.filePath("layer.spirasession");
  ASSERT_TRUE(app.sessions().save(session));

  const auto arrive = [&](Application& other) {
    other.unsavedResults().setAsks(false);
    other.opening().open(session);
  };
  const auto idle_in = [](Application& other) {
    return !other.jobs().lane().busy() && other.workspace().network();
  };
  {
    Application other(std::make_shared<const Registry>(app::make_registry()), QString());
    arrive(other);
    const auto& there = other.workspace();
    ASSERT_TRUE(waitFor([&] {
      return idle_in(other) && there.network()->name == "net:c" && there.scene().cloud() &&
             there.scene().cloud()->feature_channels == 12 && other.selection().layer() == 2;
    }));
    EXPECT_EQ(there.requested().plan().layers[2].threshold, 1);
    EXPECT_EQ(other.selection().columns(), std::vector<int>{4});
    ASSERT_TRUE(there.weights());
    ASSERT_TRUE(other.commands().trigger("run.run"));
    ASSERT_TRUE(waitFor([&] { return idle_in(other) && there.results().layersRun() == 3; }));
    EXPECT_FLOAT_EQ(feature_at(*there.results().layer(2)->features, 0, 0), 11.0F);
    ASSERT_TRUE(waitFor([&] { return other.notices().shown().has_value(); }));
    other.notices().answer(0);  // Back to the whole network.
    ASSERT_TRUE(waitFor([&] {
      return idle_in(other) && there.network()->name == "net" && there.scene().cloud()->feature_channels == 4;
    }));
    EXPECT_EQ(there.requested().plan().layers[0].threshold, 2);
    EXPECT_TRUE(there.weights());
  }
  // Without the capture, one message names it, and the whole network is restored with its weights.
  QFile::remove(folder.filePath("net.capture.safetensors"));
  Application other(std::make_shared<const Registry>(app::make_registry()), QString());
  arrive(other);
  ASSERT_TRUE(waitFor([&] { return idle_in(other) && other.workspace().weights(); }));
  EXPECT_EQ(other.workspace().network()->name, "net");
  EXPECT_EQ(other.workspace().requested().plan().layers[0].threshold, 2);
  ASSERT_TRUE(other.notices().shown());
  EXPECT_THAT(other.notices().shown()->title.toStdString() + other.notices().shown()->message.toStdString(),
              HasSubstr("net.capture.safetensors: file not found"));
}

/// The scene gets the voxels of the network, whether the scene or the network is opened first.
TEST_F(NetworkFilesTest, ANetworkThatVoxelisesScansItselfRunsOnScans) {
  open("room");
  const auto scan = app.workspace().scene().cloud();
  const QString file = folder.filePath("gridded.json");
  QFile written(file);
  ASSERT_TRUE(written.open(QIODevice::WriteOnly));
  written.write(R"({"schema": "spira.network 2", "name": "gridded",
      "input": {"features": ["x", "y", "z", "one"], "grid": {"voxel_m": 0.1, "low_m": [0.03, 0, 0]}}, "origin": "spconv 2.3.8",
      "layers": [{"name": "a", "out_channels": 8}]})");
  written.close();
  app.jobs().runs().chooseNetwork(file);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().network()->name == "gridded"; }));
  const auto boxes = window.findChildren<QComboBox*>();
  EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(), [](const QComboBox* box) {
    return box->accessibleName() == "Network" && box->toolTip().contains("Origin: spconv 2.3.8");
  }));
  Job job;
  const auto network = app.workspace().network();
  const auto expected = gridded_cloud(scan, Grid{network->grid->voxel_m, {}}, *network, job);
  const auto expect_run = [&] {
    EXPECT_TRUE(app.commands().trigger("run.run"));
    EXPECT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 1; }))
        << banner_of(window).text().toStdString();
    EXPECT_EQ(app.workspace().scene().cloud()->positions, expected->positions);
    EXPECT_EQ(app.workspace().scene().cloud()->features, expected->features);
    EXPECT_EQ(app.workspace().scene().voxels()->grid.voxel_m, network->grid->voxel_m);
    EXPECT_EQ(app.workspace().results().layer(0)->scene->level(1).size.value(),
              app.workspace().scene().voxels()->level(1).size.value());
  };
  expect_run();
  // A network without a grid gets the points of the scan again.
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud() == scan; }));
  app.jobs().runs().chooseNetwork(file);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud() != scan; }));
  open("room");
  expect_run();
  app.workspace().requested().setGrid(Grid{{0.2, 0.2, 0.2}, {}});
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("use this voxel size"));
  EXPECT_EQ(app.workspace().scene().cloud()->positions, expected->positions);
}

class BatchTest : public NetworkFilesTest {
 protected:
  [[nodiscard]] QTreeWidgetItem* group(const QString& name) {
    return window.findChild<QTreeWidget*>("scenes")->findItems(name, Qt::MatchExactly).value(0);
  }
  [[nodiscard]] int frame() { return app.workspace().scene().voxels()->frame; }
  /// Returns the texts of the Summary panel.
  [[nodiscard]] std::string summary() {
    QStringList texts;
    for (const QLabel* label : window.findChild<SummaryPanel*>()->findChildren<QLabel*>())
      texts += label->text();
    return texts.join("\n").toStdString();
  }
  /// Writes a scan with points in a plane.
  QString scan(const QString& name, int points) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    for (int at = 0; at < points; ++at)
      file.write(QString("%1 %2 %3\n").arg(at % 20).arg(at / 20).arg(at % 3).toLatin1());
    return file.fileName();
  }
};

TEST_F(BatchTest, AVoxelFileRunsAsAWholeAndTheViewShowsOneFrame) {
  drop({copy("second.json"), copy("second.safetensors"), copy("second.batch.safetensors")});
  const auto& workspace = app.workspace();
  ASSERT_TRUE(workspace.scene().voxels() && workspace.scene().voxels()->batch) << shown();
  EXPECT_EQ(workspace.scene().facts()->batch, 4);
  EXPECT_EQ(workspace.scene().voxels()->cloud->batch(), 1);
  const auto batch = whole_scene(workspace.scene().voxels());
  const std::vector<std::int64_t> voxels = voxels_of_frames(*batch);
  EXPECT_EQ(size_of(workspace.scene().voxels()->level(1)), voxels[0]);
  static_cast<void>(run());
  EXPECT_EQ(workspace.results().layer(0)->features->rows, size_of(batch->level(1)));

  ASSERT_NE(group("Batch of 4"), nullptr);
  ASSERT_EQ(group("Batch of 4")->childCount(), 4);
  EXPECT_EQ(group("Batch of 4")->child(1)->text(0), "frame 1: no voxels");
  EXPECT_TRUE(group("Batch of 4")->child(1)->isDisabled());
  emit window.findChild<QTreeWidget*>("scenes")->itemActivated(group("Batch of 4")->child(2), 0);
  ASSERT_TRUE(waitFor([&] { return idle() && frame() == 2 && workspace.shownMap(-1).map; }));
  EXPECT_EQ(size_of(workspace.scene().voxels()->level(1)), voxels[2]);
  EXPECT_EQ(workspace.shownMap(-1).map->outputs, voxels[2]);
  EXPECT_TRUE(waitFor([&] { return group("Batch of 4")->child(2)->font(0).bold(); }));
  EXPECT_TRUE(workspace.results().layer(0)) << "the results of the run must stay";
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && frame() == 3; }));
  EXPECT_EQ(workspace.shownMap(0).densities->outputs, size_of(batch->level(1)));

  // A frame has the coordinates that it has in the batch.
  std::vector<Voxel> of_frame;
  for (const BatchVoxel& one : all_batch_voxels(batch->level(1)))
    if (one[0] == 3) of_frame.push_back({one[1], one[2], one[3]});
  EXPECT_EQ(all_voxels(workspace.scene().voxels()->level(1)), of_frame);

  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && workspace.results().measurement(); }));
  app.docks().show("summary");
  EXPECT_TRUE(waitFor([&] { return summary().find("wall time per frame") != std::string::npos; }));
  EXPECT_THAT(summary(), HasSubstr("batch of 4: all frames in one run"));
}

/// Expects that each output of the map has the inputs at the offsets of the kernel.
void expect_rows(const KernelMap& map, const CoordSet& inputs, const CoordSet& outputs) {
  for (std::int32_t row = 0; row < map.outputs; ++row) {
    const auto found = row_of(map, row);
    const Voxel at = voxel_at(outputs, row);
    for (std::size_t column = 0; column < found.size(); ++column) {
      const Voxel d = map.offsets->offset(static_cast<int>(column));
      const auto expected = row_of_voxel(inputs, Voxel{at[0] + d[0], at[1] + d[1], at[2] + d[2]});
      ASSERT_EQ(found[column], expected.value_or(-1)) << "row " << row << ", column " << column;
    }
  }
}

// A layer of a batch runs on all frames. The views show the part of its map and features of one frame.
TEST_F(BatchTest, TheViewsShowTheMapAndTheFeaturesOfTheShownFrame) {
  drop({copy("second.json"), copy("second.safetensors"), copy("second.batch.safetensors")});
  static_cast<void>(run());
  const auto& workspace = app.workspace();
  const auto batch = whole_scene(workspace.scene().voxels());
  const auto expect_frame = [&](int layer, int number) {
    SCOPED_TRACE("layer " + std::to_string(layer) + ", frame " + std::to_string(number));
    const auto shown = shown_map(workspace, app.selection());
    ASSERT_TRUE(shown.map && shown.layer == layer);
    EXPECT_THAT(shown.title.toStdString(), EndsWith("frame " + std::to_string(number)));
    EXPECT_THAT(shown.densities_title.toStdString(), EndsWith("all frames"));
    const CoordSet& outputs = workspace.scene().voxels()->level(shown.stride_out);
    const CoordSet& inputs = workspace.scene().voxels()->level(shown.stride_in);
    ASSERT_EQ(shown.map->outputs, size_of(outputs));
    expect_rows(*shown.map, inputs, outputs);
    const auto sources = colour_sources(workspace, app.selection(), shown.stride_out, ColourBy::feature_norm);
    EXPECT_EQ(sources.map, shown.map);
    ASSERT_TRUE(sources.layer);
    // Compares the features of the last voxel of the frame with the features of this voxel in the batch.
    const LayerResult& whole = *workspace.results().layer(layer);
    const std::int64_t last = size_of(outputs) - 1;
    const auto row = row_of_voxel(batch->level(shown.stride_out), voxel_at(outputs, last), number);
    ASSERT_TRUE(row);
    for (int channel = 0; channel < whole.features->channels; ++channel)
      EXPECT_EQ(feature_at(*sources.layer->features, last, channel),
                feature_at(*whole.features, *row, channel));
  };
  const auto choose_layer = [&](int layer) {
    app.selection().setLayer(layer);
    ASSERT_TRUE(waitFor([&] { return idle() && workspace.results().layer(layer, RunResults::Rows::shown); }));
  };
  for (const int layer : {0, 2, 11}) {
    choose_layer(layer);
    expect_frame(layer, 0);
  }
  app.jobs().scenes().showFrame(2);
  ASSERT_TRUE(waitFor(
      [&] { return idle() && frame() == 2 && workspace.results().layer(11, RunResults::Rows::shown); }));
  EXPECT_FALSE(workspace.results().layer(0, RunResults::Rows::shown)) << "no panel shows it";
  expect_frame(11, 2);
  choose_layer(0);
  expect_frame(0, 2);

  // A selected offset highlights voxels, and a selected voxel has a row of the map.
  app.selection().setColumns({4});
  EXPECT_EQ(colour_sources(workspace, app.selection(), 1, ColourBy::offset_match).columns, std::vector{4});
  const CoordSet& level = workspace.scene().voxels()->level(1);
  app.selection().setVoxel(ChosenVoxel{voxel_at(level, 3), 1});
  app.docks().show("voxel");
  const auto title = [&] {
    std::string all;
    for (const QLabel* label : window.findChild<VoxelPanel*>()->findChildren<QLabel*>())
      all += label->text().toStdString() + "\n";
    return all;
  };
  EXPECT_TRUE(waitFor([&] { return title().find("Row of the map of") != std::string::npos; })) << title();
  app.docks().show("map");
  const auto* rows = window.findChild<MapPanel*>()->findChild<QTableView*>();
  EXPECT_TRUE(waitFor([&] { return rows->model()->rowCount() == size_of(level); }));
}

TEST_F(BatchTest, ScansAreJoinedMeasuredAndRestored) {
  app.jobs().runs().chooseNetwork("resn21");
  const QStringList files{scan("a.xyz", 600), scan("b.xyz", 900), scan("c.xyz", 300)};
  app.opening().openBatch(files);
  finish();
  const auto& workspace = app.workspace();
  ASSERT_TRUE(workspace.scene().voxels() && workspace.scene().voxels()->batch) << shown();
  EXPECT_EQ(workspace.scene().cloud()->batch(), 3);
  EXPECT_EQ(window.windowTitle(), "batch of 3 - SpiraScope");
  ASSERT_NE(group("Batch of 3"), nullptr);
  EXPECT_EQ(group("Batch of 3")->child(1)->text(0), "b.xyz: 900 voxels");
  app.jobs().scenes().showFrame(1);
  ASSERT_TRUE(waitFor([&] { return idle() && frame() == 1; }));
  EXPECT_EQ(workspace.scene().voxels()->cloud->name, "b.xyz");
  const auto how = measured_with(workspace);
  ASSERT_TRUE(how);
  EXPECT_THAT(shell_text(command_of_layer(*how, -1)),
              HasSubstr("--batch " + files[1].toStdString() + " " + files[2].toStdString()));

  // A larger voxel size keeps the frame, and a packing without space for the batch index is refused.
  app.workspace().requested().setGrid(Grid{{2, 2, 2}, {}});
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && workspace.scene().voxels()->grid.voxel_m[0] == 2; }));
  EXPECT_EQ(frame(), 1);
  app.jobs().scenes().usePack(PackSpec::bits32());
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("12/12/8 and 2 bits for the batch"));

  const QString session = folder.filePath("my.spirasession");
  ASSERT_TRUE(app.sessions().save(session));
  Application other(std::make_shared<const Registry>(app::make_registry()), QString());
  other.unsavedResults().setAsks(false);
  other.opening().open(session);
  ASSERT_TRUE(waitFor([&] { return !other.jobs().lane().busy() && other.workspace().scene().voxels(); }));
  EXPECT_EQ(other.workspace().scene().cloud()->batch(), 3);
  EXPECT_EQ(other.workspace().scene().voxels()->frame, 1);
  EXPECT_EQ(other.workspace().scene().voxels()->grid.voxel_m[0], 2);
}

TEST_F(BatchTest, TheFramesOfASequenceBecomeABatch) {
  EXPECT_FALSE(app.commands().trigger("frame.batch"));
  app.opening().openAll({scan("a.xyz", 600), scan("b.xyz", 900)});
  finish();
  ASSERT_EQ(app.workspace().scene().frames().size(), 2U);
  ASSERT_TRUE(app.commands().trigger("frame.batch"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud()->batch() == 2; }));
  EXPECT_TRUE(app.workspace().scene().frames().empty());
  app.jobs().runs().chooseNetwork("resn21");
  EXPECT_GT(run(), 0);
  EXPECT_EQ(app.workspace().scene().facts()->batch, 2);
}

/// Opens a session in another window, and returns this window.
class NetworkSessionTest : public NetworkFilesTest {
 protected:
  NetworkSessionTest() {
    net = copy("second.json"), values = copy("second.safetensors"),
    voxels = copy("second.capture.safetensors");
    drop({voxels, values, net});
    app.workspace().setPlan([&] {
      Plan plan = app.workspace().requested().plan();
      plan.layers[0].threshold = 1;
      return plan;
    }());
    EXPECT_TRUE(app.sessions().save(session()));
  }
  [[nodiscard]] QString session() const { return folder.filePath("my.spirasession"); }
  [[nodiscard]] std::unique_ptr<Application> restored() {
    auto other =
        std::make_unique<Application>(std::make_shared<const Registry>(app::make_registry()), QString());
    other->unsavedResults().setAsks(false);
    other->opening().open(session());
    EXPECT_TRUE(
        waitFor([&] { return !other->jobs().lane().busy() && other->workspace().viewUpdates().empty(); }));
    EXPECT_EQ(other->workspace().network()->name, "second");
    EXPECT_EQ(other->workspace().requested().plan().layers[0].threshold, 1);
    return other;
  }
  [[nodiscard]] static std::string shownIn(Application& other) {
    const auto& notice = other.notices().shown();
    return notice ? (notice->title + "\n" + notice->message).toStdString() : "";
  }
  [[nodiscard]] static std::string weightsIn(Application& other) {
    return other.workspace().weights() ? other.workspace().weights()->source : "";
  }
  /// Changes one number of a .safetensors file.
  static void change(const QString& name) {
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    bytes[bytes.size() - 4] = static_cast<char>(bytes[bytes.size() - 4] ^ 1);
    file.seek(0);
    file.write(bytes);
  }

  QString net, values, voxels;
};

TEST_F(NetworkSessionTest, RestoresTheWeightsAndTheVoxels) {
  const auto other = restored();
  EXPECT_EQ(weightsIn(*other), values.toStdString());
  EXPECT_EQ(other->workspace().weights()->fingerprint, app.workspace().weights()->fingerprint);
  EXPECT_EQ(other->workspace().scene().cloud()->source, voxels.toStdString());
  EXPECT_EQ(shownIn(*other), "");
  EXPECT_EQ(other->history().stack()->count(), 0);
}

TEST_F(NetworkSessionTest, NamesChangedFilesInOneMessage) {
  change(values);
  change(voxels);
  const auto other = restored();
  EXPECT_THAT(shownIn(*other), HasSubstr("second.safetensors has changed"));
  EXPECT_THAT(shownIn(*other), HasSubstr("second.capture.safetensors has changed"));
  EXPECT_EQ(weightsIn(*other), values.toStdString());
  EXPECT_TRUE(other->workspace().scene().voxels());
}

TEST_F(NetworkSessionTest, MissingWeightsLoseNothingElse) {
  QFile::remove(values);
  const auto other = restored();
  EXPECT_THAT(shownIn(*other), HasSubstr("second.safetensors: file not found, so the weights are random"));
  EXPECT_EQ(weightsIn(*other), "");
  EXPECT_TRUE(other->workspace().scene().voxels());
}

TEST_F(NetworkSessionTest, MissingVoxelsLoseNothingElse) {
  QFile::remove(voxels);
  const auto other = restored();
  EXPECT_THAT(shownIn(*other), HasSubstr("second.capture.safetensors: file not found"));
  EXPECT_EQ(weightsIn(*other), values.toStdString());
  QFile::remove(values);
  EXPECT_THAT(shownIn(*restored()), HasSubstr("second.safetensors: files not found"));
}

TEST_F(NetworkFilesTest, TheOverlayNamesWhatADropDoes) {
  DropOverlay overlay(&app.theme(), &window);
  overlay.showFor({"a.json", "a.safetensors"}, false, false);
  EXPECT_EQ(overlay.text().toStdString(), "Drop to open the network with its files");
}

}  // namespace
}  // namespace spira::ui
