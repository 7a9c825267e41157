// Tests that views without content describe their purpose and the next step.
#include "tests/gui/states/states.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>

#include <atomic>
#include <chrono>
#include <thread>

namespace spira::ui {
namespace {

using testing::HasSubstr;

TEST_F(States, StartPageOffersToDropToOpenBuiltInScenesReportsAndRecentFiles) {
  QTemporaryDir state;
  {
    RecentFiles recent(state.path());
    for (int at = 0; at < 7; ++at)
      recent.add(write(QString("scan%1.bin").arg(at), "0123456789abcdef"));
    ASSERT_TRUE(QFile::remove(folder.filePath("scan5.bin")));
  }
  make({altered_entry(BackendKind::cpu, [](test::AlteredBackend&) {})}, state.path());
  window->offerReports({folder.filePath("h200-resn21-street.spira.json")});
  QApplication::processEvents();
  const std::string text = textOn(window->sceneView());
  EXPECT_THAT(text, HasSubstr("Drop a point cloud here"));
  EXPECT_THAT(text, HasSubstr("scan6.bin"));
  EXPECT_THAT(text, HasSubstr("scan5.bin (missing)"));
  EXPECT_EQ(text.find("scan0.bin"), std::string::npos) << "six recent files at the most";
  for (const char* card : {"card_street", "card_room", "card_random", "report"}) {
    auto* button = window->findChild<QPushButton*>(card);
    ASSERT_NE(button, nullptr) << card;
    EXPECT_TRUE(button->isVisible() && button->isEnabled()) << card;
  }
  pictures("start");
  window->resize(1024, 640);
  ASSERT_TRUE(waitFor([&] { return window->width() == 1024; }));
  ASSERT_TRUE(window->commands().trigger("layout.profile"));
  QApplication::processEvents();
  EXPECT_EQ(window->findChild<EmptyPage*>()->findChild<QScrollArea*>()->verticalScrollBar()->maximum(), 0)
      << "all of it is seen in the smallest window";
  window.reset();  // before its state folder is removed
}

/// Each tab must show a sentence. Each of its buttons must be enabled or give a reason.
void expect_words_on_all_tabs(MainWindow& window, const std::function<void(const QString&)>& pictures,
                              const std::function<std::string(const QWidget&)>& text_on) {
  for (QTabWidget* tabs : {&window.rightTabs(), &window.bottomTabs()}) {
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      QApplication::processEvents();
      const QString name = tabs->tabText(tab);
      EXPECT_GE(text_on(*tabs->currentWidget()).size(), 18U) << name.toStdString();
      for (const auto* button : tabs->currentWidget()->findChildren<QPushButton*>())
        EXPECT_TRUE(!button->isVisible() || button->isEnabled() || !button->toolTip().isEmpty())
            << name.toStdString() << ": " << button->text().toStdString() << " does not say why not";
      pictures(name.toLower().replace(' ', '-'));
    }
    tabs->setCurrentIndex(0);
  }
}

TEST_F(States, WithoutASceneEveryViewSaysWhatItIsFor) {
  make();
  expect_words_on_all_tabs(
      *window, [this](const QString& view) { pictures("no-scene-" + view); }, textOn);
}

TEST_F(States, WithoutARunEveryViewSaysWhatToDo) {
  make();
  open("room");
  expect_words_on_all_tabs(
      *window, [this](const QString& view) { pictures("no-run-" + view); }, textOn);
}

TEST_F(States, AMapThatWasStoppedIsBuiltByAButton) {
  const auto hold = std::make_shared<std::atomic<bool>>(true);
  const auto reached = std::make_shared<std::atomic<bool>>(false);
  make({altered_entry(BackendKind::cpu, [hold, reached](test::AlteredBackend& device) {
    device.alter_map = [hold, reached](KernelMap&) {
      *reached = true;
      while (*hold)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
  })});
  window->open("room");
  ASSERT_TRUE(waitFor([&] { return window->workspace().voxels() && *reached; }));
  EXPECT_THAT(textOn(window->densityPanel()), HasSubstr("is being built"));
  ASSERT_TRUE(window->commands().trigger("run.stop"));
  *hold = false;
  EXPECT_THAT(textOn(window->densityPanel()), HasSubstr("was not built"));
  EXPECT_NE(window->workspace().voxels(), nullptr) << "the scene stays";
  pictures("map-stopped");
  window->bottomTabs().setCurrentWidget(window->profileTools().mapPanel());
  EXPECT_THAT(textOn(*window->profileTools().mapPanel()), HasSubstr("was not built"));
  QPushButton* build = buttonOn(window->densityPanel());
  ASSERT_NE(build, nullptr);
  EXPECT_EQ(build->text(), "Build map");
  QTest::mouseClick(build, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  EXPECT_TRUE(window->densityPanel().findChild<QWidget*>("asTable")->isVisible());
}

TEST_F(States, CompareWithOneReportAsksForASecond) {
  make();
  write_report(folder.filePath("run.spira.json").toStdString(), test::recorded_report());
  window->open(folder.filePath("run.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && window->workspace().report(); }));
  ASSERT_TRUE(window->commands().trigger("compare.show"));
  QApplication::processEvents();
  EXPECT_THAT(textOn(*window->profileTools().comparePanel()), HasSubstr("Drop a second report, or press B"));
  pictures("compare-one-report");
}

TEST_F(States, ATimelineOfStagesSaysThatNothingOverlaps) {
  make();
  open("room");
  window->jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  ASSERT_TRUE(window->commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && window->workspace().measurement(); }));
  window->bottomTabs().setCurrentWidget(&window->timelinePanel());
  QApplication::processEvents();
  EXPECT_THAT(window->timelinePanel().headline().toStdString(), HasSubstr("Sequential stages, no overlap"));
  pictures("timeline-of-stages");
}

TEST_F(States, ACpuSaysThatItsTimesStandApart) {
  make();
  open("room");
  const auto labels = window->findChildren<QLabel*>("part");
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->text().startsWith("CPU") && label->toolTip().contains("not compared with GPU times");
  }));
  EXPECT_FALSE(window->banner().isVisible()) << "no GPU is no fault";
}

}  // namespace
}  // namespace spira::ui
