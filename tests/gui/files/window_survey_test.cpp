// Tests the survey of a folder in the window: its rows and outliers, opening a frame, stopping the survey,
// and saving its results.
#include "engine/survey/survey.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/survey/surveys.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/theme/labels.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTimer>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class SurveyWindow : public WindowTest {
 protected:
  void openFrames(int frames, int large) {
    for (int frame = 0; frame < frames; ++frame) {
      QFile file(folder.filePath(QString("frame%1.xyz").arg(frame)));
      ASSERT_TRUE(file.open(QIODevice::WriteOnly));
      QByteArray text;
      for (int at = 0; at < (frame == large ? 900 : 100); ++at)
        text += QString("%1 %2 %3\n").arg(at % 10).arg(at / 10).arg(at % 3).toLatin1();
      file.write(text);
    }
    app.opening().open(folder.path());
    ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  }
  [[nodiscard]] SurveyJob& job() { return *app.window().findChild<SurveyJob*>(); }
  [[nodiscard]] SurveyPanel& panel() { return *app.window().findChild<SurveyPanel*>(); }
  void survey() {
    ASSERT_TRUE(app.commands().trigger("survey.run"));
    ASSERT_TRUE(waitFor([&] { return !job().busy() && job().survey(); }));
  }

  QTemporaryDir folder;
};

TEST_F(SurveyWindow, DescribesTheNextStepUntilAFolderIsOpen) {
  EXPECT_THAT(app.commands().unavailableReason("survey.run").toStdString(),
              HasSubstr("open a folder of frames first"));
  openFrames(3, -1);
  EXPECT_EQ(app.commands().unavailableReason("survey.run"), QString());
  survey();
  EXPECT_EQ(app.docks().tabs(DockLayout::Side::bottom).currentWidget(), &panel());
  EXPECT_EQ(panel().outliers()->rowCount(), 0) << "three frames must be too few for outliers";
}

TEST_F(SurveyWindow, AnOutlierIsListedAndOpensWithAClick) {
  openFrames(12, 7);
  survey();
  ASSERT_GT(panel().outliers()->rowCount(), 0);
  const QTableWidgetItem* item = panel().outliers()->item(0, 0);
  EXPECT_EQ(item->text(), "frame7.xyz");
  EXPECT_EQ(app.workspace().scene().frame(), 0);
  const QRect place = panel().outliers()->visualItemRect(item);
  QTest::mouseClick(panel().outliers()->viewport(), Qt::LeftButton, Qt::NoModifier, place.center());
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 7; }));
}

TEST_F(SurveyWindow, NotesOfFramesAreListedAndOpenTheirFrame) {
  QFile file(folder.filePath("frame9.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("0.5 0.5 0.5\n1.5 nan 0.5\n2.5 0.5 0.5\n");
  file.close();
  openFrames(3, -1);
  survey();
  QTableWidget* notes = panel().notes();
  const auto found = notes->findItems("1 point was not finite and was dropped", Qt::MatchContains);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(notes->item(found[0]->row(), 0)->text(), "frame9.xyz");
  emit notes->itemClicked(found[0]);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 3; }));
}

/// Returns 601 points with `floats` numbers each. KITTI has 4 numbers per point, and nuScenes has 5.
QByteArray binary_frame(int floats) {
  QByteArray bytes;
  for (int at = 0; at < 601; ++at) {
    const float place = 0.1F * static_cast<float>(at);
    const std::array<float, 5> point{place, 5 - place, 1, floats == 4 ? 0.5F : static_cast<float>(at % 200),
                                     static_cast<float>(at % 32)};
    bytes.append(reinterpret_cast<const char*>(point.data()), static_cast<qsizetype>(sizeof(float)) * floats);
  }
  return bytes;
}

