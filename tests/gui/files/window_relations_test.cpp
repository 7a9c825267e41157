// Opens triples in the window: the graph of a relational run and its measurement.
#include "engine/base/file.hpp"
#include "engine/relation/triples.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/charts/count_chart.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/open/recorded_page.hpp"
#include "ui/features/open/relations_view.hpp"
#include "ui/panels/profile/run_overview.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/panels/scene/relation_form.hpp"
#include "ui/window/banner.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <qcustomplot.h>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class RelationsTest : public WindowTest {
 protected:
  [[nodiscard]] QString write(const QString& name, const std::string& text) const {
    const QString file = folder.filePath(name);
    spira::write_file(file.toStdString(), text);
    return file;
  }
  void openFile(const QString& file) {
    app.opening().open(file);
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  }
  [[nodiscard]] RecordedPage& page() { return child<RecordedPage>(window); }
  [[nodiscard]] RelationsView& view() { return page().relations(); }
  [[nodiscard]] QString cell(int row, int column) {
    return view().nodes()->model()->index(row, column).data().toString();
  }

  QTemporaryDir folder;
};

/// Three relations: "rare" has one triple, "kind" three, and "part" five.
constexpr const char* small_graph =
    "b\trare\ta\n"
    "x\tkind\ta\ny\tkind\ta\nx\tkind\tb\n"
    "a\tpart\tx\nb\tpart\tx\nc\tpart\tx\ny\tpart\tx\na\tpart\ty\n";

TEST_F(RelationsTest, OpeningTriplesShowsTheGraphAndMeasuresItsLayers) {
  openFile(write("little.tsv", small_graph));
  ASSERT_TRUE(view().isVisible());
  ASSERT_EQ(view().relations()->bars().size(), 3U);
  EXPECT_EQ(view().relations()->bars()[0].name, "part") << "most triples first";
  EXPECT_EQ(view().relations()->bars()[0].count, 5);
  EXPECT_NEAR(view().relations()->bars()[0].share.value(), 2.0 / 5, 1e-9) << "x and y, of five nodes";
  EXPECT_EQ(view().relations()->bars()[2].name, "rare");
  ASSERT_EQ(view().rows()->bars().size(), 3U);
  EXPECT_EQ(view().rows()->bars()[0].name, "1");
  EXPECT_EQ(view().rows()->bars()[0].count, 3) << "rare a, kind b, part y";
  EXPECT_EQ(view().rows()->bars()[1].name, "2-3");
  EXPECT_EQ(view().rows()->bars()[1].count, 1) << "kind a";
  EXPECT_EQ(view().rows()->bars()[2].count, 1) << "part x";
  EXPECT_EQ(app.workspace().network()->layers.size(), 2U);
  EXPECT_GT(app.workspace().results().measurement()->wall.ms.size(), 0U);
  EXPECT_EQ(window.findChild<RecordedStrip*>()->text().left(24), "Measured on this machine");
  EXPECT_FALSE(child<FitMeter>(window).isVisible()) << "nodes have no coordinates";
  EXPECT_TRUE(page().isVisible());
  EXPECT_THAT(page().text().toStdString(), HasSubstr("little.tsv"));
  EXPECT_TRUE(app.workspace().results().report()->command.at(2).ends_with("little.tsv"));
}

TEST_F(RelationsTest, SummaryHasTheLayersAndStagesAndTuneIsDisabledWithItsReason) {
  openFile(write("little.tsv", small_graph));
  const RunOverview& overview = *child<SummaryPanel>(window).overview();
  ASSERT_TRUE(waitFor([&] { return overview.slowest()->isVisible(); }));
  EXPECT_EQ(overview.slowest()->rowCount(), 2);
  EXPECT_TRUE(overview.stages()->isVisible());
  EXPECT_GT(overview.stages()->rowCount(), 0);
  EXPECT_FALSE(app.commands().trigger("tune.open"));
  EXPECT_THAT(app.commands().unavailableReason("tune.open").toStdString(),
              HasSubstr("no kernel map to tune"));
  app.opening().open("room");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_EQ(app.commands().unavailableReason("tune.open"), "");
}

