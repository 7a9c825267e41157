// Tests the tuner in the main window: the settings to try, the progress, the profile, and the reasons why a
// profile cannot be used.
#include "engine/backend/host_read.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/tuned_profile.hpp"
#include "ui/charts/chart_picture.hpp"
#include "ui/charts/threshold_bars.hpp"
#include "ui/features/tune/groups_pane.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/features/tune/tune_result.hpp"
#include "ui/features/tune/tune_setup.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/advice_list.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/window/banner.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TuneWindow : public WindowTest {
 protected:
  /// Opens a small scene, so that even a busy machine takes samples quickly.
  void openRoom() {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  }
  [[nodiscard]] TunePanel& tune() { return *app.profileTools().tunePanel(); }
  [[nodiscard]] Tuning& tuning() { return *app.profileTools().tuning(); }
  [[nodiscard]] QPushButton& applyButton() { return *tune().findChild<QPushButton*>("applyProfile"); }
  /// Returns a profile for this device that accepts scenes of any size.
  [[nodiscard]] TuningProfile profileOfHere() {
    TuningProfile profile = test::tuned_profile();
    profile.device = app.workspace().device();
    profile.tool_version = SPIRA_VERSION;
    profile.network_fingerprint = fingerprint_of(*app.workspace().network());
    for (TunedShape& tuned : profile.choices) {
      tuned.rows_low = 0;
      tuned.rows_high = 1LL << 40U;
      tuned.choice.setting = 0;
      tuned.choice.why = ChoiceReason::fastest;
    }
    return profile;
  }

  [[nodiscard]] MatrixChart& chart() { return *tune().matrix()->chart(); }
  [[nodiscard]] int row(const char* layer) { return app.workspace().network()->index_of(layer); }
  /// Returns the cell of a layer and t.
  [[nodiscard]] MatrixPlace cell(const char* layer, int t) {
    const int at = row(layer);
    return {at, column_of(chart().matrix()->rows.at(static_cast<std::size_t>(at)), t)};
  }
  [[nodiscard]] int picked(const char* layer) {
    return chart().picks().at(static_cast<std::size_t>(row(layer))).threshold;
  }
  void clickCell(const char* layer, int t, Qt::KeyboardModifiers keys = Qt::NoModifier) {
    QTest::mouseClick(&chart(), Qt::LeftButton, keys, chart().cellCentre(cell(layer, t)));
  }
  /// Moves the keyboard cursor to a cell without picking its t.
  void selectCell(const char* layer, int t) {
    const MatrixPlace wanted = cell(layer, t);
    chart().setFocus();
    for (int step = 0; step < 100 && !(chart().current() == wanted); ++step) {
      const MatrixPlace now = chart().current();
      QTest::keyClick(&chart(), now.row < wanted.row         ? Qt::Key_Down
                                : now.row > wanted.row       ? Qt::Key_Up
                                : now.column < wanted.column ? Qt::Key_Right
                                                             : Qt::Key_Left);
    }
    ASSERT_EQ(chart().current(), wanted);
  }
  /// Opens a profile of the open scene in which every setting has five samples: 1 ms with t = 0 and 2 ms with
  /// other t, and 1 ms for each map.
  void openSettledProfile(const std::function<void(TuningProfile&)>& change = {}) {
    TuningProfile profile = test::settled_profile(test::small_tune_request());
    profile.device = app.workspace().device();
    profile.tool_version = SPIRA_VERSION;
    for (TunedShape& tuned : profile.choices) {
      tuned.rows_low = 0;
      tuned.rows_high = 1LL << 40U;
    }
    const VoxelScene& open = *app.workspace().scene().voxels();
    TunedScene& scene = profile.scenes.front();
    scene.points = open.cloud->size();
    scene.voxel_m = open.grid.voxel_m;
    scene.pack = open.pack;
    scene.levels.clear();
    for (const auto& level : open.levels)
      scene.levels.push_back({level->stride, size_of(*level)});
    for (MapRecord& record : profile.maps)
      record.pack = open.pack;
    if (change) change(profile);
    showMatrixOf(std::move(profile));
  }
  /// Returns a profile of a built-in network for scenes of any size. t = 0 takes half the time of other t.
  [[nodiscard]] TuningProfile settledProfileOf(const char* network) {
    TuneRequest request = test::small_tune_request();
    request.network = std::make_shared<const Network>(network_preset(network));
    request.weights = std::make_shared<const NetworkWeights>(seeded_weights(*request.network, 1));
    TuningProfile profile = test::settled_profile(request);
    profile.device = app.workspace().device();
    profile.tool_version = SPIRA_VERSION;
    for (TunedShape& tuned : profile.choices) {
      tuned.rows_low = 0;
      tuned.rows_high = 1LL << 40U;
    }
    return profile;
  }
  void showMatrixOf(TuningProfile profile) {
    ASSERT_TRUE(app.commands().trigger("tune.open"));
    tuning().setProfile(std::make_shared<const TuningProfile>(std::move(profile)), "given.tune.json", false);
    ASSERT_TRUE(waitFor([&] { return idle() && !tune().matrix()->busy() && chart().hasContent(); }));
  }
  [[nodiscard]] bool settled() {
    return waitFor([&] { return idle() && !tune().matrix()->busy(); });
  }

  QTemporaryDir folder;
};

TEST_F(TuneWindow, AClickPicksATForOneLayerAndUndoTakesItBack) {
  openRoom();
  openSettledProfile();
  QUndoStack& undo = *app.history().stack();
  const auto plan = app.workspace().requested().plan().layers;
  const int steps = undo.count();
  EXPECT_EQ(picked("stem"), 0) << "t = 0 must be the choice, because it takes half the time";
  ASSERT_TRUE(tune().matrix()->totals());
  const PicksTotal before = tune().matrix()->totals()->than_max;
  clickCell("stem", 4);
  EXPECT_EQ(picked("stem"), 4);
  EXPECT_EQ(picked("last"), 0) << "a click must change one layer only";
  EXPECT_EQ(app.selection().layer(), row("stem"));
  EXPECT_EQ(app.workspace().requested().plan().layers, plan) << "the plan must not change before Apply";
  ASSERT_TRUE(settled());
  // The features take 1 ms longer. The additional map for t = 4 also takes 1 ms, because the other layers
  // keep t = 0.
  EXPECT_NEAR(tune().matrix()->totals()->than_max.ms, before.ms + 2, 1e-9);
  EXPECT_NEAR(tune().matrix()->totals()->than_max.baseline_ms, before.baseline_ms, 1e-9);
  EXPECT_THAT(tune().matrix()->totalText().toStdString(), HasSubstr("In use (t = max): "));
  ASSERT_EQ(undo.count(), steps + 1);
  EXPECT_EQ(undo.undoText(), "choose setting for stem");
  undo.undo();
  EXPECT_EQ(picked("stem"), 0);
  ASSERT_TRUE(settled());
  EXPECT_NEAR(tune().matrix()->totals()->than_max.ms, before.ms, 1e-9);
  undo.redo();
  EXPECT_EQ(picked("stem"), 4);
}

TEST_F(TuneWindow, AProfileOfANetworkWithAnotherRuleIsApplied) {
  const QString file = folder.filePath("room.ply");
  write_scene(*test::small_room(2000), file.toStdString());
  open(file);
  const Network network = test::reached_network();
  app.jobs().runs().useNetwork(std::make_shared<const Network>(network));
  ASSERT_TRUE(waitFor(
      [&] { return idle() && has_level(*app.workspace().scene().voxels(), first_numbered_level + 1); }));
  TuneRequest request = test::small_tune_request();
  request.network = std::make_shared<const Network>(network);
  request.weights = std::make_shared<const NetworkWeights>(seeded_weights(network, 1));
  TuningProfile profile = test::settled_profile(request);
  profile.device = app.workspace().device();
  profile.tool_version = SPIRA_VERSION;
  for (TunedShape& tuned : profile.choices) {
    tuned.rows_low = 0;
    tuned.rows_high = 1LL << 40U;
  }
  tuning().setProfile(std::make_shared<const TuningProfile>(std::move(profile)), "given.tune.json", false);
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().applied(); }));
  EXPECT_EQ(tuning().applied()->matched(), 6);
  ASSERT_TRUE(applyButton().isEnabled());
  applyButton().click();
  EXPECT_TRUE(tuning().inUse());
  EXPECT_EQ(app.workspace().requested().plan().layers.at(2).threshold, 0) << "t = 0 takes half the time";
}

