// Tests refused files and failed devices. The message must name the object, the fault and the reason, the
// open scene must stay open, and a fix must be suggested.
#include "engine/report/report_exports.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/states/states.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/features/open/open_as_dialog.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

#include <atomic>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(States, AnUnreadableFileNamesItsErrorAndShowsItsFirstBytes) {
  make();
  open("room");
  const auto before = app->workspace().scene().voxels();
  refused(write("000012.bin", QByteArray(1603, '\x40')));
  EXPECT_THAT(said(), AllOf(HasSubstr("000012.bin"), HasSubstr("1,603 bytes"), Not(HasSubstr("--"))));
  EXPECT_THAT(offered(), AllOf(Contains("Open as..."), Contains("Show first bytes")));
  EXPECT_EQ(app->workspace().scene().voxels(), before);
  pictures("unreadable");
  QString shown;
  QTimer::singleShot(100, &app->window(), [&] {
    auto* dialog = qobject_cast<FirstBytesDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    shown = dialog->findChild<QPlainTextEdit*>()->toPlainText();
    save_grab(*dialog, "state-first-bytes");
    dialog->close();
  });
  take("Show first bytes");
  EXPECT_TRUE(shown.startsWith("     0  40 40 40")) << shown.toStdString();
  EXPECT_TRUE(shown.contains("@@@@@@@@@@@@@@@@")) << "the first bytes must be shown as text";
  EXPECT_TRUE(shown.contains("3.0039")) << "the bytes 0x40404040 must be shown as the float32 value 3.0039";
}

TEST_F(States, BytesAreShownInRowsAndTheLastRowMayBeShorter) {
  const QStringList rows = bytes_text(QByteArray("0123456789abcdef\0\x01xyz", 21)).split('\n');
  EXPECT_TRUE(rows[0].startsWith("     0  30 31 32")) << rows[0].toStdString();
  EXPECT_TRUE(rows[1].startsWith("    16  00 01 78 79 7a"));
  EXPECT_TRUE(rows[1].contains("..xyz"));
}

TEST_F(States, ASceneThatDoesNotFitOffersThreeFixesAndStartsNoKernel) {
  make();
  open("room");
  const auto before = app->workspace().scene().voxels();
  app->workspace().requested().setPack(parse_pack_spec("8,8,6"));
  app->jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(*app).isVisible(); }));
  EXPECT_THAT(said(), AllOf(HasSubstr("bits"), HasSubstr("z")));
  EXPECT_THAT(offered(), AllOf(Contains("Use 12/12/8"), Contains(StartsWith("Use voxels of 0.")),
                               Contains(StartsWith("Crop "))));
  EXPECT_EQ(offered().front(), "Use 12/12/8") << "the packing that fits must be the first suggestion";
  EXPECT_EQ(app->workspace().scene().voxels(), before);
  EXPECT_EQ(app->workspace().requested().pack(), before->pack)
      << "the field must show the packing of the open scene";
  pictures("does-not-fit");
}

TEST_F(States, OutOfMemoryNamesTheAmountAndOffersFewerVoxels) {
  BackendOptions little;
  little.memory_limit_bytes = 1'000'000;
  make({altered_entry(
      BackendKind::cpu, [](test::AlteredBackend&) {}, little)});
  app->workspace().requested().setGrid(parse_grid("0.1"));
  app->jobs().scenes().options().keep_grid = true;
  write_scene(*test::small_room(), folder.filePath("room.ply").toStdString());
  open(folder.filePath("room.ply"));
  const auto before = app->workspace().scene().voxels();
  app->jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(app->commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(*app).isVisible(); }));
  EXPECT_THAT(said(), AllOf(HasSubstr("memory"), HasSubstr("requested"), HasSubstr("in use")));
  EXPECT_EQ(app->workspace().scene().voxels(), before);
  EXPECT_THAT(said(), HasSubstr("Not enough memory"))
      << "the message must name the memory and not the device";
  EXPECT_THAT(offered(), AllOf(Contains("Use voxels twice as large"), Contains("Read every 2nd point")));
  pictures("out-of-memory");
  take("Use voxels twice as large");
  ASSERT_TRUE(waitFor([&] { return idle() && app->workspace().scene().voxels() != before; }));
  EXPECT_EQ(app->workspace().scene().voxels()->grid.voxel_m[0], 0.2);
}

