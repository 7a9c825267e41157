// Records time and memory of stages. A back end marks points in time, its memory pool tracks the peak of live
// buffers, and the recorder builds a tree of named stages from both.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"
#include "engine/memory/memory_pool.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace spira {

/// The clock of a back end. mark() is cheap and does not wait. collect() waits once, after the repetition.
class StageSource {
 public:
  StageSource() = default;
  virtual ~StageSource() = default;
  StageSource(const StageSource&) = delete;
  StageSource& operator=(const StageSource&) = delete;

  [[nodiscard]] virtual Clock clock() const noexcept = 0;
  virtual void mark(int slot) = 0;  ///< Records the current time on the stream that the back end uses.
  virtual void collect(
      std::span<double> since_start_ms) = 0;  ///< Writes the time of each slot, relative to slot 0.
};

/// Returns the monotonic clock of the host.
[[nodiscard]] std::unique_ptr<StageSource> make_steady_stages();

class Recorder {
 public:
  /// If `memory` is set, each stage also records its peak memory, relative to the bytes that are in use when
  /// the recorder is created. The pool must outlive the recorder, and no other code may reset its peak while
  /// a stage is open. The peak of the pool is preserved. If `memory` is `nullptr`, no peaks are recorded.
  explicit Recorder(StageSource& source, MemoryPool* memory = nullptr);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Begins a stage, and ends the stage when the object is destroyed. Marks the stage as failed if an
  /// exception ends the scope.
  class Scope {
   public:
    /// If `recorder` is `nullptr`, does nothing and records no mark.
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
  /// From now on, adds each collected repetition to the timeline `into` as well, with all spans on track 0.
  /// `into` must outlive the call of take().
  void keep_times(TimelineBuilder& into);
  /// Returns the number of marks in the last collected repetition.
  [[nodiscard]] int marks() const noexcept;
  /// Collects the samples of a repetition. The next repetition appends its samples to the same stages.
  void next_repetition();
  /// Collects the samples, clears the recorder and returns the stages. Throws Error(internal) if a stage is
  /// still open.
  [[nodiscard]] StageTree take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira
