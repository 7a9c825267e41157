// Subjects that several suites measure.
#pragma once

#include "app/spira/bench/bench.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace spira::app {

inline constexpr std::array all_algorithms{MapAlgorithm::z_delta, MapAlgorithm::binary_search,
                                           MapAlgorithm::hash, MapAlgorithm::sorted_query};

/// Builds the map of a submanifold layer on `level`, which outlives the subject. Least work: keys read, map
/// written.
[[nodiscard]] BenchSubject map_subject(Bench& bench, std::string name, const CoordSet& level,
                                       MapRequest request);

/// One layer on one scene with its operands in the back end's memory.
struct LayerOperands {
  UploadedWeights weights;
  Features in;
};
/// Seeded weights and features.
[[nodiscard]] std::shared_ptr<const LayerOperands> layer_operands(Bench& bench, int kernel_size,
                                                                  int in_channels, int out_channels);
/// Computes the features of a submanifold layer on a map that is there. Least work: inputs, weights and map
/// read, outputs written, `pairs` products of a row and a matrix.
[[nodiscard]] BenchSubject layer_subject(Bench& bench, std::string name, std::shared_ptr<const KernelMap> map,
                                         std::shared_ptr<const LayerOperands> operands, std::int64_t pairs,
                                         FeatureMethod method = FeatureMethod::by_layout);

/// The maps of a submanifold layer in the dataflows that are compared.
struct LayerMaps {
  std::vector<std::shared_ptr<const KernelMap>> by_threshold;  ///< [t], 0 .. max_threshold
  std::shared_ptr<const KernelMap> dense;                      ///< output-major, all offsets
  std::int64_t pairs = 0;
};
[[nodiscard]] LayerMaps layer_maps(Bench& bench, const CoordSet& level, int kernel_size);
[[nodiscard]] std::string dataflow_text(int threshold, int max_threshold);  ///< "hybrid t=2"

[[nodiscard]] double bytes_of_features(std::int64_t rows, int channels, Precision precision);

}  // namespace spira::app
