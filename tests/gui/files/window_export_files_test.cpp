// Tests the files that File > Export writes. Their content must be equal to the output of the engine, dialogs
// must start in the right folder, and unavailable exports must give a reason. Also tests pictures of the
// view.
#include "engine/base/file.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/write_outputs.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/run_program.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/file_jobs.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>

#include <set>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class ExportedFiles : public WindowTest {
 protected:
  ExportedFiles() {
    QObject::connect(&app.workspace(), &Workspace::logAdded,
                     [this](const QString& line) { last_log = line; });
  }
  [[nodiscard]] QString file(const QString& name) const { return folder.filePath(name); }
  [[nodiscard]] std::string content(const QString& name) const {
    return read_text_file(file(name).toStdString(), 1U << 28U);
  }
  [[nodiscard]] std::string unavailableReason(const QString& command) {
    return app.commands().unavailableReason(command).toStdString();
  }
  void openReport(const Report& report) {
    write_report(file("far.json").toStdString(), report);
    app.opening().open(file("far.json"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  }
  /// Types `name` into the dialog of the command and waits until the file exists. Stores the name that the
  /// dialog suggests in `proposed`.
  void exportAs(const QString& command, const QString& name, QString* proposed = nullptr) {
    QSignalSpy done(&child<ExportFiles>(window).writer(), &FileWriter::finished);
    Hands::inNextFileDialog([&](QFileDialog& dialog) {
      begins = dialog.directory().absolutePath();
      if (proposed != nullptr) *proposed = QFileInfo(dialog.selectedFiles().value(0)).fileName();
      Hands::typeName(dialog, QDir(folder.path()).filePath(name));
      static_cast<QDialog&>(dialog).accept();
    });
    ASSERT_TRUE(app.commands().trigger(command))
        << command.toStdString() << ": " << unavailableReason(command);
    ASSERT_TRUE(waitFor([&] { return done.count() == 1; }));
  }

  QTemporaryDir folder;
  QString begins;  // The folder in which the last dialog started.
  QString last_log;
};

struct Expected {
  const char* command;
  ReportExport what;
  const char* name;
};
constexpr Expected of_a_run[] = {{"export.summary", ReportExport::summary, "summary.md"},
                                 {"export.trace", ReportExport::trace, "trace.json"},
                                 {"export.csv", ReportExport::stages, "stages.csv"},
                                 {"export.samples", ReportExport::samples, "samples.csv"},
                                 {"export.timeline", ReportExport::timeline, "timeline.csv"},
                                 {"export.sweeps", ReportExport::sweeps, "sweep.csv"},
                                 {"export.densities", ReportExport::densities, "densities.csv"}};

TEST_F(ExportedFiles, DensitiesOfAnOpenedSceneNeedNoRun) {
  EXPECT_NE(unavailableReason("export.densities"), "");
  open("room");
  EXPECT_EQ(unavailableReason("export.densities"), "");
  EXPECT_NE(unavailableReason("export.csv"), "");
  app.selection().setStride(4);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().map(4).densities; }));
  exportAs("export.densities", file("densities.csv"));
  const ShownMap shown = app.workspace().scene().map(4);
  EXPECT_EQ(content("densities.csv"), densities_csv(shown.title.toStdString(), *shown.densities));
  EXPECT_THAT(content("densities.csv"), HasSubstr("\"scene, 3x3x3, stride 4\",0,0,0,0,"));
}

TEST_F(ExportedFiles, FilesOfARunEqualThoseOfTheCommandLine) {
  openReport(test::recorded_report());
  const Report& report = *app.workspace().results().report();
  for (const Expected& expected : of_a_run) {
    SCOPED_TRACE(expected.command);
    QString proposed;
    exportAs(expected.command, expected.name, &proposed);
    const bool first = &expected == std::begin(of_a_run);
    EXPECT_EQ(begins == QDir(folder.path()).absolutePath(), !first)
        << "a dialog starts in the folder of the last saved file, not in the folder of the report";
    EXPECT_THAT(proposed.toStdString(), testing::EndsWith(std::string(".") + expected.name));
    EXPECT_EQ(content(expected.name), export_text(report, expected.what));
    EXPECT_THAT(last_log.toStdString(),
                HasSubstr(QDir::toNativeSeparators(file(expected.name)).toStdString()));
    const QString beside = QString(expected.name) + ".meta.json";
    ASSERT_EQ(QFile::exists(file(beside)), !table_name(expected.what).empty());
    if (table_name(expected.what).empty()) continue;
    EXPECT_EQ(content(beside), csv_meta_json(report, std::string(table_name(expected.what))));
  }
  EXPECT_TRUE(QDir(folder.path()).entryList({"*.part*"}).empty());
}