TEST_F(TuneWindow, DraggingOverAColumnPicksItsTInOneUndoStep) {
  openRoom();
  openSettledProfile();
  QUndoStack& undo = *app.history().stack();
  const int steps = undo.count();
  const QPoint from = chart().cellCentre(cell("stem", 4)), to = chart().cellCentre(cell("last", 4));
  ASSERT_EQ(chart().cellCentre(cell("stem", 4)), from) << "the test needs all rows in view";
  QTest::mousePress(&chart(), Qt::LeftButton, {}, from);
  move_mouse(chart(), (from + to) / 2, Qt::LeftButton);
  move_mouse(chart(), to, Qt::LeftButton);
  EXPECT_EQ(undo.count(), steps) << "the picks must not change before the mouse button is released";
  QTest::mouseRelease(&chart(), Qt::LeftButton, {}, to);
  for (const char* layer : {"stem", "deep", "join.conv", "last"})
    EXPECT_EQ(picked(layer), 4) << layer;
  EXPECT_EQ(picked("up"), 0) << "a transposed layer can only run with t = 0";
  EXPECT_EQ(undo.count(), steps + 1);
  undo.undo();
  for (const char* layer : {"stem", "deep", "join.conv", "last"})
    EXPECT_EQ(picked(layer), 0) << layer;
}

TEST_F(TuneWindow, ArrowKeysMoveTheCursorAndSpacePicks) {
  openRoom();
  openSettledProfile();
  selectCell("deep", 3);
  EXPECT_EQ(app.selection().layer(), row("deep")) << "the layer must be selected everywhere";
  EXPECT_EQ(picked("deep"), 0) << "moving the cursor must not pick";
  QTest::keyClick(&chart(), Qt::Key_Space);
  EXPECT_EQ(picked("deep"), 3);
  EXPECT_FALSE(app.jobs().lane().askedFor()) << "Space must not start a run";
  app.selection().setLayer(row("last"));
  EXPECT_EQ(chart().current().row, row("last")) << "the cursor must follow the selected layer";
}

TEST_F(TuneWindow, TheLegendNamesTheColoursTheEmptyCellsAndTheSharedTimes) {
  openRoom();
  openSettledProfile();
  const auto any_cell = [this](const auto& is_wanted) {
    const auto& rows = chart().matrix()->rows;
    return std::any_of(rows.begin(), rows.end(), [&](const MatrixRow& one) {
      return std::any_of(one.cells.begin(), one.cells.end(), is_wanted);
    });
  };
  const auto legend_has = [this](const QByteArray& text) {
    PictureRequest how;
    how.format = PictureFormat::svg;
    return chart_file(chart(), {}, how).contains(text);
  };
  EXPECT_TRUE(legend_has("time with map / best time (log)"));
  EXPECT_TRUE(legend_has("strided layers: only t = 0 or t = max"));
  EXPECT_TRUE(legend_has("no mark: slower than best"));
  // The keys of marks are shown even if no cell has the mark.
  ASSERT_FALSE(any_cell([](const MatrixCell& one) {
    return one.verdict == SettingVerdict::tied || one.verdict == SettingVerdict::undecided ||
           one.state == CellState::modelled;
  }));
  for (const char* key : {"best for this layer alone", "tied with best", "undecided (&lt; 5 samples)",
                          "L1 &lt; t: output-stationary", "chosen (if tied: the simplest)", "in use",
                          "measured", "modelled", "2", "3", "total: a shared map counts once"})
    EXPECT_TRUE(legend_has(QString(">%1<").arg(key).toUtf8())) << key;
  EXPECT_FALSE(legend_has("same shape")) << "each layer of this network has another shape";
  SettingMatrix matrix = *chart().matrix();
  const int deep = row("deep");
  matrix.rows.at(static_cast<std::size_t>(deep)).layers_of_shape = 3;
  MatrixCell& noisy = matrix.rows.at(static_cast<std::size_t>(deep)).cells.at(1);
  noisy.verdict = SettingVerdict::tied;
  noisy.relative = 1.46;
  noisy.relative_low = 0.97;
  noisy.relative_high = 2.11;
  EXPECT_FALSE(legend_has("samples vary"));
  chart().setMatrix(std::make_shared<const SettingMatrix>(std::move(matrix)), {"made", "tuned"});
  EXPECT_TRUE(legend_has("layers of the same shape share their times"));
  EXPECT_TRUE(legend_has("undecided (noisy or n &lt; 5)"));
  EXPECT_THAT(
      chart().tipOf({deep, 1}).toStdString(),
      HasSubstr("Undecided: the median of this setting is larger, but the samples vary too much to show "
                "that the setting is slower (95 % interval: 0.97 to 2.11)."));
  for (const int column : {-1, 0})
    EXPECT_THAT(chart().tipOf({deep, column}).toStdString(),
                HasSubstr("3 layers have this shape. They share one measurement"));
}

TEST_F(TuneWindow, TheLegendExplainsWhyTheFrameIsNotAtTheStarAndWhatTheTotalContains) {
  window.resize(1440, 900);
  openRoom();
  openSettledProfile();
  QStringList tips;
  for (int y = 0; y < chart().height(); y += 4) {
    for (int x = 0; x < chart().width(); x += 16)
      tips += chart().tipAt(QPointF(x, y));
  }
  tips.removeDuplicates();
  const std::string all = tips.join('\n').toStdString();
  EXPECT_THAT(all, HasSubstr("Therefore the frame and the star can be in different cells."));
  EXPECT_THAT(all, HasSubstr("The total counts a shared map only once"));
  EXPECT_THAT(all, HasSubstr("A verdict needs at least 5 samples."));
  EXPECT_EQ(chart().tipAt(chart().cellCentre(cell("stem", 0))), chart().tipOf(cell("stem", 0)));
}

TEST_F(TuneWindow, ATotalOfOneSampleIsRounded) {
  openRoom();
  openSettledProfile([](TuningProfile& profile) {
    for (FeatureRecord& record : profile.features)
      record.ms.assign(1, 12.345);
  });
  EXPECT_EQ(tune().matrix()->totals()->than_used.n, 1);
  EXPECT_THAT(tune().matrix()->totalText().toStdString(),
              testing::ContainsRegex("In use \\(t = max\\): [0-9][0-9] ms \\(n\u00a0=\u00a01\\)"));
}

TEST_F(TuneWindow, ShiftClickComparesTwoSettingsWithInterleavedSamples) {
  openRoom();
  openSettledProfile();
  const int steps = app.history().stack()->count();
  QSignalSpy compared(&app.jobs().sweeps(), &SweepJobs::settingsCompared);
  clickCell("deep", 4, Qt::ShiftModifier);
  ASSERT_TRUE(waitFor([&] { return compared.count() > 0 && idle(); }));
  EXPECT_EQ(picked("deep"), 0) << "a comparison must not change the pick";
  EXPECT_EQ(app.history().stack()->count(), steps);
  const std::string text = tune().matrix()->cellText().toStdString();
  EXPECT_THAT(text, HasSubstr("Map and features of deep, from interleaved samples: t = 0: "));
  EXPECT_THAT(text, HasSubstr("; t = 4: "));
  EXPECT_THAT(text, HasSubstr("IQR"));
  EXPECT_THAT(text, HasSubstr("n = "));
  EXPECT_THAT(text, HasSubstr("95 %"));
}

TEST_F(TuneWindow, ApplyUsesThePicksAndNamesThoseWithTooFewSamples) {
  openRoom();
  TuningProfile profile = profileOfHere();
  for (TunedShape& tuned : profile.choices) {
    for (MeasuredCost& cost : tuned.choice.costs)
      cost.n = 1;
  }
  showMatrixOf(std::move(profile));
  clickCell("stem", 3);
  EXPECT_TRUE(waitFor([&] {
    return tune().banner().contains("chosen settings with too few samples for a verdict: stem");
  })) << tune().banner().toStdString();
  EXPECT_NE(app.workspace().requested().plan().layers[0].threshold, 3);
  applyButton().click();
  EXPECT_EQ(app.workspace().requested().plan().layers[0].threshold, 3);
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("chosen settings with too few samples for a verdict: stem"));
  EXPECT_TRUE(tuning().inUse());
  EXPECT_TRUE(settled());
  EXPECT_FALSE(applyButton().isEnabled());
  const auto saved = tuning().toSave();
  EXPECT_EQ(choice_for(*saved, "stem", saved->choices.front().shape, {})->choice.setting, 3)
      << "the pick must be saved";
}

