// Records the time and memory of stages. The back end takes time stamps, its memory pool tracks the peak of
// live buffers, and the recorder combines both into a tree of named stages.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"
#include "engine/memory/memory_pool.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace spira {

/// Takes the time stamps of a back end. mark() takes little time and does not wait. collect() waits once,
/// after the repetition.
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
  /// Creates a recorder. If `memory` is not `nullptr`, each stage also records its peak memory, relative to
  /// the bytes that are in use now. The pool must outlive the recorder, and no other code may reset its peak
  /// while a stage is open. The recorder preserves the peak of the pool.
  explicit Recorder(StageSource& source, MemoryPool* memory = nullptr);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Begins a stage. The stage ends when this object is destroyed. If an exception ends the scope, the stage
  /// is marked as failed.
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
  /// Makes the recorder also add each following repetition to the timeline `into`. All its spans are on track
  /// 0. `into` must exist until take() has returned.
  void keep_times(TimelineBuilder& into);
  /// Returns the number of time stamps in the last collected repetition.
  [[nodiscard]] int marks() const noexcept;
  /// Ends a repetition and collects its samples. The next repetition appends its samples to the same stages.
  void next_repetition();
  /// Collects the samples, clears the recorder and returns the stages. Throws Error(internal) if a stage is
  /// still open.
  [[nodiscard]] StageTree take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira
