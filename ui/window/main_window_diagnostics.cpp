// Facts about the window and its content for a bug report.
#include "engine/base/text.hpp"
#include "ui/features/help/diagnostics_dialog.hpp"
#include "ui/model/measured/device_text.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/no_opengl_page.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/main_window.hpp"

#include <QGuiApplication>
#include <QLocale>
#include <QScreen>
#include <QSysInfo>

namespace spira::ui {
namespace {

QString screens() {
  QStringList all;
  for (const QScreen* screen : QGuiApplication::screens())
    all.append(QString("%1x%2 at %3")
                   .arg(screen->size().width())
                   .arg(screen->size().height())
                   .arg(screen->devicePixelRatio()));
  return all.join(", ");
}

QString scene_facts_text(const SceneFacts& scene) {
  return QString("%1, %2 points, %3 voxels of %4 m, packing %5")
      .arg(QString::fromStdString(scene.format), QString::fromStdString(count_text(scene.points)),
           QString::fromStdString(count_text(scene.voxels)),
           QString::fromStdString(shortest(scene.voxel_m[0])), QString::fromStdString(scene.pack.text()));
}

}  // namespace

Diagnostics MainWindow::facts() const {
  QStringList lines;
  const auto add = [&](const char* name, const QString& text) {
    lines.append(QString("%1: %2").arg(QLatin1String(name), text));
  };
  add("SpiraScope", SPIRA_VERSION);
  add("Qt", QString("%1, built with %2, platform %3")
                .arg(qVersion(), QT_VERSION_STR, QGuiApplication::platformName()));
  add("system", QString("%1, %2").arg(QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture()));
  add("session", qEnvironmentVariable("XDG_SESSION_TYPE", "unknown"));
  add("drawing", openGlFault().isEmpty() ? view_->canvas()->driverText() : openGlFault());
  add("screens", screens());
  add("locale", QLocale().name());
  const DeviceFacts& device = workspace_->device();
  add("device", device.name.empty()
                    ? QString("not used yet")
                    : QString("%1, %2").arg(QString::fromStdString(device.name), unitsText(device)));
  if (const auto& scene = workspace_->sceneFacts()) add("scene", scene_facts_text(*scene));
  if (const auto& network = workspace_->network())
    add("network", QString("%1 layers, %2 run").arg(network->layers.size()).arg(workspace_->layersRun()));
  add("layout", QString("%1, window %2x%3").arg(layout_->name()).arg(width()).arg(height()));
  for (const SettingFacts& setting : setting_facts()) {
    if (!settings_->isInitial(setting.id))
      add(setting.id, settings_->value(setting.id).toVariant().toString());
  }
  add("changed keys", QString::number(commands_->changedKeys().size()));
  QStringList files{
      QString("open: %1").arg(document_->names().reopen.isEmpty() ? "nothing" : document_->names().reopen)};
  for (const QString& file : recent_.files())
    files.append("recent: " + file);
  files.append(log_->text());
  return {lines.join("\n") + "\n", files.join("\n")};
}

}  // namespace spira::ui
