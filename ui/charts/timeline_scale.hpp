// Which part of a timeline a chart shows, and where a moment stands in it. No window: numbers only.
#pragma once

namespace spira::ui {

class TimelineScale {
 public:
  void setWall(double wall_ms);  ///< another timeline; all of it is shown
  void setPixels(double left, double width);
  [[nodiscard]] double low() const noexcept { return low_; }  ///< ms at the left end
  [[nodiscard]] double high() const noexcept { return high_; }
  [[nodiscard]] double wall() const noexcept { return wall_; }
  [[nodiscard]] double x(double ms) const noexcept;  ///< pixels
  [[nodiscard]] double ms(double x) const noexcept;
  /// Shows `factor` times as much; what is at pixel `x` stays there, as far as the ends allow.
  void zoom(double factor, double x);
  void pan(double pixels);                   ///< to the right: later moments come in
  void show(double low_ms, double high_ms);  ///< these and a little around them
  void fit();
  void reveal(double low_ms, double high_ms);  ///< moves no further than it must
  void set(double low_ms, double high_ms);     ///< exactly these, as far as the ends allow

 private:
  double wall_ = 1, low_ = 0, high_ = 1;
  double left_ = 0, width_ = 1;  // pixels
};

}  // namespace spira::ui
