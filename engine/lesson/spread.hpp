// How points spread: variances along the three axes of their covariance, largest first.
#pragma once

#include <array>

namespace spira {

struct Spread {
  std::array<double, 3> variance{};                  ///< descending
  std::array<std::array<double, 3>, 3> direction{};  ///< [axis], of length 1
};
/// Of a symmetric matrix, by rotations of Jacobi.
[[nodiscard]] Spread spread_of(std::array<std::array<double, 3>, 3> covariance);

}  // namespace spira