TEST_F(TuneWindow, TheMatrixFillsWhileTheTuningRunsAndStopKeepsIt) {
  openRoom();
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  tune().setup()->budget()->setValue(600);
  int steps = 0;
  QObject::connect(&app.jobs().tuning(), &TuneJobs::stepDone, &window, [&] { ++steps; });
  tune().startButton()->click();
  ASSERT_TRUE(waitFor([&] { return steps > 0 && chart().hasContent(); }));
  ASSERT_TRUE(app.jobs().tuning().tuning());
  EXPECT_THAT(tune().startText().toStdString(), HasSubstr("7 layers"));
  EXPECT_FALSE(applyButton().isEnabled()) << "the results are not complete yet";
  const auto measured = [&] {
    return std::count_if(chart().matrix()->rows.begin(), chart().matrix()->rows.end(),
                         [](const MatrixRow& one) { return one.measured; });
  };
  const auto before = measured();
  EXPECT_GT(before, 0);
  tune().findChild<QPushButton*>("stopTuning")->click();
  ASSERT_TRUE(waitFor([&] { return !app.jobs().tuning().tuning(); }));
  ASSERT_NE(tuning().profile(), nullptr);
  ASSERT_TRUE(settled());
  ASSERT_TRUE(chart().hasContent());
  EXPECT_GE(measured(), before) << "stopping must keep all results";
}

TEST_F(TuneWindow, ThePanelEstimatesWhatTheTimeLimitCovers) {
  openRoom();
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  ASSERT_TRUE(settled());
  EXPECT_THAT(tune().startText().toStdString(), HasSubstr("Run the network once"));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  tune().setup()->budget()->setValue(3600);
  EXPECT_THAT(tune().startText().toStdString(), HasSubstr("Enough time for all 7 layers"));
}

/// Returns the seconds at the end of "Enough time for all 7 layers, which need about 1.5 s".
double seconds_in(const QString& text) {
  const QRegularExpressionMatch found = QRegularExpression("about ([0-9.]+) s").match(text);
  return found.hasMatch() ? found.captured(1).toDouble() : -1;
}

TEST_F(TuneWindow, ASecondTuningIsEstimatedToBeShorter) {
  openRoom();
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  ASSERT_TRUE(settled());
  auto* go_on = tune().findChild<QCheckBox*>("continueProfile");
  EXPECT_TRUE(go_on->isHidden()) << "there is no profile to continue";
  const auto all_ms = [&] { return estimate_of(tune().wish(), app.workspace(), tuning().profile())->all_ms; };
  const double first_ms = all_ms();
  openSettledProfile();
  EXPECT_NE(tune().wish().known, nullptr) << "an earlier tuning must be continued by default";
  const double second_ms = all_ms();
  EXPECT_LT(second_ms, first_ms) << "all settings have enough samples";
  EXPECT_THAT(tune().startText().toStdString(),
              AllOf(HasSubstr("Enough time for all 7 layers"), HasSubstr("The samples of the open profile")));
  const double shown_s = seconds_in(tune().startText());
  EXPECT_GE(shown_s, 0);
  EXPECT_FALSE(go_on->isHidden());
  go_on->setChecked(false);
  EXPECT_GT(all_ms(), second_ms) << "all settings will be measured again";
  EXPECT_GT(seconds_in(tune().startText()), shown_s);
  EXPECT_THAT(tune().startText().toStdString(), Not(HasSubstr("because")));
}

TEST_F(TuneWindow, AnOpenProfileIsEnoughForAnEstimate) {
  openRoom();
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  ASSERT_TRUE(settled());
  EXPECT_THAT(tune().startText().toStdString(), HasSubstr("Run the network once"));
  openSettledProfile();
  EXPECT_THAT(tune().startText().toStdString(), HasSubstr("Enough time for all 7 layers"));
  TuningProfile slower = *tuning().profile();
  for (FeatureRecord& record : slower.features)
    record.ms.assign(5, 1000);
  tune().findChild<QCheckBox*>("continueProfile")->setChecked(false);
  const double before_s = seconds_in(tune().startText());
  showMatrixOf(std::move(slower));
  EXPECT_GT(seconds_in(tune().startText()), before_s + 10) << "the known times must count";
}

/// Opens a report with a sweep of the whole network. Each layer has five samples: the features take 1 ms with
/// t = 0 and 4 ms with other t. Each map takes 1 ms.
class RecordedMatrix : public TuneWindow {
 protected:
  static Report report() {
    Report report = test::recorded_report();
    Sweep sweep = *report.threshold_sweep;
    for (SweepRow& row : sweep.rows) {
      for (StageNode& node : row.stages.nodes) {
        if (node.parent >= 0) continue;
        const bool fast = node.name.starts_with("map") || row.threshold == 0;
        node.samples_ms.assign(5, fast ? 1.0 : 4.0);
      }
    }
    report.threshold_sweep = std::make_shared<const Sweep>(std::move(sweep));
    return report;
  }
  void openReport(const Report& report) {
    const QString file = folder.filePath("far.spira.json");
    write_report(file.toStdString(), report);
    app.opening().open(file);
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
    app.docks().show("tune");
    ASSERT_TRUE(settled());
  }
};

TEST_F(RecordedMatrix, TheSweepOfAReportIsShownWithItsDeviceAndDate) {
  openReport(report());
  ASSERT_TRUE(chart().hasContent());
  EXPECT_TRUE(chart().isVisible());
  EXPECT_EQ(chart().matrix()->rows.size(), 7U);
  EXPECT_EQ(chart().cellAt(cell("stem", 0)).verdict, SettingVerdict::best);
  EXPECT_EQ(chart().cellAt(cell("stem", 4)).verdict, SettingVerdict::worse);
  EXPECT_EQ(chart().cellAt(cell("stem", 4)).n, 5);
  EXPECT_EQ(picked("stem"), 4) << "the run of the report had t = max";
  EXPECT_EQ(tune().banner().toStdString(),
            "Recorded sweep of t: little, whole network; A far GPU, 21 Nov 2026, 20:01 UTC");
  EXPECT_THAT(chart().text().title.toStdString(),
              AllOf(HasSubstr("A far GPU"), HasSubstr("recorded 21 Nov 2026")));
  EXPECT_FALSE(applyButton().isEnabled());
}

/// The list and Density show times of the recorded run, and the matrix shows times of the sweep of t. Each of
/// them must name its measurement, because the times differ.
TEST_F(RecordedMatrix, EachTimeOfALayerNamesItsMeasurement) {
  openReport(report());
  const Report& recorded = *app.workspace().results().report();
  app.selection().setLayer(row("stem"));
  QApplication::processEvents();
  const auto run_ms = features_at(app.workspace(), row("stem"), 4)->features_ms;
  const MatrixRow& stem = chart().matrix()->rows.at(static_cast<std::size_t>(row("stem")));
  ASSERT_NE(stem.cells.at(static_cast<std::size_t>(stem.current)).features_ms, run_ms);
  const auto legend_has = [this](const char* text) {
    PictureRequest how;
    how.format = PictureFormat::svg;
    return chart_file(chart(), {}, how).contains(QString(">%1<").arg(text).toUtf8());
  };
  EXPECT_TRUE(legend_has("ms: best setting, without map"));
  EXPECT_TRUE(legend_has("sweep, n = 5"));
  EXPECT_THAT(tune().matrix()->totalText().toStdString(),
              HasSubstr("Maps and features, layer by layer (sweep, without indexing). "));
  EXPECT_THAT(chart().tipOf(cell("stem", 4)).toStdString(),
              HasSubstr("time of the features of one layer (sweep): median 4.000 ms, IQR 0.000 ms, n = 5"));
  const auto runs = QString("median of\u00a0%1 isolated runs").arg(recorded.measurement.repetitions());
  EXPECT_TRUE(std::ranges::any_of(child<NetworkPanel>(window).findChildren<QLabel*>(),
                                  [&](const QLabel* label) { return label->text().contains(runs); }));
  const auto& bars = child<ThresholdBars>(child<DensityPanel>(window));
  EXPECT_EQ(bars.shownCaption(), "Features without map, isolated runs");
  // The profile has other samples than the sweep.
  showMatrixOf(test::settled_profile(test::small_tune_request()));
  EXPECT_TRUE(legend_has("tuned, n = 5"));
  EXPECT_THAT(chart().tipOf(cell("stem", 4)).toStdString(),
              HasSubstr("time of the features of one layer (tuned): "));
  EXPECT_THAT(tune().matrix()->totalText().toStdString(),
              HasSubstr("Maps and features (tuned, without indexing). "));
}