TEST_F(SurveyWindow, FramesOfOneExtensionAreReadInTheirOwnFormats) {
  for (int frame = 0; frame < 4; ++frame) {
    QFile file(folder.filePath(QString("frame%1.bin").arg(frame)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(binary_frame(frame % 2 == 0 ? 4 : 5));
  }
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  ASSERT_EQ(app.workspace().scene().cloud()->format, "kitti");
  survey();
  ASSERT_EQ(job().survey()->rows.size(), 4U);
  for (const FrameRow& row : job().survey()->rows) {
    EXPECT_EQ(row.fault, "") << row.name;
    EXPECT_EQ(row.points, 601) << row.name;
  }
}

TEST_F(SurveyWindow, AnErrorSpansAllColumns) {
  for (int frame = 0; frame < 4; ++frame) {
    QFile file(folder.filePath(QString("frame%1.bin").arg(frame)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(frame == 2 ? binary_frame(4) + "ends" : binary_frame(4));
  }
  window.resize(1024, 640);
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  survey();
  QTableWidget& table = *panel().outliers();
  ASSERT_EQ(table.rowCount(), 1);
  EXPECT_THAT(table.item(0, 1)->text().toStdString(), HasSubstr("error: 9,620 bytes"));
  EXPECT_EQ(table.columnSpan(0, 1), table.columnCount() - 1);
  ASSERT_TRUE(waitFor([&] { return table.isVisible(); }));
  EXPECT_EQ(table.horizontalScrollBar()->maximum(), 0)
      << "an error must not make the table scroll horizontally";
}

TEST_F(SurveyWindow, ADotOfTheChartOpensItsFrameByMouseAndKeys) {
  openFrames(12, 7);
  survey();
  QApplication::processEvents();
  SurveyChart* chart = panel().chart();
  EXPECT_EQ(chart->frameAt(chart->dotOf(4)), 4);
  QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, chart->dotOf(4));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 4; }));
  QTest::keyClick(chart, Qt::Key_Right);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 5; }));
}

TEST_F(SurveyWindow, EveryMeasureHasAChart) {
  openFrames(9, -1);
  survey();
  for (int at = 0; at <= static_cast<int>(SurveyMeasure::densities); ++at) {
    panel().choose(static_cast<SurveyMeasure>(at));
    EXPECT_TRUE(panel().chart()->hasContent()) << at;
    EXPECT_FALSE(panel().chart()->text().title.isEmpty());
  }
}

TEST_F(SurveyWindow, SavesTheSameFileAsTheEngine) {
  openFrames(4, -1);
  survey();
  Hands::inNextFileDialog([&](QFileDialog& dialog) {
    Hands::typeName(dialog, folder.filePath("survey.json"));
    static_cast<QDialog&>(dialog).accept();
  });
  ASSERT_TRUE(app.commands().trigger("survey.save"));
  QFile file(folder.filePath("survey.json"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const auto document = nlohmann::json::parse(file.readAll().toStdString());
  EXPECT_EQ(document.at("schema"), "spira.survey");
  EXPECT_EQ(document.at("frames").size(), 4U);
  EXPECT_EQ(document.at("densities_of").at("kernel_size"), 3);
}

TEST_F(SurveyWindow, NamesThePresetOfANativeNetwork) {
  openFrames(3, -1);
  app.jobs().runs().chooseNetwork("resn21", {NeighbourShape::ball, 1, 0});
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  survey();
  EXPECT_EQ(job().survey()->request.network, "resn21");
}

TEST_F(SurveyWindow, ItsMenuHasTheCommandOfTheFolderAndNotOfTheFrame) {
  openFrames(9, -1);
  survey();
  const auto copied = [&](const std::function<void()>& open_menu) {
    QTimer::singleShot(0, &window, [] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      ASSERT_NE(menu, nullptr);
      for (QAction* action : menu->actions()) {
        if (action->text().startsWith("Copy measurement command")) action->trigger();
      }
      menu->close();
    });
    open_menu();
    return QApplication::clipboard()->text().toStdString();
  };
  const auto of_chart = [&] { emit panel().chart()->menuRequested({}, panel().chart()->subjectOf(-1)); };
  panel().choose(SurveyMeasure::voxels);
  EXPECT_THAT(copied(of_chart),
              testing::AllOf(testing::StartsWith("spira info " + folder.path().toStdString()),
                             testing::EndsWith("--json")));
  panel().choose(SurveyMeasure::densities);
  EXPECT_THAT(copied(of_chart), testing::StartsWith("spira densities "));
  auto* table = panel().packings();
  EXPECT_THAT(copied([&] {
                emit table->customContextMenuRequested(table->visualItemRect(table->item(0, 0)).center());
              }),
              testing::StartsWith("spira info "));
}

TEST_F(SurveyWindow, HasItsOwnRowInTheLog) {
  openFrames(60, -1);
  const ActivityRow& row = *window.findChild<LogPanel*>()->survey();
  EXPECT_TRUE(row.isHidden());
  ASSERT_TRUE(app.commands().trigger("survey.run"));
  ASSERT_TRUE(waitFor([&] { return !row.isHidden() || !job().busy(); }));
  EXPECT_THAT(row.text().toStdString(), HasSubstr("Surveying the folder"));
  ASSERT_TRUE(waitFor([&] { return !job().busy(); }));
  EXPECT_TRUE(row.isHidden());
}

TEST_F(SurveyWindow, StoppingKeepsTheFinishedFrames) {
  openFrames(60, -1);
  ASSERT_TRUE(app.commands().trigger("survey.run"));
  job().stop();
  ASSERT_TRUE(waitFor([&] { return !job().busy(); }));
  ASSERT_TRUE(job().survey());
  EXPECT_LE(job().survey()->rows.size(), 60U);
  EXPECT_FALSE(job().survey()->summary.packings.empty()) << "the summary must include the finished frames";
}

TEST_F(SurveyWindow, AnotherFolderDiscardsTheSurvey) {
  openFrames(3, -1);
  survey();
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_FALSE(job().survey());
}

/// A survey of 12 frames in a file, and an open scene that is none of its frames.
class SurveyFileWindow : public SurveyWindow {
 protected:
  void SetUp() override {
    SurveyWindow::SetUp();
    openFrames(12, 7);
    survey();
    surveyed_ = survey_json(*job().survey());
    file_ = write_file("all.json", surveyed_);
    app.opening().open("street");
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels() && !job().survey(); }));
  }
  QString write_file(const QString& name, const std::string& text) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(text));
    return file.fileName();
  }
  void expectShown() {
    ASSERT_TRUE(waitFor([&] { return job().survey() && idle(); }));
    EXPECT_EQ(survey_json(*job().survey()), surveyed_);
    EXPECT_EQ(app.docks().tabs(DockLayout::Side::bottom).currentWidget(), &panel());
    ASSERT_GT(panel().outliers()->rowCount(), 0);
    EXPECT_EQ(panel().outliers()->item(0, 0)->text(), "frame7.xyz");
    EXPECT_TRUE(panel().chart()->hasContent());
    const auto labels = panel().findChildren<ElidedLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const ElidedLabel* label) {
      return label->text().startsWith("all.json: 12 of 12 frames, voxel size ");
    }));
    EXPECT_EQ(app.workspace().scene().cloud()->source, "generated:street seed 1");
  }
  [[nodiscard]] QString banner() { return banner_of(window).text(); }

  std::string surveyed_;
  QString file_;
};

