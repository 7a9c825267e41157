// Tests the tuner in the main window: the settings to try, the progress, the profile, and the reasons why a
// profile cannot be used.
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/tuned_profile.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/features/tune/tune_result.hpp"
#include "ui/features/tune/tune_setup.hpp"
#include "ui/panels/profile/advice_list.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/window/banner.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class TuneWindow : public WindowTest {
 protected:
  /// Opens a small scene, so that even a busy machine has samples quickly.
  void openRoom() {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  }
  [[nodiscard]] TunePanel& tune() { return *app.profileTools().tunePanel(); }
  [[nodiscard]] Tuning& tuning() { return *app.profileTools().tuning(); }
  [[nodiscard]] QPushButton& applyButton() { return *tune().findChild<QPushButton*>("applyProfile"); }
  /// Returns a profile of this device for scenes of any size.
  [[nodiscard]] TuningProfile profileOfHere() {
    TuningProfile profile = test::tuned_profile();
    profile.device = app.workspace().device();
    profile.tool_version = SPIRA_VERSION;
    profile.network_fingerprint = fingerprint_of(*app.workspace().network());
    for (TunedShape& tuned : profile.choices) {
      tuned.rows_low = 0;
      tuned.rows_high = 1LL << 40U;
      tuned.choice.threshold = 0;
      tuned.choice.why = ChoiceReason::fastest;
    }
    return profile;
  }

  QTemporaryDir folder;
};

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
  EXPECT_EQ(tune().result()->choices()->rowCount(), static_cast<int>(tuning().profile()->choices.size()));
  EXPECT_TRUE(tuning().unsaved());
  ASSERT_TRUE(tuning().applied().has_value());
  EXPECT_EQ(tuning().applied()->matched(), 7);
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("7 of 7 layers"));
  const TunedShape& shape = tuning().profile()->choices.front();
  SamplesPane& samples = *tune().result()->samples();
  EXPECT_TRUE(samples.isHidden());
  emit tune().result()->choices()->cellClicked(0, 3);
  ASSERT_FALSE(samples.isHidden());
  EXPECT_TRUE(samples.stages()->itemText(0).startsWith(QString("t = %1,").arg(shape.choice.threshold)));
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
  EXPECT_NE(app.workspace().voxels(), nullptr) << "opening a profile must keep the scene open";
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
  Plan plan = app.workspace().plan();
  plan.layers[0].threshold = plan.layers[0].threshold == 3 ? 2 : 3;
  app.workspace().setPlan(plan);
  EXPECT_TRUE(tuning().setByHand());
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("in use, with t set by hand"));
  const QString file = folder.filePath("mine.tune.json");
  tune().saveTo(file);
  EXPECT_TRUE(tuning().inUse());
  EXPECT_EQ(app.workspace().plan().layers, plan.layers);
  const TuningProfile saved = read_profile(file.toStdString());
  const TunedShape& mine = saved.choices.at(0);
  EXPECT_EQ(mine.choice.why, ChoiceReason::user);
  EXPECT_EQ(mine.choice.threshold, plan.layers[0].threshold);
  QTableWidget& choices = *tune().result()->choices();
  EXPECT_EQ(choices.item(0, 3)->text(), "") << "a t set by hand must have no margin";
  EXPECT_THAT(choices.item(0, 2)->text().toStdString(), HasSubstr("set by hand"));
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
    const bool has_others = record.shape.kernel_size == 3;  // layers with smaller K have another t = max
    EXPECT_TRUE(!has_others || record.threshold % 2 == 0) << record.threshold;
  }
  app.jobs().runs().chooseNetwork("resnl20");
  EXPECT_NE(setup.threshold(7), nullptr) << "K = 5 must offer t = 7";
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
  app.workspace().setGrid(parse_grid("0.01"));
  app.jobs().scenes().options().keep_grid = true;
  open("street");
  const auto& voxels = *app.workspace().voxels();
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
  EXPECT_THAT(tune().banner().toStdString(), HasSubstr("other device: tuned on another one"));
  EXPECT_THAT(applyButton().toolTip().toStdString(), HasSubstr("no layer matches: other device"));
  AdviceList& list = *child<SummaryPanel>(window).advice();
  ASSERT_TRUE(waitFor([&] { return !list.advice().empty(); }));
  EXPECT_EQ(list.advice().back().rule, AdviceRule::other_profile);
}

TEST_F(TuneWindow, ABannerNamesTheLayersThatAProfileCovers) {
  openRoom();
  TuningProfile profile = profileOfHere();
  std::erase_if(profile.choices, [](const TunedShape& one) { return one.shape.kernel_size == 3; });
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "part.tune.json", false);
  EXPECT_FALSE(banner_of(window).isVisible()) << "the banner must be hidden before the profile is applied";
  tuning().apply();
  EXPECT_TRUE(banner_of(window).isVisible());
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("3 of 7 layers from profile part.tune.json"));
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("not stem, deep, join.conv, last: no such shape in the profile"));
  app.workspace().setPlan(default_plan(*app.workspace().network()));
  EXPECT_FALSE(banner_of(window).isVisible())
      << "the banner must be hidden after the profile is no longer in use";
}

TEST_F(TuneWindow, ApplySkipsUndecidedSettings) {
  openRoom();
  TuningProfile profile = profileOfHere();
  for (TunedShape& tuned : profile.choices) {
    if (tuned.shape.kernel_size != 3) continue;
    tuned.choice.why = ChoiceReason::few_samples;
    for (ThresholdCost& cost : tuned.choice.costs)
      cost.n = 1;
  }
  tuning().setProfile(std::make_shared<const TuningProfile>(profile), "short.tune.json", false);
  const auto before = app.workspace().plan().layers;
  ASSERT_TRUE(waitFor([&] { return applyButton().isEnabled(); }));
  applyButton().click();
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("3 of 7 layers from profile short.tune.json"));
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("4 layers are undecided and use t = max: stem, deep, join.conv, last"));
  const auto& after = app.workspace().plan().layers;
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
              HasSubstr("The profile is not used: other device: tuned on another one"));
  EXPECT_EQ(app.workspace().plan().source, "default");
  const auto buttons = banner_of(window).findChildren<QPushButton*>();
  const auto wanted =
      std::find_if(buttons.begin(), buttons.end(), [](auto* one) { return one->text() == "Use anyway"; });
  ASSERT_NE(wanted, buttons.end());
  (*wanted)->click();
  EXPECT_TRUE(tuning().inUse());
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("7 of 7 layers from profile far.tune.json"));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("used anyway: other device"));
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
