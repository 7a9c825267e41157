#include "ui/lessons/lesson_player.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr double motion_ms = 1500;
// In ms. `word_ms` is the reading time of one word, at four words per second.
constexpr int frame_ms = 16, word_ms = 250;

}  // namespace

LessonPlayer::LessonPlayer(QObject* parent) : QObject(parent) {
  frames_.setInterval(frame_ms);
  connect(&frames_, &QTimer::timeout, this, &LessonPlayer::tick);
  reading_.setSingleShot(true);
  connect(&reading_, &QTimer::timeout, this, [this] {
    if (phase_ == LessonPhase::reading) play();
  });
}

int LessonPlayer::pages() const {
  if (!lesson_) return 0;
  return static_cast<int>(lesson_->steps.size()) + (lesson_->questions.empty() ? 0 : 1);
}

const LessonStep* LessonPlayer::step() const {
  if (!lesson_ || page_ >= static_cast<int>(lesson_->steps.size())) return nullptr;
  return &lesson_->steps[static_cast<std::size_t>(page_)];
}

void LessonPlayer::start(std::shared_ptr<const Lesson> lesson, int page) {
  lesson_ = std::move(lesson);
  enter(page, false);
}

void LessonPlayer::leave() {
  if (!lesson_) return;
  frames_.stop();
  reading_.stop();
  const auto lesson = std::exchange(lesson_, nullptr);
  emit left(QString::fromStdString(lesson->id), std::exchange(page_, 0));
}

/// Opens a page. If `then_play` is true, the animation starts after the reading time, so that a presenter
/// needs to press only one key per step.
void LessonPlayer::enter(int page, bool then_play) {
  if (!lesson_) return;
  frames_.stop();
  reading_.stop();
  page_ = std::clamp(page, 0, pages() - 1);
  part_ = 0;
  const bool still = step() == nullptr || !step()->motion || calm_;
  phase_ = still ? LessonPhase::shown : LessonPhase::reading;
  if (still) part_ = 1;
  emit entered();
  emit partChanged(part_);
  if (then_play && !still) reading_.start(static_cast<int>(word_ms * words_of(step()->text) / speed_));
}

void LessonPlayer::go() {
  if (!lesson_) return;
  if (phase_ == LessonPhase::reading) return play();
  if (phase_ == LessonPhase::moving) return scrub(1);
  if (page_ + 1 < pages()) enter(page_ + 1, true);
}

void LessonPlayer::next() {
  if (lesson_ && page_ + 1 < pages()) enter(page_ + 1, false);
}

void LessonPlayer::back() {
  if (lesson_ && page_ > 0) enter(page_ - 1, false);
}

void LessonPlayer::jump(int page) {
  if (lesson_ && (page != page_ || phase_ != LessonPhase::reading)) enter(page, false);
}

void LessonPlayer::play() {
  reading_.stop();
  part_ = 0;
  since_.start();
  setPhase(LessonPhase::moving);
  frames_.start();
}

void LessonPlayer::setReady(bool ready) {
  ready_ = ready;
  since_.start();
}

void LessonPlayer::tick() {
  if (!ready_) return;
  part_ = std::min(1.0, part_ + (static_cast<double>(since_.restart()) * speed_ / motion_ms));
  emit partChanged(part_);
  if (part_ < 1) return;
  frames_.stop();
  setPhase(LessonPhase::shown);
}

void LessonPlayer::scrub(double part) {
  if (step() == nullptr || !step()->motion) return;
  frames_.stop();
  reading_.stop();
  part_ = std::clamp(part, 0.0, 1.0);
  emit partChanged(part_);
  setPhase(part_ < 1 ? LessonPhase::reading : LessonPhase::shown);
}

void LessonPlayer::setPhase(LessonPhase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  emit phaseChanged();
}

void LessonPlayer::setSpeed(double speed) {
  constexpr double slowest = 0.25, fastest = 4;
  speed_ = std::clamp(speed, slowest, fastest);
  emit speedChanged();
}

void LessonPlayer::setCalm(bool calm) {
  calm_ = calm;
  if (calm && lesson_ && phase_ != LessonPhase::shown) scrub(1);
}

}  // namespace spira::ui
