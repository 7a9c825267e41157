// Test fixture that runs a layer on a scene in every combination of mapping, layout, dataflow and packing,
// and compares each result with the reference.
#pragma once

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

namespace spira::test {

struct Shape {
  int kernel_size, stride_out;
  Precision precision;
};
inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << "K" << shape.kernel_size << " s" << shape.stride_out << " " << text_of(shape.precision);
}

inline void expect_every_combination(const PointCloud& cloud, double voxel_m, const Shape& shape) {
  Job job;
  const auto cpu = make_subject({2, 0});
  const auto reference = app::make_registry().make("reference");
  const auto offsets = std::make_shared<const KernelOffsets>(shape.kernel_size, 1);
  const bool submanifold = shape.stride_out == 1;
  const LayerWeights weights =
      seeded_weights(single_layer_network(shape.kernel_size, 1, 4, 8), 5).layers.back();
  const Grid grid{{voxel_m, voxel_m, voxel_m}, {}};
  const auto extent = voxel_range(cloud, grid, job).extent(16);
  int compared = 0;
  for (const PackSpec& pack : {PackSpec::bits32(), PackSpec{11, 11, 10}, PackSpec::bits64()}) {
    require_fit(extent, pack, {shape.kernel_size, 16});
    const Voxelized v = cpu->voxelize(cloud, grid, {pack, 16, shape.precision}, job);
    const CoordSet coarse = cpu->downsample(v.coords, shape.stride_out, job);
    const CoordSet& out = submanifold ? v.coords : coarse;
    const auto uploaded = cpu->upload_weights(weights, shape.precision),
               in_order = reference->upload_weights(weights, shape.precision);
    const KernelMap truth = reference->build_map(
        v.coords, out, request_for_threshold(offsets, MapAlgorithm::z_delta, 0, false), job);
    const Features expected = reference->convolve(truth, v.features, in_order, {}, job);
    const ErrorScale scale = error_scale(truth, v.features, in_order, {}, job);
    const int all = offsets->max_threshold();
    for (const auto algorithm : {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                 MapAlgorithm::sorted_query}) {
      for (const auto layout : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major}) {
        // These thresholds give the weight-stationary, hybrid and output-stationary dataflow.
        for (const int t : {0, all / 2, all}) {
          const auto request = request_for_threshold(offsets, algorithm, t, submanifold, layout);
          const KernelMap map = cpu->build_map(v.coords, out, request, job);
          const WorstError worst =
              compare(cpu->convolve(map, v.features, uploaded, {}, job), expected, scale);
          EXPECT_TRUE(worst.ratio <= 1.0 && worst.special_values_agree)
              << pack.text() << ", " << text_of(algorithm) << ", " << text_of(layout) << ", t " << t
              << ": error " << worst.ratio << " times the allowed error";
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 3 * 4 * 3 * 3);
}

}  // namespace spira::test
