// Declares subjects that several suites of `spira bench` measure, and computes the minimum work of a network.
#pragma once

#include "app/spira/bench/bench.hpp"
#include "engine/scene/point_cloud.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spira::app {

/// Returns values with a uniform distribution in [-1, 1), in host memory. The speed of the kernels does not
/// depend on the values, unless they are zero.
[[nodiscard]] Features random_features(std::int64_t rows, int channels, Precision precision);

inline constexpr std::array all_algorithms{MapAlgorithm::z_delta, MapAlgorithm::binary_search,
                                           MapAlgorithm::hash, MapAlgorithm::sorted_query};

/// Returns a subject that builds the kernel map of a submanifold layer on `level`, which must outlive the
/// subject. The minimum work consists of reading the keys and writing the map.
[[nodiscard]] BenchSubject map_subject(Bench& bench, std::string name, const CoordSet& level,
                                       MapRequest request);

/// Inputs of one layer on one scene, in the memory of the back end.
struct LayerOperands {
  UploadedWeights weights;
  Features in;
};
/// Returns weights and features that are generated from a fixed seed.
[[nodiscard]] std::shared_ptr<const LayerOperands> layer_operands(Bench& bench, int kernel_size,
                                                                  int in_channels, int out_channels);
/// Returns a subject that computes the features of a submanifold layer with an existing map. The minimum work
/// consists of reading the inputs, the weights and the map, writing the outputs, and multiplying `pairs` rows
/// by a matrix.
[[nodiscard]] BenchSubject layer_subject(Bench& bench, std::string name, std::shared_ptr<const KernelMap> map,
                                         std::shared_ptr<const LayerOperands> operands, std::int64_t pairs,
                                         FeatureMethod method = FeatureMethod::by_layout);
/// Returns a subject that builds the map of a submanifold layer and computes the features of `layers` layers
/// that share it. `work` is the minimum work of all of them. `level` must outlive the subject.
[[nodiscard]] BenchSubject layers_with_map(Bench& bench, std::string name, const CoordSet& level,
                                           MapRequest request,
                                           const std::shared_ptr<const LayerOperands>& operands,
                                           const Work& work, int layers);

/// The maps of one submanifold layer. There is one map for each compared dataflow.
struct LayerMaps {
  /// One map for each threshold t, from 0 to max_threshold. The index is t.
  std::vector<std::shared_ptr<const KernelMap>> by_threshold;
  /// The maps of the dataflows "unsorted" and "mask-sorted:1" to "mask-sorted:5", with these names. Contains
  /// only the numbers of splits that are possible.
  std::vector<std::pair<std::string, std::shared_ptr<const KernelMap>>> dense;
  std::int64_t pairs = 0;
};
/// Returns the requests for the maps in LayerMaps::dense.
[[nodiscard]] std::vector<std::pair<std::string, MapRequest>> dense_requests(
    const std::shared_ptr<const KernelOffsets>& offsets, MapAlgorithm algorithm);
[[nodiscard]] LayerMaps layer_maps(Bench& bench, const CoordSet& level, int kernel_size);
/// Returns the name of a dataflow, such as "hybrid t=2".
[[nodiscard]] std::string dataflow_text(int threshold, int max_threshold);

/// Returns the size in bytes of the points in host memory: the positions and, if there are any, the
/// intensities.
[[nodiscard]] double bytes_of_points(const PointCloud& cloud);
/// Returns the minimum work of a network. Its bytes are the points, every map once, and the inputs, weights
/// and outputs of all layers. The network must have run before.
[[nodiscard]] Work work_of_network(const Session& session, const Plan& plan);
/// Compiles all levels and maps of a network, without its features. The points of the scene must be on the
/// device.
[[nodiscard]] CompiledNetwork compile_indexing(Bench& bench, const Network& network);

}  // namespace spira::app
