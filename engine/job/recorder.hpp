// Records the time and the memory of stages. The back end takes time stamps, its memory pool records the peak
// of live buffers, and the recorder combines both in a tree of named stages.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"
#include "engine/memory/memory_pool.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace spira {

/// Takes the time stamps of a back end. mark() is fast and does not wait. collect() waits once per
/// repetition.
class StageSource {
 public:
  StageSource() = default;
  virtual ~StageSource() = default;
  StageSource(const StageSource&) = delete;
  StageSource& operator=(const StageSource&) = delete;

  [[nodiscard]] virtual Clock clock() const noexcept = 0;
  virtual void mark(int slot) = 0;  ///< Records the current time on the stream of the back end.
  virtual void collect(
      std::span<double> since_start_ms) = 0;  ///< Writes the time of each slot, relative to slot 0.
};

/// Returns a source that uses the monotonic clock of the host.
[[nodiscard]] std::unique_ptr<StageSource> make_steady_stages();

class Recorder {
 public:
  /// If `memory` is not `nullptr`, each stage also records its peak memory, relative to the bytes that are in
  /// use when the recorder is created. The pool must outlive the recorder. While a stage is open, no other
  /// code may reset the peak of the pool. The recorder resets the peak itself and restores it afterwards.
  explicit Recorder(StageSource& source, MemoryPool* memory = nullptr);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// A stage that begins with this object and ends when it is destroyed. If an exception ends the scope, the
  /// stage is marked as failed.
  class Scope {
   public:
    /// Does nothing if `recorder` is `nullptr`.
    Scope(Recorder* recorder, std::string_view name);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Recorder* recorder_;
    int exceptions_ = 0;
  };

  void add_traffic(std::int64_t bytes_read,
                   std::int64_t bytes_written);  ///< Adds modelled memory traffic to the open stage.
  /// Add a kernel to the open stage, and set the layout of its map (see StageNode). Do nothing if no stage is
  /// open.
  void add_kernel(std::string_view kernel);
  void set_layout(std::string_view layout);
  /// Also adds each following repetition to the timeline `into`, with all spans on track 0. `into` must
  /// outlive the call of take().
  void keep_times(TimelineBuilder& into);
  /// Returns the number of time stamps in the last repetition that was collected.
  [[nodiscard]] int marks() const noexcept;
  /// Ends a repetition and collects its samples. The next repetition adds samples to the same stages.
  void next_repetition();
  /// Collects the samples and returns the stages. The recorder is empty afterwards. Throws `Error(internal)`
  /// if a stage is still open.
  [[nodiscard]] StageTree take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira
