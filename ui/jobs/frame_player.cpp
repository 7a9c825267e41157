#include "ui/jobs/frame_player.hpp"

#include <algorithm>

namespace spira::ui {

FramePlayer::FramePlayer(Workspace* workspace, EngineLane* lane, SceneJobs* scenes, QObject* parent)
    : QObject(parent), workspace_(workspace), lane_(lane), scenes_(scenes) {
  setInterval();
  connect(&timer_, &QTimer::timeout, this, &FramePlayer::step);
  connect(&workspace_->scene(), &OpenScene::framesChanged, this, [this] {
    if (workspace_->scene().frames().size() < 2) setPlaying(false);
  });
}

void FramePlayer::setPlaying(bool playing) {
  if (playing == timer_.isActive()) return;
  if (!playing) {
    timer_.stop();
  } else if (workspace_->scene().frames().size() > 1) {
    timer_.start();
    const bool at_end =
        workspace_->scene().frame() + 1 >= static_cast<int>(workspace_->scene().frames().size());
    if (at_end) scenes_->showFrame(0);
  }
  emit playingChanged(timer_.isActive());
}

void FramePlayer::setRate(int frames_per_second) {
  // Maximum rate in frames per second. Faster playback flickers, which is harmful to some people.
  constexpr int most = 30;
  rate_ = std::clamp(frames_per_second, 1, most);
  setInterval();
}

void FramePlayer::setCalm(bool calm) {
  calm_ = calm;
  setInterval();
}

void FramePlayer::setInterval() {
  constexpr int max_calm_rate = 2;
  timer_.setInterval(1000 / (calm_ ? std::min(rate_, max_calm_rate) : rate_));
}

/// Opens the next frame. Does nothing while a frame is still being opened. No frame is skipped, so the rate
/// is an upper bound.
void FramePlayer::step() {
  if (lane_->opening()) return;
  if (scenes_->wantedFrame() + 1 >= static_cast<int>(workspace_->scene().frames().size()))
    return setPlaying(false);
  scenes_->showFrame(scenes_->wantedFrame() + 1);
}

}  // namespace spira::ui
