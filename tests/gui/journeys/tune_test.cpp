// Tests journey J3: the user tunes all layers and saves the profile with four key presses.
#include "tests/gui/journeys/journey.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/small_session.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/features/tune/tune_setup.hpp"

#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QPushButton>
#include <QTabWidget>

namespace spira::ui {
namespace {

class TuneJourney : public Journey {
 protected:
  void tuneAndSave(const QString& expected_name) {
    Tuning& tuning = *app.profileTools().tuning();
    hands.key(window, Qt::Key_T, Qt::ControlModifier);
    ASSERT_EQ(app.docks().tabs(DockLayout::Side::bottom).currentWidget(), app.profileTools().tunePanel());
    picture(app, "tune-setup");
    QElapsedTimer clock;
    clock.start();
    hands.key(window, Qt::Key_Return);
    ASSERT_TRUE(app.jobs().tuning().tuning());
    ASSERT_TRUE(waitFor([&] { return idle() && tuning.profile(); }));
    EXPECT_LT(clock.elapsed(), 45'000) << "tuning must end within 30 s plus the sample in progress";
    EXPECT_TRUE(tuning.unsaved());
    picture(app, "tune-done");
    Hands::inNextFileDialog([&](QFileDialog& dialog) {
      dialog.setDirectory(folder.path());  // It would otherwise start in the documents folder of the user.
      hands.key(dialog, Qt::Key_Return);
    });
    hands.key(window, Qt::Key_S, Qt::ControlModifier);
    EXPECT_FALSE(tuning.unsaved());
    EXPECT_EQ(tuning.name(), expected_name);
    EXPECT_EQ(hands.count(), (Count{0, 4}));
    const TuningProfile kept = read_profile(folder.filePath(expected_name).toStdString());
    EXPECT_EQ(kept.choices.size(), tuning.profile()->choices.size());
  }
};

TEST_F(TuneJourney, FourKeysTuneAndSaveTheProfile) {
  openWith(file("room", 8000, "room.ply"), 0.08);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  tuneAndSave("little.tune.json");
}

/// Tests how a user answers the question "which setting for which layer": from the open file to the applied
/// settings in three gestures.
TEST_F(TuneJourney, TwoKeysAndAClickApplyTheFastestSettings) {
  openWith(file("room", 8000, "room.ply"), 0.08);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  TunePanel& panel = *app.profileTools().tunePanel();
  constexpr double budget_s = 8;  // Shorter than the default budget, so that the test takes less time.
  panel.setup()->budget()->setValue(budget_s);
  Tuning& tuning = *app.profileTools().tuning();
  hands.key(window, Qt::Key_T, Qt::ControlModifier);
  hands.key(window, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return idle() && tuning.profile(); }));
  hands.click(*panel.findChild<QPushButton*>("applyProfile"));
  EXPECT_TRUE(tuning.inUse());
  EXPECT_EQ(hands.count(), (Count{1, 2}));
}

TEST_F(TuneJourney, FourKeysOnARealSweep) {
  SPIRA_NEED_REAL_SCENES();
  const auto sweep = test::data_folder() / "kitti/object_000008_front.bin";
  // The test works on a copy, because the program suggests saving next to the scene.
  const QString copy = folder.filePath("sweep.bin");
  ASSERT_TRUE(QFile::copy(QString::fromStdString(sweep.string()), copy));
  open(copy);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  tuneAndSave("little.tune.json");
}

}  // namespace
}  // namespace spira::ui