TEST_F(RecordedMatrix, TheRowOrderIsNoPartOfTheFeaturesInASweepOfTheNetwork) {
  Report with_order = report();
  Sweep sweep = *with_order.threshold_sweep;
  for (SweepRow& row : sweep.rows) {
    const int features = row.stages.find({"features", "stem"});
    ASSERT_GE(features, 0);
    row.stages.nodes.push_back({"order", features, {0.1, 0.1, 0.1, 0.1, 0.1}});
  }
  with_order.threshold_sweep = std::make_shared<const Sweep>(std::move(sweep));
  openReport(with_order);
  PictureRequest how;
  how.format = PictureFormat::svg;
  EXPECT_TRUE(chart_file(chart(), {}, how).contains(">ms: best setting, without map<"));
  EXPECT_THAT(chart().tipOf(cell("stem", 4)).toStdString(),
              HasSubstr("time of the features of one layer (sweep): "));
}

TEST_F(RecordedMatrix, PicksChangeTheExpectedTimeAndCanBeUndone) {
  openReport(report());
  const double before_ms = tune().matrix()->totals()->than_max.ms;
  clickCell("stem", 0);
  ASSERT_TRUE(settled());
  EXPECT_EQ(picked("stem"), 0);
  EXPECT_NE(tune().matrix()->totals()->than_max.ms, before_ms);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  ASSERT_TRUE(settled());
  EXPECT_EQ(picked("stem"), 4);
  EXPECT_EQ(tune().matrix()->totals()->than_max.ms, before_ms);
  clickCell("stem", 0, Qt::ShiftModifier);
  EXPECT_THAT(tune().matrix()->cellText().toStdString(), HasSubstr("Open a scene to compare"));
  selectCell("stem", 2);
  tune().matrix()->samplesSwitch()->setChecked(true);
  EXPECT_EQ(tune().matrix()->samples()->stages()->itemText(0).toStdString().substr(0, 6), "t = 2,");
  EXPECT_TRUE(app.commands().action("tune.export_matrix")->isEnabled());
  EXPECT_THAT(tune().matrix()->csv(), HasSubstr("\nstem,3,1,1,4,8,3x3x3 1>1,t = 0,0,zdelta,measured,best,"));
}

TEST_F(RecordedMatrix, TheCommandThatMeasuresThePicksIsCopied) {
  EXPECT_FALSE(app.commands().action("tune.copy_command")->isEnabled());
  openReport(report());
  auto* button = tune().findChild<QPushButton*>("copyPicks");
  EXPECT_TRUE(button->isVisible());
  clickCell("stem", 0);
  ASSERT_TRUE(settled());
  button->click();
  EXPECT_THAT(QApplication::clipboard()->text().toStdString(),
              AllOf(HasSubstr("--layer-threshold stem=0"), Not(HasSubstr("--layer-threshold deep"))));
  EXPECT_EQ(tune().matrix()->cellText(), "Copied: " + QApplication::clipboard()->text());
  showMatrixOf(test::settled_profile(test::small_tune_request()));
  EXPECT_FALSE(button->isVisible()) << "Apply and Save are shown for a profile";
}

TEST_F(RecordedMatrix, AReportWithoutASweepSaysSo) {
  Report plain = report();
  plain.threshold_sweep = nullptr;
  openReport(plain);
  EXPECT_FALSE(chart().hasContent());
  EXPECT_THAT(tune().matrix()->whyNone().toStdString(), HasSubstr("This report contains no sweep of t"));
}

/// The profile belongs to the report, because it was opened after the report.
TEST_F(RecordedMatrix, AProfileThatIsOpenedLaterReplacesTheSweep) {
  openReport(report());
  showMatrixOf(test::settled_profile(test::small_tune_request()));
  EXPECT_EQ(tune().matrix()->recorded(), nullptr);
  EXPECT_EQ(picked("stem"), 0) << "the choice of the profile";
  openReport(report());
  EXPECT_NE(tune().matrix()->recorded(), nullptr);
  EXPECT_EQ(picked("stem"), 4);
}

/// In the run, all layers used t = 2, and 1 ms of their feature time does not depend on t. In the sweep of
/// the layer "stem", the features took 1 ms or `swept_ms`.
TEST_F(RecordedMatrix, CellsWithoutSamplesAreModelledIfTheModelIsRight) {
  const auto with_model = [](double swept_ms) {
    Report report = RecordedMatrix::report();
    set_threshold(report.measurement.plan, report.network, 2);
    for (LayerMeasurement& layer : report.measurement.layers) {
      layer.stages.nodes = {{"features[" + layer.name + "]", -1, {1, 1, 1}},
                            {"os", 0, {1e-6, 1e-6, 1e-6}},
                            {"ws", 0, {1e-6, 1e-6, 1e-6}}};
      if (!layer.map_shared) layer.stages.nodes.push_back({"map[" + layer.name + "]", -1, {1, 1, 1}});
    }
    Sweep sweep = *report.threshold_sweep;
    sweep.layer = 0;
    for (SweepRow& row : sweep.rows) {
      row.wall.ms.assign(5, 2);
      const int features = row.stages.find(StageKey("features", "stem"));
      row.stages.nodes[static_cast<std::size_t>(features)].samples_ms.assign(3, swept_ms);
    }
    report.threshold_sweep = std::make_shared<const Sweep>(std::move(sweep));
    return report;
  };
  openReport(with_model(1));
  const MatrixCell& modelled = chart().cellAt(cell("deep", 0));
  EXPECT_EQ(modelled.state, CellState::modelled);
  EXPECT_NEAR(modelled.modelled_relative, 1, 0.01);
  EXPECT_EQ(modelled.verdict, SettingVerdict::none);
  const std::string tip = chart().tipOf(cell("deep", 0)).toStdString();
  EXPECT_THAT(tip, AllOf(HasSubstr("Modelled, not measured"), HasSubstr("median error 0.0 %"),
                         HasSubstr("4 measured cells")));
  PictureRequest how;
  how.format = PictureFormat::svg;
  EXPECT_TRUE(chart_file(chart(), {}, how).contains("modelled (error: 0.0 %)"))
      << "the legend must name them";
  for (const char* theme : {"dark", "light"}) {
    app.theme().choose(theme_choice(theme));
    save_grab(window, QString("matrix-modelled-%1").arg(theme));
  }
  const QImage before = chart().grab().toImage();
  clickCell("deep", 0);
  ASSERT_TRUE(settled());
  EXPECT_THAT(tune().matrix()->totalText().toStdString(), testing::ContainsRegex("; not included: .*de"))
      << "the total must not contain a modelled time";
  openReport(with_model(4));
  EXPECT_EQ(chart().cellAt(cell("deep", 0)).state, CellState::not_measured);
  EXPECT_THAT(chart().tipOf(cell("deep", 0)).toStdString(),
              AllOf(HasSubstr("Not measured."), HasSubstr("No modelled time"), HasSubstr("75.0 %")));
  EXPECT_TRUE(chart_file(chart(), {}, how).contains("not measured (model error: 75.0 %)"));
  EXPECT_NE(chart().grab().toImage(), before) << "measured and modelled cells must look different";
}

/// The profile has no samples for t = 1 to 3. The measurement predicts their times.
TEST_F(TuneWindow, AMeasurementOfTheOpenScenePredictsCellsOfItsProfile) {
  openRoom();
  openSettledProfile();
  TuningProfile partial = *tuning().profile();
  std::erase_if(partial.features, [](const FeatureRecord& record) {
    return record.setting.threshold > 0 && record.setting.threshold < 4 && record.shape.kernel.size[0] == 3;
  });
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  showMatrixOf(partial);
  ASSERT_FALSE(chart().matrix()->models.empty());
  EXPECT_GE(chart().cellAt(cell("stem", 2)).model, 0);
  EXPECT_GT(chart().matrix()->models.front().cells, 0) << "the measured cells must check the model";
  partial.scenes.front().points += 1;
  showMatrixOf(partial);
  EXPECT_TRUE(chart().matrix()->models.empty()) << "the measurement belongs to another scene";
}

