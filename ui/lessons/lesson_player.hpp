// Stores the state of a running lesson: the current page, the time of the animation, and the speed. This
// class does not depend on the window.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>

namespace spira::ui {

/// State of a lesson step. The Space key starts the animation, then skips to its end, then opens the next
/// page.
enum class LessonPhase { reading, moving, shown };

class LessonPlayer : public QObject {
  Q_OBJECT
 public:
  explicit LessonPlayer(QObject* parent = nullptr);

  /// Returns the open lesson, or `nullptr` if no lesson is open.
  [[nodiscard]] const std::shared_ptr<const Lesson>& lesson() const noexcept { return lesson_; }
  /// Returns the number of pages: one per step, and one more if the lesson has questions.
  [[nodiscard]] int pages() const;
  [[nodiscard]] int page() const noexcept { return page_; }
  [[nodiscard]] const LessonStep* step()
      const;  ///< Returns the current step, or `nullptr` on the page of questions.
  [[nodiscard]] LessonPhase phase() const noexcept { return phase_; }
  /// Returns the time of the animation, from 0 to 1.
  [[nodiscard]] double part() const noexcept { return part_; }
  [[nodiscard]] double speed() const noexcept { return speed_; }
  [[nodiscard]] bool calm() const noexcept { return calm_; }

  /// Opens a lesson at a page. Closes the current lesson, if there is one.
  void start(std::shared_ptr<const Lesson> lesson, int page);
  void leave();
  /// Starts the animation, skips to its end, or opens the next page, depending on phase(). The Space key
  /// calls this function.
  void go();
  void next();
  void back();
  void jump(int page);
  void scrub(double part);      ///< Stops the animation and moves it to this time.
  void setSpeed(double speed);  ///< Sets the speed, from 0.25 to 4.
  void setCalm(bool calm);      ///< If `calm` is true, each step immediately shows the end of its animation.
  /// While `ready` is false, the animation is paused. Its picture is then still being computed.
  void setReady(bool ready);

 signals:
  void entered();  ///< Emitted after another page or lesson was opened.
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
