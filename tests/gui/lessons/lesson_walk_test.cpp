// Tests every step of every lesson, forward and back: on a sweep with animation, and in a room without it.
// Compares the displayed numbers with a brute-force calculation, and saves pictures on request.
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/gui/view/pictures.hpp"
#include "tests/support/case_name.hpp"
#include "ui/lessons/controls/control_row.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <vector>

namespace spira::ui {
namespace {

/// A set of voxels: a list, and one value for each cell of its bounding box. A look-up in std::set takes so
/// long in a build without optimisation that a walk would take minutes.
class VoxelBox {
 public:
  explicit VoxelBox(const std::vector<Voxel>& voxels) {
    if (voxels.empty()) return;
    low_ = high_ = voxels.front();
    for (const Voxel& v : voxels) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low_[axis] = std::min(low_[axis], v[axis]);
        high_[axis] = std::max(high_[axis], v[axis]);
      }
    }
    full_.assign(cell(high_) + 1, false);
    for (const Voxel& v : voxels) {
      if (full_[cell(v)]) continue;
      full_[cell(v)] = true;
      list_.push_back(v);
    }
  }
  [[nodiscard]] const std::vector<Voxel>& list() const { return list_; }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] bool contains(const Voxel& v) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (v[axis] < low_[axis] || v[axis] > high_[axis]) return false;
    return full_[cell(v)];
  }

 private:
  [[nodiscard]] std::size_t cell(const Voxel& v) const {
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      at = (at * static_cast<std::size_t>(high_[axis] - low_[axis] + 1)) +
           static_cast<std::size_t>(v[axis] - low_[axis]);
    return at;
  }
  Voxel low_{0, 0, 0}, high_{-1, -1, -1};
  std::vector<bool> full_;
  std::vector<Voxel> list_;
};

