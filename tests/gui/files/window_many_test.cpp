// Tests the window with sequences of a thousand frames and networks with hundreds of layers, and the
// placement of its labels. The tests count operations instead of measuring time.
#include "engine/scene/reader.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/theme/labels.hpp"
#include "ui/view3d/view_overlay.hpp"

#include <QFile>
#include <QRegularExpression>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeWidget>

#include <algorithm>

namespace spira::ui {
namespace {

class ManyTest : public WindowTest {
 protected:
  void writeScene(const QString& name) {
    QFile file(folder.filePath(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("0 0 0\n1 0 0\n0 1 0\n");
  }

  QTemporaryDir folder;
};

TEST_F(ManyTest, RowsOfFramesAreInsertedTogetherAndKeptForTheNextFrame) {
  constexpr int frames = 1000;
  for (int frame = 0; frame < frames; ++frame)
    writeScene(QString("frame%1.xyz").arg(frame));
  auto* tree = window.findChild<QTreeWidget*>("scenes");
  QSignalSpy inserted(tree->model(), &QAbstractItemModel::rowsInserted);
  const auto below_a_row = [&] {
    return std::count_if(inserted.begin(), inserted.end(),
                         [](const QList<QVariant>& signal) { return signal[0].toModelIndex().isValid(); });
  };
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  const auto frames_row = [&] { return tree->findItems("Frames (1000)", Qt::MatchExactly).value(0); };
  ASSERT_NE(frames_row(), nullptr);
  ASSERT_EQ(frames_row()->childCount(), frames);
  EXPECT_EQ(frames_row()->child(10)->text(0), "frame10.xyz");
  EXPECT_LT(below_a_row(), 100)
      << "the list must not send one signal per frame, which makes opening quadratic";
  EXPECT_TRUE(tree->uniformRowHeights()) << "the tree must not measure the height of each row";
  inserted.clear();
  QSignalSpy removed(tree->model(), &QAbstractItemModel::rowsRemoved);
  const QModelIndex list = tree->model()->index(tree->indexOfTopLevelItem(frames_row()), 0);
  const QPersistentModelIndex kept(list);
  const auto* files = &app.workspace().scene().frames().front();
  const QTreeWidgetItem* tenth = frames_row()->child(10);
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().frame() == 1 && idle(); }));
  EXPECT_GT(inserted.count(), 0) << "the rows of the scene must be new";
  EXPECT_LT(below_a_row(), 100);
  EXPECT_GT(removed.count(), 0);
  EXPECT_EQ(frames_row()->child(10), tenth) << "the rows of the frames must be kept";
  EXPECT_TRUE(kept.isValid()) << "the list of frames must stay in the tree while other rows are replaced";
  EXPECT_EQ(&app.workspace().scene().frames().front(), files)
      << "the list of files must be shared, not copied";
  EXPECT_TRUE(frames_row()->child(1)->isSelected());
  EXPECT_FALSE(frames_row()->child(0)->isSelected());
  EXPECT_FALSE(frames_row()->isExpanded());
}

TEST_F(ManyTest, FinishedLayersAreShownTogether) {
  constexpr int count = 200;
  Network network;
  network.name = network.title = "deep";
  network.in_channels = 4;
  for (int at = 0; at < count; ++at) {
    Layer layer;
    layer.name = "conv" + std::to_string(at);
    layer.inputs = {at == 0 ? std::string("input") : network.layers.back().name};
    layer.kernel_size = 3;
    layer.in_channels = layer.out_channels = 4;
    network.layers.push_back(layer);
  }
  writeScene("scene.xyz");
  open(folder.filePath("scene.xyz"));
  app.jobs().runs().useNetwork(std::make_shared<const Network>(network));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == count; }));
  const LayerTableModel layers(&app.workspace());
  QSignalSpy changed(&layers, &QAbstractItemModel::dataChanged);
  for (int at = 0; at < count; ++at)
    app.workspace().setLayer(app.workspace().results().layer(at));
  EXPECT_EQ(changed.count(), 0);
  ASSERT_TRUE(waitFor([&] { return changed.count() > 0; }));
  EXPECT_EQ(changed.count(), 1) << "all finished layers must share one signal";
  EXPECT_EQ(changed[0][0].toModelIndex().row(), 0);
  EXPECT_EQ(changed[0][1].toModelIndex().row(), count - 1);
  // The window must also mark outdated times in these rows.
  const QModelIndex time = layers.index(3, LayerTableModel::time);
  EXPECT_FALSE(time.data().toString().startsWith('*'));
  Plan plan = app.workspace().requested().plan();
  plan.layers[3].threshold -= 1;
  app.workspace().setPlan(plan);
  EXPECT_TRUE(time.data().toString().startsWith('*'))
      << "a time measured with another t must be marked as outdated";
  EXPECT_TRUE(time.data(Qt::ToolTipRole).toString().contains("Out of date"));
  EXPECT_FALSE(layers.index(4, LayerTableModel::time).data().toString().startsWith('*'));
}

