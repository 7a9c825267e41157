// Tests exports of the window: pictures of charts, the run as a report and as a PDF, and the commands that
// repeat its measurements. The tests execute these commands.
#include "engine/base/text.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/run_program.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/export/picture_dialog.hpp"
#include "ui/features/export/report_exports.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/file_jobs.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/window/banner.hpp"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QProgressDialog>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>

#include <gmock/gmock.h>

#include <map>

namespace spira::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExportsWindow : public WindowTest {
 protected:
  [[nodiscard]] QString file(const QString& name) const { return folder.filePath(name); }
  [[nodiscard]] ChartExports& charts() { return child<ChartExports>(window); }
  [[nodiscard]] FileWriter& writer() { return child<ExportFiles>(window).writer(); }
  /// Crops to the points near the origin and measures a small network.
  void measure() {
    measureBriefly();
    open("street");
    app.jobs().scenes().crop(Bounds{{-12, -12, -3}, {12, 12, 1}});
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.crop_m; }));
    runNetwork("resn21");
    ASSERT_TRUE(app.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement() != nullptr; }));
  }
  /// Types `name` into the dialog of the command.
  void savePdf(const QString& name) {
    Hands::inNextFileDialog([&](QFileDialog& dialog) {
      Hands::typeName(dialog, file(name));
      static_cast<QDialog&>(dialog).accept();
    });
    ASSERT_TRUE(app.commands().trigger("export.pdf"));
  }
  /// Runs a `spira` command that the window displays.
  [[nodiscard]] test::Finished run(const MeasuredSubject& subject, const std::vector<std::string>& more) {
    std::vector<std::string> words = command_of(*measured_with(app.workspace()), subject);
    words.erase(words.begin());
    words.insert(words.end(), more.begin(), more.end());
    return test::Program(SPIRA_PROGRAM, words, folder.path().toStdString()).finish();
  }

  QTemporaryDir folder;
};

TEST_F(ExportsWindow, TheCommandOfALayerMeasuresThatLayerWithTheSameSettings) {
  measure();
  app.selection().setLayer(2);
  Plan plan = app.workspace().requested().plan();
  plan.layers[2].threshold = 1;
  app.workspace().setPlan(plan);
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::layer;
  subject.layer = 2;
  const test::Finished again = run(subject, {"-o", "again.json"});
  ASSERT_EQ(again.code, 0) << again.err;
  const Report report = read_report(file("again.json").toStdString());
  const auto mine = app.openRun().report();
  ASSERT_TRUE(mine);
  EXPECT_EQ(report.scene.fingerprint, mine->scene.fingerprint) << "the command must measure the same voxels";
  EXPECT_EQ(report.scene.crop_m, mine->scene.crop_m);
  EXPECT_EQ(report.scene.pack, mine->scene.pack);
  EXPECT_EQ(report.network.name, "resn21");
  EXPECT_EQ(report.measurement.plan.layers, mine->measurement.plan.layers);
  EXPECT_EQ(report.measurement.wall.ms.size(), mine->measurement.wall.ms.size());
  EXPECT_EQ(report.weights, mine->weights);
  EXPECT_THAT(again.out, HasSubstr("features[" + mine->network.layers[2].name + "]"));
  EXPECT_EQ(report.layer_densities[2].pairs, mine->layer_densities[2].pairs);
}

TEST_F(ExportsWindow, TheCommandOfAMapCountsTheSameMatches) {
  open("room");
  const MeasuredSubject subject = child<DensityPanel>(window).findChild<DensityChart*>()->subjectOf(-1);
  EXPECT_EQ(subject.kind, MeasuredSubject::Kind::densities);
  const test::Finished again = run(subject, {"--csv"});
  ASSERT_EQ(again.code, 0) << again.err;
  const ColumnDensity& first = app.workspace().shownMap(-1).densities->columns.front();
  EXPECT_THAT(again.out, HasSubstr(std::to_string(first.offset[0]) + "," + std::to_string(first.offset[1]) +
                                   "," + std::to_string(first.offset[2]) + "," + std::to_string(first.l1) +
                                   "," + std::to_string(first.matches) + ","));
}