class WalkingTest : public LessonsTest {
 protected:
  WalkingTest() { window.resize(window.minimumSize()); }  // Most of the time is needed to draw the window.
  /// Computes the voxels of the open scene from the points, without packed words. Keeps them until the scene
  /// changes.
  const VoxelBox& voxelsByHand() {
    if (by_hand_of_ == app.workspace().scene().voxels()) return by_hand_;
    by_hand_of_ = app.workspace().scene().voxels();
    const VoxelScene& scene = *by_hand_of_;
    std::vector<Voxel> voxels;
    for (const Point& p : scene.cloud->positions) {
      Voxel voxel{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto index = static_cast<std::int64_t>(std::floor(p.at(axis) / scene.grid.voxel_m.at(axis)));
        voxel.at(axis) = static_cast<std::int32_t>(index - scene.shift.at(axis));
      }
      voxels.push_back(voxel);
    }
    by_hand_ = VoxelBox(voxels);
    return by_hand_;
  }
  /// Shows all steps of a lesson, forward and back. Each number must be shown, and must be the same in both
  /// directions.
  void walk(const std::string& id) {
    start(id);
    constexpr double fastest = 4;
    player().setSpeed(fastest);
    const int steps = static_cast<int>(lesson(id)->steps.size());
    std::vector<std::map<QString, QString>> seen;
    for (int page = 0; page < steps; ++page) {
      ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); })) << "page " << page;
      ASSERT_EQ(player().page(), page);
      if (player().phase() == LessonPhase::reading) player().go();
      ASSERT_TRUE(
          waitFor([&] { return player().phase() == LessonPhase::shown && lessons().pages().settled(); }));
      for (const auto& [label, number] : numbers()) {
        EXPECT_NE(number, QString("\u2013")) << page << " " << label.toStdString();
        EXPECT_NE(number, "computing") << page << " " << label.toStdString();
      }
      seen.push_back(numbers());
      compareWithHand(id, page);
      useControls(id, page);
      player().next();
    }
    EXPECT_NE(panel().questions(), nullptr);
    for (int page = steps - 1; page >= 0; --page) {
      player().back();
      ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); })) << "back to page " << page;
      EXPECT_EQ(numbers(), seen[static_cast<std::size_t>(page)]) << "page " << page;
    }
  }
  /// Moves each slider and each row of choices by one position. The page must return to its state afterwards.
  void useControls(const std::string& id, int page) {
    for (ControlRow* control : panel().controls()) {
      const int next = control->place() == 0 ? 1 : control->place() - 1;
      control->set(next);
      ASSERT_TRUE(waitFor([&] { return control->place() == next && lessons().pages().settled(); }))
          << id << " page " << page << ": " << control->present().toStdString();
      for (const auto& [label, number] : numbers())
        EXPECT_NE(number, "computing") << page << " " << label.toStdString();
      if (control == panel().controls().front()) compareWithHand(id, page);
    }
  }
  static VoxelBox levelByHand(const VoxelBox& voxels, int stride) {
    std::vector<Voxel> level;
    for (const Voxel& v : voxels.list())
      level.push_back({v[0] & -stride, v[1] & -stride, v[2] & -stride});
    return VoxelBox(level);
  }
  /// Returns the mean number of voxels within `reach` steps of a voxel along each axis, including the voxel
  /// itself.
  static double matchesByHand(const VoxelBox& voxels, int reach) {
    std::size_t matches = 0;
    for (const Voxel& v : voxels.list()) {
      for (int x = -reach; x <= reach; ++x) {
        for (int y = -reach; y <= reach; ++y) {
          for (int z = -reach; z <= reach; ++z)
            matches += voxels.contains({v[0] + x, v[1] + y, v[2] + z}) ? 1U : 0U;
        }
      }
    }
    return static_cast<double>(matches) / static_cast<double>(voxels.size());
  }
  void compareWithHand(const std::string& id, int page) {
    if (app.workspace().scene().cloud()->size() > 200'000)
      return;  // For larger clouds, the counts would take minutes.
    const std::string& step = lesson(id)->steps[static_cast<std::size_t>(page)].id;
    const auto has = [&](const VoxelBox& voxels, const Voxel& v, int dx, int dy, int dz) {
      return voxels.contains({v[0] + dx, v[1] + dy, v[2] + dz});
    };
    const VoxelBox& voxels = voxelsByHand();
    const auto share = [&](int dx, int dy, int dz) {
      return 100.0 *
             static_cast<double>(std::count_if(voxels.list().begin(), voxels.list().end(),
                                               [&](const Voxel& v) { return has(voxels, v, dx, dy, dz); })) /
             static_cast<double>(voxels.size());
    };
    if (step == "queries") {
      EXPECT_NEAR(number("queries per voxel that find a voxel, mean"), matchesByHand(voxels, 1), 0.0051);
      EXPECT_EQ(number("queries of all voxels of the level"), 27.0 * static_cast<double>(voxels.size()));
    }
    if (step == "three_keys") {
      const VoxelBox second = levelByHand(voxels, 2);
      const auto pairs = std::count_if(second.list().begin(), second.list().end(), [&](const Voxel& v) {
        return second.contains({v[0], v[1], v[2] + 2});
      });
      EXPECT_EQ(number("pairs of voxels (x, y, z), (x, y, z + s) in the level"), static_cast<double>(pairs));
      EXPECT_EQ(number("pairs of voxels (x, y, z), (x, y, z + s) that are adjacent in the array"),
                static_cast<double>(pairs));
    }
    if (step == "grid") {
      EXPECT_EQ(number("voxels"), static_cast<double>(voxels.size()));
    }
    if (step == "slide") {
      EXPECT_NEAR(number("density of the offset one step along x"), share(1, 0, 0), 0.051);
      EXPECT_NEAR(number("density of the offset one step along z"), share(0, 0, 1), 0.051);
    }
    if (step == "norms") {
      // An offset and its negative have the same share.
      const double mean = (share(1, 0, 0) + share(0, 1, 0) + share(0, 0, 1)) / 3;
      EXPECT_NEAR(number("mean density at norm 1"), mean, 0.051);
    }
    if (step == "matrix") {
      EXPECT_NEAR(number("filled cells per row, mean"), matchesByHand(voxels, 2), 0.0051);
    }
    if (step == "lists") {
      EXPECT_EQ(number("pairs of the voxel layer"),
                std::round(matchesByHand(voxels, 1) * static_cast<double>(voxels.size())));
      EXPECT_NEAR(number("lists of the native layer"), 8e-6 * number("triplets of the native layer"), 0.0051);
    }
    if (step == "closed") {
      EXPECT_EQ(number("voxels of stride 8"), static_cast<double>(levelByHand(voxels, 8).size()));
    }
    if (step == "border") {
      EXPECT_EQ(lessons().pages().facts().fact("levels.s4")->value,
                static_cast<double>(levelByHand(voxels, 4).size()));
    }
  }

 private:
  std::shared_ptr<const VoxelScene> by_hand_of_;
  VoxelBox by_hand_{{}};
};

