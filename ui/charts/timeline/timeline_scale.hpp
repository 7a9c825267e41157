// The visible time range of a timeline, and the conversion between times and pixels. This class does not use
// widgets.
#pragma once

namespace spira::ui {

class TimelineScale {
 public:
  void setWall(double wall_ms);  ///< Sets the length of the timeline and shows all of it.
  void setPixels(double left, double width);
  [[nodiscard]] double low() const noexcept { return low_; }  ///< Returns the time at the left end, in ms.
  [[nodiscard]] double high() const noexcept { return high_; }
  [[nodiscard]] double wall() const noexcept { return wall_; }
  [[nodiscard]] double x(double ms) const noexcept;  ///< Returns the horizontal position in pixels.
  [[nodiscard]] double ms(double x) const noexcept;
  /// Multiplies the length of the visible range by `factor`. The time at pixel `x` keeps its position unless
  /// the range reaches an end of the timeline.
  void zoom(double factor, double x);
  void pan(double pixels);                   ///< Positive values move to later times.
  void show(double low_ms, double high_ms);  ///< Shows this range with a small margin.
  void fit();
  void reveal(double low_ms, double high_ms);  ///< Scrolls only as far as needed to show the range.
  void set(double low_ms, double high_ms);     ///< Shows exactly this range, clamped to the timeline.

 private:
  double wall_ = 1, low_ = 0, high_ = 1;
  double left_ = 0, width_ = 1;  // In pixels.
};

}  // namespace spira::ui
