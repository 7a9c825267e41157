#include "ui/jobs/engine/engine_lane.hpp"

#include "ui/jobs/engine/engine_host.hpp"

namespace spira::ui {

SamplingProtocol EngineLane::usualProtocol() {
  SamplingProtocol how;
  how.min_samples = 5;
  how.max_samples = 15;
  how.max_time_ms = 2500;
  how.target_iqr_rel = 0.02;
  return how;
}

EngineLane::EngineLane(Tasks& tasks, std::shared_ptr<const Registry> registry, Workspace* workspace,
                       QObject* parent)
    : QObject(parent),
      registry_(std::move(registry)),
      host_(std::make_shared<EngineHost>(registry_)),
      workspace_(workspace),
      task_(tasks, Tasks::Lane::engine) {
  connect(&workspace_->requested(), &RequestedSettings::deviceChoiceChanged, this, &EngineLane::followDevice);
  connect(&task_, &TaskSlot::failed, this, [this](const Error& error) {
    emit jobFailed(error);
    emit failed(error);
  });
  connect(&task_, &TaskSlot::finished, this, [this] {
    if (!busy()) setViewsWait(false);
  });
}

/// Destroys the back end on the thread of the lane.
EngineLane::~EngineLane() {
  task_.disconnect();
  const auto release = +[](const std::shared_ptr<EngineHost>&, Job&, const Send<int>&) {};
  task_.start({}, release, std::move(host_), [](int) {});
}

void EngineLane::begin(Doing doing) {
  doing_ = doing;
  const bool samples = doing == Doing::measuring || doing == Doing::sweeping || doing == Doing::tuning ||
                       doing == Doing::trial;
  setViewsWait(samples && workspace_->device().kind == BackendKind::cuda);
}

void EngineLane::setViewsWait(bool wait) {
  if (std::exchange(views_wait_, wait) != wait) emit viewsWaitChanged(wait);
}

void EngineLane::runOn(EngineHost& host, const std::string& device, const std::function<void()>& work,
                       const Job& job, const Send<DeviceChange>& report) {
  host.runOn(device, work, job, report);
}

void EngineLane::follow(const DeviceChange& change) {
  if (change.automatic) {
    device_ = "auto";
    workspace_->requested().chooseDevice(device_);
    emit failed(Error(ErrorKind::device, change.why + "; the device is chosen automatically"));
  } else {
    workspace_->setDevice(change.facts);
    setViewsWait(false);
    emit failed(Error(ErrorKind::device, change.why + "; the CPU is used instead"));
  }
}

void EngineLane::followDevice() {
  if (workspace_->requested().chosenDevice() == device_) return;
  device_ = workspace_->requested().chosenDevice();
  emit deviceChosen();
}

void EngineLane::showDevice(const DeviceFacts& facts) {
  const DeviceFacts& known = workspace_->device();
  if (facts.name != known.name || facts.kind != known.kind) workspace_->setDevice(facts);
}

}  // namespace spira::ui
