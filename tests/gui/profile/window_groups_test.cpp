// Tests the groups in the Tune panel: the values, the samples, the reasons why there are none, and the links
// to the matrix and to the layer list.
#include "engine/base/text.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/tuned_profile.hpp"
#include "ui/charts/chart_picture.hpp"
#include "ui/features/tune/groups_pane.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/features/tune/tune_result.hpp"
#include "ui/panels/profile/samples_pane.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GroupsWindow : public WindowTest {
 protected:
  void openRoom() {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  }
  [[nodiscard]] TunePanel& tune() { return *app.profileTools().tunePanel(); }
  [[nodiscard]] GroupsPane& groups() { return *tune().groups(); }
  [[nodiscard]] GroupChart& chart() { return *groups().chart(); }
  [[nodiscard]] QString emptyText() {
    for (const QLabel* label : groups().findChildren<QLabel*>()) {
      if (label->isVisible()) return label->text();
    }
    return {};
  }
  void open_report(const QString& file) {
    app.opening().openAll({file});
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  }
  /// Returns a profile in which each setting, shape and pass has another time. Each setting has seven
  /// samples. Layers at the end of the network prefer other settings than layers at the start.
  [[nodiscard]] TuningProfile varied(bool training = false) {
    TuneRequest request = test::small_tune_request();
    request.training = training;
    request.thresholds = {0, 2, 4};
    TuningProfile profile = test::settled_profile(request);
    constexpr int rounds = 7;
    for (FeatureRecord& record : profile.features) {
      const bool late = record.shape.in_channels > record.shape.out_channels;
      const bool reversed = late != (record.pass == LayerPass::wgrad);
      const double ms = 2 + (0.5 * (reversed ? 4 - record.setting.threshold : record.setting.threshold)) +
                        (0.25 * static_cast<int>(record.pass)) + (0.01 * record.shape.in_channels);
      record.ms.assign(rounds, ms);
    }
    for (MapRecord& record : profile.maps)
      record.ms.assign(rounds, 0.125 * (1 + record.setting.threshold));
    decide(profile, *request.network);
    profile.device = app.workspace().device();
    profile.tool_version = SPIRA_VERSION;
    for (TunedShape& tuned : profile.choices) {  // Scenes of any size must match.
      tuned.rows_low = 0;
      tuned.rows_high = 1LL << 40U;
    }
    return profile;
  }
  void show(TuningProfile profile) {
    app.profileTools().tuning()->setProfile(std::make_shared<const TuningProfile>(std::move(profile)),
                                            "given.tune.json", false);
    ASSERT_TRUE(app.commands().trigger("window.show_groups"));
    ASSERT_TRUE(waitFor([&] { return idle() && !groups().busy() && chart().hasContent(); }));
  }
  /// Compares the chart with group_table() of the open profile. Returns the number of cells with a time.
  int compareWithEngine() {
    const GroupTable expected =
        group_table(*tune().matrix()->profile(), *app.workspace().network(), tune().matrix()->picks());
    const GroupTable& shown = *chart().groups();
    EXPECT_EQ(groups_csv(shown), groups_csv(expected));
    EXPECT_EQ(groups().csv(), groups_csv(expected));
    const ChartTable table = chart().table();
    const auto column = [&](const char* name) { return table.header.indexOf(name); };
    std::size_t line = 0;
    int known = 0;
    for (const GroupRow& row : expected.rows) {
      for (const GroupCell& cell : row.cells) {
        if (cell.state == CellState::infeasible) continue;
        const QVariantList& values = table.rows.at(line++);
        EXPECT_EQ(values[column("State")].toString().toStdString(), text_of(cell.state));
        EXPECT_EQ(values[column("n")].toLongLong(), cell.n);
        const QVariant& ms = values[column("Median, ms")];
        EXPECT_EQ(ms.isValid(), cell.ms > 0) << "a missing time must not be shown as 0";
        EXPECT_DOUBLE_EQ(ms.toDouble(), cell.ms);
        known += cell.ms > 0 ? 1 : 0;
        const QVariant& choice = values[column("Chosen, ms")];
        EXPECT_EQ(choice.isValid(), row.choice_ms.has_value());
        EXPECT_DOUBLE_EQ(choice.toDouble(), row.choice_ms.value_or(0));
      }
    }
    EXPECT_EQ(line, table.rows.size());
    return known;
  }
  [[nodiscard]] int rowOf(const char* layer) {
    const int index = app.workspace().network()->index_of(layer);
    for (int row = 0; row < static_cast<int>(chart().groups()->rows.size()); ++row) {
      const std::vector<int> layers = chart().layersOf(row);
      if (std::find(layers.begin(), layers.end(), index) != layers.end()) return row;
    }
    return -1;
  }
  [[nodiscard]] int columnOf(const char* setting) {
    const auto& columns = chart().groups()->columns;
    return static_cast<int>(std::find_if(columns.begin(), columns.end(),
                                         [&](const MatrixSetting& one) { return one.text() == setting; }) -
                            columns.begin());
  }
  void click(const MatrixPlace& place) {
    QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().cellCentre(place));
  }
  [[nodiscard]] QByteArray svg() {
    PictureRequest how;
    how.format = PictureFormat::svg;
    return chart_file(chart(), {}, how);
  }

  QTemporaryDir folder;
};

