// How time and memory are taken: a back end marks points in time, its pool knows the peak of live buffers,
// and the recorder makes a tree of named stages of them.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"
#include "engine/memory/memory_pool.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace spira {

/// A back end's clock. Marks are cheap and do not wait; collect() waits once, after the repetition.
class StageSource {
 public:
  StageSource() = default;
  virtual ~StageSource() = default;
  StageSource(const StageSource&) = delete;
  StageSource& operator=(const StageSource&) = delete;

  [[nodiscard]] virtual Clock clock() const noexcept = 0;
  virtual void mark(int slot) = 0;  ///< records "now" on the stream the back end is using
  virtual void collect(std::span<double> since_start_ms) = 0;  ///< one value a slot, relative to slot 0
};

/// The host's monotonic clock.
[[nodiscard]] std::unique_ptr<StageSource> make_steady_stages();

class Recorder {
 public:
  /// With `memory` each stage also gets its peak, counted from what is in use now. The pool outlives the
  /// recorder and keeps its own peak; nobody else resets that while a stage is open. Null: no peaks are
  /// taken.
  explicit Recorder(StageSource& source, MemoryPool* memory = nullptr);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Ends the stage when it goes out of scope; marks it failed if that is by an exception.
  class Scope {
   public:
    Scope(Recorder* recorder, std::string_view name);  ///< null recorder: does nothing, inserts no mark
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Recorder* recorder_;
    int exceptions_ = 0;
  };

  void add_traffic(std::int64_t bytes_read,
                   std::int64_t bytes_written);  ///< modelled bytes of the open stage
  /// Each repetition that is collected from now on also goes there, with the times of its marks, all on track
  /// 0. It is used until take() and outlives that.
  void keep_times(TimelineBuilder& into);
  /// Of the last repetition that was collected.
  [[nodiscard]] int marks() const noexcept;
  void next_repetition();          ///< collects; the same stages again append their samples by path
  [[nodiscard]] StageTree take();  ///< collects and empties; throws Error(internal) if a stage is still open

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira
