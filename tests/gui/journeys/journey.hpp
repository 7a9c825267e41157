// Fixture for the user journeys in docs/guide. The tests perform each journey in a real window and count
// its gestures.
#pragma once

#include "engine/scene/generate/generate.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QDir>
#include <QTemporaryDir>

#include <functional>
#include <optional>
#include <string_view>

namespace spira::ui {

class Journey : public WindowTest {
 protected:
  Journey() : began_in_(QDir::currentPath()) {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    EXPECT_TRUE(QDir::setCurrent(folder.path()));
    if (picture_folder().isEmpty()) return;
    window.resize(1040, 680);  // With this size, the pictures are readable on a page without zooming.
    app.theme().choose(theme_choice("light"));
  }
  ~Journey() override { QDir::setCurrent(began_in_); }

  /// Writes a generated scene to a file and returns its path.
  [[nodiscard]] QString file(std::string_view id, std::int64_t points, const QString& name) const {
    Job job;
    write_scene(*generate_scene(id, points, 1, job), folder.filePath(name).toStdString());
    return folder.filePath(name);
  }
  [[nodiscard]] bool opened(int points) {
    return waitFor([&] {
      return idle() && app.workspace().scene().cloud() && app.workspace().scene().cloud()->size() >= points &&
             app.workspace().shownMap(-1).map && app.sceneView().settled();
    });
  }
  /// Returns a position in the 3D view, close to its centre, at which a voxel is visible. If `fits` is not
  /// empty, it must return true for the voxel.
  [[nodiscard]] std::optional<QPoint> placeOfAVoxel(
      const std::function<bool(const ChosenVoxel&)>& fits = {}) {
    const QRect all = app.sceneView().canvas()->rect();
    for (int far = 0; far < 12; ++far) {
      for (const QPoint& way : {QPoint(1, 0), QPoint(-1, 0), QPoint(0, 1), QPoint(0, -1)}) {
        const QPoint at = all.center() + 13 * far * way;
        Hands::move(*app.sceneView().canvas(), at);
        QTest::qWait(20);
        const auto& over = app.selection().hover().voxel;
        if (over && (!fits || fits(*over))) return at;
      }
    }
    return std::nullopt;
  }

  QTemporaryDir folder;
  Hands hands;

 private:
  QString began_in_;
};

}  // namespace spira::ui
