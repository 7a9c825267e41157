// Plays a lesson: which step, how far its motion is, how fast. It knows nothing of the window.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>

namespace spira::ui {

/// What Space does next in a step: it is read, it moves, its numbers are there.
enum class LessonPhase { reading, moving, shown };

class LessonPlayer : public QObject {
  Q_OBJECT
 public:
  explicit LessonPlayer(QObject* parent = nullptr);

  /// Null: no lesson is open.
  [[nodiscard]] const std::shared_ptr<const Lesson>& lesson() const noexcept { return lesson_; }
  /// Steps and, behind them, the page with the questions.
  [[nodiscard]] int pages() const;
  [[nodiscard]] int page() const noexcept { return page_; }
  [[nodiscard]] const LessonStep* step() const;  ///< null on the page of questions
  [[nodiscard]] LessonPhase phase() const noexcept { return phase_; }
  [[nodiscard]] double part() const noexcept { return part_; }  ///< of the motion, 0..1
  [[nodiscard]] double speed() const noexcept { return speed_; }
  [[nodiscard]] bool calm() const noexcept { return calm_; }

  /// In place of the one that is open, if any.
  void start(std::shared_ptr<const Lesson> lesson, int page);
  void leave();
  void go();  ///< Space: the motion, then the next page
  void next();
  void back();
  void jump(int page);
  void scrub(double part);      ///< of the motion of this step; it stops there
  void setSpeed(double speed);  ///< 0.25 to 4
  void setCalm(bool calm);      ///< no motion: its end at once
  /// The motion waits while the picture is being made.
  void setReady(bool ready);

 signals:
  void entered();  ///< another page, or a lesson
  void left(const QString& id, int page);
  void phaseChanged();
  void partChanged(double part);
  void speedChanged();

 private:
  void enter(int page, bool then_play);
  void play();
  void tick();
  void setPhase(LessonPhase phase);

  std::shared_ptr<const Lesson> lesson_;
  int page_ = 0;
  LessonPhase phase_ = LessonPhase::reading;
  double part_ = 0, speed_ = 1;
  bool calm_ = false, ready_ = true;
  QTimer frames_, reading_;
  QElapsedTimer since_;
};

}  // namespace spira::ui