TEST_F(TuneWindow, TheMatrixIsExportedAsCsvAndPicture) {
  openRoom();
  EXPECT_FALSE(app.commands().trigger("tune.export_matrix")) << "there is no matrix yet";
  openSettledProfile();
  clickCell("stem", 4);
  const QStringList lines = QString::fromStdString(tune().matrix()->csv()).split("\r\n");
  const auto of_stem = [&](const char* setting) {
    return *std::find_if(lines.begin(), lines.end(), [&](const QString& line) {
      return line.startsWith("stem,") && line.contains(setting);
    });
  };
  EXPECT_TRUE(of_stem("t = max,4,").contains(",yes,"));
  EXPECT_FALSE(of_stem("t = 0,0,").contains(",yes,"));
  PictureRequest how;
  how.format = PictureFormat::svg;
  const QByteArray svg = chart_file(chart(), {}, how);
  for (const char* text : {"join.shortcut", "t = max", "1.00", "tied"})
    EXPECT_TRUE(svg.contains(text)) << text;
}

TEST_F(TuneWindow, AProfileThatIsOpenedTogetherWithASceneIsApplied) {
  const QString scene = folder.filePath("room.ply"), file = folder.filePath("room.tune.json");
  openRoom();
  write_profile(file.toStdString(), profileOfHere());
  open("street");
  app.opening().openAll({file, scene});
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().inUse(); }));
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 2000) << "the scene must be open, not the former scene";
  EXPECT_EQ(tuning().name(), "room.tune.json");
  EXPECT_THAT(banner_of(window).text().toStdString(),
              AllOf(HasSubstr("Profile room.tune.json matches 7 of 7 layers"), Not(HasSubstr("not opened"))));
}

TEST_F(TuneWindow, TheListOfLayersShowsTheTimesOfTheProfileUntilARun) {
  openRoom();
  const auto& table = *window.findChild<QTableView*>("layers");
  for (const int column : {LayerTableModel::pairs, LayerTableModel::voxels, LayerTableModel::time})
    EXPECT_TRUE(table.isColumnHidden(column)) << "a column without values: " << column;
  openSettledProfile();
  const auto times = tuned_times(tuning(), app.workspace());
  ASSERT_TRUE(times && times->layers.front());
  const std::string source = "from " + times->profile.toStdString();
  const auto title = [&] {
    QStringList texts;
    for (const QLabel* label : window.findChild<NetworkPanel*>()->findChildren<QLabel*>())
      texts += label->text();
    return texts.join('\n').toStdString();
  };
  ASSERT_TRUE(waitFor([&] { return !table.isColumnHidden(LayerTableModel::time); }));
  EXPECT_THAT(title(), HasSubstr("not run yet<br>ms: features with the current t, without map; " + source));
  EXPECT_TRUE(table.isColumnHidden(LayerTableModel::pairs)) << "a profile contains no pairs";
  const auto cell = [&](int column) { return table.model()->index(0, column); };
  EXPECT_EQ(cell(LayerTableModel::time).data(LayerTableModel::sort_role).toDouble(),
            times->layers.front()->features_ms);
  EXPECT_EQ(cell(LayerTableModel::voxels).data(LayerTableModel::sort_role).toLongLong(),
            size_of(app.workspace().scene().voxels()->level(1)));
  EXPECT_THAT(cell(LayerTableModel::time).data(Qt::ToolTipRole).toString().toStdString(),
              HasSubstr("Not run yet. Time of the features without the kernel map, " + source));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  ASSERT_TRUE(waitFor([&] { return !table.isColumnHidden(LayerTableModel::pairs); }));
  EXPECT_THAT(title(),
              AllOf(HasSubstr("7 of 7 layers run"), HasSubstr("<br>ms: map and features, last run")));
}

TEST_F(TuneWindow, OneClickChoosesTheNetworkOfAProfileThatIsOpenedWithAScene) {
  openRoom();
  const QString file = folder.filePath("room.tune.json");
  write_profile(file.toStdString(), settledProfileOf("resn21"));
  app.jobs().runs().chooseNetwork("minkunet42");
  app.opening().openAll({folder.filePath("room.ply"), file});
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().profile(); }));
  ASSERT_THAT(banner_of(window).text().toStdString(), HasSubstr("measured with this network"));
  const auto buttons = banner_of(window).findChildren<QPushButton*>();
  const auto use =
      std::find_if(buttons.begin(), buttons.end(), [](auto* one) { return one->text() == "Use network"; });
  ASSERT_NE(use, buttons.end());
  (*use)->click();
  EXPECT_EQ(app.workspace().network()->name, "resn21");
  EXPECT_TRUE(tuning().inUse());
}

TEST_F(TuneWindow, AProfileOfAnotherNetworkHasNoMatrix) {
  openRoom();
  openSettledProfile();
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(settled());
  EXPECT_FALSE(chart().hasContent());
  EXPECT_THAT(tune().matrix()->whyNone().toStdString(), HasSubstr("a different network (little)"));
}

constexpr int layout_ms = 5000;

/// Returns the horizontal scroll bars that are visible in the window.
QStringList horizontal_bars(const QWidget& window) {
  QStringList names;
  for (const QScrollBar* bar : window.findChildren<QScrollBar*>()) {
    if (bar->orientation() == Qt::Horizontal && bar->isVisible() && bar->maximum() > bar->minimum())
      names += bar->parentWidget()->parentWidget()->accessibleName();
  }
  return names;
}

TEST_F(TuneWindow, TenRowsOfTheMatrixAreVisibleInTheSmallestWindow) {
  window.resize(1024, 640);
  openRoom();
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  const int before = app.docks().dock(DockLayout::Side::bottom).height();
  showMatrixOf(settledProfileOf("resn21"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return chart().visibleRows() >= 10; }, layout_ms))
      << chart().visibleRows();
  EXPECT_EQ(horizontal_bars(window), QStringList());
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  EXPECT_FALSE(tune().setup()->isVisible()) << "the settings must not take the width of the matrix";
  for (const QPushButton* button : tune().result()->cornerWidget()->findChildren<QPushButton*>())
    EXPECT_GE(button->height(), button->sizeHint().height()) << button->text().toStdString() << " is cut";
  const auto height = [&] { return app.docks().dock(DockLayout::Side::bottom).height(); };
  EXPECT_GT(height(), before);
  app.docks().show("log");
  EXPECT_TRUE(QTest::qWaitFor([&] { return height() == before; }, layout_ms))
      << "the 3D view must get its height back; " << height() << " instead of " << before;
  app.docks().show("tune");
  EXPECT_TRUE(QTest::qWaitFor([&] { return chart().visibleRows() >= 10; }, layout_ms));
}

TEST_F(TuneWindow, AHigherWindowShowsMoreRowsOfTheMatrixUnlessTheUserChoseTheHeight) {
  struct Shown {
    QSize size;
    int rows;
  };
  openRoom();
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  for (const Shown& one : {Shown{{1366, 768}, 12}, Shown{{1440, 900}, 16}}) {
    window.resize(one.size);
    ASSERT_TRUE(app.commands().trigger("layout.profile"));
    showMatrixOf(settledProfileOf("resn21"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return chart().visibleRows() >= one.rows; }, layout_ms))
        << chart().visibleRows() << " rows at " << one.size.width();
    EXPECT_GE(app.sceneView().height(), window.height() / 4) << "the 3D view must stay useful";
    app.docks().show("log");
  }
  QDockWidget& bottom = app.docks().dock(DockLayout::Side::bottom);
  const QPoint edge = bottom.mapTo(&window, QPoint(bottom.width() / 2, -2));
  ASSERT_TRUE(window.isSeparator(edge));
  const int before = bottom.height();
  QTest::mousePress(&window, Qt::LeftButton, {}, edge);
  move_mouse(window, edge - QPoint(0, 40), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return bottom.height() > before; }, layout_ms));
  QTest::mouseRelease(&window, Qt::LeftButton, {}, edge - QPoint(0, 40));
  ASSERT_TRUE(QTest::qWaitFor([&] { return app.docks().state().own_height; }, layout_ms));
  const int chosen = bottom.height();
  app.docks().show("tune");
  QTest::qWait(100);
  EXPECT_EQ(bottom.height(), chosen) << "the height of the user must stay";
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return chart().visibleRows() >= 16; }, layout_ms))
      << "a layout resets it";
}