TEST_F(ExportedFiles, ANameWithoutAnEndingGetsOne) {
  openReport(test::recorded_report());
  exportAs("export.samples", "all of them");
  EXPECT_TRUE(QFile::exists(file("all of them.csv")));
  exportAs("export.report", "again");
  EXPECT_TRUE(QFile::exists(file("again.spira.json")));
}

TEST_F(ExportedFiles, UnavailableExportsNameTheMissingData) {
  for (const Expected& expected : of_a_run) {
    if (expected.what == ReportExport::sweeps || expected.what == ReportExport::densities) continue;
    EXPECT_THAT(unavailableReason(expected.command), HasSubstr("measure a network first"))
        << expected.command;
    EXPECT_FALSE(app.commands().action(expected.command)->isEnabled());
  }
  EXPECT_THAT(unavailableReason("export.sweeps"), HasSubstr("sweep t or the packings"));
  EXPECT_THAT(unavailableReason("export.compare_csv"), HasSubstr("baseline first (B)"));
  Report bare = test::recorded_report();
  bare.measurement.timeline = {};
  bare.threshold_sweep = bare.pack_sweep = nullptr;
  for (Densities& densities : bare.layer_densities)
    densities = {};
  openReport(bare);
  EXPECT_THAT(unavailableReason("export.timeline"), HasSubstr("no timeline"));
  EXPECT_THAT(unavailableReason("export.sweeps"), HasSubstr("has no sweeps"));
  EXPECT_THAT(unavailableReason("export.densities"), HasSubstr("has no densities"));
  EXPECT_EQ(unavailableReason("export.samples"), "");
}

TEST_F(ExportedFiles, FilesOfAComparisonEqualThoseOfTheCommandLine) {
  Report slower = test::recorded_report();
  for (double& ms : slower.measurement.wall.ms)
    ms *= 2;
  openReport(test::recorded_report());
  Comparing& comparing = *app.profileTools().comparing();
  comparing.add("slower", std::make_shared<const Report>(slower), nullptr);
  ASSERT_TRUE(waitFor([&] { return comparing.comparison() != nullptr; }));
  exportAs("export.compare_json", "c.json");
  exportAs("export.compare_csv", "c.csv");
  exportAs("export.compare_markdown", "c.md");
  EXPECT_EQ(content("c.json"), compare_json(*comparing.comparison()));
  EXPECT_EQ(content("c.csv"), compare_csv(*comparing.comparison()));
  EXPECT_EQ(content("c.md"), compare_markdown(*comparing.comparison()));
  const auto actions = app.profileTools().comparePanel()->exportMenu()->actions();
  EXPECT_THAT(actions, testing::Contains(app.commands().action("export.compare_csv")));
  for (const QAction* action : actions)
    EXPECT_TRUE(action->isEnabled()) << action->text().toStdString();
}

TEST_F(ExportedFiles, SweepsNeedNoMeasurement) {
  open("room");
  const auto sweep = test::recorded_report().threshold_sweep;
  app.workspace().results().setThresholdSweep(sweep);
  exportAs("export.sweeps", file("alone.csv"));
  EXPECT_EQ(content("alone.csv"), sweep_csv(*sweep));
  EXPECT_FALSE(QFile::exists(file("alone.csv.meta.json"))) << "a sweep without a run must not write metadata";
}

TEST_F(ExportedFiles, FeaturesOfTheSelectedLayerEqualThoseOfTheEngine) {
  open("room");
  EXPECT_THAT(unavailableReason("export.outputs"), HasSubstr("select a layer"));
  app.jobs().runs().chooseNetwork("resn21");
  app.selection().setLayer(2);
  EXPECT_THAT(unavailableReason("export.outputs"), HasSubstr("run the selected layer"));
  runNetwork("resn21");
  app.selection().setLayer(2);
  for (const char* name : {"f.safetensors", "f.npz"}) {
    exportAs("export.outputs", file(name));
    Job job;
    const std::vector layers{app.workspace().results().layer(2)};
    const std::string expected = file("expected-" + QString(name)).toStdString();
    write_outputs(expected, *app.workspace().network(), layers, "seeded He, seed 1", job);
    EXPECT_EQ(content(name), read_text_file(expected, 1U << 28U));
    EXPECT_NE(content(name).find(app.workspace().network()->layers[2].name + ".features"), std::string::npos);
  }
  openReport(test::recorded_report());
  EXPECT_THAT(unavailableReason("export.outputs"), HasSubstr("a report does not contain features"));
}