TEST_F(GroupsWindow, TheCellsHaveTheTimesOfTheGroupTable) {
  openRoom();
  show(varied());
  EXPECT_TRUE(chart().isVisible());
  EXPECT_TRUE(window.focusWidget() == &chart()) << "the keyboard must move the cursor at once";
  EXPECT_GT(compareWithEngine(), 8);
  const GroupRow& row = chart().groups()->rows.at(static_cast<std::size_t>(rowOf("stem")));
  ASSERT_TRUE(row.choice_ms && row.one_dataflow);
  EXPECT_GT(row.one_dataflow->ms, 0) << "the layers of this group prefer different settings";
  const QStringList after = chart().textsAfter(rowOf("stem"));
  ASSERT_EQ(after.size(), 2) << "a profile of forward passes has no bindings";
  EXPECT_NEAR(after[0].toDouble(), *row.choice_ms, 0.05);
  EXPECT_TRUE(after[1].startsWith('+')) << after[1].toStdString();
  EXPECT_NEAR(after[1].toDouble(), row.one_dataflow->ms, 0.005);
  const GroupTotals totals = totals_of(*chart().groups());
  EXPECT_THAT(groups().totalText().toStdString(),
              AllOf(HasSubstr("Chosen settings: " + ms_text(totals.choice_ms)),
                    HasSubstr("one dataflow for each group: " + ms_text(totals.one_dataflow_ms))));
  for (const char* text : {"stem and 2 more", "chosen for all layers", "chosen for some layers",
                           "not possible", "one", "dataflow", "time / best time of group (log)"})
    EXPECT_TRUE(svg().contains(text)) << text;
}

TEST_F(GroupsWindow, TheLegendsAndTheTextAboveTheTabsExplainWhyAnotherSettingCanBeBest) {
  openRoom();
  show(varied());
  EXPECT_TRUE(svg().contains(">best for all layers<"));
  const SettingMatrix& matrix = *tune().matrix()->chart()->matrix();
  int differing = 0;
  for (const GroupRow& group : chart().groups()->rows) {
    for (const MatrixRow& row : matrix.rows) {
      const auto name = [](const auto& table, int column) {
        return table.columns.at(static_cast<std::size_t>(column)).text();
      };
      differing += row.map == group.map && row.best >= 0 && group.best >= 0 &&
                           name(matrix, row.best) != name(*chart().groups(), group.best)
                       ? 1
                       : 0;
    }
  }
  ASSERT_EQ(differing, 1) << "an early layer of a group with late layers";
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("; the best setting of 1 layer differs from Groups"));
}

