#include "ui/theme/contrast.hpp"

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

double linear(double share) {
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
  return (0.2126 * linear(colour.redF())) + (0.7152 * linear(colour.greenF())) +
         (0.0722 * linear(colour.blueF()));
}

}  // namespace

double contrast(const QColor& a, const QColor& b) {
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

QColor text_on(const QColor& background) {
  const QColor black(Qt::black), white(Qt::white);
  return contrast(black, background) > contrast(white, background) ? black : white;
}

}  // namespace spira::ui
