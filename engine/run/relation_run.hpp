// Runs relational graph convolutions (R-GCN) on the triples of a graph: reads no coordinates and no kernel
// maps.
#pragma once

#include "engine/backend/relations.hpp"
#include "engine/run/measurement.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira {

struct RelationSettings {
  std::vector<int> channels{16, 64, 16};  ///< Channels of the input and of the output of each layer.
  Precision precision = Precision::fp32;
  FeatureMethod method = FeatureMethod::by_layout;
  Normalise normalise = Normalise::mean;
  std::uint64_t seed = 1;
  /// The input features. Shape: [nodes][channels]. If they are empty, they are drawn from N(0, 1).
  std::vector<float> features{};
};

/// The settings that the user chooses for the triples of a file.
struct RelationChoice {
  RelationSettings settings;
  bool inverse = false;  ///< True if the inverse of each relation is also run. See with_inverses().
};

/// Returns the channels in a list such as "16,64,16". Throws `Error(usage)` if it does not have 2 to 101
/// numbers from 1 to 4096. `name` names the list in the message.
[[nodiscard]] std::vector<int> parse_channels(const std::string& text, const std::string& name);

/// Returns the layers of a run as a network: "relations1", "relations2" and so on, with a ReLU in all but the
/// last one. Reports contain it. In this network, a layer has one column, for W_0. The number of relations
/// is in TripleFacts.
[[nodiscard]] Network relation_network(const std::vector<int>& channels);

/// The triples of a graph and the layers that run on them, on one back end.
class RelationRun {
 public:
  /// Draws the weights and copies them and the features to the back end. Throws the same errors as
  /// require_relations() and require_memory().
  RelationRun(std::shared_ptr<Backend> backend, std::shared_ptr<const Triples> triples,
              RelationSettings settings, Job& job);

  /// Runs all layers once: groups the triples in a map (stage "map"), copies it to the back end, and computes
  /// the features of all layers. Returns the output of the last layer, in the memory of the back end.
  Features run(Job& job) const;
  /// Runs and times run() repeatedly. In the result, the number of pairs of a layer is the number of rows of
  /// the map plus one product with W_0 per node.
  [[nodiscard]] Measurement measure(const SamplingProtocol& how, Job& job) const;
  /// Computes the output of each layer from the same input on both back ends, and compares the two. The input
  /// of a layer is the output of the previous layer of this run.
  [[nodiscard]] std::vector<OutputDifference> compare_with(Backend& reference, Job& job) const;

  [[nodiscard]] const Triples& triples() const noexcept { return *triples_; }
  [[nodiscard]] const std::shared_ptr<const Triples>& shared_triples() const noexcept { return triples_; }
  [[nodiscard]] const RelationMap& map() const noexcept { return map_; }  ///< In host memory.
  [[nodiscard]] const RelationSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const Network& network() const noexcept { return network_; }

 private:
  [[nodiscard]] Features compute(std::size_t layer, const RelationMap& map, const Features& in,
                                 Job& job) const;
  /// Returns the forecast of the peak memory of run(), and the memory of weights and features.
  [[nodiscard]] std::size_t run_bytes() const;
  [[nodiscard]] std::size_t lasting_bytes() const;

  std::shared_ptr<Backend> backend_;
  std::shared_ptr<const Triples> triples_;
  RelationSettings settings_;
  Network network_;
  RelationMap map_;
  std::vector<LayerWeights> weights_;
  std::vector<UploadedWeights> uploaded_;
  Features input_;
};

}  // namespace spira
