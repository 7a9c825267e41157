// Spread of points: variances along the three principal axes of their covariance, largest first.
#pragma once

#include <array>

namespace spira {

struct Spread {
  std::array<double, 3> variance{};                  ///< descending
  std::array<std::array<double, 3>, 3> direction{};  ///< `[axis]`, unit vectors
};
/// Returns the eigenvalues and eigenvectors of a symmetric matrix, by Jacobi rotations.
[[nodiscard]] Spread spread_of(std::array<std::array<double, 3>, 3> covariance);

}  // namespace spira
