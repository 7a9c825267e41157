#include "engine/run/infer/frame_pipeline.hpp"

#include "engine/run/measurement.hpp"
#include "engine/scene/point_cloud.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>

namespace spira {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Passes the items of one or more threads to one thread, in the order of the frames. A producer waits if its
/// frame is too far ahead, the consumer until the next frame is there.
template <class Item> class OrderedQueue {
 public:
  explicit OrderedQueue(std::size_t length) : length_(length) {}

  /// Returns false if the queue is closed. Then the item is discarded.
  bool push(std::size_t frame, Item item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || frame < next_ + length_; });
    if (closed_) return false;
    items_.emplace(frame, std::move(item));
    changed_.notify_all();
    return true;
  }
  /// Returns an empty optional if the queue is closed and the next frame is not there.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || items_.contains(next_); });
    const auto found = items_.find(next_);
    if (found == items_.end()) return std::nullopt;
    std::optional<Item> item(std::move(found->second));
    items_.erase(found);
    ++next_;
    changed_.notify_all();
    return item;
  }
  /// Items that follow each other without a gap can still be popped.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::size_t length_, next_ = 0;
  std::map<std::size_t, Item> items_;
  bool closed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Calls `work`. If it fails because of the frame, stores the error in `result`. Rethrows other errors.
template <class Work> void guarded(FrameResult& result, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input && error.kind() != ErrorKind::does_not_fit &&
        error.kind() != ErrorKind::memory && !is_device_fault(error.kind()))
      throw;
    result.fault = error;
  } catch (const std::bad_alloc&) {
    result.fault = Error(ErrorKind::memory, "out of memory");
  }
}

struct ReadFrame {
  FrameInput input;
  FrameResult result;
};

class Pipeline {
 public:
  Pipeline(std::size_t frames, const FrameStages& stages, PipelineTimes& times, Job& job,
           const PipelineSize& size)
      : frames_(frames),
        stages_(stages),
        times_(times),
        job_(job),
        read_(std::max(size.queue_length, size.readers)),
        ran_(size.queue_length),
        reader_faults_(std::max(std::size_t{1}, size.readers)) {}

  void run() {
    const std::stop_callback forward(job_.stop_token(), [this] { reading_.request_stop(); });
    std::vector<std::thread> readers;
    for (std::exception_ptr& fault : reader_faults_)
      readers.emplace_back([this, &fault] {
        keep_fault(fault, [this] { read_frames(); });
        // The frames of the other readers can still be missing.
        if (fault) read_.close();
      });
    std::thread writer([this] {
      keep_fault(writer_fault_, [this] { write_all(); });
      ran_.close();
    });
    std::exception_ptr engine_fault;
    keep_fault(engine_fault, [this] { run_all(); });
    ran_.close();
    // If the engine stopped early, the readers must stop too.
    reading_.request_stop();
    read_.close();
    for (std::thread& reader : readers)
      reader.join();
    writer.join();
    times_.total_ms = last_ms_;
    for (const std::exception_ptr& fault : {writer_fault_, engine_fault}) {
      if (fault) std::rethrow_exception(fault);
    }
    for (const std::exception_ptr& fault : reader_faults_) {
      if (fault) std::rethrow_exception(fault);
    }
  }

 private:
  template <class Work> static void keep_fault(std::exception_ptr& fault, const Work& work) {
    try {
      work();
    } catch (...) {
      fault = std::current_exception();
    }
  }

  /// Reads frames until none is left. Several threads run this function.
  void read_frames() {
    Job job(reading_.get_token());
    for (std::size_t frame = unread_++; frame < frames_; frame = unread_++) {
      ReadFrame next{{}, {frame, 0, 0, {}, {}}};
      const auto begin = Clock::now();
      guarded(next.result, [&] { next.input = stages_.read(frame, job); });
      next.result.read_ms = ms_since(begin);
      if (!read_.push(frame, std::move(next))) return;
    }
  }

  void run_all() {
    for (std::size_t frame = 0; frame < frames_; ++frame) {
      auto begin = Clock::now();
      std::optional<ReadFrame> next = read_.pop();
      times_.waiting_ms += ms_since(begin);
      job_.checkpoint(
          {"running frame", static_cast<std::int64_t>(frame), static_cast<std::int64_t>(frames_)});
      if (!next) return;
      if (!next->result.fault) {
        begin = Clock::now();
        guarded(next->result, [&] { next->result.outputs = stages_.run(frame, next->input, job_); });
        next->result.engine_ms = ms_since(begin);
        times_.engine_ms += next->result.engine_ms;
      }
      begin = Clock::now();
      if (!ran_.push(frame, std::move(next->result))) return;
      times_.writing_ms += ms_since(begin);
    }
  }

  void write_all() {
    while (std::optional<FrameResult> result = ran_.pop()) {
      if (!result->fault) guarded(*result, [&] { stages_.write(*result); });
      stages_.record(*result);
      last_ms_ = ms_since(begin_);
      if (times_.finished + times_.failed == 0) times_.first_ms = last_ms_;
      ++(result->fault ? times_.failed : times_.finished);
    }
  }

  std::size_t frames_;
  const FrameStages& stages_;
  PipelineTimes& times_;  ///< The engine and the writer change different members.
  Job& job_;
  OrderedQueue<ReadFrame> read_;
  OrderedQueue<FrameResult> ran_;
  std::stop_source reading_;
  std::atomic<std::size_t> unread_ = 0;            ///< The next frame that no reader has taken.
  std::vector<std::exception_ptr> reader_faults_;  ///< One for each reader.
  std::exception_ptr writer_fault_;
  Clock::time_point begin_ = Clock::now();
  double last_ms_ = 0;
};

}  // namespace

double PipelineTimes::frames_per_s() const {
  return total_ms > 0 ? static_cast<double>(finished) * 1e3 / total_ms : 0;
}

std::optional<double> PipelineTimes::later_frames_per_s() const {
  if (finished < 2 || !(total_ms > first_ms)) return std::nullopt;
  return static_cast<double>(finished - 1) * 1e3 / (total_ms - first_ms);
}

double PipelineTimes::busy_share() const {
  return total_ms > 0 ? engine_ms / total_ms : 0;
}

void run_frames(std::size_t frames, const FrameStages& stages, PipelineTimes& times, Job& job,
                const PipelineSize& size) {
  Pipeline(frames, stages, times, job, size).run();
}

}  // namespace spira