TEST_F(SurveyFileWindow, TheOpenDialogShowsItInTheTabOfASurveyedFolder) {
  Hands::inNextFileDialog([&](QFileDialog& dialog) {
    Hands::typeName(dialog, file_);
    static_cast<QDialog&>(dialog).accept();
  });
  ASSERT_TRUE(app.commands().trigger("file.open"));
  expectShown();
}

TEST_F(SurveyFileWindow, ADropShowsItAndAClickOpensTheFileOfAFrame) {
  Hands().drop(window, {file_});
  expectShown();
  const auto click_first = [&] {
    QTableWidget& outliers = *panel().outliers();
    QTest::mouseClick(outliers.viewport(), Qt::LeftButton, Qt::NoModifier,
                      outliers.visualItemRect(outliers.item(0, 0)).center());
  };
  click_first();
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud()->size() == 900; }));
  EXPECT_TRUE(job().survey()) << "a survey from a file must not depend on the open scene";
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frames().size() == 12; }));
  click_first();
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 7; }))
      << "the frames of the survey are open as a sequence";
}

TEST_F(SurveyFileWindow, FramesThatWereMovedAreANote) {
  ASSERT_TRUE(QFile::remove(folder.filePath("frame7.xyz")));
  app.opening().open(file_);
  expectShown();
  emit panel().frameRequested(7);
  EXPECT_THAT(banner().toStdString(), HasSubstr("frame7.xyz does not exist"));
  EXPECT_EQ(app.workspace().scene().cloud()->source, "generated:street seed 1");
}

TEST_F(SurveyFileWindow, ABrokenOneIsAnErrorAndKeepsTheSurvey) {
  app.opening().open(file_);
  expectShown();
  app.opening().open(write_file("broken.json", surveyed_.substr(0, surveyed_.size() / 2)));
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible(); }));
  EXPECT_THAT(banner().toStdString(), HasSubstr("broken.json: invalid JSON at line"));
  EXPECT_EQ(survey_json(*job().survey()), surveyed_);
}

}  // namespace
}  // namespace spira::ui
