// Test fixture that has a real main window with the CPU back end. Its functions wait for signals instead of
// sleeping.
#pragma once

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "ui/features/session/closing.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/application.hpp"
#include "ui/window/banner.hpp"

#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <functional>

namespace spira::ui {

/// Returns a widget or feature of the window.
template <class Child> Child& child(const QObject& window) {
  return *window.findChild<Child*>();
}

inline Banner& banner_of(const MainWindow& window) {
  return child<Banner>(window);
}
inline Banner& banner_of(Application& app) {
  return banner_of(app.window());
}

class WindowTest : public testing::Test {
 protected:
  WindowTest()
      : app(std::make_shared<const Registry>(app::make_registry()), QString()), window(app.window()) {
    app.unsavedResults().setAsks(false);  // Questions would block a test.
    window.resize(1440, 900);
    window.show();
    static_cast<void>(QTest::qWaitForWindowExposed(&window));
  }

  [[nodiscard]] bool waitFor(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, 180'000);
  }
  /// Returns true if no job is running and every panel shows the latest results.
  [[nodiscard]] bool idle() { return !app.jobs().lane().busy() && app.workspace().viewUpdates().empty(); }

  /// Opens a scene and waits for its map and its picture.
  void open(const QString& scene) {
    QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened);
    app.opening().open(scene);
    ASSERT_TRUE(waitFor([&] {
      return opened.count() == 1 && idle() && app.workspace().shownMap(-1).map && app.sceneView().settled();
    }));
  }
  /// Opens a scene with voxels of `voxel_m` metres, as if the user had entered the size before opening. Large
  /// voxels save time.
  void openWith(const QString& scene, double voxel_m) {
    app.workspace().requested().setGrid({{voxel_m, voxel_m, voxel_m}, {}});
    app.jobs().scenes().options().keep_grid = true;
    open(scene);
  }
  /// Takes the minimum number of samples in measurements that follow. Call it if the values of the times do
  /// not matter.
  void measureBriefly() { app.settings().set("measure.most_ms", 100); }
  void runNetwork(const char* network) {
    app.jobs().runs().chooseNetwork(network);
    ASSERT_TRUE(app.commands().trigger("run.run"));
    const int layers = static_cast<int>(app.workspace().network()->layers.size());
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == layers; }));
  }

  Application app;
  MainWindow& window;
};

}  // namespace spira::ui
