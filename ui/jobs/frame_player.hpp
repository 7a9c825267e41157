// Plays a sequence: asks for the next frame at a rate, and waits where a frame takes longer than that.
#pragma once

#include "ui/jobs/engine_jobs.hpp"

#include <QObject>
#include <QTimer>

namespace spira::ui {

class FramePlayer : public QObject {
  Q_OBJECT
 public:
  FramePlayer(Workspace* workspace, EngineJobs* jobs, QObject* parent = nullptr);

  [[nodiscard]] bool playing() const { return timer_.isActive(); }
  [[nodiscard]] int rate() const noexcept { return rate_; }  ///< frames a second
  void setPlaying(bool playing);                             ///< from the last frame it begins with the first
  void setRate(int frames_per_second);
  void setCalm(bool calm);  ///< 2 frames a second at the most, whatever the rate

 signals:
  void playingChanged(bool playing);

 private:
  void step();
  void setInterval();

  Workspace* workspace_;
  EngineJobs* jobs_;
  QTimer timer_;
  int rate_ = 5;
  bool calm_ = false;
};

}  // namespace spira::ui