TEST(WrappedLabelTest, IsAtLeastAsWideAsItsLongestWord) {
  QLabel reference;
  WrappedLabel label;
  reference.setWordWrap(true);
  for (QLabel* one : std::initializer_list<QLabel*>{&reference, &label})
    one->setTextFormat(Qt::RichText);
  const auto expect_same = [&](const char* text) {
    for (QLabel* one : std::initializer_list<QLabel*>{&reference, &label})
      one->setText(text);
    EXPECT_EQ(label.minimumSizeHint().width(), reference.minimumSizeHint().width()) << text;
    EXPECT_EQ(label.heightForWidth(200), reference.heightForWidth(200)) << text;
  };
  expect_same("a short text");
  expect_same("a text with semantickitti_00_000000.bin in it");
  expect_same("<table><tr><td>file</td><td>semantickitti_00_000000.bin</td></tr></table>");
  QFont larger = label.font();
  larger.setPointSizeF(2 * larger.pointSizeF());
  for (QLabel* one : std::initializer_list<QLabel*>{&reference, &label})
    one->setFont(larger);
  expect_same("<table><tr><td>file</td><td>semantickitti_00_000000.bin</td></tr></table>");
}

TEST(SceneFilters, NameEveryExtensionInBothCasesAsAWholePattern) {
  const QString first = sceneFilters().section(";;", 0, 0);
  const QStringList patterns = QRegularExpression("\\((.*)\\)").match(first).captured(1).split(' ');
  int extensions = 0;
  for (const FormatFacts& format : formats()) {
    const auto list =
        QString::fromLatin1(format.extensions.data(), static_cast<qsizetype>(format.extensions.size()));
    for (const QString& extension : list.split(' ')) {
      ++extensions;
      EXPECT_TRUE(patterns.contains("*" + extension)) << extension.toStdString();
      EXPECT_TRUE(patterns.contains("*" + extension.toUpper())) << extension.toStdString();
    }
  }
  EXPECT_GT(extensions, 10);
  for (const char* pattern : {"*.pcd", "*.PCD", "*.pcd.bin", "*.json", "*.spirasession"})
    EXPECT_TRUE(patterns.contains(pattern)) << pattern;
}

TEST(FirstWindow, FitsOnTheScreenWithItsFrame) {
  constexpr QSize frame(16, 48);
  struct Case {
    QSize available, expected;
  };
  for (const auto& [available, expected] : {Case{{1366, 728}, {1350, 680}}, Case{{1366, 768}, {1350, 720}},
                                            Case{{1920, 1040}, {1440, 900}}, Case{{800, 600}, {1024, 640}}})
    EXPECT_EQ(DockLayout::firstSize(available, frame), expected);
}

bool crosses_any(const QRectF& panel, const std::vector<QRectF>& taken) {
  return std::any_of(taken.begin(), taken.end(), [&](const QRectF& one) { return one.intersects(panel); });
}

TEST(FreePlace, IsTheNearestUncoveredPosition) {
  const QRectF area(0, 0, 400, 300);
  const std::vector<QRectF> taken{{0, 0, 100, 100}, {300, 0, 100, 40}, {100, 0, 40, 60}};
  EXPECT_EQ(free_place({150, 150, 80, 20}, area, taken), QRectF(150, 150, 80, 20))
      << "an uncovered label must keep its position";
  for (int left = -50; left < 420; left += 30) {
    for (int top = -50; top < 320; top += 30) {
      const QRectF placed = free_place(QRectF(left, top, 80, 20), area, taken);
      EXPECT_TRUE(area.contains(placed)) << left << ", " << top;
      EXPECT_FALSE(crosses_any(placed, taken)) << left << ", " << top;
    }
  }
  EXPECT_EQ(free_place({10, 10, 80, 20}, area, {area}).topLeft(), QPointF(10, 10))
      << "a label must keep its position if no free position exists";
}

/// Regression test: the legend covered the label 10.57 m, so that it read 0.57 m.
TEST_F(ManyTest, ADistanceIsNeverBehindTheLegendOrTheChips) {
  open("street");
  app.selection().look().setSlab(std::pair(-1.0, 1.0));
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  for (const QSize size : {QSize(1440, 900), QSize(1366, 700), QSize(1024, 640)}) {
    window.resize(size);
    QApplication::processEvents();
    auto* overlay = window.findChild<ViewOverlay*>();
    ASSERT_GE(overlay->occupied().size(), 4U) << "legend, axes, scale and chips must occupy space";
    for (int x = 0; x < overlay->width(); x += 40) {
      for (int y = 0; y < overlay->height(); y += 40) {
        overlay->setMeasured(MeasuredLine{QPointF(x, y), QPointF(x + 5, y), "10.57 m: 10.00, 3.40, 0.10 m"});
        EXPECT_FALSE(overlay->measuredPanel().isEmpty());
        EXPECT_FALSE(crosses_any(overlay->measuredPanel(), overlay->occupied())) << x << ", " << y;
      }
    }
  }
}

}  // namespace
}  // namespace spira::ui
