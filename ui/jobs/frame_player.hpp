// Plays a sequence of frames. Requests the next frame at a fixed rate, and waits if a frame takes longer to
// open.
#pragma once

#include "ui/jobs/engine/scene_jobs.hpp"

#include <QObject>
#include <QTimer>

namespace spira::ui {

class FramePlayer : public QObject {
  Q_OBJECT
 public:
  FramePlayer(Workspace* workspace, EngineLane* lane, SceneJobs* scenes, QObject* parent = nullptr);

  [[nodiscard]] bool playing() const { return timer_.isActive(); }
  [[nodiscard]] int rate() const noexcept { return rate_; }  ///< Returns the rate in frames per second.
  /// Starts or stops playing. Starts at the first frame if the last frame is open.
  void setPlaying(bool playing);
  void setRate(int frames_per_second);
  void setCalm(bool calm);  ///< If true, limits the rate to 2 frames per second.

 signals:
  void playingChanged(bool playing);

 private:
  void step();
  void setInterval();

  Workspace* workspace_;
  EngineLane* lane_;
  SceneJobs* scenes_;
  QTimer timer_;
  int rate_ = 5;
  bool calm_ = false;
};

}  // namespace spira::ui