TEST_F(ExportedFiles, AFailedWriteShowsABannerAndLeavesNoFile) {
  openReport(test::recorded_report());
  ASSERT_TRUE(QDir(folder.path()).mkdir("taken.csv.meta.json"));
  exportAs("export.samples", "taken.csv");
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible(); }));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("taken.csv.meta.json"));
}

TEST_F(ExportedFiles, TheButtonsOfFileDialogsShowTheirIcons) {
  int buttons = 0;
  Hands::inNextFileDialog([&](QFileDialog& dialog) {
    for (auto* button : dialog.findChildren<QToolButton*>()) {
      if (!button->isVisible() || button->icon().isNull()) continue;
      ++buttons;
      const QImage picture = button->grab().toImage();
      std::set<QRgb> colours;
      for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x)
          colours.insert(picture.pixel(x, y));
      }
      EXPECT_GT(colours.size(), 6U) << button->toolTip().toStdString();
    }
    dialog.reject();
  });
  ASSERT_TRUE(app.commands().trigger("file.open"));
  EXPECT_GE(buttons, 5);
}

TEST_F(ExportedFiles, SaveDialogsStartInTheDocumentsOrInTheFolderOfTheLastSave) {
  ASSERT_TRUE(QDir(folder.path()).mkdir("results"));
  const auto start_of = [this](const char* command) {
    QString where;
    Hands::inNextFileDialog([&](QFileDialog& dialog) {
      where = dialog.directory().absolutePath();
      dialog.reject();
    });
    EXPECT_TRUE(app.commands().trigger(command)) << command;
    return where;
  };
  openReport(test::recorded_report());
  const QString data = start_of("file.open");
  // If there is no documents folder, the dialog opens the home folder.
  EXPECT_THAT(
      start_of("export.trace"),
      testing::AnyOf(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation), QDir::homePath()));
  exportAs("export.samples", file("results/s.csv"));
  for (const char* command : {"export.trace", "file.save_session_as"})
    EXPECT_EQ(start_of(command), QDir(file("results")).absolutePath()) << command;
  EXPECT_EQ(start_of("file.open"), data) << "open dialogs stay in the folder of the opened files";
}

TEST_F(ExportedFiles, PicturesOfTheViewHaveTheRequestedSizeAndMayBeTransparent) {
  open("street");
  const QSize canvas = app.sceneView().canvas()->size();
  for (const int scale : {1, 2}) {
    const QImage window_image = screen_picture(window, app.sceneView(), {false, false, scale});
    EXPECT_EQ(window_image.size(), window.size() * scale);
    const QImage view = screen_picture(window, app.sceneView(), {true, false, scale});
    EXPECT_EQ(view.size(), canvas * scale);
    EXPECT_EQ(qAlpha(view.pixel(view.width() / 2, 5)), 255);
    const QImage glass = screen_picture(window, app.sceneView(), {true, true, scale});
    EXPECT_EQ(qAlpha(glass.pixel(glass.width() / 2, 5)), 0) << "the background must be transparent";
    int solid = 0;
    for (int x = 0; x < glass.width(); ++x)
      solid += qAlpha(glass.pixel(x, glass.height() / 2)) == 255 ? 1 : 0;
    EXPECT_GT(solid, glass.width() / 10) << "the picture must contain voxels";
  }
  EXPECT_EQ(screen_picture(window, app.sceneView(), {true, false, 1}),
            screen_picture(window, app.sceneView(), {true, false, 1}));
}

TEST_F(ExportedFiles, APictureIsTheSameWithoutAWindow) {
  open("street");
  child<Screenshots>(window).save({true, false, 2}, file("here.png"));
  test::Program program(
      SPIRASCOPE_PROGRAM,
      {"street", "--picture", "there.png", "--view-only", "--scale", "2", "--size", "1440x900"},
      folder.path().toStdString());
  const test::Finished there = program.finish();
  ASSERT_EQ(there.code, 0) << there.err;
  const QImage a(file("here.png")), b(file("there.png"));
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(a.convertToFormat(QImage::Format_RGB32) == b.convertToFormat(QImage::Format_RGB32));
  EXPECT_THAT(b.text("View").toStdString(), HasSubstr("stride 1; camera at"));
  EXPECT_EQ(a.text("View"), b.text("View"));
}

}  // namespace
}  // namespace spira::ui
