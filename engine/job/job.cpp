#include "engine/job/job.hpp"

#include "engine/base/error.hpp"

#include <utility>

namespace spira {

Job::Job(std::stop_token stop, Recorder* recorder, std::function<void(const Progress&)> report)
    : stop_(std::move(stop)), recorder_(recorder), report_(std::move(report)) {}

void Job::checkpoint(const Progress& progress) {
  if (stop_.stop_requested()) throw Error(ErrorKind::cancelled, "cancelled: " + std::string(progress.what));
  if (!report_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report_ < std::chrono::milliseconds(50)) return;
  last_report_ = now;
  report_(progress);
}

void Job::kernel(std::string_view name) {
  if (recorder_ != nullptr) recorder_->add_kernel(name);
}

void Job::layout(std::string_view name) {
  if (recorder_ != nullptr) recorder_->set_layout(name);
}

void Job::traffic(std::int64_t bytes_read, std::int64_t bytes_written) {
  if (recorder_ != nullptr) recorder_->add_traffic(bytes_read, bytes_written);
}

Job Job::with_recorder(Recorder* recorder) const {
  return Job(stop_, recorder, report_);
}

}  // namespace spira
