// What was refused or lost: what, where and why, what stays, and the ways on from there.
#include "engine/scene/write_scene.hpp"
#include "tests/gui/states/states.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/panels/points_panel.hpp"
#include "ui/window/first_bytes_dialog.hpp"

#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTimer>

#include <atomic>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(States, AnUnreadableFileNamesItsFaultAndShowsHowItBegins) {
  make();
  open("room");
  const auto before = window->workspace().voxels();
  refused(write("000012.bin", QByteArray(1603, '\x40')));
  EXPECT_THAT(said(), AllOf(HasSubstr("000012.bin"), HasSubstr("1,603"), HasSubstr("16")));
  EXPECT_THAT(offered(), AllOf(Contains("Open as..."), Contains("Show first bytes")));
  EXPECT_EQ(window->workspace().voxels(), before);
  pictures("unreadable");
  QString shown;
  QTimer::singleShot(100, window.get(), [&] {
    auto* dialog = qobject_cast<FirstBytesDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    shown = dialog->findChild<QPlainTextEdit*>()->toPlainText();
    save_grab(*dialog, "state-first-bytes");
    dialog->close();
  });
  take("Show first bytes");
  EXPECT_TRUE(shown.startsWith("     0  40 40 40")) << shown.toStdString();
  EXPECT_TRUE(shown.contains("@@@@@@@@@@@@@@@@")) << "as text";
  EXPECT_TRUE(shown.contains("3.0039")) << "as float32: 0x40404040";
}

TEST_F(States, BytesAreShownInRowsAndTheLastOneMayBeShort) {
  const QStringList rows = bytes_text(QByteArray("0123456789abcdef\0\x01xyz", 21)).split('\n');
  EXPECT_TRUE(rows[0].startsWith("     0  30 31 32")) << rows[0].toStdString();
  EXPECT_TRUE(rows[1].startsWith("    16  00 01 78 79 7a"));
  EXPECT_TRUE(rows[1].contains("..xyz"));
}

TEST_F(States, ASceneThatDoesNotFitOffersThreeWaysAndStartsNoKernel) {
  make();
  open("room");
  const auto before = window->workspace().voxels();
  window->workspace().setPack(parse_pack_spec("8,8,6"));
  window->jobs().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && window->banner().isVisible(); }));
  EXPECT_THAT(said(), AllOf(HasSubstr("bits"), HasSubstr("z")));
  EXPECT_THAT(offered(), AllOf(Contains("Take 64 bits"), Contains("Double the voxel size"),
                               Contains(StartsWith("Crop "))));
  EXPECT_EQ(window->workspace().voxels(), before);
  EXPECT_EQ(window->workspace().pack(), before->pack) << "the field shows what is open";
  pictures("does-not-fit");
}

TEST_F(States, OutOfMemorySaysHowMuchAndOffersFewerVoxels) {
  BackendOptions little;
  little.memory_limit_bytes = 1'000'000;
  make({altered_entry(
      BackendKind::cpu, [](test::AlteredBackend&) {}, little)});
  window->workspace().setGrid(parse_grid("0.1"));
  window->jobs().keepGrid(true);
  write_scene(*test::small_room(), folder.filePath("room.ply").toStdString());
  open(folder.filePath("room.ply"));
  const auto before = window->workspace().voxels();
  window->jobs().chooseNetwork("resn21");
  ASSERT_TRUE(window->commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && window->banner().isVisible(); }));
  EXPECT_THAT(said(), AllOf(HasSubstr("memory"), HasSubstr("asked for"), HasSubstr("in use")));
  EXPECT_EQ(window->workspace().voxels(), before);
  pictures("out-of-memory");
  take("Double the voxel size");
  ASSERT_TRUE(waitFor([&] { return idle() && window->workspace().voxels() != before; }));
  EXPECT_EQ(window->workspace().voxels()->grid.voxel_m[0], 0.2);
}

TEST_F(States, AGpuThatIsLostLeavesTheWorkAndTheCpuGoesOn) {
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
  const auto before = window->workspace().voxels();
  window->jobs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  *lost = true;
  ASSERT_TRUE(window->commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && window->workspace().layersRun() == 7; }));
  EXPECT_THAT(said(), HasSubstr("the CPU goes on with it"));
  EXPECT_EQ(window->workspace().voxels(), before);
  EXPECT_EQ(window->workspace().device().kind, BackendKind::cpu);
  pictures("gpu-lost");
}

TEST_F(States, AGpuThatCannotBeUsedIsNamedOnceWithItsReason) {
  const auto old_driver = [] {
    DeviceListing row;
    row.facts.kind = BackendKind::cuda;
    row.facts.name = "CUDA driver";
    row.usable = false;
    row.why_not = "it knows CUDA 11.4, this program needs CUDA 13.0: install a newer driver";
    return std::vector<DeviceListing>{row};
  };
  make({{BackendKind::cuda, old_driver, {}}, altered_entry(BackendKind::cpu, [](test::AlteredBackend&) {})});
  open("room");
  EXPECT_TRUE(window->banner().isVisible());
  EXPECT_THAT(said(), AllOf(HasSubstr("CUDA 11.4"), HasSubstr("CUDA 13.0"), HasSubstr("The CPU computes")));
  pictures("gpu-refused");
  open("room");
  EXPECT_FALSE(window->banner().isVisible()) << "it was said";
}

