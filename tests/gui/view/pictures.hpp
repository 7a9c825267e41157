// Saves pictures of the window in each tested state, and pictures of the journeys for the guide. The pictures
// are saved only if the tests are started with --pictures=FOLDER (see scripts/screenshots).
#pragma once

#include "ui/charts/chart.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/application.hpp"

#include <QApplication>
#include <QDir>
#include <QTest>

#include <gtest/gtest.h>

namespace spira::ui {

/// Returns an absolute path, or an empty string if no pictures are requested.
[[nodiscard]] inline QString picture_folder() {
  const QString option = "--pictures=";
  for (const QString& argument : QApplication::arguments()) {
    if (argument.startsWith(option)) return argument.mid(option.size());
  }
  return {};
}

inline void let_settle(Application& app) {
  constexpr int patience_ms = 30'000;
  QTest::qWait(120);  // During this time, docks and charts get their final sizes.
  static_cast<void>(QTest::qWaitFor(
      [&] { return !app.workspace().scene().voxels() || app.sceneView().settled(); }, patience_ms));
  replot_charts(app.window());
}

inline void save_picture(Application& app, const QString& file) {
  let_settle(app);
  EXPECT_TRUE(QDir().mkpath(QFileInfo(file).path()));
  EXPECT_TRUE(app.window().grab().save(file)) << file.toStdString();
}

/// Saves a picture of a dialog if pictures are requested.
inline void save_grab(QWidget& widget, const QString& name) {
  const QString folder = picture_folder();
  if (folder.isEmpty()) return;
  EXPECT_TRUE(QDir().mkpath(folder));
  EXPECT_TRUE(widget.grab().save(folder + "/" + name + ".png")) << name.toStdString();
}

/// Saves the current window as a picture for a page. With 32 levels per colour, the file is a quarter smaller
/// without a visible difference.
inline void picture(Application& app, const QString& name) {
  const QString folder = picture_folder();
  if (folder.isEmpty()) return;
  let_settle(app);
  EXPECT_TRUE(QDir().mkpath(folder));
  constexpr int smallest = 0;  // For PNG, the quality 0 selects the highest compression.
  EXPECT_TRUE(app.window()
                  .grab()
                  .toImage()
                  .convertToFormat(QImage::Format_RGB555)
                  .save(folder + "/" + name + ".png", "PNG", smallest));
}

/// Saves pictures of the window in the light and in the dark theme, each in a large size and in the minimum
/// size. Afterwards, the window is large and has the light theme.
inline void picture_in_all_looks(Application& app, const QString& name,
                                 const char* layout = "layout.profile") {
  const QString folder = picture_folder();
  if (folder.isEmpty()) return;
  for (const QSize& size : {QSize(1024, 640), QSize(1440, 900)}) {
    app.window().resize(size);
    QTest::qWait(60);
    app.commands().trigger(layout);
    for (const char* theme : {"dark", "light"}) {
      app.theme().choose(theme_choice(theme));
      save_picture(app, QString("%1/%2-%3x%4/state-%5.png")
                            .arg(folder, theme)
                            .arg(size.width())
                            .arg(size.height())
                            .arg(name));
    }
  }
}

}  // namespace spira::ui