TEST_F(GroupsWindow, APickInTheMatrixChangesTheChoice) {
  openRoom();
  show(varied());
  const int row = rowOf("stem");
  const auto at = static_cast<std::size_t>(row);
  const double before = *chart().groups()->rows.at(at).choice_ms;
  const int column = columnOf("t = 2");
  ASSERT_EQ(chart().groups()->rows[at].cells.at(static_cast<std::size_t>(column)).picked, 0);
  LayerPlan plan = tune().matrix()->picks().layers.front();
  plan.set_threshold(2);
  app.profileTools().tuning()->pick({{0, plan}});
  ASSERT_TRUE(waitFor([&] { return idle() && !groups().busy(); }));
  EXPECT_EQ(chart().groups()->rows.at(at).cells.at(static_cast<std::size_t>(column)).picked, 1);
  EXPECT_GT(*chart().groups()->rows.at(at).choice_ms, before);
  compareWithEngine();
}

TEST_F(GroupsWindow, AClickListsTheSamplesOfTheMapAndOfAllLayers) {
  openRoom();
  const TuningProfile profile = varied();
  show(profile);
  EXPECT_TRUE(groups().samples()->isHidden());
  const MatrixPlace place{rowOf("stem"), columnOf("t = max")};
  click(place);
  EXPECT_EQ(chart().current(), place);
  ASSERT_TRUE(groups().samples()->isVisible());
  EXPECT_TRUE(groups().samplesSwitch()->isChecked());
  QStringList names;
  const QComboBox& series = *groups().samples()->stages();
  for (int at = 0; at < series.count(); ++at)
    names += series.itemText(at);
  ASSERT_EQ(names.size(), 4) << names.join("; ").toStdString();
  EXPECT_TRUE(names[0].startsWith("map for t = 4")) << names[0].toStdString();
  EXPECT_TRUE(names[1].startsWith("stem, t = 4")) << names[1].toStdString();
  // The sum of the medians of all terms is the time of the cell.
  double sum = 0;
  const GroupRow& row = chart().groups()->rows.at(static_cast<std::size_t>(place.row));
  for (const GroupTerm& term : group_terms(profile, *app.workspace().network(), row.map, 4)) {
    const double layers = term.layers.empty() ? 1 : static_cast<double>(term.layers.size());
    sum += layers * statistics(term.ms.front()).median;
  }
  EXPECT_DOUBLE_EQ(sum, row.cells.at(static_cast<std::size_t>(place.column)).ms);
  EXPECT_THAT(groups().samples()->text().toStdString(), HasSubstr("n = 7"));
  EXPECT_THAT(groups().cellText().toStdString(),
              AllOf(HasSubstr("t = max for all layers"), HasSubstr("n = 7")));
  groups().samplesSwitch()->setChecked(false);
  EXPECT_TRUE(groups().samples()->isHidden());
  QTest::keyClick(&chart(), Qt::Key_Left);
  EXPECT_TRUE(groups().samples()->isHidden()) << "moving the cursor must not show the samples";
  QTest::keyClick(&chart(), Qt::Key_Return);
  EXPECT_TRUE(groups().samples()->isVisible());
  EXPECT_FALSE(app.jobs().lane().askedFor()) << "Enter must not start a tuning";
}

TEST_F(GroupsWindow, TheGroupOfTheSelectedLayerIsHighlighted) {
  openRoom();
  show(varied());
  const Network& network = *app.workspace().network();
  app.selection().setLayer(network.index_of("deep"));
  EXPECT_EQ(chart().current().row, rowOf("deep"));
  click({rowOf("last"), 0});
  EXPECT_EQ(app.selection().layer(), network.index_of("stem")) << "the first layer of the group";
  app.selection().setLayer(network.index_of("last"));
  QTest::keyClick(&chart(), Qt::Key_Right);
  EXPECT_EQ(app.selection().layer(), network.index_of("last")) << "the layer is in the group already";
}

