// Runs the jobs of the engine on the chosen device, one after the other: open, voxelise, run, measure, sweep,
// tune. The classes SceneJobs, RunJobs, SweepJobs and TuneJobs start them.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/measure/sampling.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace spira {
class Registry;
}  // namespace spira

namespace spira::ui {

class EngineHost;

/// The back end that a job uses instead of the chosen device.
struct DeviceChange {
  std::string why;    ///< Why the former device cannot be used.
  DeviceFacts facts;  ///< The CPU, if a GPU was lost. Not set if `automatic` is true.
  /// True if the requested device is not available. The device is then chosen automatically.
  bool automatic = false;
};

class EngineLane : public QObject {
  Q_OBJECT
 public:
  enum class Doing { scene, scene_map, running, measuring, sweeping, tuning, trial };
  EngineLane(Tasks& tasks, std::shared_ptr<const Registry> registry, Workspace* workspace,
             QObject* parent = nullptr);
  ~EngineLane() override;
  EngineLane(const EngineLane&) = delete;
  EngineLane& operator=(const EngineLane&) = delete;

  /// Starts a job on the chosen device. `work` is a free function that runs on the thread of the back end. If
  /// the device is lost, out of memory or not available, `work` starts again on another device and sends its
  /// events again. Therefore `deliver` must accept events that it has already received.
  template <class Args, class Event>
  void start(const QString& title, Doing doing,
             void (*work)(EngineHost&, const Args&, Job&, const Send<Event>&),
             std::type_identity_t<Args> args, std::type_identity_t<std::function<void(Event)>> deliver) {
    using Given = OnDevice<Args, Event>;
    begin(doing);
    task_.start(title, &Given::run, {host_, device_, work, std::move(args)},
                [this, deliver = std::move(deliver)](typename Given::Sent sent) {
                  if (const auto* change = std::get_if<0>(&sent)) return follow(*change);
                  deliver(std::get<1>(std::move(sent)));
                });
  }
  /// Returns the slot that runs the jobs. It reports the title, the progress and the end of the running job.
  [[nodiscard]] const TaskSlot& task() const noexcept { return task_; }
  void cancel() { task_.cancel(); }
  [[nodiscard]] bool busy() const noexcept { return task_.busy(); }

  /// Returns the kind of the running job. Returns an empty value if no job runs.
  [[nodiscard]] std::optional<Doing> doing() const { return busy() ? std::optional(doing_) : std::nullopt; }
  /// Changes the kind of the running job. Must be called when the job begins a different kind of work.
  void setDoing(Doing doing) { doing_ = doing; }
  /// Returns the kind of the job that was started last.
  [[nodiscard]] Doing lastDoing() const noexcept { return doing_; }
  /// Returns true while a scene is being read or voxelised. The former scene stays open during this time.
  [[nodiscard]] bool opening() const { return doing() == Doing::scene; }
  [[nodiscard]] bool trying() const { return doing() == Doing::trial; }
  /// Returns true if a run may start. A run cancels a trial, and also the job that builds the kernel map of
  /// the scene; the run then builds the missing map itself. All other running jobs prevent a run.
  [[nodiscard]] bool readyToRun() const { return !busy() || doing_ == Doing::scene_map || trying(); }
  /// Returns true if a job that the user started is running. Trials and the job that builds the kernel map of
  /// the scene do not count.
  [[nodiscard]] bool askedFor() const { return !readyToRun(); }
  /// Returns true while a GPU is being timed. Views that draw with this GPU must pause, because their work
  /// would change the measured times.
  [[nodiscard]] bool viewsWait() const noexcept { return views_wait_; }
  /// Sets the device of the Workspace to `facts` if it is a different device.
  void showDevice(const DeviceFacts& facts);

  /// Sets how runs and sweeps take samples from now on. Trials of a t and tuning have their own time limits.
  void setProtocol(const SamplingProtocol& protocol) { protocol_ = protocol; }
  [[nodiscard]] const SamplingProtocol& protocol() const noexcept { return protocol_; }
  [[nodiscard]] static SamplingProtocol usualProtocol();
  [[nodiscard]] const std::shared_ptr<const Registry>& registry() const noexcept { return registry_; }

 signals:
  /// Emitted before failed() if a job failed, so that receivers can restore the state that they had before
  /// the request.
  void jobFailed(const spira::Error& error);
  /// Reports an error to the user, for example that a job failed or that a different device is used.
  void failed(const spira::Error& error);
  /// Emitted after the user chose another device. The running job still uses the former device.
  void deviceChosen();
  void viewsWaitChanged(bool wait);

 private:
  /// The arguments of a job, and the device on which it runs.
  template <class Args, class Event> struct OnDevice {
    using Sent = std::variant<DeviceChange, Event>;
    std::shared_ptr<EngineHost> host;
    std::string device;
    void (*work)(EngineHost&, const Args&, Job&, const Send<Event>&);
    Args args;

    static void run(const OnDevice& given, Job& job, const Send<Sent>& send) {
      const Send<Event> events = [&](Event event) { send(Sent(std::in_place_index<1>, std::move(event))); };
      runOn(
          *given.host, given.device, [&] { given.work(*given.host, given.args, job, events); }, job,
          [&](DeviceChange change) { send(Sent(std::in_place_index<0>, std::move(change))); });
    }
  };
  void begin(Doing doing);
  void follow(const DeviceChange& change);
  void followDevice();
  void setViewsWait(bool wait);
  static void runOn(EngineHost& host, const std::string& device, const std::function<void()>& work,
                    const Job& job, const Send<DeviceChange>& report);

  std::shared_ptr<const Registry> registry_;
  std::shared_ptr<EngineHost> host_;  // Used only on the thread of the lane.
  Workspace* workspace_;
  Doing doing_ = Doing::scene;
  std::string device_ = "auto";  // Device that the next job uses.
  SamplingProtocol protocol_ = usualProtocol();
  bool views_wait_ = false;
  TaskSlot task_;
};

}  // namespace spira::ui