TEST_F(States, AReportOfANewerMinorVersionOpensAndSaysSo) {
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
  window->open(write("newer.spira.json", versioned("1.9")));
  ASSERT_TRUE(waitFor([&] { return idle() && window->workspace().report(); }));
  const auto before = window->workspace().report();
  EXPECT_THAT(window->findChild<ElidedLabel*>("note")->text().toStdString(), HasSubstr("newer version"));
  pictures("report-newer");
  refused(write("future.spira.json", versioned("2.0")));
  EXPECT_THAT(said(), AllOf(HasSubstr("future.spira.json"), HasSubstr("2.0 is newer")));
  EXPECT_EQ(window->workspace().report(), before);
  pictures("report-of-the-future");
  refused(write("torn.spira.json", text.left(text.size() / 2).toUtf8()));
  EXPECT_THAT(said(), HasSubstr("torn.spira.json"));
  EXPECT_EQ(window->workspace().report(), before);
  pictures("report-torn");
}

TEST_F(States, PointsThatAreNotFiniteAreCountedDroppedAndRecorded) {
  make();
  QByteArray text;
  for (int at = 0; at < 400; ++at)
    text += QString("%1 %2 %3\n").arg(at % 20).arg(at / 20).arg(at % 3).toLatin1();
  open(write("holes.xyz", text + "nan 1 1\n1 inf 1\n1 1 nan\n"));
  EXPECT_EQ(window->workspace().cloud()->dropped_non_finite, 3);
  window->rightTabs().setCurrentWidget(&window->pointsPanel());
  QApplication::processEvents();
  EXPECT_THAT(textOn(window->pointsPanel()), HasSubstr("not finite, dropped"));
  EXPECT_THAT(window->workspace().cloud()->notes, Contains("3 points were not finite and were dropped"));
  pictures("not-finite");
}

TEST_F(States, AFrameThatCannotBeReadKeepsItsPlaceAndTheSceneStays) {
  make();
  const QByteArray good = "0 0 0\n1 0 0\n1 1 0\n1 1 1\n";
  write("frame1.xyz", good);
  write("frame2.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
  write("frame3.xyz", good + "2 2 2\n");
  open(folder.path());
  const auto before = window->workspace().voxels();
  ASSERT_TRUE(window->commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && window->banner().isVisible(); }));
  EXPECT_THAT(said(), HasSubstr("frame2.ply"));
  EXPECT_EQ(window->workspace().voxels(), before);
  EXPECT_EQ(window->workspace().frame(), 1);
  pictures("bad-frame");
}

TEST_F(States, ACropWithoutAPointOffersAllPoints) {
  make();
  open("room");
  const auto before = window->workspace().voxels();
  window->jobs().crop(Bounds{{900, 900, 900}, {901, 901, 901}});
  ASSERT_TRUE(waitFor([&] { return idle() && window->banner().isVisible(); }));
  EXPECT_THAT(offered(), AllOf(Contains("Take all points"), Contains("Show the box")));
  EXPECT_EQ(window->workspace().voxels(), before);
  pictures("empty-crop");
}

TEST_F(States, OpeningThatIsCancelledLeavesWhatWasOpen) {
  make();
  open("room");
  const auto before = window->workspace().voxels();
  QByteArray many;
  for (int at = 0; at < 400'000; ++at)
    many += QString("%1 %2 %3\n").arg(at % 700).arg(at / 700).arg(at % 9).toLatin1();
  window->open(write("many.xyz", many));
  ASSERT_FALSE(idle());
  ASSERT_TRUE(window->commands().trigger("run.stop"));
  EXPECT_TRUE(idle()) << "at once";
  EXPECT_EQ(window->workspace().voxels(), before);
  EXPECT_FALSE(window->banner().isVisible()) << "what a user asks for is no fault";
  window->bottomTabs().setCurrentIndex(window->bottomTabs().count() - 2);
  pictures("cancelled");
}

TEST_F(States, ANetworkFileThatIsWrongNamesTheLayerAndTheFormerOneStays) {
  make();
  open("room");
  const auto before = window->workspace().network();
  window->jobs().chooseNetwork(
      write("mine.json", R"({"name": "mine", "layers": [{"name": "a", "out_channels": -4}]})"));
  EXPECT_TRUE(window->banner().isVisible());
  EXPECT_THAT(said(), AllOf(HasSubstr("mine.json"), HasSubstr("out_channels")));
  EXPECT_EQ(window->workspace().network(), before);
  pictures("bad-network");
}

}  // namespace
}  // namespace spira::ui
