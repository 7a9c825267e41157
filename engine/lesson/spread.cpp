#include "engine/lesson/diagrams/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace spira {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

/// Applies one Jacobi rotation, which makes covariance[p][q] zero. The columns of `axes` are the directions.
void rotate(Matrix& covariance, Matrix& axes, std::size_t p, std::size_t q) {
  const double off = covariance.at(p).at(q);
  if (off == 0) return;
  const double theta = (covariance.at(q).at(q) - covariance.at(p).at(p)) / (2 * off);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt((theta * theta) + 1));
  const double c = 1 / std::sqrt((t * t) + 1), s = t * c;
  for (auto& row : covariance)
    std::tie(row.at(p), row.at(q)) =
        std::pair{(c * row.at(p)) - (s * row.at(q)), (s * row.at(p)) + (c * row.at(q))};
  for (std::size_t at = 0; at < 3; ++at) {
    const double of_p = covariance.at(p).at(at), of_q = covariance.at(q).at(at);
    covariance.at(p).at(at) = (c * of_p) - (s * of_q);
    covariance.at(q).at(at) = (s * of_p) + (c * of_q);
  }
  for (auto& row : axes)
    std::tie(row.at(p), row.at(q)) =
        std::pair{(c * row.at(p)) - (s * row.at(q)), (s * row.at(p)) + (c * row.at(q))};
}

}  // namespace

PrincipalAxes principal_axes_of(Matrix covariance) {
  constexpr int sweeps = 6;  // each sweep squares the size of the off-diagonal elements
  Matrix axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(covariance, axes, 0, 1);
    rotate(covariance, axes, 0, 2);
    rotate(covariance, axes, 1, 2);
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return covariance.at(a).at(a) > covariance.at(b).at(b); });
  PrincipalAxes spread;
  for (std::size_t at = 0; at < 3; ++at) {
    const std::size_t from = order.at(at);
    spread.variance.at(at) = std::max(0.0, covariance.at(from).at(from));
    for (std::size_t axis = 0; axis < 3; ++axis)
      spread.direction.at(at).at(axis) = axes.at(axis).at(from);
  }
  return spread;
}

}  // namespace spira