TEST_F(ExportsWindow, CopiesTheCommandOfTheSelection) {
  EXPECT_FALSE(app.commands().trigger("reproduce.copy")) << "Copy must be disabled if nothing is open";
  open("street");
  ASSERT_TRUE(app.commands().trigger("reproduce.copy"));
  EXPECT_THAT(QApplication::clipboard()->text().toStdString(), HasSubstr("spira info street"));
  runNetwork("resn21");
  app.selection().setLayer(1);
  ASSERT_TRUE(app.commands().trigger("reproduce.copy"));
  EXPECT_THAT(
      QApplication::clipboard()->text().toStdString(),
      testing::AllOf(HasSubstr("spira run street"), HasSubstr("--network resn21"), HasSubstr("--layer "),
                     HasSubstr("--threads " + std::to_string(app.workspace().device().threads) + " ")));
}

TEST_F(ExportsWindow, ALayerRowHasAMenuThatCopiesItsCommand) {
  open("street");
  runNetwork("resn21");
  auto* layers = window.findChild<QTableView*>("layers");
  const QPoint at = layers->visualRect(layers->model()->index(3, 0)).center();
  QTimer::singleShot(0, &window, [] {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    for (QAction* action : menu->actions()) {
      if (action->text().startsWith("Copy measurement command")) action->trigger();
    }
    menu->close();
  });
  emit layers->customContextMenuRequested(at);
  EXPECT_THAT(QApplication::clipboard()->text().toStdString(),
              HasSubstr("--layer " + app.workspace().network()->layers[3].name));
}

TEST_F(ExportsWindow, AKernelMapAndTheStatisticsAlsoHaveAMenuThatCopiesTheirCommand) {
  open("street");
  runNetwork("resn21");
  app.selection().setLayer(2);
  const auto copied = [&](QWidget* view, const QPoint& at) {
    QTimer::singleShot(0, &window, [] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      ASSERT_NE(menu, nullptr);
      for (QAction* action : menu->actions()) {
        if (action->text().startsWith("Copy measurement command")) action->trigger();
      }
      menu->close();
    });
    emit view->customContextMenuRequested(at);
    return QApplication::clipboard()->text().toStdString();
  };
  auto* map = app.profileTools().mapPanel();
  app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(map);
  ASSERT_TRUE(waitFor([&] { return idle() && map->table()->model()->rowCount() > 0; }));
  EXPECT_THAT(copied(map->table(), map->table()->visualRect(map->table()->model()->index(0, 0)).center()),
              testing::AllOf(HasSubstr("spira densities"),
                             HasSubstr("--layer " + app.workspace().network()->layers[2].name)));
  EXPECT_THAT(copied(window.findChild<QLabel*>("statistics"), {}), testing::StartsWith("spira info street"));
}

TEST_F(ExportsWindow, ALineOfSummaryHasAMenuThatCopiesItsNumberAndCommand) {
  open("street");
  runNetwork("resn21");
  app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(&child<SummaryPanel>(window));
  QTest::qWait(0);
  const SummaryPanel& summary = child<SummaryPanel>(window);
  std::map<QString, QString> numbers;
  std::map<QString, QPoint> places;
  for (int x = 20; x < summary.width(); x += 200) {
    for (int y = 0; y < summary.height(); y += 8) {
      const auto line = summary.lineAt({x, y});
      if (!line) continue;
      numbers[line->name] = line->number;
      places[line->name] = {x, y};
    }
  }
  ASSERT_EQ(places.count("points"), 1U);
  EXPECT_EQ(numbers["points"].toStdString(), count_text(app.workspace().scene().facts()->points));
  EXPECT_EQ(numbers["name"], "") << "a name has no number to copy";
  EXPECT_EQ(numbers["packing"], "") << "a packing such as 12/12/8 has no number to copy";
  EXPECT_EQ(summary.lineAt(places["points"])->subject.kind, MeasuredSubject::Kind::scene);
  QTimer::singleShot(0, &window, [] {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    EXPECT_THAT(menu->actions().at(0)->text().toStdString(), testing::StartsWith("Copy "));
    menu->actions().at(0)->trigger();
    menu->close();
  });
  emit child<SummaryPanel>(window).menuRequested({}, *summary.lineAt(places["points"]));
  EXPECT_EQ(QApplication::clipboard()->text(), numbers["points"]);
}

