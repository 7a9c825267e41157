// Makes areas, clouds and random masks for tests of the bird's-eye view.
#pragma once

#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/bev/mask.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spira::test {

[[nodiscard]] inline Area area_of_cells(std::int64_t rows, std::int64_t columns) {
  Area area;
  area.cell_m = 1;
  area.cells = {rows, columns};
  return area;
}

/// Sets each cell with the probability `density`.
[[nodiscard]] inline Mask random_mask(std::int64_t rows, std::int64_t columns, double density,
                                      std::uint64_t seed) {
  Mask mask{area_of_cells(rows, columns), "all", {}};
  Random random(seed);
  for (std::int64_t at = 0; at < mask.area.size(); ++at)
    mask.cells.push_back(random.uniform() < density ? 1 : 0);
  return mask;
}

[[nodiscard]] inline PointCloud cloud_of(std::vector<Point> points) {
  PointCloud cloud;
  cloud.name = "made.ply";
  cloud.positions = std::move(points);
  return cloud;
}

/// Returns the message of the error that `call` throws, and checks its kind.
template <class Call> std::string error_of(ErrorKind kind, const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace spira::test