TEST_F(States, ASceneWithoutEnoughMemoryOffersAPreviewAndAPartOfItsPoints) {
  make();
  open("room");
  const auto before = app->workspace().scene().voxels();
  Job job;
  write_scene(*generate_scene("street", 60'000, 1, job), folder.filePath("street.ply").toStdString());
  app->workspace().requested().setGrid(parse_grid("0.05"));
  app->jobs().scenes().options().keep_grid = true;
  app->jobs().scenes().limitMemory(5'000'000);
  refused(folder.filePath("street.ply"));
  EXPECT_THAT(said(), AllOf(HasSubstr("Not enough memory"), HasSubstr("voxels of"), HasSubstr("is free")));
  EXPECT_THAT(offered(), AllOf(Contains("Use voxels twice as large"), Contains(StartsWith("Read every "))));
  EXPECT_EQ(app->workspace().scene().voxels(), before) << "the previous scene must stay open";
  pictures("not-enough-memory");
  take("Read every ");
  ASSERT_TRUE(waitFor([&] { return ready() && app->workspace().scene().voxels() != before; }));
  const auto& part = *app->workspace().scene().cloud();
  EXPECT_GT(part.every, 1);
  EXPECT_EQ(part.size(), (part.in_file + part.every - 1) / part.every);
  EXPECT_EQ(app->sessions().state().every, part.every);
  const auto* chip = app->sceneView().canvas()->findChild<QToolButton*>("chip");
  ASSERT_NE(chip, nullptr) << "a chip must show that only a part of the points is open";
  EXPECT_THAT(chip->text().toStdString(), AllOf(HasSubstr("every "), HasSubstr(" of ")));
  pictures("part-of-a-file");
  app->jobs().scenes().limitMemory(0);
  QTest::mouseClick(const_cast<QToolButton*>(chip), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return ready() && app->workspace().scene().cloud()->every == 1; }));
}

TEST_F(States, AGpuThatFailsKeepsTheSceneAndTheCpuContinues) {
  const auto lost = std::make_shared<std::atomic<bool>>(false);
  const auto gpu = [lost](test::AlteredBackend& device) {
    device.facts_instead = DeviceFacts{};
    device.facts_instead->kind = BackendKind::cuda;
    device.facts_instead->name = "a GPU";
    device.before_convolve = [lost] {
      if (*lost) throw Error(ErrorKind::device, "CUDA: unspecified launch failure in map.search");
    };
  };
  make(
      {altered_entry(BackendKind::cuda, gpu), altered_entry(BackendKind::cpu, [](test::AlteredBackend&) {})});
  open("room");
  const auto before = app->workspace().scene().voxels();
  app->jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  *lost = true;
  ASSERT_TRUE(app->commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app->workspace().results().layersRun() == 7; }));
  EXPECT_THAT(said(), HasSubstr("the CPU is used instead"));
  EXPECT_EQ(app->workspace().scene().voxels(), before);
  EXPECT_EQ(app->workspace().device().kind, BackendKind::cpu);
  pictures("gpu-lost");
}

TEST_F(States, AnUnusableGpuIsReportedOnceWithItsReason) {
  const auto old_driver = [] {
    DeviceListing row;
    row.facts.kind = BackendKind::cuda;
    row.facts.name = "CUDA driver";
    row.usable = false;
    row.why_not = "the driver supports CUDA 11.4, but this program needs CUDA 13.0; install a newer driver";
    return std::vector<DeviceListing>{row};
  };
  make({{BackendKind::cuda, old_driver, {}}, altered_entry(BackendKind::cpu, [](test::AlteredBackend&) {})});
  open("room");
  EXPECT_TRUE(banner_of(*app).isVisible());
  EXPECT_THAT(said(),
              AllOf(HasSubstr("CUDA 11.4"), HasSubstr("CUDA 13.0"), HasSubstr("The CPU is used instead")));
  pictures("gpu-refused");
  open("room");
  EXPECT_FALSE(banner_of(*app).isVisible()) << "the reason must not be shown again";
}