TEST_F(RelationsTest, AClickOnARelationListsItsNodesAndTheirSources) {
  openFile(write("little.tsv", small_graph));
  EXPECT_THAT(view().chosenText().toStdString(), HasSubstr("part: 5 triples. 40.0"));
  ASSERT_EQ(view().nodes()->model()->rowCount(), 2);
  EXPECT_EQ(cell(0, NodeSourcesModel::node), "x");
  EXPECT_EQ(cell(0, NodeSourcesModel::count), "4");
  for (const char* source : {"a", "b", "c", "y"})
    EXPECT_THAT(cell(0, NodeSourcesModel::sources).split(", "), testing::Contains(QString(source)));
  CountChart& chart = *view().relations();
  int x = 0;
  while (x < chart.width() && chart.rowAt({static_cast<double>(x), chart.height() / 2.0}) != 1)
    ++x;
  QTest::mouseClick(&chart, Qt::LeftButton, {}, {x, chart.height() / 2});
  EXPECT_EQ(chart.chosen(), 1);
  EXPECT_THAT(view().chosenText().toStdString(), HasSubstr("kind: 3 triples"));
  EXPECT_EQ(view().nodes()->model()->rowCount(), 2);
  QTest::keyClick(&chart, Qt::Key_Right);
  EXPECT_THAT(view().chosenText().toStdString(), HasSubstr("rare: 1 triple"));
  EXPECT_EQ(cell(0, NodeSourcesModel::sources), "b");
}

TEST_F(RelationsTest, LongNamesOfSourcesEndWithAnEllipsisInsideTheTable) {
  std::string text;
  for (int at = 0; at < 200; ++at)
    text += "source" + std::to_string(at) + "_with_a_name_that_is_much_longer_than_the_column\tkind\ttail" +
            std::to_string(at) + "\n";
  openFile(write("long.tsv", text));
  const QTableView& nodes = *view().nodes();
  for (const QSize size : {QSize(1440, 900), QSize(1366, 768), QSize(1024, 640)}) {
    window.resize(size);
    EXPECT_TRUE(waitFor([&] { return nodes.horizontalHeader()->length() == nodes.viewport()->width(); }))
        << size.width() << ": the table is " << nodes.viewport()->width() << " pixels wide, its columns are "
        << nodes.horizontalHeader()->length();
    EXPECT_GE(nodes.columnWidth(NodeSourcesModel::sources), 60) << size.width();
    EXPECT_TRUE(view().rows()->isVisible()) << size.width();
  }
  EXPECT_EQ(nodes.textElideMode(), Qt::ElideRight);
  const QModelIndex cell = nodes.model()->index(0, NodeSourcesModel::sources);
  EXPECT_EQ(cell.data(Qt::ToolTipRole), cell.data());
}

TEST_F(RelationsTest, TheBarsOfManyRelationsAreNamed) {
  std::string text;
  for (int relation = 0; relation < 26; ++relation)
    for (int at = 0; at <= relation; ++at)
      text += "a\trelation_" + std::to_string(relation) + "\tb" + std::to_string(at) + "\n";
  openFile(write("many.tsv", text));
  const QCPAxis& axis = *view().relations()->findChild<QCustomPlot*>()->xAxis;
  const auto labels = [&] { return axis.tickVectorLabels(); };
  ASSERT_TRUE(waitFor([&] { return !labels().isEmpty(); }));
  EXPECT_TRUE(axis.tickLabels());
  EXPECT_EQ(labels().size(), 26);
  EXPECT_TRUE(labels().first().endsWith("25")) << labels().first().toStdString();
  window.resize(1024, 640);
  app.commands().trigger("layout.profile");
  ASSERT_TRUE(waitFor([&] { return axis.tickLabels() && labels().size() < 26; }))
      << "labels must not overlap";
  EXPECT_GE(labels().size(), 8);
}

TEST_F(RelationsTest, TheViewsOfTheSelectionAreHiddenWhileAGraphIsOpen) {
  auto& right = *window.findChild<QDockWidget*>("right");
  ASSERT_FALSE(right.isHidden());
  openFile(write("little.tsv", small_graph));
  EXPECT_TRUE(right.isHidden()) << "a graph has no voxels and no offsets";
  const DockLayout::State state = app.docks().state();
  window.findChild<QDockWidget*>("bottom")->hide();
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_FALSE(right.isHidden());
  app.docks().restore(state);
  EXPECT_FALSE(right.isHidden()) << "only the graph had hidden it";
  right.hide();
  openFile(write("again.tsv", small_graph));
  app.commands().trigger("layout.compare");
  app.opening().open("room");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_TRUE(right.isHidden()) << "this layout has no right side";
}

