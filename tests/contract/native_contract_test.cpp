// Compares native layers of the back end under test with the naive reference: the positions of rows, the
// kernel maps, features and gradients. Kernel maps in which an output has several inputs in a column are also
// made at random, because real scenes have few of them.
#include "app/common/backends.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/backend/passes.hpp"
#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/map/map_view.hpp"
#include "engine/network/network.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace spira {
namespace {

using test::random_features;

const Grid metre{{1, 1, 1}, {}};
const Grid on_grid{{1, 1, 1}, {}, PositionKind::grid};

bool same_bytes(const Buffer& a, const Buffer& b) {
  const auto left = a.host_span<std::byte>(), right = b.host_span<std::byte>();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

/// Returns random points in a box. If `steps` is not 0, their coordinates are multiples of 1 / steps, so that
/// many points are on the faces of voxels, at equal distances from a centre, or equal.
PointCloud scattered(int points, const Point& box, std::uint64_t seed, int steps = 0) {
  Random random(seed);
  PointCloud cloud;
  for (int at = 0; at < points; ++at) {
    Point p{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      p.at(axis) = random.uniform(0, box.at(axis));
      if (steps != 0) p.at(axis) = std::floor(p.at(axis) * steps) / steps;
    }
    cloud.positions.push_back(p);
  }
  return cloud;
}

/// Returns the points of both clouds as a batch of two frames.
PointCloud joined(PointCloud first, const PointCloud& second) {
  first.frame_starts = {0, std::ssize(first.positions),
                        std::ssize(first.positions) + std::ssize(second.positions)};
  first.positions.insert(first.positions.end(), second.positions.begin(), second.positions.end());
  return first;
}

/// The levels of a scene with their positions, by stride.
struct Levels {
  std::map<int, CoordSet> sets;
  std::map<int, Positions> positions;

  Levels(Backend& backend, const PointCloud& cloud, const Grid& grid, const PackSpec& pack, Job& job) {
    VoxelizeRequest request{pack, 16, Precision::fp32};
    request.positions = grid.positions;
    Voxelized level0 = backend.voxelize(cloud, grid, request, job);
    positions[1] = std::move(level0.positions.value());
    for (int stride = 2; stride <= 16; stride *= 2)
      sets[stride] = backend.downsample(level0.coords, stride, job);
    sets[1] = std::move(level0.coords);
    for (int stride = 2; stride <= 16; stride *= 2)
      positions[stride] =
          backend.downsample(sets.at(stride / 2), positions.at(stride / 2), sets.at(stride), job);
  }
};

KernelShape kernel_of(int size, NeighbourShape shape, int cell = 1, double radius = 0) {
  KernelShape kernel(size);
  kernel.neighbourhood = {shape, cell, radius};
  return kernel;
}

/// Returns a request for whole pair lists of a layer between two levels.
MapRequest request_for(const KernelShape& kernel, MapAlgorithm algorithm, const Levels& levels, int stride_in,
                       int stride_out) {
  const auto offsets = std::make_shared<const KernelOffsets>(kernel, stride_in);
  MapRequest request{offsets, algorithm, {{MapLayout::pair_lists, test::all_columns(*offsets)}}};
  if (kernel.native()) {
    request.in_positions = &levels.positions.at(stride_in);
    request.out_positions = &levels.positions.at(stride_out);
  }
  return request;
}

class NativeContract : public testing::Test {
 protected:
  void expect_same_lists(const KernelMap& found, const KernelMap& truth, const std::string& what) {
    ASSERT_EQ(found.parts.size(), 1U) << what;
    const KernelMap::Part &part = found.parts.front(), &expected = truth.parts.front();
    EXPECT_EQ(found.outputs, truth.outputs) << what;
    EXPECT_EQ(found.inputs, truth.inputs) << what;
    EXPECT_EQ(part.layout, MapLayout::pair_lists) << what;
    EXPECT_EQ(part.columns, expected.columns) << what;
    EXPECT_TRUE(same_bytes(part.counts, expected.counts)) << what << ": counts";
    EXPECT_TRUE(same_bytes(part.entries, expected.entries)) << what << ": triplets";
    ++compared_;
  }
  /// Builds the map between two levels with each algorithm, and compares it with the map of the reference.
  void expect_map(const Levels& levels, const KernelShape& kernel, int stride_in, int stride_out,
                  const std::string& of) {
    const CoordSet &in = levels.sets.at(stride_in), &out = levels.sets.at(stride_out);
    const KernelMap truth = reference_->build_map(
        in, out, request_for(kernel, MapAlgorithm::z_delta, levels, stride_in, stride_out), job_);
    for (const MapAlgorithm algorithm : {MapAlgorithm::z_delta, MapAlgorithm::hash}) {
      const MapRequest request = request_for(kernel, algorithm, levels, stride_in, stride_out);
      const std::string what = of + ", " + in.pack.text() + ", " + text_of(kernel) + ", stride " +
                               std::to_string(stride_in) + " -> " + std::to_string(stride_out) + ", " +
                               std::string(text_of(algorithm));
      const KernelMap found = subject_->build_map(in, out, request, job_);
      EXPECT_FALSE(found.submanifold) << what;
      expect_same_lists(found, truth, what);
      expect_same_lists(subject_->build_map(test::with_room(in), test::with_room(out), request, job_), truth,
                        what + ", levels with spare room");
    }
  }
  void expect_maps(const Levels& levels, const std::vector<KernelShape>& kernels, const std::string& of) {
    for (const KernelShape& kernel : kernels) {
      for (const auto& [in, out] : {std::pair{1, 1}, {1, 2}, {2, 4}, {4, 4}, {1, 8}, {16, 16}})
        expect_map(levels, kernel, in, out, of);
    }
  }
  void expect_positions(const PointCloud& cloud, const Grid& grid, const PackSpec& pack,
                        const std::string& what) {
    const Levels found(*subject_, cloud, grid, pack, job_), truth(*reference_, cloud, grid, pack, job_);
    for (const auto& [stride, positions] : truth.positions) {
      const Positions& of = found.positions.at(stride);
      const std::string where = what + ", " + pack.text() + ", " + std::string(text_of(grid.positions)) +
                                ", stride " + std::to_string(stride);
      EXPECT_EQ(of.kind, grid.positions) << where;
      EXPECT_TRUE(same_bytes(of.points, positions.points)) << where << ": points";
      EXPECT_TRUE(same_bytes(of.words, positions.words)) << where << ": words";
    }
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
  int compared_ = 0;
};

TEST_F(NativeContract, PositionsOfAllLevels) {
  for (const PackSpec& pack : {PackSpec::bits32(), PackSpec::bits64(), PackSpec{20, 6, 6}}) {
    for (const PositionKind kind : {PositionKind::nearest, PositionKind::grid}) {
      const Grid fine{{0.37, 0.5, 0.41}, {}, kind},
          cropped{{0.5, 0.5, 0.5}, Bounds{{2, 1, 0}, {9, 8, 7}}, kind};
      expect_positions(scattered(3000, {12, 12, 9}, 1), fine, pack, "scattered");
      expect_positions(scattered(3000, {12, 12, 9}, 2), cropped, pack, "cropped");
      expect_positions(scattered(3000, {12, 12, 9}, 3, 4), {{1, 1, 1}, {}, kind}, pack, "on a lattice");
      expect_positions(scattered(20'000, {0.9, 0.9, 0.9}, 6), {{1, 1, 1}, {}, kind}, pack, "one full voxel");
    }
  }
  // Threads share the points and the rows of large scenes. All rows of the flat scene have the same x.
  expect_positions(scattered(50'000, {50, 40, 16}, 18), metre, PackSpec::bits32(), "many rows");
  expect_positions(scattered(50'000, {0.9, 200, 150}, 19), metre, PackSpec::bits32(), "flat");
  for (const PackSpec& pack : {PackSpec{11, 12, 8}, PackSpec{22, 24, 16}})
    expect_positions(joined(scattered(900, {9, 9, 9}, 4), scattered(700, {8, 9, 7}, 5, 2)), metre, pack,
                     "two frames");
  // The last bits of a quotient decide the position of a point far from the origin.
  PointCloud far = scattered(4000, {9, 9, 9}, 7);
  for (Point& p : far.positions)
    p = {p[0] + 70'000.1, p[1] - 123'456.7, p[2] + 999.9};
  expect_positions(far, {{0.05, 0.05, 0.05}, {}}, PackSpec::bits64(), "far away");
  // A coordinate minus the low corner of its voxel is rounded if the coordinate is between -1 and 0.
  PointCloud negative;
  for (const double x : {-0x1p-60, -0x1p-17, -0x1.8p-53, -0.5 - 0x1p-53, -1 + 0x1p-52, 0x1p-60, 0.0})
    negative.positions.push_back({x, x - 1, 3 * static_cast<double>(negative.size()) + x});
  expect_positions(negative, metre, PackSpec::bits32(), "around zero");
}

// Trap 8: the first of several nearest points is the one of the row, in any order of the threads.
TEST_F(NativeContract, NativeTrap8TiesAndEqualPoints) {
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6, 7};
  Random random(8);
  for (int round = 0; round < 6; ++round) {
    PointCloud corners, copies;
    for (const std::size_t corner : order) {
      for (const double x : {0.0, 3.0, 7.0})
        corners.positions.push_back({x + 0.25 + ((corner & 1U) != 0 ? 0.5 : 0),
                                     (corner & 2U) != 0 ? 0.75 : 0.25, (corner & 4U) != 0 ? 0.75 : 0.25});
    }
    for (int at = 0; at < 100; ++at)
      copies.positions.push_back({2.5, static_cast<double>(at % 7), 1.125});
    expect_positions(corners, metre, PackSpec::bits32(), "corners of a voxel");
    expect_positions(copies, metre, PackSpec::bits32(), "copies");
    const Levels levels(*subject_, copies, metre, PackSpec::bits32(), job_);
    for (int row = 0; row < 7; ++row)
      EXPECT_EQ(levels.positions.at(1).points.host_span<std::int32_t>()[static_cast<std::size_t>(row)], row);
    std::swap(order[random.below(8)], order[random.below(8)]);
  }
}

TEST_F(NativeContract, MapsEqualTheReference) {
  std::vector<KernelShape> kernels;
  for (const int size : {3, 5, 7}) {
    for (const NeighbourShape shape : {NeighbourShape::cube, NeighbourShape::ball}) {
      for (const int cell : {1, 2})
        kernels.push_back(kernel_of(size, shape, cell));
    }
  }
  for (const int cell : {3, 5})
    kernels.push_back(kernel_of(3, NeighbourShape::ball, cell));
  kernels.push_back(kernel_of(3, NeighbourShape::ball, 1, 0.75));
  kernels.push_back(kernel_of(3, NeighbourShape::ball, 2, 2.5));
  // A ball can be much larger than the kernel.
  kernels.push_back(kernel_of(3, NeighbourShape::ball, 1, 9.5));
  for (const PackSpec& pack : {PackSpec::bits32(), PackSpec::bits64()}) {
    expect_maps({*reference_, scattered(700, {12, 11, 9}, 11), metre, pack, job_}, kernels, "scattered");
    // A lattice has differences of exactly half a cell, and of exactly the radius.
    expect_maps({*reference_, scattered(500, {8, 9, 7}, 12, 2), metre, pack, job_}, kernels, "on a lattice");
  }
  for (const PackSpec& pack : {PackSpec{11, 12, 8}, PackSpec{22, 24, 16}}) {
    const PointCloud frames = joined(scattered(300, {8, 9, 7}, 13), scattered(300, {8, 8, 8}, 14));
    expect_maps({*reference_, frames, metre, pack, job_}, kernels, "two frames");
  }
  // A back end needs the most memory for the widest window with the most columns.
  expect_maps({*reference_, scattered(300, {12, 11, 9}, 17), metre, PackSpec::bits64(), job_},
              {kernel_of(7, NeighbourShape::ball, 1, 15.5)}, "widest window");
  EXPECT_GT(compared_, 1000);
}

// The window of a thread block is longer than the memory into which a back end may copy it.
TEST_F(NativeContract, MapsOfADenseScene) {
  const Levels levels(*reference_, scattered(40'000, {40, 40, 16}, 15), metre, PackSpec::bits32(), job_);
  expect_map(levels, kernel_of(3, NeighbourShape::ball), 1, 1, "dense");
  expect_map(levels, kernel_of(3, NeighbourShape::cube), 1, 2, "dense");
  expect_map(levels, kernel_of(3, NeighbourShape::ball, 1, 4.5), 1, 1, "dense");
  expect_map(levels, kernel_of(5, NeighbourShape::ball), 2, 4, "dense");
}

// Trap 4: a query of the window must not leave the bit fields of a scene that just fits the packing.
TEST_F(NativeContract, NativeTrap4BoxesAtTheLimitOfThePacking) {
  std::uint64_t seed = 40;
  for (const PackSpec& pack : {PackSpec{12, 12, 8}, PackSpec{22, 5, 5}, PackSpec{24, 24, 16}}) {
    for (const KernelShape& kernel : {kernel_of(3, NeighbourShape::cube), kernel_of(3, NeighbourShape::ball),
                                      kernel_of(5, NeighbourShape::ball), kernel_of(7, NeighbourShape::ball),
                                      kernel_of(3, NeighbourShape::ball, 3)}) {
      const Fit limit = fit({1, 1, 1}, pack, needs_of({kernel, 16, 16}));
      ASSERT_TRUE(limit.fits()) << pack.text() << ", " << text_of(kernel);
      Point box{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        box.at(axis) = static_cast<double>(limit.axes.at(axis).limit / 16 * 16);
      PointCloud cloud = scattered(80, box, ++seed);
      for (int corner = 0; corner < 8; ++corner)
        cloud.positions.push_back({(corner & 1) != 0 ? box[0] - 0.1 : 0.1,
                                   (corner & 2) != 0 ? box[1] - 0.1 : 0.1,
                                   (corner & 4) != 0 ? box[2] - 0.1 : 0.1});
      const Levels levels(*reference_, cloud, metre, pack, job_);
      for (const int stride : {1, 4, 16})
        expect_map(levels, kernel, stride, stride, "at the limit");
    }
  }
}

// Trap 5: halves are rounded to even, so the mirror image of each triplet is a triplet in the opposite
// column. On a lattice of half cells, most differences are halves.
TEST_F(NativeContract, NativeTrap5TripletsOfALatticeEqualTheirMirrorImage) {
  const Levels levels(*subject_, scattered(1500, {9, 9, 7}, 22, 2), metre, PackSpec::bits32(), job_);
  for (const NeighbourShape shape : {NeighbourShape::cube, NeighbourShape::ball}) {
    for (const auto& [size, cell] : {std::pair{3, 1}, {3, 2}, {5, 1}, {7, 1}}) {
      for (const int stride : {1, 2}) {
        const KernelShape kernel = kernel_of(size, shape, cell);
        const CoordSet& level = levels.sets.at(stride);
        const KernelMap map = subject_->build_map(
            level, level, request_for(kernel, MapAlgorithm::z_delta, levels, stride, stride), job_);
        std::set<std::array<std::int32_t, 3>> triplets, mirrored;
        for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
          triplets.insert({output, column, input});
          mirrored.insert({input, map.offsets->columns() - 1 - column, output});
        });
        EXPECT_GT(triplets.size(), static_cast<std::size_t>(map.outputs)) << text_of(kernel);
        EXPECT_EQ(triplets, mirrored) << text_of(kernel) << ", stride " << stride;
      }
    }
  }
}

// Trap 6: distances are integers, so a scene far from the origin has the same triplets.
TEST_F(NativeContract, NativeTrap6ShiftedScenesHaveTheSameTriplets) {
  constexpr int steps = 1024;  // The coordinates are exact before and after the shift.
  const PointCloud near = scattered(1500, {12, 11, 9}, 23, steps);
  PointCloud far = near;
  for (Point& point : far.positions)
    point = {point[0] + 0x1p19, point[1] - 0x1p19, point[2] + 0x1p19};
  const Grid half{{0.5, 0.5, 0.5}, {}};
  const Levels levels(*subject_, near, half, PackSpec::bits64(), job_),
      shifted(*subject_, far, half, PackSpec::bits64(), job_);
  for (const NeighbourShape shape : {NeighbourShape::cube, NeighbourShape::ball}) {
    for (const auto& [in, out] : {std::pair{1, 1}, {1, 2}, {4, 4}}) {
      const KernelShape kernel = kernel_of(3, shape);
      const auto map_of = [&](const Levels& of) {
        return subject_->build_map(of.sets.at(in), of.sets.at(out),
                                   request_for(kernel, MapAlgorithm::z_delta, of, in, out), job_);
      };
      expect_same_lists(map_of(shifted), map_of(levels), text_of(kernel) + ", shifted");
    }
  }
}

// Trap 9 and (a) of section 1: with positions on the grid, the triplets are the pairs of the voxel map, at
// all strides.
TEST_F(NativeContract, NativeTrap9PositionsOnTheGridGiveVoxelMaps) {
  const Levels levels(*subject_, scattered(1500, {30, 26, 20}, 16), on_grid, PackSpec::bits64(), job_);
  const auto expect = [&](int size, NeighbourShape shape) {
    for (const auto& [in, out] : {std::pair{1, 1}, {2, 2}, {1, 2}, {2, 4}, {8, 16}}) {
      const KernelMap voxels =
          reference_->build_map(levels.sets.at(in), levels.sets.at(out),
                                request_for(KernelShape(size), MapAlgorithm::z_delta, levels, in, out), job_);
      for (const MapAlgorithm algorithm : {MapAlgorithm::z_delta, MapAlgorithm::hash})
        expect_same_lists(
            subject_->build_map(levels.sets.at(in), levels.sets.at(out),
                                request_for(kernel_of(size, shape), algorithm, levels, in, out), job_),
            voxels, "K = " + std::to_string(size) + ", stride " + std::to_string(in));
    }
  };
  for (const int size : {3, 5, 7})
    expect(size, NeighbourShape::cube);
  expect(3, NeighbourShape::ball);
}

// Trap 9: the inputs of a coarse output are searched around the cell of its point, not around its corner.
TEST_F(NativeContract, NativeTrap9PointsInTheLastChild) {
  PointCloud cloud;
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 4; ++y) {
      for (int z = 0; z < 3; ++z)
        cloud.positions.push_back({(4 * x) + 3.25, (4 * y) + 3.5, (4 * z) + 3.75});
    }
  }
  const Levels levels(*reference_, cloud, metre, PackSpec::bits32(), job_);
  for (const auto& [in, out] : {std::pair{1, 2}, {1, 4}, {2, 4}, {1, 16}}) {
    expect_map(levels, kernel_of(3, NeighbourShape::ball), in, out, "last child");
    expect_map(levels, kernel_of(3, NeighbourShape::cube, 4), in, out, "last child");
    const KernelMap map = subject_->build_map(
        levels.sets.at(in), levels.sets.at(out),
        request_for(kernel_of(3, NeighbourShape::cube), MapAlgorithm::z_delta, levels, in, out), job_);
    // Each output finds the input at its own position.
    const auto counts = map.parts.front().counts.host_span<std::int32_t>();
    EXPECT_EQ(counts[static_cast<std::size_t>(map.offsets->centre())], map.outputs);
  }
}

// Trap 13: one row, no row, all points in one voxel, and a window that is larger than the scene.
TEST_F(NativeContract, NativeTrap13TinyScenes) {
  PointCloud one, two, far_apart, same;
  one.positions = {{3.5, 2.25, 1.75}};
  two.positions = {{0.5, 0.5, 0.5}, {1.75, 0.5, 0.5}};
  far_apart.positions = {{0.1, 0.1, 0.1}, {900.5, 800.5, 100.5}, {900.5, 0.5, 100.5}};
  same = scattered(500, {0.9, 0.9, 0.9}, 17);
  const Grid elsewhere{{1, 1, 1}, Bounds{{100, 100, 100}, {101, 101, 101}}};
  const std::vector<KernelShape> kernels{
      kernel_of(3, NeighbourShape::cube), kernel_of(3, NeighbourShape::ball),
      kernel_of(7, NeighbourShape::ball), kernel_of(3, NeighbourShape::cube, 10),
      kernel_of(3, NeighbourShape::ball, 8)};
  for (const PointCloud& cloud : {one, two, far_apart, same}) {
    expect_positions(cloud, metre, PackSpec::bits64(), "tiny");
    expect_maps({*reference_, cloud, metre, PackSpec::bits64(), job_}, kernels, "tiny");
  }
  expect_positions(one, elsewhere, PackSpec::bits64(), "all cropped");
  expect_maps({*reference_, one, elsewhere, PackSpec::bits64(), job_}, kernels, "all cropped");
}

TEST_F(NativeContract, NativeTrap3OnlyWholePairListsAreBuilt) {
  const Levels levels(*reference_, scattered(50, {5, 5, 5}, 18), metre, PackSpec::bits32(), job_);
  const CoordSet& level = levels.sets.at(1);
  const auto kernel = kernel_of(3, NeighbourShape::ball);
  MapRequest half = request_for(kernel, MapAlgorithm::z_delta, levels, 1, 1);
  half.half = true;
  EXPECT_THROW(static_cast<void>(subject_->build_map(level, level, half, job_)), Error);
  for (const MapAlgorithm algorithm : {MapAlgorithm::binary_search, MapAlgorithm::sorted_query})
    EXPECT_THROW(static_cast<void>(
                     subject_->build_map(level, level, request_for(kernel, algorithm, levels, 1, 1), job_)),
                 Error);
}

/// Returns a random map with up to `most` inputs of an output in a column. The last output and the last input
/// are in no triplet.
KernelMap random_map(std::int64_t outputs, std::int64_t inputs, int kernel_size, int most, double density,
                     std::uint64_t seed) {
  Random random(seed);
  KernelMap map;
  map.offsets = std::make_shared<const KernelOffsets>(kernel_of(kernel_size, NeighbourShape::ball), 1);
  map.outputs = outputs;
  map.inputs = inputs;
  KernelMap::Part part;
  part.layout = MapLayout::pair_lists;
  part.columns = test::all_columns(*map.offsets);
  std::vector<std::array<std::int32_t, 2>> pairs;
  std::vector<std::int32_t> counts;
  for (std::size_t column = 0; column < part.columns.size(); ++column) {
    const std::size_t before = pairs.size();
    for (std::int64_t output = 0; output + 1 < outputs; ++output) {
      // A column without a triplet must be handled too.
      if (column % 11 == 5 || random.uniform() >= density) continue;
      std::set<std::int32_t> chosen;
      const auto wanted = 1 + random.below(static_cast<std::uint64_t>(most));
      for (std::uint64_t at = 0; at < wanted; ++at)
        chosen.insert(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(inputs - 1))));
      for (const std::int32_t input : chosen)
        pairs.push_back({static_cast<std::int32_t>(output), input});
    }
    counts.push_back(static_cast<std::int32_t>(pairs.size() - before));
  }
  const auto pool = make_host_pool();
  part.entries = Buffer(pool, pairs.size() * sizeof(pairs[0]));
  std::copy(pairs.begin(), pairs.end(), part.entries.host_span<std::array<std::int32_t, 2>>().begin());
  part.counts = Buffer(pool, counts.size() * sizeof(counts[0]));
  std::copy(counts.begin(), counts.end(), part.counts.host_span<std::int32_t>().begin());
  map.parts.push_back(std::move(part));
  return map;
}

// Trap 12: several inputs in a column are one match.
TEST(NativeDensities, NativeTrap12SeveralInputsCountOnce) {
  const KernelMap map = random_map(60, 80, 3, 5, 0.9, 24);
  std::set<std::pair<std::int32_t, int>> groups;
  std::int64_t triplets = 0;
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t) {
    groups.insert({output, column});
    ++triplets;
  });
  EXPECT_GT(triplets, 2 * std::ssize(groups));
  const Densities found = densities(map);
  EXPECT_EQ(found.pairs, std::ssize(groups));
  EXPECT_EQ(found.triplets, triplets);
  for (const ColumnDensity& column : found.columns) {
    EXPECT_LE(column.matches, map.outputs);
    EXPECT_EQ(column.density, static_cast<double>(column.matches) / static_cast<double>(map.outputs));
  }
}

/// Returns the error scale, enlarged by the rounding of the sum of each group to fp16 (trap 11 of native
/// layers). The magnitudes contain |f_j| |w| of all inputs, so half a unit of fp16 of them is enough.
ErrorScale widened_for_group_sums(ErrorScale scale) {
  constexpr double steps_fp32 = 0x1p-24, steps_fp16 = 0x1p-11;
  const std::size_t channels = scale.products.empty() ? 0 : scale.magnitude.size() / scale.products.size();
  for (std::size_t at = 0; at < scale.magnitude.size(); ++at)
    scale.magnitude[at] += scale.magnitude[at] * steps_fp16 /
                           ((static_cast<double>(scale.products[at / channels]) + 2) * steps_fp32);
  return scale;
}

class NativeFeatures : public testing::TestWithParam<test::ConvShape> {
 protected:
  void check(const KernelMap& map, const std::string& what) {
    const test::ConvShape& s = GetParam();
    const LayerWeights weights =
        seeded_weights(single_layer_network(s.kernel_size, 1, s.in_channels, s.out_channels), 5)
            .layers.back();
    const auto uploaded = subject_->upload_weights(weights, s.precision),
               in_order = reference_->upload_weights(weights, s.precision);
    for (const bool transposed : {false, true}) {
      const std::int64_t rows_in = transposed ? map.outputs : map.inputs,
                         rows_out = transposed ? map.inputs : map.outputs;
      const Features in = random_features(rows_in, s.in_channels, s.precision, 1),
                     residual = random_features(rows_out, s.out_channels, s.precision, 2);
      for (const bool last : {false, true}) {
        ConvRequest request{transposed, last, last ? &residual : nullptr};
        const Features expected = reference_->convolve(map, in, in_order, request, job_);
        ErrorScale scale = error_scale(map, in, in_order, request, job_);
        if (s.precision == Precision::fp16) scale = widened_for_group_sums(std::move(scale));
        for (const auto method : {FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter}) {
          request.method = method;
          // A back end must ignore this for native maps.
          request.one_pair_per_row = true;
          const WorstError worst =
              compare(subject_->convolve(map, in, uploaded, request, job_), expected, scale);
          EXPECT_LE(worst.ratio, 1.0) << what << ", " << text_of(method) << (transposed ? ", transposed" : "")
                                      << (last ? ", residual and ReLU" : "");
          EXPECT_TRUE(worst.special_values_agree) << what;
        }
      }
    }
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({3, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
};

// Trap 1: kernels that assume one pair of a row and a column would lose inputs.
TEST_P(NativeFeatures, NativeTrap1SeveralInputsInAColumn) {
  for (const int most : {1, 2, 9})
    check(random_map(230, 190, GetParam().kernel_size, most, 0.2, static_cast<std::uint64_t>(most)),
          "up to " + std::to_string(most) + " inputs");
  check(random_map(30, 900, GetParam().kernel_size, 9, 0.9, 4), "many inputs of few outputs");
}
// Trap 10: rows without a triplet get the bias alone, not what the memory contained before.
TEST_P(NativeFeatures, NativeTrap10RowsWithoutATriplet) {
  check(random_map(700, 650, GetParam().kernel_size, 3, 0.002, 5), "few triplets");
  check(random_map(40, 50, GetParam().kernel_size, 1, 0, 6), "no triplet");
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, NativeFeatures,
    testing::Values(
        test::ConvShape{3, 1, 4, 16, Precision::fp16}, test::ConvShape{3, 1, 5, 7, Precision::fp16},
        test::ConvShape{3, 1, 16, 16, Precision::fp16}, test::ConvShape{3, 1, 64, 64, Precision::fp16},
        test::ConvShape{3, 1, 64, 128, Precision::fp16}, test::ConvShape{3, 1, 96, 96, Precision::fp16},
        test::ConvShape{3, 1, 128, 128, Precision::fp16}, test::ConvShape{5, 1, 32, 32, Precision::fp16},
        test::ConvShape{7, 1, 16, 33, Precision::fp16}, test::ConvShape{3, 1, 4, 16, Precision::fp32},
        test::ConvShape{3, 1, 64, 96, Precision::fp32}, test::ConvShape{5, 1, 5, 3, Precision::fp32}),
    test::PrintedName{});

// Layers in fp16 add the products of an output in a fixed order.
class NativeRepeats : public NativeFeatures {
 protected:
  void expect_same_bits(const KernelMap& map, const std::string& what) {
    const test::ConvShape& s = GetParam();
    LayerWeights weights =
        seeded_weights(single_layer_network(s.kernel_size, 1, s.in_channels, s.out_channels), 5)
            .layers.back();
    for (std::size_t channel = 0; channel < weights.bias.size(); ++channel)
      weights.bias[channel] = static_cast<float>(channel % 5) - 2;
    const auto uploaded = device_->upload_weights(weights, s.precision),
               in_order = reference_->upload_weights(weights, s.precision);
    KernelMap map_there = device_->upload(map);
    map_there.parts.front().orders = std::make_shared<RowOrders>();
    for (const bool transposed : {false, true}) {
      const Features in = random_features(transposed ? map.outputs : map.inputs, s.in_channels, s.precision,
                                          1),
                     residual = random_features(transposed ? map.inputs : map.outputs, s.out_channels,
                                                s.precision, 2),
                     in_there = device_->upload(in), residual_there = device_->upload(residual);
      const auto result = [&] {
        return device_->download(
            device_->convolve(map_there, in_there, uploaded, {transposed, true, &residual_there}, job_));
      };
      const ConvRequest request{transposed, true, &residual};
      const Features first = result();
      const WorstError worst = compare(first, reference_->convolve(map, in, in_order, request, job_),
                                       widened_for_group_sums(error_scale(map, in, in_order, request, job_)));
      EXPECT_LE(worst.ratio, 1.0) << what << (transposed ? ", transposed" : "");
      EXPECT_TRUE(worst.special_values_agree) << what;
      for (int again = 0; again < 2; ++again)
        EXPECT_TRUE(same_bytes(first.data, result().data)) << what << (transposed ? ", transposed" : "");
    }
  }

  /// Unlike `subject_`, does not copy the map for each call. So the row orders stay stored with the map.
  std::shared_ptr<Backend> device_ = [] {
    BackendOptions options{3, 0};
    options.poison = true;
    return app::make_registry().make(test::subject_name(), options);
  }();
};

TEST_P(NativeRepeats, SameBitsInEachCall) {
  for (const std::int64_t outputs : {1, 2, 15, 16, 17, 33, 1000}) {
    const double density = outputs > 100 ? 0.02 : 0.3;
    expect_same_bits(random_map(outputs, outputs + 40, GetParam().kernel_size, 9, density, 31),
                     std::to_string(outputs) + " outputs");
  }
  expect_same_bits(random_map(70, 50, GetParam().kernel_size, 1, 0, 32), "no triplet");
}
// An output has more triplets in a column than a slice has, so it is in several slices.
TEST_P(NativeRepeats, NativeTrap1ManyInputsOfOneOutput) {
  expect_same_bits(random_map(40, 90, GetParam().kernel_size, 50, 0.5, 33), "up to 50 inputs");
}
TEST_P(NativeRepeats, RealMaps) {
  const Levels levels(*reference_, scattered(250, {9, 8, 6}, 34), metre, PackSpec::bits32(), job_);
  for (const int stride_out : {1, 2}) {
    const MapRequest wanted = request_for(kernel_of(GetParam().kernel_size, NeighbourShape::ball),
                                          MapAlgorithm::z_delta, levels, 1, stride_out);
    expect_same_bits(reference_->build_map(levels.sets.at(1), levels.sets.at(stride_out), wanted, job_),
                     "stride " + std::to_string(stride_out));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, NativeRepeats,
    testing::Values(
        test::ConvShape{3, 1, 16, 16, Precision::fp16}, test::ConvShape{3, 1, 16, 64, Precision::fp16},
        test::ConvShape{3, 1, 32, 32, Precision::fp16}, test::ConvShape{3, 1, 64, 64, Precision::fp16},
        test::ConvShape{3, 1, 64, 16, Precision::fp16}, test::ConvShape{3, 1, 48, 80, Precision::fp16},
        test::ConvShape{3, 1, 96, 96, Precision::fp16}, test::ConvShape{3, 1, 128, 128, Precision::fp16},
        test::ConvShape{3, 1, 256, 256, Precision::fp16}, test::ConvShape{3, 1, 5, 7, Precision::fp16},
        test::ConvShape{5, 1, 32, 64, Precision::fp16}, test::ConvShape{7, 1, 16, 32, Precision::fp16}),
    test::PrintedName{});

// Traps 2 and 3: the centre column of a native map has more than (i, i), and its inputs do not ascend.
TEST_F(NativeContract, NativeTrap2And3FeaturesOfARealMap) {
  const Levels levels(*reference_, scattered(2500, {24, 22, 9}, 21), metre, PackSpec::bits32(), job_);
  for (const int stride_out : {1, 2}) {
    const CoordSet &in_level = levels.sets.at(1), &out_level = levels.sets.at(stride_out);
    const MapRequest wanted =
        request_for(kernel_of(3, NeighbourShape::ball), MapAlgorithm::z_delta, levels, 1, stride_out);
    const KernelMap map = subject_->build_map(in_level, out_level, wanted, job_),
                    truth = reference_->build_map(in_level, out_level, wanted, job_);
    EXPECT_GT(truth.parts.front()
                  .counts.host_span<std::int32_t>()[static_cast<std::size_t>(truth.offsets->centre())],
              truth.outputs);
    const LayerWeights weights = seeded_weights(single_layer_network(3, 1, 8, 24), 5).layers.back();
    for (const bool transposed : {false, true}) {
      const Features in = random_features(transposed ? truth.outputs : truth.inputs, 8, Precision::fp32, 1);
      const auto in_order = reference_->upload_weights(weights, Precision::fp32);
      ConvRequest request;
      request.transposed = transposed;
      const Features expected = reference_->convolve(truth, in, in_order, request, job_);
      const ErrorScale scale = error_scale(truth, in, in_order, request, job_);
      for (const auto method : {FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter}) {
        request.method = method;
        const Features found =
            subject_->convolve(map, in, subject_->upload_weights(weights, Precision::fp32), request, job_);
        EXPECT_LE(compare(found, expected, scale).ratio, 1.0)
            << "stride " << stride_out << ", " << text_of(method) << (transposed ? ", transposed" : "");
      }
    }
  }
}

// Trap 11: the sum of a group can be beyond fp16 although no input and no result is.
TEST_F(NativeContract, NativeTrap11SumsOfGroupsStayFinite) {
  constexpr int inputs = 27, channels = 16;
  KernelMap map = random_map(2, inputs + 1, 3, 1, 0, 1);
  std::vector<std::array<std::int32_t, 2>> pairs;
  for (std::int32_t input = 0; input < inputs; ++input)
    pairs.push_back({0, input});
  KernelMap::Part& part = map.parts.front();
  part.entries = Buffer(make_host_pool(), pairs.size() * sizeof(pairs[0]));
  std::copy(pairs.begin(), pairs.end(), part.entries.host_span<std::array<std::int32_t, 2>>().begin());
  part.counts.host_span<std::int32_t>()[13] = inputs;
  LayerWeights weights = seeded_weights(single_layer_network(3, 1, channels, channels), 5).layers.back();
  std::fill(weights.weight.begin(), weights.weight.end(), 0x1p-10F);
  std::fill(weights.bias.begin(), weights.bias.end(), 0.0F);
  const Features in =
      test::features_of(std::vector<float>((inputs + 1) * channels, 0x1p12F), channels, Precision::fp16);
  for (const auto method : {FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter}) {
    ConvRequest request;
    request.method = method;
    const Features found =
        subject_->convolve(map, in, subject_->upload_weights(weights, Precision::fp16), request, job_);
    for (int channel = 0; channel < channels; ++channel) {
      EXPECT_EQ(feature_at(found, 0, channel), 1728.0F) << text_of(method);
      EXPECT_EQ(feature_at(found, 1, channel), 0.0F) << text_of(method);
    }
  }
}

class NativeGradients : public testing::TestWithParam<test::ConvShape> {
 protected:
  void SetUp() override {
    if (subject_->extensions().gradients == nullptr) GTEST_SKIP() << "the back end cannot train networks";
  }
  static Features magnitudes(const Features& features) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < features.rows; ++row) {
      for (int channel = 0; channel < features.channels; ++channel)
        values.push_back(std::abs(feature_at(features, row, channel)));
    }
    return test::features_of(values, features.channels, features.precision);
  }
  void check(const KernelMap& map, bool transposed) {
    const test::ConvShape& s = GetParam();
    const Features in = random_features(transposed ? map.outputs : map.inputs, s.in_channels, s.precision, 1),
                   g = random_features(transposed ? map.inputs : map.outputs, s.out_channels, s.precision, 2);
    const WgradRequest request{transposed};
    Gradients& reference = *reference_->extensions().gradients;
    const MasterWeights expected = reference.wgrad(map, in, g, request, job_),
                        scale = reference.wgrad(map, magnitudes(in), magnitudes(g), request, job_),
                        found = subject_->extensions().gradients->wgrad(map, in, g, request, job_),
                        again = subject_->extensions().gradients->wgrad(map, in, g, request, job_);
    EXPECT_TRUE(same_bytes(found.weight, again.weight));
    EXPECT_TRUE(same_bytes(found.bias, again.bias));
    const auto values = found.weight.host_span<float>(), truth = expected.weight.host_span<float>(),
               magnitude = scale.weight.host_span<float>();
    ASSERT_EQ(values.size(), truth.size());
    const auto counts = map.parts.front().counts.host_span<std::int32_t>();
    const std::size_t of_column = values.size() / counts.size();
    for (std::size_t at = 0; at < values.size(); ++at) {
      const double steps = static_cast<double>(counts[at / of_column]) + 2;
      ASSERT_LE(std::abs(static_cast<double>(values[at]) - static_cast<double>(truth[at])),
                steps * 0x1p-24 * static_cast<double>(magnitude[at]))
          << "value " << at << (transposed ? ", transposed" : "");
    }
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({3, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
};

TEST_P(NativeGradients, NativeTrap1WeightsOfSeveralInputsInAColumn) {
  for (const bool transposed : {false, true}) {
    check(random_map(230, 190, GetParam().kernel_size, 9, 0.2, 7), transposed);
    check(random_map(900, 700, GetParam().kernel_size, 2, 0.01, 8), transposed);
    check(random_map(40, 50, GetParam().kernel_size, 1, 0, 9), transposed);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NativeGradients,
                         testing::Values(test::ConvShape{3, 1, 4, 16, Precision::fp32},
                                         test::ConvShape{3, 1, 5, 7, Precision::fp16},
                                         test::ConvShape{3, 1, 64, 64, Precision::fp16},
                                         test::ConvShape{3, 1, 136, 40, Precision::fp16},
                                         test::ConvShape{5, 1, 16, 8, Precision::fp32}),
                         test::PrintedName{});

/// A native layer between two levels of a small scene. A transposed layer reads the map backwards.
struct NativeLayer {
  Layer layer;
  LayerLevels levels;
  KernelMap map;
  LayerWeights weights;

  NativeLayer(Backend& reference, int stride, bool transposed, Job& job) {
    const KernelShape kernel = kernel_of(3, NeighbourShape::ball);
    layer.name = "conv";
    layer.stride = stride;
    layer.transposed = transposed;
    layer.in_channels = 3;
    layer.out_channels = 4;
    layer.neighbourhood = kernel.neighbourhood;
    levels.map = {kernel, 1, stride};
    levels.transposed = transposed;
    const Levels scene(reference, scattered(220, {7, 6, 5}, 25), metre, PackSpec::bits32(), job);
    map = reference.build_map(scene.sets.at(1), scene.sets.at(stride),
                              request_for(kernel, MapAlgorithm::z_delta, scene, 1, stride), job);
    weights = seeded_weights(single_layer_network(3, 1, 3, 4), 5).layers.back();
  }
  [[nodiscard]] std::int64_t rows_in() const { return layer.transposed ? map.outputs : map.inputs; }
  [[nodiscard]] std::int64_t rows_out() const { return layer.transposed ? map.inputs : map.outputs; }
};

const std::vector<std::pair<int, bool>> native_layers{{1, false}, {2, false}, {2, true}};

// Trap 14: the gradients of the reference equal central differences, which are exact except for rounding,
// because a convolution is linear.
TEST_F(NativeContract, NativeTrap14GradientsEqualCentralDifferences) {
  for (const auto& [stride, transposed] : native_layers) {
    NativeLayer on(*reference_, stride, transposed, job_);
    Features x = random_features(on.rows_in(), 3, Precision::fp32, 1);
    const Features g = random_features(on.rows_out(), 4, Precision::fp32, 2);
    const auto loss = [&] {
      ConvRequest request;
      request.transposed = on.layer.transposed;
      const Features y = reference_->convolve(
          on.map, x, reference_->upload_weights(on.weights, Precision::fp32), request, job_);
      double sum = 0;
      for (std::int64_t row = 0; row < y.rows; ++row) {
        for (int channel = 0; channel < 4; ++channel)
          sum += static_cast<double>(feature_at(y, row, channel)) *
                 static_cast<double>(feature_at(g, row, channel));
      }
      return sum;
    };
    const auto difference = [&](float& value) {
      const float before = value;
      value = before + 1;
      const double above = loss();
      value = before - 1;
      const double below = loss();
      value = before;
      return (above - below) / 2;
    };
    const MasterWeights by_weights =
        reference_->extensions().gradients->wgrad(on.map, x, g, {on.layer.transposed}, job_);
    const DgradForm form = dgrad_form(on.layer, on.levels);
    ConvRequest request;
    request.transposed = form.transposed;
    const Features by_inputs = reference_->convolve(
        on.map, g, reference_->upload_weights(in_form(on.weights, form.form), Precision::fp32), request,
        job_);
    ASSERT_EQ(by_inputs.rows, x.rows);
    Random random(3);
    for (int entry = 0; entry < 20; ++entry) {
      const auto w = random.below(on.weights.weight.size());
      const auto in = random.below(x.data.host_span<float>().size());
      EXPECT_NEAR(static_cast<double>(by_weights.weight.host_span<float>()[w]),
                  difference(on.weights.weight[w]), 1e-4)
          << "stride " << stride << (transposed ? ", transposed" : "");
      EXPECT_NEAR(static_cast<double>(by_inputs.data.host_span<float>()[in]),
                  difference(x.data.host_span<float>()[in]), 1e-4)
          << "stride " << stride << (transposed ? ", transposed" : "");
    }
  }
}

TEST_F(NativeContract, NativeTrap14ThreadsDoNotChangeABit) {
  for (const auto& [stride, transposed] : native_layers) {
    const NativeLayer on(*reference_, stride, transposed, job_);
    const Features x = random_features(on.rows_in(), 3, Precision::fp32, 1),
                   g = random_features(on.rows_out(), 4, Precision::fp32, 2);
    std::optional<MasterWeights> first;
    for (int threads = 1; threads <= 8; ++threads) {
      const auto backend = test::make_subject({threads, 0});
      if (backend->extensions().gradients == nullptr) GTEST_SKIP() << "the back end cannot train networks";
      MasterWeights found = backend->extensions().gradients->wgrad(on.map, x, g, {transposed}, job_);
      if (!first) {
        first = std::move(found);
        continue;
      }
      EXPECT_TRUE(same_bytes(found.weight, first->weight)) << threads << " threads, stride " << stride;
      EXPECT_TRUE(same_bytes(found.bias, first->bias)) << threads << " threads, stride " << stride;
    }
  }
}

}  // namespace
}  // namespace spira
