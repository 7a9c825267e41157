// The choice of the back end: commands, the button in the tool bar, the setting. Also the options for
// sampling.
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/main_window.hpp"

#include <QMenu>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr std::array device_names{"auto", "cpu", "cuda", "reference"};

/// Returns an empty text if the device can be used or if the search for devices has not finished.
QString why_not_device(const std::vector<DeviceListing>& all, const QString& name) {
  if (name == "auto" || all.empty()) return {};
  QString why = MainWindow::tr("not supported by this build");
  for (const DeviceListing& row : all) {
    if (QString::fromStdString(std::string(text_of(row.facts.kind))) != name) continue;
    if (row.usable) return {};
    why = QString::fromStdString(row.why_not);
  }
  return why;
}

void find_devices(const std::shared_ptr<const Registry>& registry, Job& /*job*/,
                  const Send<std::vector<DeviceListing>>& send) {
  send(registry->devices());
}

}  // namespace

/// Searches for devices in the pool, because a GPU driver may need a long time to start.
void MainWindow::bindDeviceCommands() {
  const auto listed = std::make_shared<std::vector<DeviceListing>>();
  device_finder_.start({}, find_devices, jobs_->lane().registry(),
                       [this, listed](const std::vector<DeviceListing>& all) {
                         *listed = all;
                         commands_->refreshSoon();
                       });
  for (const char* name : device_names) {
    const QString id = QString("device.%1").arg(name);
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    commands_->bind(
        id, [this, name] { workspace_->chooseDevice(name); },
        [this, listed, name] {
          return workspace_->report() ? tr("this is a recorded run") : why_not_device(*listed, name);
        });
    const auto follow = [this, action, name] { action->setChecked(workspace_->chosenDevice() == name); };
    connect(workspace_, &Workspace::requestChanged, action, follow);
    connect(action, &QAction::triggered, action, follow);  // A second click must not clear the check mark.
    follow();
  }
  connect(workspace_, &Workspace::requestChanged, this, [this, kept = std::string("auto")]() mutable {
    if (std::exchange(kept, workspace_->chosenDevice()) != workspace_->chosenDevice())
      settings_->set("measure.device", QString::fromStdString(workspace_->chosenDevice()));
  });
}

void MainWindow::addDeviceButton(QToolBar& bar) {
  auto* button = new QToolButton(&bar);
  button->setObjectName("device");
  button->setAccessibleName(tr("Device"));
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  menu->setToolTipsVisible(true);
  for (const char* name : device_names)
    menu->addAction(commands_->action(QString("device.%1").arg(name)));
  button->setMenu(menu);
  const auto follow = [this, button] {
    const QString chosen = QString::fromStdString(workspace_->chosenDevice());
    const DeviceFacts& facts = workspace_->device();
    const QString kind = QString::fromStdString(std::string(text_of(facts.kind)));
    button->setText(chosen == "auto"        ? tr("Auto")
                    : chosen == "reference" ? tr("Reference")
                                            : chosen.toUpper());
    button->setToolTip(facts.name.empty()
                           ? tr("Compute device; detected when the first scene opens")
                           : tr("Compute device: %1, %2").arg(kind, QString::fromStdString(facts.name)));
  };
  connect(workspace_, &Workspace::requestChanged, button, follow);
  connect(workspace_, &Workspace::deviceChanged, button, follow);
  follow();
  bar.addWidget(button);
}

void MainWindow::holdViews(bool held) {
  for (SceneView* view : findChildren<SceneView*>())
    view->setHeld(held);
}

void MainWindow::followMeasuring() {
  SamplingProtocol how = jobs_->lane().protocol();
  how.warmup = settings_->whole("measure.warmup");
  how.min_samples = settings_->whole("measure.min_samples");
  how.max_samples = std::max(how.min_samples, settings_->whole("measure.max_samples"));
  how.max_time_ms = settings_->whole("measure.most_ms");
  how.target_iqr_rel = settings_->whole("measure.spread_permille") / 1000.0;
  jobs_->lane().setProtocol(how);
  workspace_->chooseDevice(settings_->text("measure.device").toStdString());
}

}  // namespace spira::ui