TEST_F(RelationsTest, AReportOfTriplesShowsTheCountsButNoNodes) {
  openFile(write("little.tsv", small_graph));
  Report report = *app.workspace().results().report();
  report.graph = nullptr;
  app.workspace().setReport(std::make_shared<const Report>(report));
  ASSERT_TRUE(waitFor([&] { return view().nodes()->isHidden(); }));
  EXPECT_EQ(view().relations()->bars().size(), 3U);
  EXPECT_TRUE(child<RelationForm>(window).isHidden()) << "a recorded run cannot be measured again";
  EXPECT_THAT(view().chosenText().toStdString(), HasSubstr("Open the file with the triples"));
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_TRUE(waitFor([&] { return view().nodes()->model()->rowCount() == 0; })) << "the graph must be freed";
  EXPECT_FALSE(view().isVisible());
}

TEST_F(RelationsTest, TheFormMeasuresTheGraphWithOtherSettings) {
  openFile(write("little.tsv", small_graph));
  const auto& report = app.workspace().results().report();
  auto& form = child<RelationForm>(window);
  ASSERT_TRUE(form.isVisible());
  EXPECT_FALSE(window.findChild<QWidget*>("packing")->isVisible()) << "a graph has no coordinates";
  auto& layers = *form.findChild<QLineEdit*>("relation_layers");
  auto& button = *form.findChild<QPushButton*>("measure_graph");
  EXPECT_EQ(layers.text(), "16,64,16");
  layers.setText("8,x");
  button.click();
  auto& fault = *form.findChild<QLabel*>("relation_fault");
  EXPECT_TRUE(fault.isVisible());
  EXPECT_THAT(fault.text().toStdString(), HasSubstr("Layers 8,x: expected 2 to 101 numbers"));
  const auto before = report;
  layers.setText("8,4,6,2");
  const auto boxes = form.findChildren<QComboBox*>();
  for (QComboBox* box : boxes)
    box->setCurrentIndex(1);
  form.findChild<QCheckBox*>()->setChecked(true);
  button.click();
  ASSERT_TRUE(waitFor([&] { return idle() && report != before; }));
  EXPECT_FALSE(fault.isVisible());
  ASSERT_EQ(report->network.layers.size(), 3U);
  EXPECT_EQ(report->network.in_channels, 8);
  EXPECT_EQ(report->network.layers[1].out_channels, 6);
  const Plan& plan = report->measurement.plan;
  EXPECT_EQ(plan.layers.front().method, FeatureMethod::gather_gemm_scatter);
  EXPECT_EQ(plan.precision, Precision::fp16);
  EXPECT_EQ(report->scene.triples->normalise, Normalise::sum);
  EXPECT_TRUE(report->scene.triples->inverse);
  EXPECT_EQ(report->scene.triples->relations, 6) << "three relations and their inverses";
  EXPECT_EQ(boxes[0]->currentText(), "gather") << "the form shows the last run";
  std::string command;
  for (const std::string& word : report->command)
    command += word + " ";
  EXPECT_THAT(command, testing::EndsWith("little.tsv --layers 8,4,6,2 --dataflow gather --normalise sum "
                                         "--precision fp16 --inverse "));
}

TEST_F(RelationsTest, PointsInATsvFileStayAScanAndFaultyTriplesHaveOneLine) {
  std::string points;
  for (int at = 0; at < 300; ++at)
    points += std::to_string(at % 20) + "\t" + std::to_string(at / 20) + "\t" + std::to_string(at % 3) + "\n";
  const QString scan = write("scan.tsv", points);
  EXPECT_FALSE(looks_like_triples(scan.toStdString()));
  openFile(write("little.tsv", small_graph));
  std::string text = small_graph;
  for (int at = 0; at < 30; ++at)
    text += "a\tkind\tx" + std::to_string(at) + "\n";
  app.opening().open(write("short.tsv", text + "only\ttwo\n"));
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("line 40: 2 columns, expected 3"));
  EXPECT_TRUE(app.workspace().results().report()) << "the open graph must stay open";
}

}  // namespace
}  // namespace spira::ui
