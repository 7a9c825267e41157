// Runs a network on many frames. Three stages overlap: one or more threads read and prepare the next frames,
// the calling thread runs the network, and one thread writes the results.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/voxel/grid.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace spira {

struct LayerResult;
struct PointCloud;

/// A frame that is ready for the network.
struct FrameInput {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
};
using FrameOutputs = std::vector<std::shared_ptr<const LayerResult>>;

struct FrameResult {
  std::size_t frame = 0;
  double read_ms = 0, engine_ms = 0;
  FrameOutputs outputs;
  std::optional<Error> fault;  ///< Set if the frame failed in any stage.
};

/// The stages of one frame. Frames are numbered from 0.
struct FrameStages {
  /// Reads a frame. Called in the reading threads, also for several frames at the same time.
  std::function<FrameInput(std::size_t frame, Job& job)> read;
  /// Runs the network. Called in the thread of run_frames(), which is the only one that uses the back end.
  std::function<FrameOutputs(std::size_t frame, const FrameInput& input, Job& job)> run;
  /// Writes the outputs. Called in the writing thread.
  std::function<void(const FrameResult& result)> write;
  /// Records that a frame is finished or has failed. Called in the writing thread, in the order of the
  /// frames. An exception ends run_frames().
  std::function<void(const FrameResult& result)> record;
};

struct PipelineTimes {
  std::int64_t finished = 0, failed = 0;
  double total_ms = 0;    ///< From the start until the last frame was recorded.
  double first_ms = 0;    ///< From the start until the first frame was recorded.
  double engine_ms = 0;   ///< Sum of the times of FrameStages::run.
  double waiting_ms = 0;  ///< Time in which the engine waited for the reading threads.
  double writing_ms = 0;  ///< Time in which the engine waited for the writing thread.
  /// Returns the rate over the whole time. 0 without a frame.
  [[nodiscard]] double frames_per_s() const;
  /// Returns the rate of all frames after the first one. Empty with fewer than two frames.
  [[nodiscard]] std::optional<double> later_frames_per_s() const;
  [[nodiscard]] double busy_share() const;  ///< The share of the time in which the engine ran.
};

struct PipelineSize {
  std::size_t readers = 1;       ///< Number of reading threads.
  std::size_t queue_length = 2;  ///< Number of frames that can wait between two stages.
};

/// Runs all frames in order. Up to `queue_length` frames wait between two stages, or one for each reader if
/// this is more, so memory is bounded. If a frame cannot be read, does not fit or needs too much memory, it
/// is recorded with its fault, and the other frames run. Rethrows other exceptions of the stages. If the job
/// is stopped, records the frames that have already run, and throws `Error(cancelled)`. `times` is valid in
/// any case.
void run_frames(std::size_t frames, const FrameStages& stages, PipelineTimes& times, Job& job,
                const PipelineSize& size = {});

}  // namespace spira
