// Draws a lesson's animation at any point in time.
#pragma once

#include "ui/view3d/motion/animation_scene.hpp"

#include <QColor>

#include <array>
#include <memory>
#include <optional>

class vtkRenderer;

namespace spira::ui {

class MotionActors {
 public:
  explicit MotionActors(vtkRenderer* renderer);
  ~MotionActors();
  MotionActors(const MotionActors&) = delete;
  MotionActors& operator=(const MotionActors&) = delete;

  /// Sets the animation; `nullptr` removes it. Positions are drawn relative to `origin`.
  void set(std::shared_ptr<const AnimationScene> picture, const Point& origin);
  void setAt(double part);  ///< Sets the time of the animation, from 0 (start) to 1 (end).
  /// If `few` is true, draws only some of the points of a large animation. Without a GPU, drawing all points
  /// takes too long.
  void setFew(bool few);
  [[nodiscard]] std::int64_t drawn() const;
  void setStyle(const QColor& colour, double pixel_ratio);
  [[nodiscard]] const std::shared_ptr<const AnimationScene>& picture() const noexcept;
  /// Returns the bounds of everything that moves or is marked, with some space around the marks.
  [[nodiscard]] std::optional<std::array<double, 6>> bounds() const;
  [[nodiscard]] const Point& origin() const noexcept;
  [[nodiscard]] double part() const noexcept;
  /// Returns the current height of the moving plane, relative to the origin. Returns `nullopt` if the
  /// animation has no plane.
  [[nodiscard]] std::optional<double> plane() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
