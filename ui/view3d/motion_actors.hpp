// Draws the picture of a lesson at any moment of its motion.
#pragma once

#include "ui/view3d/motion_picture.hpp"

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

  /// Null: nothing. `origin`: what positions on the screen are relative to.
  void set(std::shared_ptr<const MotionPicture> picture, const Point& origin);
  void setAt(double part);  ///< 0: before it, 1: its end
  void setFew(bool few);    ///< a part of the points where there are many: without a GPU all take too long
  [[nodiscard]] std::int64_t drawn() const;  ///< points
  void setStyle(const QColor& colour, double pixel_ratio);
  [[nodiscard]] const std::shared_ptr<const MotionPicture>& picture() const noexcept;
  /// Of all that moves or is marked, with a cell around marks.
  [[nodiscard]] std::optional<std::array<double, 6>> bounds() const;
  [[nodiscard]] const Point& origin() const noexcept;
  [[nodiscard]] double part() const noexcept;
  /// Height of the plane that sinks, relative to the origin; empty: there is none.
  [[nodiscard]] std::optional<double> plane() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
