// Fixture for the five user journeys in docs/guide. The tests perform each journey in a real window and count
// its gestures.
#pragma once

#include "engine/scene/generate/generate.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/settings/settings.hpp"

#include <QDir>
#include <QTemporaryDir>

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

  QTemporaryDir folder;
  Hands hands;

 private:
  QString began_in_;
};

}  // namespace spira::ui