TEST_F(TuneWindow, TenRowsOfARecordedMatrixAreVisibleInTheSmallestWindow) {
  window.resize(1024, 640);
  app.opening().open(SPIRA_SOURCE_DIR "/samples/reports/h100-minkunet42-street.spira.json");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  ASSERT_TRUE(waitFor([&] { return idle() && !tune().matrix()->busy() && chart().hasContent(); }));
  EXPECT_TRUE(QTest::qWaitFor([&] { return chart().visibleRows() >= 10; }, layout_ms))
      << chart().visibleRows();
  EXPECT_EQ(horizontal_bars(window), QStringList());
}

TEST_F(TuneWindow, TheHeaderComparesTheSettingsInUseThePicksAndTheBestSettings) {
  openRoom();
  openSettledProfile();
  const auto total = [&] { return tune().matrix()->totalText().toStdString(); };
  EXPECT_THAT(total(),
              testing::ContainsRegex(
                  "^Maps and features \\(tuned, without indexing\\). In use \\(t = max\\): [0-9.]+ ms; "
                  "chosen \\(best\\): [0-9.]+ ms \\(-[0-9.]+ %\\)"));
  EXPECT_THAT(total(), Not(HasSubstr("; best: "))) << "the picked settings are the best settings";
  applyButton().click();
  ASSERT_TRUE(settled());
  EXPECT_THAT(total(), AllOf(testing::ContainsRegex("In use: [0-9.]+ ms; no setting is significantly faster"),
                             HasSubstr("; t = max: ")));
  clickCell("stem", 4);
  ASSERT_TRUE(settled());
  EXPECT_THAT(total(),
              testing::ContainsRegex("chosen: [0-9.]+ ms \\(\\+[0-9.]+ %\\); best: [0-9.]+ ms \\(0 %\\)"));
  // 1 ms with t = 0, and 2 ms with t = 4, which also needs a separate map of 1 ms.
  EXPECT_THAT(chart().tipOf({row("stem"), -1}).toStdString(),
              HasSubstr("in use t = 0: 1.000 ms; chosen t = 4: 3.000 ms (+200.0 %); best t = 0: 1.000 ms"));
}

TEST_F(TuneWindow, PickBestPicksTheDecidedSettingsInOneUndoStepAndNamesTheOthers) {
  openRoom();
  const Network& network = *app.workspace().network();
  const LayerShape undecided = shape_of(network.layers.at(static_cast<std::size_t>(row("last"))),
                                        levels_of(network).layers.at(static_cast<std::size_t>(row("last"))));
  openSettledProfile([&](TuningProfile& profile) {
    for (FeatureRecord& record : profile.features)
      if (record.shape == undecided) record.ms.resize(3);
  });
  clickCell("stem", 4);
  clickCell("deep", 4);
  clickCell("last", 4);
  ASSERT_TRUE(settled());
  app.selection().setLayer(row("stem"));
  EXPECT_TRUE(tune().matrix()->totalText().endsWith("; 1 undecided layer"))
      << tune().matrix()->totalText().toStdString();
  for (QLabel* label : tune().matrix()->findChildren<QLabel*>()) {
    if (label->text().contains("1 undecided layer: show")) emit label->linkActivated("undecided");
  }
  EXPECT_EQ(chart().current().row, row("last")) << "the link must show the undecided layer";
  EXPECT_EQ(app.selection().layer(), row("last"));
  QPushButton& best = *tune().matrix()->pickBestButton();
  ASSERT_TRUE(best.isEnabled()) << best.toolTip().toStdString();
  EXPECT_THAT(best.toolTip().toStdString(), HasSubstr("unchanged, because of too few samples: l"));
  QUndoStack& undo = *app.history().stack();
  const int steps = undo.count();
  best.click();
  EXPECT_EQ(picked("stem"), 0);
  EXPECT_EQ(picked("deep"), 0);
  EXPECT_EQ(picked("last"), 4) << "three samples decide nothing";
  EXPECT_EQ(undo.count(), steps + 1);
  ASSERT_TRUE(settled());
  EXPECT_THAT(tune().matrix()->cellText().toStdString(),
              AllOf(HasSubstr("Best setting chosen for 2 layers"),
                    HasSubstr("unchanged, because of too few samples: l")));
  EXPECT_FALSE(best.isEnabled()) << "all decided layers have their best t";
  EXPECT_THAT(best.toolTip().toStdString(), HasSubstr("no other measured setting is significantly faster"));
  undo.undo();
  EXPECT_EQ(picked("stem"), 4);
  EXPECT_EQ(picked("deep"), 4);
}

TEST_F(TuneWindow, TheColumnsAreExplainedInWords) {
  openRoom();
  openSettledProfile();
  const Layer& layer = app.workspace().network()->layers.front();
  ASSERT_EQ(dataflowText(layer, LayerPlan{0}), "WS") << "the left end must be t = 0";
  ASSERT_EQ(dataflowText(layer, LayerPlan{4}), "OS") << "the right end must be t = max";
  PictureRequest how;
  how.format = PictureFormat::svg;
  const QByteArray svg = chart_file(chart(), {}, how);
  EXPECT_TRUE(svg.contains("all weight-stationary"));
  EXPECT_TRUE(svg.contains("all output-stationary"));
  const auto tip_of = [&](int t) {
    return chart().tipAt(QPointF(chart().cellCentre(cell("stem", t)).x(), 1)).toStdString();
  };
  EXPECT_THAT(tip_of(0), HasSubstr("At t = 0, all offsets run weight-stationary"));
  EXPECT_THAT(tip_of(4), HasSubstr("At t = max, all offsets run output-stationary"));
  EXPECT_THAT(tip_of(2), HasSubstr("At t = 2, offsets with an L1 norm below 2 run output-stationary"));
  EXPECT_THAT(chart().tipAt({1, 1}).toStdString(), HasSubstr("distance from the centre"));
}

TEST_F(TuneWindow, TheMatrixUsesTheLayerNamesOfTheList) {
  openRoom();
  openSettledProfile();
  const auto& list = *child<NetworkPanel>(window).layers();
  const int deep = row("deep");
  const QString short_name =
      list.index(deep, LayerTableModel::name).data(LayerTableModel::short_name_role).toString();
  EXPECT_EQ(chart().names().at(deep), short_name);
  EXPECT_THAT(chart().tipOf({deep, 0}).toStdString(), HasSubstr("de (deep), 3x3x3, stride 2, "))
      << "a submanifold layer has one stride";
  EXPECT_THAT(chart().tipOf({row("down"), 0}).toStdString(), HasSubstr("stride 1 to 2, "));
  app.settings().set("layers.full_names", true);
  EXPECT_EQ(chart().names().at(deep), "deep");
}

/// With K = 5, there are more settings than fit in a low dock. They scroll, but the time limit stays visible.
TEST_F(TuneWindow, TimeLimitAndStartButtonAreVisibleInTheSmallestWindow) {
  window.resize(1024, 640);
  openRoom();
  app.jobs().runs().chooseNetwork("resnl20");
  ASSERT_TRUE(waitFor([&] { return idle() && tune().setup()->threshold(7) != nullptr; }));
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  ASSERT_TRUE(waitFor([&] { return tune().setup()->budget()->isVisible(); }));
  for (const QWidget* one :
       {static_cast<QWidget*>(tune().setup()->budget()), static_cast<QWidget*>(tune().startButton())})
    EXPECT_EQ(one->visibleRegion().boundingRect(), one->rect()) << one->accessibleName().toStdString();
}

TEST_F(TuneWindow, TunesSavesAndApplies) {
  openRoom();
  EXPECT_EQ(app.commands().action("tune.open")->shortcut(), QKeySequence("Ctrl+T"));
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  ASSERT_EQ(app.docks().tabs(DockLayout::Side::bottom).currentWidget(), &tune());
  ASSERT_EQ(window.focusWidget(), tune().startButton());
  tune().setup()->budget()->setValue(15);
  QTest::keyClick(tune().startButton(), Qt::Key_Return);
  ASSERT_TRUE(app.jobs().tuning().tuning());
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().profile(); }));
  EXPECT_EQ(tuning().profile()->network, "little");
  ASSERT_TRUE(waitFor([&] { return !tune().matrix()->busy() && chart().hasContent(); }));
  EXPECT_EQ(chart().matrix()->rows.size(), 7U);
  EXPECT_TRUE(tuning().unsaved());
  ASSERT_TRUE(tuning().applied().has_value());
  EXPECT_EQ(tuning().applied()->matched(), 7);
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("7 of 7 layers"));
  SamplesPane& samples = *tune().matrix()->samples();
  EXPECT_TRUE(samples.isHidden());
  tune().matrix()->samplesSwitch()->setChecked(true);
  selectCell("stem", 2);
  ASSERT_FALSE(samples.isHidden());
  EXPECT_TRUE(samples.stages()->itemText(0).startsWith("t = 2,"))
      << samples.stages()->itemText(0).toStdString();
  ASSERT_TRUE(applyButton().isEnabled());
  applyButton().click();
  EXPECT_TRUE(tuning().inUse());
  EXPECT_FALSE(applyButton().isEnabled());
  const QString file = folder.filePath("little.tune.json");
  tune().saveTo(file);
  EXPECT_FALSE(tuning().unsaved());
  EXPECT_TRUE(tuning().inUse()) << "the saved profile must stay in use under its new name";
  const auto before = tuning().profile();
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return tuning().profile() != before; }));
  EXPECT_EQ(tuning().name(), "little.tune.json");
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("from profile little.tune.json"));
  EXPECT_NE(app.workspace().scene().voxels(), nullptr) << "opening a profile must keep the scene open";
}