TEST_F(States, AReportOfANewerMinorVersionOpensWithANotice) {
  make();
  const QString file = folder.filePath("run.spira.json");
  write_report(file.toStdString(), test::recorded_report());
  QFile made(file);
  ASSERT_TRUE(made.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(made.readAll());
  const QRegularExpression ours(R"("schema_version": ?"[0-9.]+")");
  ASSERT_TRUE(ours.match(text).hasMatch());
  const auto versioned = [&](const char* version) {
    QString other = text;
    return other.replace(ours, QString("\"schema_version\":\"%1\"").arg(version)).toUtf8();
  };
  app->opening().open(write("newer.spira.json", versioned("1.99")));
  ASSERT_TRUE(waitFor([&] { return idle() && app->workspace().results().report(); }));
  EXPECT_THAT(app->window().findChild<ElidedLabel*>("note")->text().toStdString(),
              HasSubstr("newer version"));
  EXPECT_THAT(said(), HasSubstr("All its fields are shown"));
  QByteArray more = versioned("1.99");
  more.replace("\"map_bytes\":", "\"energy_mj\": 3, \"map_bytes\":");
  more.insert(more.indexOf('{') + 1, "\"weather\": {\"wind\": 4},");
  app->opening().open(write("later.spira.json", more));
  ASSERT_TRUE(waitFor([&] { return idle() && app->workspace().results().report()->ignored.size() == 2; }));
  const auto before = app->workspace().results().report();
  EXPECT_TRUE(banner_of(*app).isVisible());
  EXPECT_THAT(said(), AllOf(HasSubstr("later.spira.json"), HasSubstr("layers[].energy_mj; weather")));
  pictures("report-newer");
  refused(write("future.spira.json", versioned("2.0")));
  EXPECT_THAT(said(), AllOf(HasSubstr("future.spira.json"), HasSubstr("2.0 is newer")));
  EXPECT_EQ(app->workspace().results().report(), before);
  pictures("report-of-the-future");
}

TEST_F(States, ATruncatedReportOpensWithItsCompletePartAndMarksTheRest) {
  make();
  const QString file = folder.filePath("run.spira.json");
  write_report(file.toStdString(), test::recorded_report());
  QFile made(file);
  ASSERT_TRUE(made.open(QIODevice::ReadOnly));
  const QByteArray text = made.readAll();
  qsizetype fourth = -1;  // The position of the last entry in the fourth layer.
  for (int layer = 0; layer < 4; ++layer)
    fourth = text.indexOf("\"densities\"", fourth + 1);
  ASSERT_GT(fourth, 0);
  app->opening().open(write("torn.spira.json", text.left(fourth + 40)));
  ASSERT_TRUE(waitFor([&] { return idle() && app->workspace().results().report(); }));
  const auto report = app->workspace().results().report();
  const int whole = static_cast<int>(report->measurement.layers.size());
  ASSERT_GT(whole, 0);
  ASSERT_LT(whole, 7);
  EXPECT_THAT(said(), AllOf(HasSubstr("truncated"), HasSubstr("of 7 layers"), HasSubstr("wall time"),
                            HasSubstr("timeline"), HasSubstr("sweeps")));
  const auto* layers = app->window().findChild<QTableView*>("layers")->model();
  EXPECT_NE(layers->index(whole - 1, LayerTableModel::time).data().toString(), "missing");
  EXPECT_EQ(layers->index(whole, LayerTableModel::time).data().toString(), "missing");
  EXPECT_FALSE(app->commands().trigger("export.report"));
  for (int tab = 0; tab < app->docks().tabs(DockLayout::Side::bottom).count();
       ++tab) {  // No tab may fail because of the missing data.
    app->docks().tabs(DockLayout::Side::bottom).setCurrentIndex(tab);
    QApplication::processEvents();
  }
  for (int layer = 0; layer < 7; ++layer) {
    app->selection().setLayer(layer);
    QApplication::processEvents();
  }
  EXPECT_THAT(textOn(child<DensityPanel>(app->window())), HasSubstr("missing: the report is truncated"));
  ASSERT_TRUE(waitFor([&] { return !child<SummaryPanel>(app->window()).note()->text().isEmpty(); }));
  EXPECT_THAT(child<SummaryPanel>(app->window()).note()->text().toStdString(),
              AllOf(HasSubstr("the wall time and"), HasSubstr("of 7 layers are missing"),
                    Not(HasSubstr("nothing to improve"))));
  app->docks().tabs(DockLayout::Side::bottom).setCurrentIndex(0);
  pictures("report-torn");
  refused(write("stump.spira.json", text.left(text.indexOf("\"layers\"", text.indexOf("\"indexing\"")))));
  EXPECT_THAT(said(), AllOf(HasSubstr("stump.spira.json"), HasSubstr("first layer")));
  EXPECT_EQ(app->workspace().results().report(), report);
}

TEST_F(States, ClosingDuringAJobAsksOnceAndTheDefaultIsToCloseIt) {
  make();
  open("street");
  ASSERT_TRUE(app->commands().trigger("run.measure"));
  int asked = 0;
  const auto answer = [&](Qt::Key key) {
    QTimer::singleShot(100, &app->window(), [&, key] {
      auto* question = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(question, nullptr);
      ++asked;
      EXPECT_EQ(question->defaultButton()->text(), "Cancel job and close");
      EXPECT_THAT(question->text().toStdString(), HasSubstr("Measuring the network"));
      if (key == Qt::Key_Escape) save_grab(*question, "state-close");
      QTest::keyClick(question, key);
    });
    app->window().close();
  };
  answer(Qt::Key_Escape);
  EXPECT_TRUE(app->window().isVisible());
  EXPECT_FALSE(idle()) << "the job must continue";
  answer(Qt::Key_Return);
  EXPECT_FALSE(app->window().isVisible());
  EXPECT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(asked, 2);
}

TEST_F(States, PointsThatAreNotFiniteAreCountedDroppedAndRecorded) {
  make();
  QByteArray text;
  for (int at = 0; at < 400; ++at)
    text += QString("%1 %2 %3\n").arg(at % 20).arg(at / 20).arg(at % 3).toLatin1();
  open(write("holes.xyz", text + "nan 1 1\n1 inf 1\n1 1 nan\n"));
  EXPECT_EQ(app->workspace().scene().cloud()->dropped_non_finite, 3);
  app->docks().tabs(DockLayout::Side::right).setCurrentWidget(&child<PointsPanel>(app->window()));
  QApplication::processEvents();
  EXPECT_THAT(textOn(child<PointsPanel>(app->window())), HasSubstr("NaN or infinite"));
  EXPECT_THAT(app->workspace().scene().cloud()->notes, Contains("3 points were not finite and were dropped"));
  pictures("not-finite");
}

TEST_F(States, AFrameThatCannotBeReadStaysInTheSequenceAndTheSceneStaysOpen) {
  make();
  const QByteArray good = "0 0 0\n1 0 0\n1 1 0\n1 1 1\n";
  write("frame1.xyz", good);
  write("frame2.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
  write("frame3.xyz", good + "2 2 2\n");
  open(folder.path());
  const auto before = app->workspace().scene().voxels();
  ASSERT_TRUE(app->commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(*app).isVisible(); }));
  EXPECT_THAT(said(), HasSubstr("frame2.ply"));
  EXPECT_EQ(app->workspace().scene().voxels(), before);
  EXPECT_EQ(app->workspace().scene().frame(), 1);
  pictures("bad-frame");
}