TEST_F(GroupsWindow, TheTableOfTheChartReplacesIt) {
  openRoom();
  show(varied());
  window.activateWindow();
  ASSERT_TRUE(waitFor([&] { return QApplication::focusWidget() == &chart(); }));
  ASSERT_TRUE(app.commands().trigger("view.table"));
  EXPECT_TRUE(chart().tableShown());
  EXPECT_FALSE(tune().matrix()->chart()->tableShown());
}

TEST_F(GroupsWindow, WithoutAProfileThePaneOffersToTune) {
  openRoom();
  EXPECT_FALSE(app.commands().trigger("tune.export_groups"));
  ASSERT_TRUE(app.commands().trigger("window.show_groups"));
  EXPECT_EQ(tune().result()->currentWidget(), &groups());
  EXPECT_TRUE(groups().isVisible());
  EXPECT_FALSE(chart().isVisible());
  EXPECT_EQ(emptyText(), "No profile yet. Press Tune, or open a profile.");
  EXPECT_TRUE(tune().startButton()->isVisible());
  EXPECT_TRUE(tune().startButton()->isEnabled());
  EXPECT_TRUE(window.focusWidget() == tune().startButton()) << "Enter must start the tuning";
}

TEST_F(GroupsWindow, ATuningInTheWindowFillsTheGroups) {
  openRoom();
  ASSERT_TRUE(app.commands().trigger("window.show_groups"));
  bool while_tuning = false;
  QObject::connect(&app.jobs().tuning(), &TuneJobs::stepDone, &groups(), [&] {
    while_tuning = while_tuning || (app.jobs().tuning().tuning() && chart().hasContent());
  });
  tune().startButton()->click();
  ASSERT_TRUE(waitFor([&] {
    return app.profileTools().tuning()->profile() && idle() && !groups().busy() && chart().hasContent();
  }));
  EXPECT_TRUE(while_tuning) << "the groups must appear before the tuning ends";
  EXPECT_EQ(tune().result()->currentWidget(), &groups()) << "the tab must stay";
  EXPECT_GT(compareWithEngine(), 8);
}

TEST_F(GroupsWindow, TimesThatAreMissingAreShownAsNotMeasured) {
  openRoom();
  TuningProfile profile = varied();
  const Network network = test::little_unet();
  const LayerShape join =
      shape_of(network.layers[static_cast<std::size_t>(network.index_of("join.conv"))],
               levels_of(network).layers[static_cast<std::size_t>(network.index_of("join.conv"))]);
  const MapKey coarse{3, 2, 2};
  std::erase_if(profile.features, [&](const FeatureRecord& one) { return one.shape == join; });
  std::erase_if(profile.maps, [&](const MapRecord& one) { return one.map == coarse; });
  decide(profile, network);
  show(profile);
  compareWithEngine();
  const int deep = rowOf("deep");
  EXPECT_EQ(chart().textsAfter(deep), QStringList({"\u2013", "\u2013"}));
  EXPECT_THAT(chart().tipOf({deep, 0}).toStdString(),
              HasSubstr("not measured for at least one layer of the group"));
  EXPECT_THAT(chart().tipOf({rowOf("stem"), 0}).toStdString(),
              HasSubstr("Not measured, so not included: j.c"));
  EXPECT_THAT(groups().totalText().toStdString(),
              AllOf(HasSubstr("groups (tuned, without indexing)"), HasSubstr("; 1 layer not included")));
  EXPECT_TRUE(svg().contains("2 of 3 layers"));
  EXPECT_TRUE(svg().contains("not measured"));
  click({deep, 0});
  EXPECT_EQ(groups().samples()->stages()->count(), 0);
  EXPECT_EQ(groups().samples()->text(), "No samples");
  save_grab(window, "groups-partial");
}

