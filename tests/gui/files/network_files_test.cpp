// Tests opening a network together with its weights and its voxels.
#include "engine/network/weights.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/charts/graph/graph_chart.hpp"
#include "ui/features/open/drop_target.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/tables/layer_table_model.hpp"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QTemporaryDir>
#include <QUrl>

#include <gmock/gmock.h>

#include <cmath>

namespace spira::ui {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

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
  void openNetwork(const QStringList& files) { app.jobs().scenes().openSequence(files, {}, true); }
  void finish() {
    ASSERT_TRUE(waitFor([&] { return idle(); })) << shown();
  }
  [[nodiscard]] std::string network() { return app.workspace().network()->name; }
  [[nodiscard]] std::string weights() {
    return app.workspace().weights() ? app.workspace().weights()->source : "";
  }
  [[nodiscard]] std::string scene() { return app.workspace().cloud() ? app.workspace().cloud()->source : ""; }
  [[nodiscard]] std::string shown() {
    const auto& notice = app.notices().shown();
    return notice ? (notice->title + "\n" + notice->message).toStdString() : "";
  }
  /// Runs the network and returns the sum of the norms of the last outputs.
  double run() {
    EXPECT_TRUE(app.commands().trigger("run.run"));
    const int last = static_cast<int>(app.workspace().network()->layers.size()) - 1;
    EXPECT_TRUE(waitFor([&] { return idle() && app.workspace().layersRun() == last + 1; })) << shown();
    double sum = 0;
    if (!app.workspace().layer(last)) return sum;
    for (const float norm : feature_norms(*app.workspace().layer(last)->features))
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
  EXPECT_EQ(app.workspace().layersRun(), 0) << "other weights have other results";
  EXPECT_GT(std::abs(run() - trained), 1e-3 * trained);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(weights(), values.toStdString());
  EXPECT_EQ(run(), trained);
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
  const auto voxels = app.workspace().voxels();
  const QString values = copy("second.safetensors", "trained.safetensors");
  openFile(values);
  EXPECT_THAT(shown(), HasSubstr("trained.safetensors"));
  EXPECT_THAT(shown(), HasSubstr("not weights of the open network"));
  // One part is invalid, so that no part is opened.
  drop({copy("minkunet18.json"), values, copy("second.capture.safetensors")});
  EXPECT_THAT(shown(), HasSubstr("trained.safetensors: tensor"));
  QFile broken(folder.filePath("broken.json"));
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
  broken.write(R"({"layers": [{"name": "a", "out_channels": -1}]})");
  broken.close();
  drop({broken.fileName(), values});
  EXPECT_THAT(shown(), HasSubstr("out_channels"));
  EXPECT_EQ(app.workspace().network(), net);
  EXPECT_EQ(app.workspace().voxels(), voxels);
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

TEST_F(NetworkFilesTest, TheOverlayNamesWhatADropDoes) {
  DropOverlay overlay(&app.theme(), &window);
  overlay.showFor({"a.json", "a.safetensors"}, false, false);
  EXPECT_EQ(overlay.text().toStdString(), "Drop to open the network with its files");
}

}  // namespace
}  // namespace spira::ui
