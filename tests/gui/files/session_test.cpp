// Tests session files: they can be read back, their paths are relative, and error messages name the invalid
// entry. Also tests recovery copies.
#include "engine/run/session.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/report/validate.hpp"
#include "tests/support/json_schema.hpp"
#include "ui/features/session/recovery.hpp"
#include "ui/model/session.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace spira::ui {
namespace {

using testing::HasSubstr;

SessionState full_session() {
  SessionState session;
  session.kind = OpenKind::folder;
  session.open = {"/data/drive/frames"};
  session.format = "kitti";
  session.every = 3;
  session.frame = 4;
  session.scene_fingerprint = 0xFEDCBA9876543210;
  session.weights_file = "/data/drive/net.safetensors";
  session.weights_fingerprint = 17;
  Parameters& p = session.parameters;
  p.grid.voxel_m = {0.05, 0.05, 0.1};
  p.grid.crop_m = Bounds{{-10.5, -3, -2}, {20, 3.25, 4}};
  p.pack = parse_pack_spec("64");
  p.network = std::make_shared<const Network>(network_preset("resn21"));
  p.plan = default_plan(*p.network);
  p.plan.layers[0].threshold = 2;
  p.precision = Precision::fp16;
  p.scene_kernel_size = 5;
  p.colour_by = ColourBy::label;
  p.look.map = ColourMap::cividis;
  p.look.range = RangeMode::typed;
  p.look.typed = {{ColourBy::height, {-1.5, 3}}};
  p.hidden_labels = {40, 252};
  p.slab_m = std::pair{-1.0, 0.5};
  p.voxel_style = VoxelStyle::outlined;
  p.parts = {{ViewPart::axes, ViewPart::outside}, ViewPart::grid};
  session.layer = 3;
  session.stride = 4;
  session.columns = {0, 13};
  session.voxel = ChosenVoxel{{8, 12, 4}, 4};
  session.camera = CameraPose{{1, 2, 3}, {4.5, -5, 6}, {0, 0, 1}};
  session.layout = "learn";
  return session;
}

TEST(Session, IsReadAsItWasWritten) {
  const SessionState written = full_session();
  const SessionState read = parse_session(session_json(written, "/data/sessions"), "s", "/data/sessions");
  EXPECT_EQ(read.kind, written.kind);
  EXPECT_EQ(read.open, written.open);
  EXPECT_EQ(read.format, written.format);
  EXPECT_EQ(read.every, written.every);
  EXPECT_EQ(read.frame, written.frame);
  EXPECT_EQ(read.scene_fingerprint, written.scene_fingerprint);
  EXPECT_EQ(read.weights_file, "/data/drive/net.safetensors");
  EXPECT_EQ(read.weights_fingerprint, 17U);
  EXPECT_EQ(read.parameters.network->name, "resn21");
  EXPECT_EQ(read.parameters.plan.layers, written.parameters.plan.layers);
  EXPECT_EQ(read.parameters.precision, Precision::fp16);
  EXPECT_EQ(read.parameters.pack, written.parameters.pack);
  EXPECT_EQ(read.parameters.grid.crop_m, written.parameters.grid.crop_m);
  Parameters same = read.parameters;
  same.network = written.parameters.network;  // This is another object for the same network.
  EXPECT_EQ(difference(same, written.parameters), QString());
  EXPECT_EQ(read.layer, 3);
  EXPECT_EQ(read.stride, 4);
  EXPECT_EQ(read.columns, written.columns);
  EXPECT_EQ(read.voxel, written.voxel);
  EXPECT_EQ(read.camera, written.camera);
  EXPECT_EQ(read.layout, "learn");
}

TEST(Session, StoresTheDataflowsThatNoThresholdDescribes) {
  SessionState written = full_session();
  const Network& network = *written.parameters.network;
  std::vector<LayerPlan>& layers = written.parameters.plan.layers;
  EXPECT_THAT(session_json(written, {}), testing::Not(HasSubstr("\"dataflows\"")));
  layers[0] = with_dataflow(network.layers[0], layers[0], "mask-sorted:2");
  layers[2] = with_dataflow(network.layers[2], layers[2], "gather-fp16");
  written.captured_layer = network.layers[3].name;
  written.captured_dataflow = "unsorted";
  const std::string json = session_json(written, {});
  EXPECT_THAT(test::shipped_schema("session").faults(nlohmann::json::parse(json)), testing::IsEmpty());
  const SessionState read = parse_session(json, "s", {});
  EXPECT_EQ(read.parameters.plan.layers, layers);
  EXPECT_EQ(read.captured_dataflow, "unsorted");
  std::string bad = json;
  bad.replace(bad.find("mask-sorted:2"), 13, "mask-sorted:99");
  EXPECT_FALSE(validate_document(bad, "s").faults.empty());
  EXPECT_THROW(static_cast<void>(parse_session(bad, "s", {})), Error);
}

TEST(Session, FollowsItsSchema) {
  const test::JsonSchema schema = test::shipped_schema("session");
  EXPECT_THAT(schema.faults(nlohmann::json::parse(session_json(full_session(), {}))), testing::IsEmpty());
  SessionState bare;
  bare.open = {"street"};
  EXPECT_THAT(schema.faults(nlohmann::json::parse(session_json(bare, {}))), testing::IsEmpty());
}

TEST(Session, PathsAreRelativeToItsFolderSoThatBothCanBeMoved) {
  const std::string json = session_json(full_session(), "/data/drive/sessions");
  EXPECT_THAT(json, HasSubstr("\"../frames\""));
  EXPECT_EQ(parse_session(json, "s", "/moved/drive/sessions").open.front(), "/moved/drive/frames");
  EXPECT_THAT(session_json(full_session(), {}), HasSubstr("\"/data/drive/frames\""));
}

TEST(Session, IncludesTheNetworkOfAFile) {
  SessionState session = full_session();
  Network own = single_layer_network(3, 1, 4, 8);
  session.parameters.network = std::make_shared<const Network>(own);
  session.parameters.plan = default_plan(own);
  const SessionState read = parse_session(session_json(session, {}), "s", {});
  EXPECT_EQ(network_json(*read.parameters.network), network_json(own));
}

TEST(Session, ReaderAndValidateAgree) {
  const std::string good = session_json(full_session(), {});
  EXPECT_TRUE(validate_document(good, "s").faults.empty());
  const std::pair<const char*, const char*> changes[] = {
      {"\"frame\": 4", "\"frame\": 400000"},
      {"\"stride\": 4", "\"stride\": 7"},
      {"24/24/16", "99/99/99"},
      {"\"resn21\"", "\"resn99\""},
      {"\"thresholds\": [\n    2", "\"thresholds\": [\n    77"},
      {"\"scene_kernel_size\": 5", "\"scene_kernel_size\": 4"},
      {"\"by\": \"label\"", "\"by\": \"smell\""}};
  for (const auto& [from, to] : changes) {
    std::string bad = good;
    ASSERT_NE(bad.find(from), std::string::npos) << from;
    bad.replace(bad.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(validate_document(bad, "s").faults.empty()) << to;
    EXPECT_THROW(static_cast<void>(parse_session(bad, "s", {})), Error) << to;
  }
}

TEST(Session, ErrorsNameTheInvalidEntry) {
  const std::string good = session_json(full_session(), {});
  const auto fault = [&](const std::string& from, const std::string& to) -> std::string {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    try {
      static_cast<void>(parse_session(bad, "my.spirasession", {}));
    } catch (const Error& error) {
      return error.what();
    }
    return "no fault";
  };
  EXPECT_THAT(fault("\"frame\": 4", "\"frame\": -4"), HasSubstr("my.spirasession: open.frame: -4"));
  EXPECT_THAT(fault("\"1.8\"", "\"2.0\""), HasSubstr("newer than this program"));
  EXPECT_THAT(fault("\"by\": \"label\"", "\"by\": \"smell\""), HasSubstr("colours.by: \"smell\""));
  EXPECT_THAT(fault("\"resn21\"", "\"resn99\""), HasSubstr("network.preset"));
  EXPECT_THAT(fault("24/24/16", "99/99/99"), HasSubstr("voxels.pack"));
  EXPECT_THAT(fault("\"thresholds\": [\n    2", "\"thresholds\": [\n    77"), HasSubstr("thresholds[0]"));
  EXPECT_THAT(fault("{", "["), HasSubstr("my.spirasession"));
}

struct RecoveryTest : testing::Test {
  QTemporaryDir folder;
  std::string now = "{\"a\":1}";
  std::function<std::string()> snapshot = [this] { return now; };
  [[nodiscard]] QStringList copies() const {
    return QDir(folder.path() + "/recovery").entryList({"*.spirasession"}, QDir::Files);
  }
  void leaveBehind(const QString& name, int seconds_ago) const {
    QDir().mkpath(folder.path() + "/recovery");
    QFile file(folder.path() + "/recovery/" + name + ".spirasession");
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{}");
    file.flush();  // Without flush(), closing would write the file later and change its time.
    file.setFileTime(QDateTime::currentDateTime().addSecs(-seconds_ago), QFileDevice::FileModificationTime);
  }
};

TEST_F(RecoveryTest, OnlyAWindowThatIsNotClosedLeavesACopy) {
  {
    Recovery closed(folder.path(), snapshot);
    closed.write();
    EXPECT_EQ(copies().size(), 1);
    closed.close();
  }
  EXPECT_TRUE(copies().isEmpty());
  {
    Recovery crashed(folder.path(), snapshot);
    crashed.write();
  }
  const Recovery next(folder.path(), snapshot);
  EXPECT_EQ(next.found().size(), 1U);
}

TEST_F(RecoveryTest, ACopyOfAnOpenWindowIsNotOffered) {
  Recovery open(folder.path(), snapshot);
  open.write();
  const Recovery second(folder.path(), snapshot);
  EXPECT_TRUE(second.found().empty());
}

TEST_F(RecoveryTest, AllCopiesAreOfferedNewestFirstUntilTheyAreDiscarded) {
  leaveBehind("old", 300);
  leaveBehind("new", 10);
  leaveBehind("older", 3000);
  for (int start = 0; start < 2; ++start) {
    Recovery next(folder.path(), snapshot);
    QStringList names;
    for (const Recovery::Found& one : next.found())
      names += QFileInfo(one.file).baseName();
    EXPECT_EQ(names, (QStringList{"new", "old", "older"})) << "start " << start;
    next.write();
    next.close();
  }
  EXPECT_EQ(copies().size(), 3);
  {
    Recovery next(folder.path(), snapshot);
    const QString old = next.found().at(1).file;
    next.discard(old);
    EXPECT_FALSE(QFile::exists(old));
    EXPECT_EQ(next.found().size(), 2U);
    next.discard(folder.path() + "/recovery");  // Must do nothing, because this is no copy.
    EXPECT_EQ(next.found().size(), 2U);
  }
  EXPECT_EQ(copies(), (QStringList{"new.spirasession", "older.spirasession"}));
}

TEST_F(RecoveryTest, WindowsThatStartTogetherLoseNoCopy) {
  leaveBehind("one", 10);
  leaveBehind("two", 20);
  Recovery first(folder.path(), snapshot), second(folder.path(), snapshot);
  EXPECT_EQ(first.found().size(), 2U);
  EXPECT_EQ(second.found().size(), 2U);
  first.discard(first.found().front().file);
  second.discard(second.found().front().file);  // The other window has already deleted this file.
  first.write();
  second.write();
  first.close();
  second.close();
  EXPECT_EQ(copies(), QStringList{"two.spirasession"});
}

TEST_F(RecoveryTest, WriteReturnsWhetherTheCopyIsOnDisk) {
  Recovery recovery(folder.path(), snapshot);
  EXPECT_TRUE(recovery.write());
  EXPECT_TRUE(recovery.write()) << "write() must return true if the copy is up to date";
  now.clear();
  EXPECT_FALSE(recovery.write()) << "write() must return false if no scene is open";
  EXPECT_FALSE(Recovery(QString(), snapshot).write()) << "write() must return false without a folder";
}

TEST_F(RecoveryTest, NothingIsWrittenIfNothingIsOpenOrNothingChanged) {
  Recovery recovery(folder.path(), snapshot);
  now.clear();
  recovery.write();
  EXPECT_TRUE(copies().isEmpty());
  now = "{\"a\":2}";
  recovery.write();
  ASSERT_EQ(copies().size(), 1);
  QFile::remove(folder.path() + "/recovery/" + copies().front());
  recovery.write();
  EXPECT_TRUE(copies().isEmpty()) << "an unchanged state must not be written again";
  recovery.set(false, 3);
  now = "{\"a\":3}";
  EXPECT_TRUE(copies().isEmpty());
}

}  // namespace
}  // namespace spira::ui