TEST_F(ExportsWindow, ALocalMeasurementIsSavedAsAReportThatOpens) {
  EXPECT_THAT(app.commands().unavailableReason("export.report").toStdString(),
              HasSubstr("measure a network first"));
  measure();
  const auto report = app.openRun().report();
  ASSERT_TRUE(report);
  write_report(file("here.spira.json").toStdString(), *report);
  child<ReportExports>(window).savePdf(file("here.pdf"));
  QFile pdf(file("here.pdf"));
  ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
  EXPECT_TRUE(pdf.read(5) == "%PDF-");
  app.opening().open(file("here.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  EXPECT_EQ(report_id(*app.workspace().results().report()), report_id(*report))
      << "the saved report must keep its id";
  EXPECT_EQ(app.workspace().results().measurement()->wall.ms, report->measurement.wall.ms);
}

TEST_F(ExportsWindow, ThePdfIsPaintedInStepsAndCanBeCancelled) {
  write_report(file("far.json").toStdString(), test::recorded_report());
  app.opening().open(file("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  QSignalSpy written(&writer(), &FileWriter::written);
  savePdf("steps.pdf");
  EXPECT_FALSE(QFile::exists(file("steps.pdf"))) << "exporting a PDF must not block the window";
  ASSERT_TRUE(waitFor([&] { return written.count() == 1; }));
  QFile pdf(file("steps.pdf"));
  ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
  EXPECT_TRUE(pdf.readAll().trimmed().endsWith("%%EOF"));
  savePdf("never.pdf");
  window.findChild<QProgressDialog*>()->cancel();
  ASSERT_TRUE(waitFor([&] { return window.findChild<QProgressDialog*>() == nullptr; }));
  EXPECT_FALSE(writer().busy());
  EXPECT_FALSE(QFile::exists(file("never.pdf")));
}

TEST_F(ExportsWindow, AFileThatCannotBeWrittenShowsABanner) {
  writer().write(file("no/such/folder/x.csv"), [] { return std::string("1"); });
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible(); }));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("x.csv"));
  writer().write(file("x.csv"),
                 []() -> std::string { throw Error(ErrorKind::internal, "the table has no rows"); });
  ASSERT_TRUE(waitFor([&] { return banner_of(window).text().contains("no rows"); }));
  EXPECT_FALSE(QFile::exists(file("x.csv")));
}

TEST_F(ExportsWindow, AnotherNetworkDiscardsTheRun) {
  measure();
  ASSERT_TRUE(app.openRun().report());
  app.jobs().runs().chooseNetwork("minkunet42");
  EXPECT_FALSE(app.openRun().report());
  EXPECT_THAT(app.commands().unavailableReason("export.pdf").toStdString(),
              HasSubstr("measure a network first"));
}

TEST_F(ExportsWindow, AReportFillsItsChartsAndTheDialogOffersThem) {
  write_report(file("far.json").toStdString(), test::recorded_report());
  app.opening().open(file("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  for (const char* name : {"breakdown", "roofline", "densities", "thresholds", "packings", "timeline"}) {
    SCOPED_TRACE(name);
    const Chart* chart = charts().chartNamed(name);
    ASSERT_NE(chart, nullptr);
    charts().save(*chart, {}, file(QString(name) + ".png"));
    const QImage image(file(QString(name) + ".png"));
    EXPECT_EQ(image.text("Device"), "A far GPU");
    EXPECT_EQ(image.text("Report").toStdString(), report_id(*app.workspace().results().report()));
    EXPECT_EQ(image.text("Trust").toStdString(), trust_of(*app.workspace().results().report()).text());
    EXPECT_FALSE(image.text("Command").isEmpty());
  }
  PictureDialog dialog(charts().charts(), charts().chartNamed("timeline"), &app.openRun(), &window);
  EXPECT_EQ(dialog.chart().name(), "timeline");
  PictureRequest how;
  how.format = PictureFormat::svg;
  dialog.setRequest(how);
  EXPECT_EQ(dialog.request().format, PictureFormat::svg);
}

TEST_F(ExportsWindow, TheDialogOfARecordedNumberNamesTheRequiredScene) {
  Report far = test::recorded_report();
  far.scene.name = "scan.bin";
  far.scene.format = "KITTI";  // With another format, this scene could be one that the program generates.
  write_report(file("far.json").toStdString(), far);
  app.opening().open(file("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::layer;
  subject.layer = 1;
  const ReproduceDialog dialog(*measured_with(app.workspace()), subject, true, &window);
  QStringList words;
  for (const QLabel* label : dialog.findChildren<QLabel*>())
    words += label->text();
  EXPECT_THAT(words.join(" ").toStdString(), HasSubstr("fingerprint"));
  EXPECT_THAT(dialog.command().toStdString(), HasSubstr("--layer down"));
}

TEST_F(ExportsWindow, CopyPutsAPictureOnTheClipboard) {
  open("street");
  ASSERT_TRUE(app.commands().trigger("file.copy_screenshot"));
  EXPECT_EQ(QApplication::clipboard()->image().size(), window.size());
}

}  // namespace
}  // namespace spira::ui
