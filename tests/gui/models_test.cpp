// Tests the models without a window: the selection, the table of layers, and the command search.
#include "engine/base/text.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/small_session.hpp"
#include "ui/features/help/command_palette.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/window/application.hpp"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <set>

namespace spira::ui {
namespace {

TEST(ShortLayerNames, AreLongEnoughToBeDistinct) {
  EXPECT_EQ(shortLayerNames(QStringList{"stage1.block2.conv1", "stage1.block2.conv2"}),
            (QStringList{"s1.b2.c1", "s1.b2.c2"}));
  EXPECT_EQ(shortLayerNames(QStringList{"stem", "down", "deep", "do", "last.layer"}),
            (QStringList{"s", "dow", "de", "do", "l.l"}));
  EXPECT_EQ(shortLayerNames(QStringList{"stem", "down", "upsample"}),
            (QStringList{"stem", "down", "upsample"}))
      << "short names must not become unreadable";
  EXPECT_EQ(shortLayerNames(QStringList{"conv", "conv"}), (QStringList{"conv", "conv"}));
}

TEST(MeasuredSubjects, ALevelWithAnotherRuleIsNamedByItsLayer) {
  MeasuredWith how;
  how.scene = "room.ply";
  how.network = "reaching.json";
  how.layers = test::reached_network();
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::densities;
  subject.stride = 2;
  const auto has = [&](const char* word) {
    const auto words = command_of(how, subject);
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  EXPECT_TRUE(has("--stride"));
  subject.stride = first_numbered_level + 1;
  EXPECT_TRUE(has("two.deep"));
  EXPECT_FALSE(has("--stride")) << "stride 2 is another level";
  subject.kernel_size = 5;
  EXPECT_FALSE(has("--layer")) << "no layer has this map";
  EXPECT_FALSE(has("--stride"));
}

TEST(SettingTexts, HaveOneNameForTheLargestThresholdAndForEachNetwork) {
  EXPECT_EQ(thresholdText(3, 4), "t = max (4)");
  EXPECT_EQ(thresholdText(5, 4), "t = 4");
  EXPECT_EQ(thresholdText(3, 0), "t = 0");
  EXPECT_EQ(networkText("resn21", "any title"), "SparseResNet-21");
  EXPECT_EQ(networkText("mine", "My network"), "My network");
}

TEST(SelectionModel, SignalsOnlyActualChanges) {
  Selection selection;
  const QSignalSpy layer(&selection, &Selection::layerChanged),
      columns(&selection, &Selection::columnsChanged), voxel(&selection, &Selection::voxelChanged),
      stride(&selection, &Selection::strideChanged), colour(&selection.look(), &SceneLook::colourByChanged);
  for (int twice = 0; twice < 2; ++twice) {
    selection.setLayer(3);
    selection.setStride(2);
    selection.setVoxel(ChosenVoxel{{1, 2, 3}, 2});
    selection.look().setColourBy(ColourBy::match_count);
  }
  selection.setColumns({5, 1, 5});
  selection.setColumns({1, 5});
  EXPECT_EQ(selection.columns(), (std::vector<int>{1, 5})) << "the columns must be sorted and unique";
  for (const QSignalSpy* spy : {&layer, &columns, &voxel, &stride, &colour})
    EXPECT_EQ(spy->count(), 1);
  EXPECT_EQ(layer.at(0).at(0).toInt(), 3);
  selection.setVoxel(ChosenVoxel{{1, 2, 3}, 4});
  EXPECT_EQ(voxel.count(), 2) << "the same cell at another stride must count as another voxel";
}

TEST(SelectionModel, AVoxelFollowsTheStrideToTheVoxelThatContainsIt) {
  Selection selection;
  selection.setVoxel(ChosenVoxel{{13, 6, 3}, 1});
  const QSignalSpy voxel(&selection, &Selection::voxelChanged), chosen(&selection, &Selection::voxelChosen);
  selection.setStride(4);
  EXPECT_EQ(selection.voxel(), (ChosenVoxel{{12, 4, 0}, 4}));
  selection.setStride(2);
  EXPECT_EQ(selection.voxel(), (ChosenVoxel{{12, 6, 2}, 2}));
  selection.setStride(1);
  EXPECT_EQ(selection.voxel(), (ChosenVoxel{{13, 6, 3}, 1}))
      << "the selected voxel must be restored at its own stride";
  EXPECT_EQ(voxel.count(), 3);
  EXPECT_EQ(chosen.count(), 0) << "a change of the stride must not count as a new selection";
  selection.setStride(8);
  selection.setVoxel(ChosenVoxel{{8, 0, 0}, 8});
  selection.setVoxel(ChosenVoxel{{16, 0, 0}, 8});
  selection.setStride(4);
  EXPECT_FALSE(selection.voxel()) << "no voxel must be selected if several lie in the coarse voxel";
  selection.setStride(8);
  EXPECT_EQ(selection.voxel(), (ChosenVoxel{{16, 0, 0}, 8}));
  selection.setStride(first_numbered_level);
  EXPECT_FALSE(selection.voxel()) << "a level with another rule may have no voxel there";
  selection.setStride(8);
  EXPECT_EQ(selection.voxel(), (ChosenVoxel{{16, 0, 0}, 8}));
  selection.setStride(4);
  selection.setVoxel(std::nullopt);
  selection.setStride(8);
  EXPECT_FALSE(selection.voxel()) << "clearing must clear the voxel at every stride";
}

TEST(SelectionModel, ClearResetsLayerOffsetsAndVoxelAndKeepsTheView) {
  Selection selection;
  selection.setLayer(3);
  selection.setStride(4);
  selection.setColumns({2});
  selection.setVoxel(ChosenVoxel{{1, 1, 1}, 4});
  selection.look().setColourBy(ColourBy::label);
  const QSignalSpy layer(&selection, &Selection::layerChanged);
  selection.clear();
  selection.clear();
  EXPECT_EQ(layer.count(), 1);
  EXPECT_EQ(selection.layer(), -1);
  EXPECT_TRUE(selection.columns().empty());
  EXPECT_FALSE(selection.voxel().has_value());
  EXPECT_EQ(selection.stride(), 4);
  EXPECT_EQ(selection.look().colourBy(), ColourBy::label);
}

TEST(LayerTable, LayersThatShareAKernelMapHaveTheSameMark) {
  Workspace workspace;
  const LayerTableModel model(&workspace);
  test::SmallSession small;
  workspace.setNetwork(small.network);
  const auto text = [&](int row, LayerTableModel::Column column) {
    return model.index(row, column).data().toString();
  };
  const Levels levels = levels_of(*small.network);
  for (int one = 0; one < 7; ++one) {
    const QVariant mark = model.index(one, LayerTableModel::name).data(LayerTableModel::map_role);
    const QString tip = model.index(one, LayerTableModel::name).data(Qt::ToolTipRole).toString();
    EXPECT_EQ(mark.isValid(), tip.contains("shared with")) << tip.toStdString();
    for (int other = 0; other < 7; ++other) {
      const bool shared = levels.layers.at(static_cast<std::size_t>(one)).map ==
                          levels.layers.at(static_cast<std::size_t>(other)).map;
      if (one == other || !mark.isValid()) continue;
      EXPECT_EQ(mark == model.index(other, LayerTableModel::name).data(LayerTableModel::map_role), shared)
          << one << ", " << other;
      EXPECT_EQ(tip.section("shared with ", 1)
                    .section("\n", 0, 0)
                    .split(", ")
                    .contains(text(other, LayerTableModel::name)),
                shared);
    }
  }
  EXPECT_EQ(model.index(0, LayerTableModel::name).data(LayerTableModel::map_role).toString(), "A");
}

TEST(LayerTable, FollowsTheRulesOfModelsDuringARun) {
  Workspace workspace;
  LayerTableModel model(&workspace);
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  EXPECT_EQ(model.rowCount(), 0);
  const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  test::SmallSession small;
  small.load();
  workspace.setNetwork(small.network);
  ASSERT_EQ(model.rowCount(), 7);
  const auto text = [&](int row, LayerTableModel::Column column) {
    return model.index(row, column).data().toString();
  };
  EXPECT_EQ(text(1, LayerTableModel::name), "down");
  EXPECT_EQ(text(1, LayerTableModel::stride), QString("1\u21922"));
  EXPECT_EQ(text(1, LayerTableModel::channels), QString("8\u21928"));
  EXPECT_EQ(text(1, LayerTableModel::kernel), QString("2 \u21932")) << "it halves the resolution";
  EXPECT_EQ(text(0, LayerTableModel::kernel), "3");
  EXPECT_EQ(text(1, LayerTableModel::voxels), QString()) << "a layer that has not run must have no voxels";
  const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  Job job;
  small.session.run_all(small.plan, job, [&](const auto& result) { workspace.setLayer(result); });
  const auto announced = [&] { return !changed.isEmpty() && changed.back()[1].toModelIndex().row() == 6; };
  EXPECT_TRUE(QTest::qWaitFor(announced)) << "rows that change quickly must be announced together";
  double slowest = 0;
  for (int row = 0; row < 7; ++row) {
    EXPECT_FALSE(text(row, LayerTableModel::voxels).isEmpty()) << row;
    EXPECT_FALSE(text(row, LayerTableModel::time).isEmpty()) << row;
    slowest = std::max(slowest, model.index(row, 0).data(LayerTableModel::share_role).toDouble());
  }
  EXPECT_DOUBLE_EQ(slowest, 1.0);
  EXPECT_EQ(text(0, LayerTableModel::peak), QString(QChar(0x2013))) << "a single run must not report a peak";
  const QModelIndex t = model.index(0, LayerTableModel::dataflow);
  EXPECT_TRUE(model.flags(t).testFlag(Qt::ItemIsEditable));
  EXPECT_TRUE(model.setData(t, "hybrid:2", Qt::EditRole));
  EXPECT_EQ(workspace.requested().plan().layers.at(0).threshold, 2);
  EXPECT_FALSE(model.setData(t, "hybrid:77", Qt::EditRole)) << "an invalid threshold must be refused";
  EXPECT_EQ(text(0, LayerTableModel::dataflow), "hybrid t=2");
  EXPECT_EQ(model.index(0, LayerTableModel::dataflow).data(Qt::EditRole).toString(), "hybrid:2");
  EXPECT_EQ(model.index(0, LayerTableModel::dataflow).data(LayerTableModel::compact_role).toString(),
            "t = 2");
  workspace.results().clearLayers();
  EXPECT_EQ(text(0, LayerTableModel::voxels), QString());
  EXPECT_EQ(text(0, LayerTableModel::peak), QString());
  workspace.setNetwork(std::make_shared<const Network>(network_preset("resn21")));
  EXPECT_EQ(model.rowCount(), 21);
  EXPECT_EQ(reset.count(), 2) << "new rows must reset the model";
  workspace.setNetwork(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(LayerTable, NamesTheDataflowAndCountsThePairs) {
  Workspace workspace;
  const LayerTableModel model(&workspace);
  test::SmallSession small;
  small.load();
  workspace.setNetwork(small.network);
  const auto cell = [&](int row, LayerTableModel::Column column, int role = Qt::DisplayRole) {
    return model.index(row, column).data(role).toString();
  };
  EXPECT_EQ(cell(0, LayerTableModel::pairs), QString()) << "a layer that has not run must have no pairs";
  EXPECT_EQ(cell(0, LayerTableModel::dataflow), "OS");
  Plan plan = workspace.requested().plan();
  plan.layers.at(0).threshold = 0;
  workspace.setPlan(plan);
  EXPECT_EQ(cell(0, LayerTableModel::dataflow), "WS");
  EXPECT_TRUE(cell(0, LayerTableModel::dataflow, Qt::ToolTipRole).startsWith("WS, t = 0. "));
  Job job;
  small.session.run_all(small.plan, job, [&](const auto& result) { workspace.setLayer(result); });
  const std::int64_t pairs = workspace.results().layer(0)->densities.pairs;
  EXPECT_EQ(model.index(0, LayerTableModel::pairs).data(LayerTableModel::sort_role).toDouble(),
            static_cast<double>(pairs));
  EXPECT_TRUE(cell(0, LayerTableModel::pairs, Qt::ToolTipRole).startsWith(onScreen(count_text(pairs))));
  EXPECT_FALSE(cell(0, LayerTableModel::flop_rate).isEmpty());
  EXPECT_TRUE(cell(1, LayerTableModel::flop_rate, Qt::ToolTipRole).contains("n = 1"))
      << "the rate of a single run must show how many samples it has";
}

TEST(LayerTable, EveryDataflowHasATextAndCanBeChosenIfTheLayerCanRunIt) {
  Workspace workspace;
  LayerTableModel model(&workspace);
  workspace.setNetwork(std::make_shared<const Network>(network_preset("resn21")));
  const QModelIndex cell = model.index(0, LayerTableModel::dataflow);
  const auto choices = cell.data(LayerTableModel::dataflows_role).value<std::vector<DataflowChoice>>();
  int refused = 0;
  std::set<QString> texts;
  for (const DataflowChoice& choice : choices) {
    const QString name = QString::fromStdString(choice.name);
    EXPECT_EQ(model.setData(cell, name, Qt::EditRole), choice.why_not.empty()) << choice.name;
    texts.insert(dataflowText(choice.name));
    if (!choice.why_not.empty()) {
      ++refused;
      continue;
    }
    EXPECT_EQ(cell.data(Qt::EditRole).toString(), name);
    EXPECT_EQ(cell.data().toString(), dataflowText(choice.name));
    EXPECT_FALSE(cell.data(Qt::ToolTipRole).toString().isEmpty());
  }
  EXPECT_GT(refused, 0) << "27 offsets cannot be divided into 8 splits";
  EXPECT_EQ(texts.size(), choices.size()) << "two dataflows have one text";
  EXPECT_TRUE(texts.contains("mask-sorted, 1 split") && texts.contains("mask-sorted, 2 splits"));
}

/// The test sets the times: the features of the first layer take 2 ms.
TEST(LayerTable, ColumnsAboutEfficiencyFollowFromWorkTimeAndRates) {
  auto report = std::make_shared<Report>(test::recorded_report());
  LayerMeasurement& first = report->measurement.layers.at(0);
  first.useful_flops = 8'000'000;
  for (StageNode& node : first.stages.nodes)
    node.samples_ms = {node.name.starts_with("features") ? 2.0 : 0.0};
  Workspace workspace;
  const LayerTableModel model(&workspace);
  workspace.setReport(report);
  const auto cell = [&](LayerTableModel::Column column) { return model.index(0, column).data().toString(); };
  EXPECT_EQ(cell(LayerTableModel::flop_rate), "4.00");  // 8 MFLOP in 2 ms
  EXPECT_EQ(cell(LayerTableModel::over_floor), QString()) << "no floor without rates";
  const QString tip = model.index(0, LayerTableModel::over_floor).data(Qt::ToolTipRole).toString();
  EXPECT_TRUE(tip.contains("the report does not contain the maximum rates")) << tip.toStdString();
  EXPECT_TRUE(tip.contains("n = 1")) << tip.toStdString();
  // At 8 GFLOP/s, the products need 1 ms. The memory is so fast that its time does not matter.
  auto rated = std::make_shared<Report>(*report);
  rated->measurement.rates = DeviceRates{{1e15, "copy", {1}}, {8e9, "product", {1}}};
  workspace.setReport(rated);
  EXPECT_EQ(cell(LayerTableModel::over_floor), "2.00");
  EXPECT_TRUE(model.index(0, LayerTableModel::over_floor)
                  .data(Qt::ToolTipRole)
                  .toString()
                  .contains("set by the arithmetic rate"));
}

/// A narrow list hides the columns for K and channels, so the tooltip of the name contains them.
TEST(LayerTable, TheTooltipOfANameHasKernelChannelsMapAndT) {
  Workspace workspace;
  const LayerTableModel model(&workspace);
  workspace.setNetwork(std::make_shared<const Network>(test::little_unet()));
  const auto tip = [&](int row) {
    return model.index(row, LayerTableModel::name).data(Qt::ToolTipRole).toString();
  };
  EXPECT_TRUE(tip(1).startsWith(
      QString("down\nKernel 2x2x2, stride 2: input voxels are 1 cell wide, output voxels 2 cells\n"
              "Input and output channels: 8\u21928\nKernel map ")))
      << tip(1).toStdString();
  EXPECT_TRUE(tip(0).contains("\nKernel 3x3x3, stride 1: the voxels of this layer are 1 cell wide\n"))
      << tip(0).toStdString();
  EXPECT_TRUE(
      tip(3).contains("\nKernel 2x2x2, up-samples by 2: input voxels are 2 cells wide, output voxels 1 "
                      "cell\n"))
      << tip(3).toStdString();
  EXPECT_TRUE(tip(1).endsWith(", default")) << tip(1).toStdString();
  EXPECT_TRUE(tip(3).contains(", shared with down\n")) << tip(3).toStdString();
  EXPECT_TRUE(tip(5).contains("\nKernel map A, shared with stem")) << tip(5).toStdString();
  EXPECT_FALSE(tip(4).contains("shared")) << "a kernel of size 1 must not have a shared map";
  Plan plan = workspace.requested().plan();
  plan.layers.at(5).threshold = 1;
  workspace.setPlan(plan);
  EXPECT_TRUE(tip(5).endsWith("\nt = 1, set by hand")) << tip(5).toStdString();
  note_threshold_source(plan, 5, "profile:x.tune.json");
  workspace.setPlan(plan);
  EXPECT_TRUE(tip(5).endsWith("\nt = 1, from the tuning profile x.tune.json")) << tip(5).toStdString();
}

class PaletteTest : public testing::Test {
 protected:
  PaletteTest() {
    commands.bind("run.run", [this] { ++runs; });
    commands.bind(
        "run.stop", [] {}, [] { return QString("nothing runs"); });
  }
  [[nodiscard]] QStringList found(CommandPalette& palette, const QString& words) const {
    palette.findChild<QLineEdit*>()->setText(words);
    QStringList ids;
    const auto* list = palette.findChild<QListWidget*>();
    for (int row = 0; row < list->count(); ++row)
      ids << list->item(row)->data(Qt::UserRole).toString();
    return ids;
  }
  QObject owner;
  CommandSet commands{Application::commandFacts(), &owner};
  int runs = 0;
};

TEST_F(PaletteTest, FindsCommandsByAllWordsInAnyOrderAndCase) {
  CommandPalette palette(&commands, nullptr);
  EXPECT_EQ(found(palette, "").size(), static_cast<int>(commands.all().size()));
  EXPECT_TRUE(found(palette, "RUN.run").contains("run.run"));
  EXPECT_EQ(found(palette, "stop run"), found(palette, "run  stop"));
  EXPECT_TRUE(found(palette, "stop run").contains("run.stop"));
  EXPECT_FALSE(found(palette, "stop").contains("run.run"));
  EXPECT_TRUE(found(palette, "no such command").isEmpty());
}

TEST_F(PaletteTest, RunsTheSelectedCommandUnlessItIsUnavailable) {
  CommandPalette palette(&commands, nullptr);
  palette.show();
  auto* text = palette.findChild<QLineEdit*>();
  static_cast<void>(found(palette, "run.stop"));
  EXPECT_TRUE(palette.findChild<QListWidget*>()->item(0)->text().contains("nothing runs"));
  QTest::keyClick(text, Qt::Key_Return);
  EXPECT_TRUE(palette.isVisible()) << "an unavailable command must not close the palette";
  static_cast<void>(found(palette, "run.run"));
  QTest::keyClick(text, Qt::Key_Return);
  EXPECT_FALSE(palette.isVisible());
  EXPECT_TRUE(QTest::qWaitFor([&] { return runs == 1; }));
}

}  // namespace
}  // namespace spira::ui