TEST_F(TuneWindow, ATSetByHandIsSavedWithThisReason) {
  openRoom();
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  tune().setup()->budget()->setValue(4);
  tune().startButton()->click();
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().profile(); }));
  tuning().apply();
  ASSERT_TRUE(tuning().applied() && tuning().applied()->density)
      << "the density must come from the map of the scene";
  EXPECT_LT(tuning().applied()->density->distance, 1e-9) << "the distance must be zero for the tuned scene";
  EXPECT_EQ(tuning().toSave(), tuning().profile());
  Plan plan = app.workspace().requested().plan();
  plan.layers[0].threshold = plan.layers[0].threshold == 3 ? 2 : 3;
  app.workspace().setPlan(plan);
  EXPECT_TRUE(tuning().setByHand());
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("in use, but t was changed by hand"));
  const QString file = folder.filePath("mine.tune.json");
  tune().saveTo(file);
  EXPECT_TRUE(tuning().inUse());
  EXPECT_EQ(app.workspace().requested().plan().layers, plan.layers);
  const TuningProfile saved = read_profile(file.toStdString());
  const TunedShape& mine = saved.choices.at(0);
  EXPECT_EQ(mine.choice.why, ChoiceReason::user);
  EXPECT_EQ(mine.choice.setting, plan.layers[0].threshold);
  ASSERT_TRUE(waitFor([&] { return !tune().matrix()->busy(); }));
  selectCell("stem", 0);
  EXPECT_THAT(tune().matrix()->cellText().toStdString(), HasSubstr("set by hand"));
  EXPECT_THAT(tune().matrix()->cellText().toStdString(), Not(HasSubstr("margin")))
      << "a t set by hand must have no margin";
}

TEST_F(TuneWindow, StopKeepsTheBestSettingSoFar) {
  openRoom();
  tune().setup()->budget()->setValue(600);
  tune().startButton()->click();
  ASSERT_TRUE(app.jobs().tuning().tuning());
  const QSignalSpy progress(&app.jobs().lane().task(), &TaskSlot::progress);
  ASSERT_TRUE(
      waitFor([&] { return !progress.isEmpty() && progress.last()[0].toString().contains("of 7 layers"); }));
  ASSERT_TRUE(app.commands().trigger("run.stop"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  ASSERT_NE(tuning().profile(), nullptr);
  EXPECT_EQ(tuning().profile()->stopped, "interrupted");
}

TEST_F(TuneWindow, TuningNeedsAScene) {
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  EXPECT_FALSE(tune().startButton()->isEnabled());
  EXPECT_EQ(tune().startButton()->toolTip(), "open a scene first");
  open("room");
  EXPECT_TRUE(tune().startButton()->isEnabled());
  QTableWidget& scenes = *tune().setup()->scenes();
  ASSERT_EQ(scenes.rowCount(), 1);
  scenes.item(0, 0)->setCheckState(Qt::Unchecked);
  EXPECT_EQ(tune().startButton()->toolTip(), "tick a scene first");
  tune().addScenes({"other.ply"});
  ASSERT_EQ(tune().wish().scenes.size(), 1U);
  EXPECT_EQ(tune().wish().scenes[0].file, "other.ply");
  qobject_cast<QDoubleSpinBox*>(scenes.cellWidget(1, 1))->setValue(2.5);
  open("street");
  ASSERT_EQ(tune().wish().scenes.size(), 2U)
      << "the open scene must be added and the added scene must stay selected";
  EXPECT_EQ(tune().wish().scenes[0].file, "");
  EXPECT_EQ(tune().wish().scenes[0].weight, 1);
  EXPECT_EQ(tune().wish().scenes[1].weight, 2.5) << "the added scene must keep its weight";
}

TEST_F(TuneWindow, TuningUsesTheCheckedThresholdsAndPackings) {
  openRoom();
  TuneSetup& setup = *tune().setup();
  EXPECT_TRUE(tune().wish().thresholds.empty()) << "an empty list must select all thresholds";
  EXPECT_TRUE(tune().wish().packings.empty()) << "an empty list must select the packing of each scene";
  for (const int t : {1, 3})
    setup.threshold(t)->setChecked(false);
  EXPECT_EQ(tune().wish().thresholds, (std::vector<int>{0, 2, 4}));
  EXPECT_FALSE(setup.threshold(4)->isEnabled()) << "t = max must always be measured";
  EXPECT_EQ(setup.threshold(5), nullptr);
  setup.packing(PackSpec::bits64())->setChecked(true);
  EXPECT_EQ(tune().wish().packings, std::vector<PackSpec>{PackSpec::bits64()});
  setup.budget()->setValue(4);
  tune().startButton()->click();
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().profile(); }));
  for (const FeatureRecord& record : tuning().profile()->features) {
    // Layers with smaller K have a different t = max.
    const bool has_others = record.shape.kernel.size[0] == 3;
    EXPECT_TRUE(!has_others || record.setting.threshold % 2 == 0) << record.setting.threshold;
  }
  app.jobs().runs().chooseNetwork("resnl20");
  EXPECT_NE(setup.threshold(7), nullptr) << "K = 5 must offer t = 7";
}

TEST_F(TuneWindow, TrainingStepsAreTunedAndTheirMemoryIsForecast) {
  openRoom();
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  ASSERT_TRUE(app.commands().trigger("tune.open"));
  ASSERT_TRUE(settled());
  TuneSetup& setup = *tune().setup();
  ASSERT_TRUE(setup.training()->isEnabled());
  EXPECT_THAT(tune().startText().toStdString(), Not(HasSubstr("training step")));
  const auto forward = estimate_of(tune().wish(), app.workspace(), nullptr);
  setup.training()->setChecked(true);
  EXPECT_GT(estimate_of(tune().wish(), app.workspace(), nullptr)->all_ms, forward->all_ms);
  EXPECT_THAT(tune().startText().toStdString(), HasSubstr("; a training step needs about "));
  setup.budget()->setValue(6);
  for (const int t : {1, 2, 3})
    setup.threshold(t)->setChecked(false);
  std::optional<TuneEstimate> estimate;
  QObject::connect(&app.jobs().tuning(), &TuneJobs::estimated, &window,
                   [&](const TuneEstimate& one) { estimate = one; });
  tune().startButton()->click();
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().profile(); }));
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->step_bytes, app.jobs().runs().stepBytes().value_or(0));
  EXPECT_TRUE(tuning().profile()->training);
  const auto& choices = tuning().profile()->choices;
  EXPECT_TRUE(std::any_of(choices.begin(), choices.end(),
                          [](const TunedShape& one) { return one.wgrad.has_value(); }));
  tune().showGroups();
  ASSERT_TRUE(waitFor([&] { return tune().groups()->chart()->hasContent(); }));
  EXPECT_TRUE(tune().groups()->chart()->table().header.join("|").contains("dgrad = wgrad"));
  auto* go_on = tune().findChild<QCheckBox*>("continueProfile");
  EXPECT_TRUE(go_on->isEnabled());
  setup.training()->setChecked(false);
  EXPECT_FALSE(go_on->isEnabled()) << "a profile for training must not be extended without its passes";
  app.jobs().runs().chooseNetwork(SPIRA_SOURCE_DIR "/tests/fixtures/oracle/gates/gates.json");
  EXPECT_FALSE(setup.training()->isEnabled());
  EXPECT_THAT(setup.training()->toolTip().toStdString(), HasSubstr("has no gradient yet"));
}

