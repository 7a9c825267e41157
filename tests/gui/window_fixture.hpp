// Test fixture: a real main window on the CPU back end, and functions that wait for signals instead of
// sleeping.
#pragma once

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/main_window.hpp"

#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <functional>

namespace spira::ui {

class WindowTest : public testing::Test {
 protected:
  WindowTest() : window(std::make_shared<const Registry>(app::make_registry()), QString()) {
    window.unsavedResults().setAsks(false);  // no question may block a test
    window.resize(1440, 900);
    window.show();
    static_cast<void>(QTest::qWaitForWindowExposed(&window));
  }

  [[nodiscard]] bool waitFor(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, 180'000);
  }
  /// Returns true if no job runs and every panel shows the last results.
  [[nodiscard]] bool idle() { return !window.jobs().lane().busy() && window.workspace().followUps().empty(); }

  /// Opens a scene and waits for its map and its picture.
  void open(const QString& scene) {
    QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened);
    window.open(scene);
    ASSERT_TRUE(waitFor([&] {
      return opened.count() == 1 && idle() && window.workspace().shownMap(-1).map &&
             window.sceneView().settled();
    }));
  }
  void runNetwork(const char* network) {
    window.jobs().runs().chooseNetwork(network);
    ASSERT_TRUE(window.commands().trigger("run.run"));
    const int layers = static_cast<int>(window.workspace().network()->layers.size());
    ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().layersRun() == layers; }));
  }

  MainWindow window;
};

}  // namespace spira::ui