/// The parameter is the id of a lesson.
class WalkTest : public WalkingTest, public testing::WithParamInterface<const char*> {};

TEST_P(WalkTest, EveryStepOnASweepForwardAndBackWithAnimation) {
  open("street");
  walk(GetParam());
}

TEST_P(WalkTest, EveryStepInARoomForwardAndBackWithoutAnimation) {
  setCalm(true);
  open("room");
  walk(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Lessons, WalkTest,
                         testing::Values("voxelize", "search", "density", "dataflows", "indexing", "points"),
                         [](const auto& info) { return test::case_name(info.param); });

TEST_F(WalkingTest, StepsOfARealSweep) {
  const std::string file = SPIRA_TEST_DATA "/kitti";
  if (!std::filesystem::is_directory(file)) GTEST_SKIP() << "the real scenes are missing";
  setCalm(true);
  QString scan;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(file)) {
    if (entry.path().extension() == ".bin") scan = QString::fromStdString(entry.path().string());
  }
  ASSERT_FALSE(scan.isEmpty());
  open(scan);
  for (const char* id : {"voxelize", "search", "density", "dataflows", "indexing", "points"})
    walk(id);
}

struct PicturedScene {
  const char* name;
  const char* file;  ///< A file of the real scenes. If it is empty, the scene is generated.
  double voxel_m;
};

/// With --pictures=FOLDER, saves each page in three sizes and colours, and the handout of each lesson.
class PicturesTest : public WalkingTest, public testing::WithParamInterface<PicturedScene> {
 protected:
  void pages(const QString& folder, const QSize& size, const char* theme) {
    window.resize(size);
    app.theme().choose(theme_choice(theme));
    for (const auto& one : lessons().all()) {
      for (int page = 0; page <= static_cast<int>(one->steps.size()); ++page) {
        lessons().start(one, page);
        ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
        save_picture(app, QString("%1/%2-%3-%4-%5-%6.png")
                              .arg(folder, GetParam().name, QString::fromStdString(one->id))
                              .arg(page + 1)
                              .arg(size.width())
                              .arg(theme));
      }
    }
    lessons().leave();
  }
};

TEST_P(PicturesTest, EveryPageAndHandout) {
  const QString folder = picture_folder();
  if (folder.isEmpty()) GTEST_SKIP() << "--pictures is not set";
  const QString file = *GetParam().file == 0 ? GetParam().name : QString(SPIRA_TEST_DATA) + GetParam().file;
  if (*GetParam().file != 0 && !QFile::exists(file)) GTEST_SKIP() << "the real scenes are missing";
  setCalm(true);
  openWith(file, GetParam().voxel_m);
  pages(folder, {1440, 900}, "light");
  pages(folder, {1440, 900}, "dark");
  pages(folder, {1024, 640}, "light");
  pages(folder, {1024, 640}, "dark");
  window.resize(1440, 900);
  for (const auto& one : lessons().all()) {
    start(one->id);
    saveHandout(QString("%1/%2-%3.pdf").arg(folder, GetParam().name, QString::fromStdString(one->id)));
  }
  start("voxelize", 6);
  app.commands().trigger("lesson.classroom");
  save_picture(app, QString("%1/%2-classroom.png").arg(folder, GetParam().name));
}

INSTANTIATE_TEST_SUITE_P(Scenes, PicturesTest,
                         testing::Values(PicturedScene{"street", "", 0.1},
                                         PicturedScene{"sweep", "/kitti/object_000001.bin", 0.1},
                                         PicturedScene{"kitchen", "/indoor/redkitchen_000.ply", 0.02}),
                         [](const auto& info) { return test::case_name(info.param.name); });

}  // namespace
}  // namespace spira::ui
