#include "ui/charts/timeline/timeline_scale.hpp"

#include <algorithm>

namespace spira::ui {
namespace {

constexpr double margin = 0.01;        // Empty space at each end, as a share of the wall time.
constexpr double min_shown_ms = 2e-5;  // 20 ns, the finest resolution of a timeline clock.

}  // namespace

void TimelineScale::setWall(double wall_ms) {
  wall_ = wall_ms > 0 ? wall_ms : 1;
  fit();
}

void TimelineScale::setPixels(double left, double width) {
  left_ = left;
  width_ = std::max(1.0, width);
}

double TimelineScale::x(double ms) const noexcept {
  return left_ + ((ms - low_) / (high_ - low_) * width_);
}

double TimelineScale::ms(double x) const noexcept {
  return low_ + ((x - left_) / width_ * (high_ - low_));
}

void TimelineScale::zoom(double factor, double x) {
  const double at = ms(x), share = (x - left_) / width_;
  const double most = wall_ * (1 + (2 * margin));
  const double length = std::clamp((high_ - low_) * factor, std::min(min_shown_ms, most), most);
  set(at - (share * length), at + ((1 - share) * length));
}

void TimelineScale::pan(double pixels) {
  const double by = pixels / width_ * (high_ - low_);
  set(low_ + by, high_ + by);
}

void TimelineScale::show(double low_ms, double high_ms) {
  constexpr double around = 0.1;
  const double length = std::max(high_ms - low_ms, min_shown_ms), middle = (low_ms + high_ms) / 2;
  set(middle - (length * (0.5 + around)), middle + (length * (0.5 + around)));
}

void TimelineScale::fit() {
  low_ = -wall_ * margin;
  high_ = wall_ * (1 + margin);
}

void TimelineScale::reveal(double low_ms, double high_ms) {
  if (high_ms - low_ms > high_ - low_) return show(low_ms, high_ms);
  const double by = low_ms < low_ ? low_ms - low_ : high_ms > high_ ? high_ms - high_ : 0;
  set(low_ + by, high_ + by);
}

/// Sets the visible range. Moves it so that it is inside the timeline, and keeps its length if possible.
void TimelineScale::set(double low, double high) {
  const double first = -wall_ * margin, last = wall_ * (1 + margin);
  const double length = std::min(high - low, last - first);
  low_ = std::clamp(low, first, last - length);
  high_ = low_ + length;
}

}  // namespace spira::ui
