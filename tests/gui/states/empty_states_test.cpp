// Tests that empty views describe their purpose and suggest the next step.
#include "engine/report/report_exports.hpp"
#include "tests/gui/states/states.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QDir>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>

#include <atomic>
#include <chrono>
#include <thread>

namespace spira::ui {
namespace {

using testing::HasSubstr;

TEST_F(States, StartPageOffersDroppingOpeningBuiltInScenesReportsAndRecentFiles) {
  QTemporaryDir state;
  {
    RecentFiles recent(state.path());
    for (int at = 0; at < 7; ++at)
      recent.add(write(QString("scan%1.bin").arg(at), "0123456789abcdef"));
    ASSERT_TRUE(QFile::remove(folder.filePath("scan5.bin")));
  }
  make({altered_entry(BackendKind::cpu, [](test::AlteredBackend&) {})}, state.path());
  app->pages().empty().setReports({folder.filePath("h100-resn21-street.spira.json")});
  QApplication::processEvents();
  const std::string text = textOn(app->sceneView());
  EXPECT_THAT(text, HasSubstr("Drop a point cloud here"));
  for (const char* choice : {"Open a scan", "Built-in scene", "Recorded GPU runs", "Lesson"})
    EXPECT_THAT(text, HasSubstr(choice));
  EXPECT_THAT(text, HasSubstr("scan6.bin"));
  EXPECT_THAT(text, HasSubstr("scan5.bin (missing)"));
  EXPECT_EQ(text.find("scan0.bin"), std::string::npos) << "the start page must list at most six recent files";
  for (const char* card : {"card_street", "card_room", "card_random", "report"}) {
    auto* button = app->window().findChild<QPushButton*>(card);
    ASSERT_NE(button, nullptr) << card;
    EXPECT_TRUE(button->isVisible() && button->isEnabled()) << card;
  }
  pictures("start");
  app->window().resize(1024, 640);
  ASSERT_TRUE(waitFor([&] { return app->window().width() == 1024; }));
  ASSERT_TRUE(app->commands().trigger("layout.profile"));
  QApplication::processEvents();
  const auto* scroll = app->window().findChild<EmptyPage*>()->findChild<QScrollArea*>();
  EXPECT_EQ(scroll->verticalScrollBar()->maximum(), 0) << "the start page must fit in the smallest window";
  const std::string low = textOn(app->sceneView());
  for (const char* explanation : {"KITTI, nuScenes", "Six lessons"})
    EXPECT_THAT(low, HasSubstr(explanation)) << "a tile that is high enough must keep its explanation";
  int recent = 0;
  for (const auto* label : app->window().findChild<EmptyPage*>()->findChildren<QLabel*>())
    recent += label->isVisible() && label->text().contains("scan") && label->text().contains(".bin") ? 1 : 0;
  EXPECT_GE(recent, 5) << "the smallest window must list at least five recent files";
  app.reset();  // Destroy the window before its state folder is removed.
}

TEST_F(States, StartPageFitsItsWidthWithAllRecordedRunsOfTheProgram) {
  make();
  app->window().resize(1024, 640);
  ASSERT_TRUE(waitFor([&] { return app->window().width() == 1024; }));
  ASSERT_TRUE(app->commands().trigger("layout.profile"));
  QStringList files;
  for (const QFileInfo& file : QDir(SPIRA_SOURCE_DIR "/samples/reports").entryInfoList({"*.spira.json"}))
    files.append(file.filePath());
  ASSERT_GE(files.size(), 12);
  app->pages().empty().setReports(files);
  QTest::qWait(50);
  const auto* page = app->window().findChild<EmptyPage*>();
  EXPECT_EQ(page->findChild<QScrollArea*>()->horizontalScrollBar()->maximum(), 0);
  EXPECT_EQ(page->findChild<QScrollArea*>()->verticalScrollBar()->maximum(), 0);
  std::vector<std::string> texts;
  for (const auto* card : page->findChildren<QPushButton*>("report")) {
    texts.push_back(card->text().toStdString());
    EXPECT_THAT(card->toolTip().toStdString(), HasSubstr(", NVIDIA H100 80GB HBM3\n"));
  }
  EXPECT_THAT(texts, testing::IsSupersetOf({"Kitchen", "Lidar street", "Room", "Street"}));
  for (const char* row : {"MinkUNet-42, H100", "SparseResNet-21, H100", "CenterPoint-Large-like, H100"})
    EXPECT_THAT(textOn(*page), HasSubstr(row));
  pictures("start-with-runs");
}

/// Expects that each tab shows a sentence. Each button in a tab must be enabled or give a reason.
void expect_words_on_all_tabs(Application& app, const std::function<void(const QString&)>& pictures,
                              const std::function<std::string(const QWidget&)>& text_on) {
  for (QTabWidget* tabs :
       {&app.docks().tabs(DockLayout::Side::right), &app.docks().tabs(DockLayout::Side::bottom)}) {
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      QApplication::processEvents();
      const QString name = tabs->tabText(tab);
      EXPECT_GE(text_on(*tabs->currentWidget()).size(), 18U) << name.toStdString();
      for (const auto* button : tabs->currentWidget()->findChildren<QPushButton*>())
        EXPECT_TRUE(!button->isVisible() || button->isEnabled() || !button->toolTip().isEmpty())
            << name.toStdString() << ": " << button->text().toStdString()
            << " must give a reason if it is disabled";
      pictures(name.toLower().replace(' ', '-'));
    }
    tabs->setCurrentIndex(0);
  }
}

TEST_F(States, WithoutASceneEveryViewDescribesItsPurpose) {
  make();
  expect_words_on_all_tabs(
      *app, [this](const QString& view) { pictures("no-scene-" + view); }, textOn);
}

TEST_F(States, WithoutARunEveryViewDescribesTheNextStep) {
  make();
  open("room");
  expect_words_on_all_tabs(
      *app, [this](const QString& view) { pictures("no-run-" + view); }, textOn);
}

TEST_F(States, AButtonBuildsAMapThatWasStopped) {
  const auto hold = std::make_shared<std::atomic<bool>>(true);
  const auto reached = std::make_shared<std::atomic<bool>>(false);
  make({altered_entry(BackendKind::cpu, [hold, reached](test::AlteredBackend& device) {
    device.alter_map = [hold, reached](KernelMap&) {
      *reached = true;
      while (*hold)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
  })});
  app->opening().open("room");
  ASSERT_TRUE(waitFor([&] { return app->workspace().scene().voxels() && *reached; }));
  EXPECT_THAT(textOn(child<DensityPanel>(app->window())), HasSubstr("is being built"));
  ASSERT_TRUE(app->commands().trigger("run.stop"));
  *hold = false;
  EXPECT_THAT(textOn(child<DensityPanel>(app->window())), HasSubstr("was not built"));
  EXPECT_NE(app->workspace().scene().voxels(), nullptr) << "stopping the map must keep the scene";
  pictures("map-stopped");
  app->docks().tabs(DockLayout::Side::bottom).setCurrentWidget(app->profileTools().mapPanel());
  EXPECT_THAT(textOn(*app->profileTools().mapPanel()), HasSubstr("was not built"));
  QPushButton* build = buttonOn(child<DensityPanel>(app->window()));
  ASSERT_NE(build, nullptr);
  EXPECT_EQ(build->text(), "Build map");
  QTest::mouseClick(build, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  EXPECT_TRUE(child<DensityPanel>(app->window()).findChild<QWidget*>("asTable")->isVisible());
}

TEST_F(States, CompareWithOneReportAsksForASecond) {
  make();
  write_report(folder.filePath("run.spira.json").toStdString(), test::recorded_report());
  app->opening().open(folder.filePath("run.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app->workspace().results().report(); }));
  ASSERT_TRUE(app->commands().trigger("compare.show"));
  QApplication::processEvents();
  EXPECT_THAT(textOn(*app->profileTools().comparePanel()), HasSubstr("Drop a second report, or press B"));
  pictures("compare-one-report");
}

TEST_F(States, ATimelineOfStagesExplainsThatNothingOverlaps) {
  make();
  app->settings().set("measure.most_ms", 100);
  open("room");
  app->jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  ASSERT_TRUE(app->commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app->workspace().results().measurement(); }));
  app->docks().tabs(DockLayout::Side::bottom).setCurrentWidget(&child<TimelinePanel>(app->window()));
  QApplication::processEvents();
  EXPECT_THAT(child<TimelinePanel>(app->window()).headline().toStdString(),
              HasSubstr("Sequential stages, no overlap"));
  pictures("timeline-of-stages");
}

TEST_F(States, ACpuRunExplainsThatItsTimesAreIsolated) {
  make();
  open("room");
  const auto labels = app->window().findChildren<QLabel*>("part");
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->text().startsWith("CPU") && label->toolTip().contains("not compared with GPU times");
  }));
  EXPECT_FALSE(banner_of(*app).isVisible()) << "a machine without a GPU must not show an error";
}

}  // namespace
}  // namespace spira::ui
