#include "ui/features/device/devices.hpp"

#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/notices.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QMainWindow>
#include <QMenu>
#include <QToolButton>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto device_table = std::to_array<CommandFacts>({
    {"device.auto", QT_TRANSLATE_NOOP("Command", "Device: automatic"), "",
     QT_TRANSLATE_NOOP("Command", "Use the GPU if available, otherwise the CPU"), 1110, Menu::device, 1},
    {"device.cpu", QT_TRANSLATE_NOOP("Command", "Device: CPU"), "",
     QT_TRANSLATE_NOOP("Command", "Use all CPU threads of this machine"), 1120, Menu::device, 1},
    {"device.cuda", QT_TRANSLATE_NOOP("Command", "Device: CUDA"), "",
     QT_TRANSLATE_NOOP("Command", "Use an NVIDIA GPU"), 1130, Menu::device, 1},
    {"device.reference", QT_TRANSLATE_NOOP("Command", "Device: reference"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Use the slow double-precision implementation for checking the other devices"),
     1140, Menu::device, 1},
});

}  // namespace

std::span<const CommandFacts> device_commands() noexcept {
  return device_table;
}

namespace {

constexpr std::array device_names{"auto", "cpu", "cuda", "reference"};

/// Returns why the device with this name cannot be used. Returns an empty string if the device can be used,
/// or if the search for devices has not finished.
QString why_not_device(const std::vector<DeviceListing>& all, const QString& name) {
  if (name == "auto" || all.empty()) return {};
  QString why = Devices::tr("not supported by this build");
  for (const DeviceListing& row : all) {
    if (QString::fromStdString(std::string(text_of(row.facts.kind))) != name) continue;
    if (row.usable) return {};
    why = QString::fromStdString(row.why_not);
  }
  return why;
}

}  // namespace

Devices::Devices(const FeatureContext& context, EngineJobs& jobs)
    : QObject(&context.window),
      context_(context),
      jobs_(jobs),
      button_(new QToolButton(&context.window)),
      finder_(context.tasks) {
  bindDevices();
  makeButton();
  connect(&context.workspace.requested(), &RequestedSettings::deviceChoiceChanged, this, [this] {
    context_.settings.set("measure.device",
                          QString::fromStdString(context_.workspace.requested().chosenDevice()));
  });
  // While a run is timed on a GPU, the 3D views must not use this GPU.
  connect(&jobs.lane(), &EngineLane::viewsWaitChanged, this, [this](bool held) {
    for (SceneView* view : context_.window.findChildren<SceneView*>())
      view->setHeld(held);
  });
  connect(&jobs.scenes(), &SceneJobs::gpuRefused, this, [this](const QString& why) {
    context_.workspace.addLog(tr("GPU not used: %1").arg(why));
    context_.notices.showNote(tr("The GPU is not used"), tr("%1. The CPU is used instead.").arg(why));
  });
  connect(&context.settings, &Settings::changed, this, &Devices::followSettings);
  followSettings();
}

/// Binds the device commands. Searches for devices on a thread of the thread pool, because a GPU driver may
/// take a long time to start.
void Devices::bindDevices() {
  const auto listed = std::make_shared<std::vector<DeviceListing>>();
  const auto find = +[](const std::shared_ptr<const Registry>& registry, Job&,
                        const Send<std::vector<DeviceListing>>& send) { send(registry->devices()); };
  finder_.start({}, find, jobs_.lane().registry(), [this, listed](const std::vector<DeviceListing>& all) {
    *listed = all;
    context_.commands.refreshSoon();
  });
  Workspace& workspace = context_.workspace;
  for (const char* name : device_names) {
    const auto follow = context_.commands.bindMark(
        QString("device.%1").arg(name), [&workspace, name] { workspace.requested().chooseDevice(name); },
        [&workspace, name] { return workspace.requested().chosenDevice() == name; },
        [&workspace, listed, name] {
          return workspace.results().report() ? tr("the device of a recorded run cannot be changed")
                                              : why_not_device(*listed, name);
        });
    connect(&workspace.requested(), &RequestedSettings::deviceChoiceChanged, this, follow);
  }
}

void Devices::makeButton() {
  button_->setObjectName("device");
  button_->setAccessibleName(tr("Device"));
  button_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button_);
  menu->setToolTipsVisible(true);
  for (const char* name : device_names)
    menu->addAction(context_.commands.action(QString("device.%1").arg(name)));
  button_->setMenu(menu);
  const auto follow = [this] {
    const QString chosen = QString::fromStdString(context_.workspace.requested().chosenDevice());
    const DeviceFacts& facts = context_.workspace.device();
    const QString kind = QString::fromStdString(std::string(text_of(facts.kind)));
    button_->setText(chosen == "auto"        ? tr("Automatic")
                     : chosen == "reference" ? tr("Reference")
                                             : chosen.toUpper());
    button_->setToolTip(facts.name.empty()
                            ? tr("The compute device is detected when the first scene is opened")
                            : tr("Compute device: %1, %2").arg(kind, QString::fromStdString(facts.name)));
  };
  connect(&context_.workspace.requested(), &RequestedSettings::deviceChoiceChanged, button_, follow);
  connect(&context_.workspace, &Workspace::deviceChanged, button_, follow);
  follow();
}

void Devices::followSettings() {
  const Settings& settings = context_.settings;
  SamplingProtocol how = jobs_.lane().protocol();
  how.warmup = settings.whole("measure.warmup");
  how.min_samples = settings.whole("measure.min_samples");
  how.max_samples = std::max(how.min_samples, settings.whole("measure.max_samples"));
  how.max_time_ms = settings.whole("measure.most_ms");
  how.target_iqr_rel = settings.whole("measure.spread_permille") / 1000.0;
  jobs_.lane().setProtocol(how);
  context_.workspace.requested().chooseDevice(settings.text("measure.device").toStdString());
}

}  // namespace spira::ui