TEST_F(TuneWindow, OtherScenesAreReadLikeTheOpenOne) {
  app.jobs().scenes().options().every = 2;
  openRoom();
  const QString other = folder.filePath("other.ply");
  write_scene(*test::small_room(3000), other.toStdString());
  tune().addScenes({other});
  tune().setup()->budget()->setValue(4);
  tune().startButton()->click();
  ASSERT_TRUE(waitFor([&] { return idle() && tuning().profile(); }));
  ASSERT_EQ(tuning().profile()->scenes.size(), 2U);
  EXPECT_EQ(tuning().profile()->scenes[0].points, 1000);
  EXPECT_EQ(tuning().profile()->scenes[1].points, 1500);
}

TEST_F(TuneWindow, PackingsThatDoNotFitAreDisabledWithAReason) {
  app.workspace().requested().setGrid(parse_grid("0.01"));
  app.jobs().scenes().options().keep_grid = true;
  open("street");
  const auto& voxels = *app.workspace().scene().voxels();
  int grey = 0;
  for (const PackSpec& pack : usual_packings()) {
    const QCheckBox* box = tune().setup()->packing(pack);
    ASSERT_NE(box, nullptr);
    if (box->isEnabled()) continue;
    ++grey;
    EXPECT_THAT(box->text().toStdString(), HasSubstr("bits, "));
    EXPECT_THAT(box->toolTip().toStdString(), HasSubstr("does not fit"));
  }
  EXPECT_GT(grey, 0) << "some packings must be too small for cells of 1 cm";
  EXPECT_THAT(tune().setup()->packing(voxels.pack)->text().toStdString(), HasSubstr("in use"));
}

TEST_F(TuneWindow, AProfileOfAnotherDeviceGivesTheReasonWhyItIsNotUsed) {
  openRoom();
  TuningProfile profile;
  profile.device = app.workspace().device();
  profile.device.name = "another one";
  profile.network = "little";
  profile.tool_version = "0";
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "far.tune.json", false);
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("0 of 7 layers from profile far.tune.json"));
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("the device differs (another one in the profile"));
  EXPECT_THAT(applyButton().toolTip().toStdString(), HasSubstr("no layer matches: the device differs"));
  AdviceList& list = *child<SummaryPanel>(window).advice();
  ASSERT_TRUE(waitFor([&] { return !list.advice().empty(); }));
  EXPECT_EQ(list.advice().back().rule, AdviceRule::other_profile);
}

TEST_F(TuneWindow, ABannerNamesTheLayersThatAProfileCovers) {
  openRoom();
  TuningProfile profile = profileOfHere();
  std::erase_if(profile.choices, [](const TunedShape& one) { return one.shape.kernel.size[0] == 3; });
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "part.tune.json", false);
  EXPECT_FALSE(banner_of(window).isVisible()) << "the banner must be hidden before the profile is applied";
  tuning().apply();
  EXPECT_TRUE(banner_of(window).isVisible());
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("Profile part.tune.json matches 3 of 7 layers"));
  EXPECT_THAT(
      banner_of(window).text().toStdString(),
      HasSubstr("not applied to stem, deep, join.conv, last: the profile has no layer with this shape"));
  app.workspace().setPlan(default_plan(*app.workspace().network()));
  EXPECT_FALSE(banner_of(window).isVisible())
      << "the banner must be hidden after the profile is no longer in use";
}

TEST_F(TuneWindow, AStoppedTuningIsOneSentenceAndItsMeasuredLayersAreOnTop) {
  openRoom();
  TuningProfile profile = profileOfHere();
  profile.stopped = "budget";
  std::erase_if(profile.choices, [](const TunedShape& one) { return one.shape.kernel.size[0] == 3; });
  std::erase_if(profile.features, [](const FeatureRecord& one) { return one.shape.kernel.size[0] == 3; });
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "part.tune.json", false);
  tuning().apply();
  ASSERT_TRUE(waitFor([&] { return !tune().banner().isEmpty(); }));
  EXPECT_EQ(tune().banner(),
            "3 of 7 layers from profile part.tune.json (in use); the time limit was reached before the other "
            "4 layers were decided");
  EXPECT_THAT(banner_of(window).text().toStdString(), Not(HasSubstr("stem")));
  ASSERT_TRUE(waitFor([&] { return chart().hasContent() && idle(); }));
  const auto& rows = chart().matrix()->rows;
  int last_measured = 0, first_unmeasured = chart().height();
  for (int row = 0; row < std::ssize(rows); ++row) {
    const int y = chart().cellCentre({row, 0}).y();
    rows[static_cast<std::size_t>(row)].measured ? last_measured = std::max(last_measured, y)
                                                 : first_unmeasured = std::min(first_unmeasured, y);
  }
  EXPECT_LT(last_measured, first_unmeasured);
}

TEST(ScreenNumbers, KeepTheirUnitsWhenATextWraps) {
  EXPECT_EQ(keepUnits("62.8 ms (-1.2 %, n = 5), 3 samples"), "62.8\u00a0ms (-1.2\u00a0%, n = 5), 3 samples");
  EXPECT_EQ(keepUnits("at t = max, |dx| + |dy|"), "at t\u00a0=\u00a0max, |\u2060dx| + |\u2060dy|");
}

TEST_F(TuneWindow, ApplySkipsUndecidedSettings) {
  openRoom();
  TuningProfile profile = profileOfHere();
  for (TunedShape& tuned : profile.choices) {
    if (tuned.shape.kernel.size[0] != 3) continue;
    tuned.choice.why = ChoiceReason::few_samples;
    for (MeasuredCost& cost : tuned.choice.costs)
      cost.n = 1;
  }
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "short.tune.json", false);
  const auto before = app.workspace().requested().plan().layers;
  ASSERT_TRUE(waitFor([&] { return applyButton().isEnabled(); }));
  applyButton().click();
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("Profile short.tune.json matches 3 of 7 layers"));
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("4 layers are undecided and use t = max: stem, deep, join.conv, last"));
  QStringList names;
  for (const char* layer : {"stem", "deep", "join.conv", "last"})
    names += shortLayerNames(*app.workspace().network())[row(layer)];
  EXPECT_THAT(tune().banner().toStdString(),
              HasSubstr("undecided and use t = max: " + names.join(", ").toStdString()));
  const auto& after = app.workspace().requested().plan().layers;
  const Network& network = *app.workspace().network();
  int changed = 0;
  for (std::size_t at = 0; at < after.size(); ++at) {
    if (network.layers[at].kernel_size == 3) {
      EXPECT_EQ(after[at], before[at]) << network.layers[at].name;
    }
    changed += after[at] == before[at] ? 0 : 1;
  }
  EXPECT_GT(changed, 0);
  for (TunedShape& tuned : profile.choices)
    tuned.choice.why = ChoiceReason::few_samples;
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "none.tune.json", false);
  EXPECT_TRUE(waitFor([&] { return applyButton().toolTip().contains("no layer matches: undecided"); }))
      << applyButton().toolTip().toStdString();
  EXPECT_FALSE(applyButton().isEnabled());
}

TEST_F(TuneWindow, AProfileOfAnotherDeviceIsUsedOnlyOnRequest) {
  openRoom();
  TuningProfile profile = profileOfHere();
  profile.device.name = "another one";
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "far.tune.json", false);
  ASSERT_TRUE(banner_of(window).isVisible());
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("The profile is not used: the device differs (another one in the profile"));
  EXPECT_EQ(app.workspace().requested().plan().source, "default");
  const auto buttons = banner_of(window).findChildren<QPushButton*>();
  const auto wanted =
      std::find_if(buttons.begin(), buttons.end(), [](auto* one) { return one->text() == "Use anyway"; });
  ASSERT_NE(wanted, buttons.end());
  (*wanted)->click();
  EXPECT_TRUE(tuning().inUse());
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("Profile far.tune.json matches 7 of 7 layers"));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("used although the device differs"));
  EXPECT_FALSE(app.commands().trigger("tune.use_anyway"))
      << "the command must be refused if the profile is already in use";
  QSignalSpy measured(&app.jobs().runs(), &RunJobs::measured);
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return measured.count() == 1 && idle(); }));
  const auto report = measured[0][0].value<std::shared_ptr<const Report>>();
  EXPECT_EQ(report->measurement.plan.threshold_sources.at(0).name, "profile:far.tune.json (other device)");
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "again.tune.json", false);
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("not used"))
      << "the window must ask again for each profile";
}

}  // namespace
}  // namespace spira::ui