TEST_F(GroupsWindow, AProfileForTrainingHasTheBindings) {
  openRoom();
  const QString file = folder.filePath("steps.tune.json");
  write_profile(file.toStdString(), varied(true));
  app.opening().openAll({file});
  ASSERT_TRUE(waitFor([&] { return idle() && !groups().busy() && chart().hasContent(); }));
  ASSERT_TRUE(app.commands().trigger("window.show_groups"));
  EXPECT_GT(compareWithEngine(), 8);
  const GroupTable& table = *chart().groups();
  ASSERT_TRUE(table.training);
  std::set<QString> different;
  for (int row = 0; row < static_cast<int>(table.rows.size()); ++row) {
    const GroupRow& facts = table.rows[static_cast<std::size_t>(row)];
    const QStringList after = chart().textsAfter(row);
    ASSERT_EQ(after.size(), 2 + std::ssize(all_bindings));
    for (std::size_t at = 0; at < all_bindings.size(); ++at) {
      ASSERT_TRUE(facts.bindings.at(at));
      const QString shown = after[2 + static_cast<int>(at)];
      EXPECT_NEAR(shown.section(' ', 0, 0).toDouble(), facts.bindings.at(at)->ms, 0.0051);
      different.insert(shown);
    }
  }
  EXPECT_GT(different.size(), 1U) << "the bindings of this profile must have different times";
  const GroupTotals totals = totals_of(table);
  for (std::size_t at = 0; at < all_bindings.size(); ++at) {
    const std::string name(text_of(all_bindings.at(at)));
    ASSERT_TRUE(totals.bindings_ms.at(at));
    EXPECT_THAT(
        groups().totalText().toStdString(),
        HasSubstr(name + ": " + changeText(*totals.bindings_ms.at(at), totals.choice_ms).toStdString()));
    EXPECT_TRUE(chart().table().header.contains(QString::fromStdString(name + ": difference, ms")));
  }
  for (const char* text :
       {"forward", "= dgrad", "= wgrad", "ms: all layers and passes, each map counted once"})
    EXPECT_TRUE(svg().contains(text)) << text;
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("tuned for training steps"));
  click({rowOf("stem"), 0});
  QStringList names;
  for (int at = 0; at < groups().samples()->stages()->count(); ++at)
    names += groups().samples()->stages()->itemText(at);
  EXPECT_TRUE(names.filter("wgrad").size() == 3 && names.filter("dgrad").size() == 2)
      << names.join("; ").toStdString();
  save_grab(window, "groups-training");
}

TEST_F(GroupsWindow, APassThatCannotRunAsInTheProfileIsNamed) {
  openRoom();
  TuningProfile profile = varied(true);
  for (TunedShape& tuned : profile.choices) {
    if (tuned.shape.stride_in == 1 && tuned.shape.stride_out == 2) tuned.dgrad->setting = 8;
  }
  show(profile);
  EXPECT_THAT(tune().banner().toStdString(),
              AllOf(HasSubstr("7 of 7 layers"), HasSubstr("not applied to dgrad of do: the profile has")));
  ASSERT_TRUE(app.commands().trigger("tune.apply"));
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("not applied to dgrad of down: the profile has"));
  EXPECT_GT(compareWithEngine(), 8);
}

TEST_F(GroupsWindow, AReportAndAnotherNetworkShowWhyThereAreNoGroups) {
  openRoom();
  show(varied());
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_FALSE(chart().isVisible());
  EXPECT_THAT(emptyText().toStdString(), HasSubstr("Choose that network to see the times of the profile."));
  EXPECT_FALSE(app.commands().trigger("tune.export_groups"));
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  ASSERT_TRUE(waitFor([&] { return idle() && !groups().busy() && chart().isVisible(); }));
  EXPECT_GT(compareWithEngine(), 8);
  const QString file = folder.filePath("run.spira.json");
  write_report(file.toStdString(), test::recorded_report());
  open_report(file);
  EXPECT_TRUE(tune().matrix()->recorded()) << "the matrix shows the sweep of the report";
  EXPECT_FALSE(chart().isVisible());
  EXPECT_EQ(emptyText(), "Reports contain no times of groups. Open the tuning profile of this network.");
}

}  // namespace
}  // namespace spira::ui