TEST_F(States, ACropWithoutPointsOffersAllPoints) {
  make();
  open("room");
  const auto before = app->workspace().scene().voxels();
  app->jobs().scenes().crop(Bounds{{900, 900, 900}, {901, 901, 901}});
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(*app).isVisible(); }));
  EXPECT_THAT(offered(), AllOf(Contains("Remove crop"), Contains("Show box")));
  EXPECT_EQ(app->workspace().scene().voxels(), before);
  pictures("empty-crop");
}

TEST_F(States, CancellingAnOpeningSceneKeepsThePreviousOne) {
  make();
  open("room");
  const auto before = app->workspace().scene().voxels();
  QByteArray many;
  for (int at = 0; at < 400'000; ++at)
    many += QString("%1 %2 %3\n").arg(at % 700).arg(at / 700).arg(at % 9).toLatin1();
  app->opening().open(write("many.xyz", many));
  ASSERT_FALSE(idle());
  ASSERT_TRUE(app->commands().trigger("run.stop"));
  EXPECT_FALSE(app->jobs().lane().busy()) << "cancelling must stop the job at once";
  EXPECT_EQ(app->workspace().scene().voxels(), before);
  EXPECT_FALSE(banner_of(*app).isVisible()) << "cancelling must not show an error";
  app->docks()
      .tabs(DockLayout::Side::bottom)
      .setCurrentIndex(app->docks().tabs(DockLayout::Side::bottom).count() - 2);
  pictures("cancelled");
}

TEST_F(States, AnInvalidNetworkFileNamesTheLayerAndKeepsThePreviousNetwork) {
  make();
  open("room");
  const auto before = app->workspace().network();
  app->jobs().runs().chooseNetwork(
      write("mine.json", R"({"name": "mine", "layers": [{"name": "a", "out_channels": -4}]})"));
  EXPECT_TRUE(banner_of(*app).isVisible());
  EXPECT_THAT(said(), AllOf(HasSubstr("mine.json"), HasSubstr("out_channels")));
  EXPECT_EQ(app->workspace().network(), before);
  pictures("bad-network");
}

}  // namespace
}  // namespace spira::ui
