// Tests relational convolutions (trap 28 in docs/architecture.md). Compares the map, the reference and the
// back end under test with sums over the triples in double precision.
#include "engine/backend/relations.hpp"

#include "app/common/backends.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace spira {
namespace {

using testing::ElementsAre;

Triples graph(std::int32_t nodes, std::int32_t relations, std::vector<Triple> triples) {
  Triples graph;
  graph.name = "graph";
  graph.nodes.resize(static_cast<std::size_t>(nodes));
  graph.relations.resize(static_cast<std::size_t>(relations));
  graph.triples = std::move(triples);
  sort_and_merge(graph);
  return graph;
}

Triples random_graph(std::int32_t nodes, std::int32_t relations, int triples, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triple> all;
  for (int at = 0; at < triples; ++at) {
    const auto below = [&](std::int32_t bound) {
      return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bound)));
    };
    all.push_back({below(relations), below(nodes), below(nodes)});
  }
  return graph(nodes, relations, std::move(all));
}

/// A node with this many sources in relation 1, and one in relation 0.
Triples hub(std::int32_t sources) {
  std::vector<Triple> all{{0, 3, 4}};
  for (std::int32_t source = 0; source < sources; ++source)
    all.push_back({1, 3, source});
  return graph(sources, 2, std::move(all));
}

template <class Value> std::vector<Value> values_of(const Buffer& buffer) {
  const auto values = buffer.host_span<Value>();
  return {values.begin(), values.end()};
}

/// A layer on a graph. The expected output is computed from the list of triples, without a map.
struct RelationLayer {
  Triples triples;
  Normalise normalise;
  LayerWeights weights;
  Features in;

  RelationLayer(Triples of, Normalise how, Precision precision, int in_channels = 5, int out_channels = 7)
      : triples(std::move(of)),
        normalise(how),
        weights(seeded_layer("layer", static_cast<int>(triples.relations.size()) + 1, in_channels,
                             out_channels, 2.0, 5)),
        in(test::random_features(std::ssize(triples.nodes), in_channels, precision, 3)) {}

  [[nodiscard]] Features output(Backend& backend, FeatureMethod method, bool relu = false) const {
    Job job;
    const RelationMap map = upload(backend, relation_map(triples, normalise));
    const UploadedWeights uploaded = backend.upload_weights(weights, in.precision);
    return backend.download(
        require_relations(backend).convolve(map, backend.upload(in), uploaded, {relu, method}, job));
  }

  /// Returns the output in double precision, rounded to the precision of the input, and its error scale.
  [[nodiscard]] std::pair<Features, ErrorScale> expected(bool relu) const {
    const auto c_in = static_cast<std::size_t>(weights.in_channels),
               c_out = static_cast<std::size_t>(weights.out_channels);
    std::vector<double> sums;
    ErrorScale scale;
    for (std::size_t node = 0; node < triples.nodes.size(); ++node) {
      for (const float bias : weights.bias) {
        sums.push_back(static_cast<double>(bias));
        scale.magnitude.push_back(std::abs(static_cast<double>(bias)));
      }
    }
    scale.products.assign(triples.nodes.size(), 0);
    const auto stored = [&](float value) {
      return in.precision == Precision::fp32 ? value : fp16_to_float(float_to_fp16(value));
    };
    const auto add = [&](std::int32_t tail, std::int32_t head, std::size_t column, double factor) {
      scale.products[static_cast<std::size_t>(tail)] += weights.in_channels + 1;
      for (std::size_t a = 0; a < c_in; ++a) {
        const double x = factor * static_cast<double>(feature_at(in, head, static_cast<int>(a)));
        for (std::size_t b = 0; b < c_out; ++b) {
          const double product =
              x * static_cast<double>(stored(weights.weight[(((column * c_in) + a) * c_out) + b]));
          const std::size_t at = (static_cast<std::size_t>(tail) * c_out) + b;
          sums[at] += product;
          scale.magnitude[at] += std::abs(product);
        }
      }
    };
    for (std::int32_t node = 0; node < std::ssize(triples.nodes); ++node)
      add(node, node, 0, 1.0);
    std::map<std::pair<std::int32_t, std::int32_t>, int> sources;
    for (const Triple& triple : triples.triples)
      ++sources[{triple.relation, triple.tail}];
    for (const Triple& triple : triples.triples) {
      const double factor = normalise == Normalise::sum ? 1.0 : 1.0 / sources[{triple.relation, triple.tail}];
      add(triple.tail, triple.head, static_cast<std::size_t>(triple.relation) + 1, factor);
    }
    std::vector<float> rounded;
    for (const double sum : sums)
      rounded.push_back(static_cast<float>(relu && sum < 0 ? 0.0 : sum));
    return {test::features_of(rounded, weights.out_channels, in.precision), std::move(scale)};
  }

  void expect_output(Backend& backend, FeatureMethod method, bool relu) const {
    auto [truth, scale] = expected(relu);
    if (backend.facts().kind == BackendKind::cuda && in.precision == Precision::fp16) {
      // The means are rounded to fp16, which adds 2^-11 of each product. The bound counts in units of 2^-24.
      for (std::int64_t& products : scale.products)
        products += std::int64_t{1} << 13;
    }
    const WorstError worst = compare(output(backend, method, relu), truth, scale);
    EXPECT_LE(worst.ratio, 1.0);
    EXPECT_EQ(worst.non_finite, 0);
    EXPECT_GT(worst.finite, 0);
  }
};

/// Returns the dataflows that a back end can run.
std::vector<FeatureMethod> methods_of(const Backend& backend) {
  if (backend.facts().kind == BackendKind::cuda) return {FeatureMethod::by_layout};
  return {FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter};
}

/// Returns the back end under test, or `nullptr` if it cannot run relations.
std::shared_ptr<Backend> subject_with_relations() {
  auto subject = test::make_subject();
  return subject->extensions().relations == nullptr ? nullptr : subject;
}

struct GraphCase {
  const char* name;
  Triples (*make)();
};
std::ostream& operator<<(std::ostream& out, const GraphCase& c) {
  return out << c.name;
}

class Relations : public testing::TestWithParam<std::tuple<GraphCase, Normalise, Precision>> {};

TEST_P(Relations, Trap28TheSubjectAndTheReferenceMatchSumsOverTheTriples) {
  const auto& [of, normalise, precision] = GetParam();
  const RelationLayer layer(of.make(), normalise, precision);
  const auto reference = app::make_registry().make("reference");
  for (const bool relu : {false, true})
    layer.expect_output(*reference, FeatureMethod::by_layout, relu);
  const auto subject = subject_with_relations();
  if (!subject) GTEST_SKIP() << "the back end cannot run relations";
  for (const FeatureMethod method : methods_of(*subject)) {
    for (const bool relu : {false, true})
      layer.expect_output(*subject, method, relu);
  }
}

constexpr std::array graphs{GraphCase{"several sources", [] { return random_graph(40, 3, 900, 1); }},
                            GraphCase{"one relation", [] { return random_graph(300, 1, 700, 2); }},
                            GraphCase{"1000 relations", [] { return random_graph(200, 1000, 5000, 3); }},
                            GraphCase{"no triples", [] { return graph(9, 4, {}); }},
                            GraphCase{"one node",
                                      [] {
                                        return graph(1, 2, {{1, 0, 0}});
                                      }},
                            GraphCase{"hub", [] { return hub(661); }},
                            GraphCase{"self loops",
                                      [] {
                                        return graph(3, 2, {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 2}});
                                      }},
                            GraphCase{"many rows", [] { return random_graph(3000, 5, 9000, 4); }}};
INSTANTIATE_TEST_SUITE_P(, Relations,
                         testing::Combine(testing::ValuesIn(graphs),
                                          testing::Values(Normalise::mean, Normalise::sum),
                                          testing::Values(Precision::fp32, Precision::fp16)),
                         [](const auto& info) {
                           return test::case_name(std::get<0>(info.param), text_of(std::get<1>(info.param)),
                                                  text_of(std::get<2>(info.param)));
                         });

TEST(RelationMaps, Trap28HasOneRowForEachOutputAndRelationWithASource) {
  // Relation 1 has no triples, node 4 has no sources, and (0, 2, 1) is there twice.
  const Triples triples = graph(5, 3, {{2, 1, 3}, {0, 2, 1}, {0, 2, 0}, {0, 2, 1}, {0, 0, 0}, {2, 3, 1}});
  EXPECT_EQ(triples.duplicates, 1);
  EXPECT_EQ(triples.self_loops, 1);
  const RelationMap map = relation_map(triples, Normalise::mean);
  EXPECT_EQ(map.nodes, 5);
  EXPECT_THAT(map.begins, ElementsAre(0, 2, 2, 4));
  EXPECT_EQ(map.rows(), 4);
  EXPECT_EQ(map.triples(), 5);
  EXPECT_EQ(map.most_sources, 2);
  EXPECT_THAT(values_of<std::int32_t>(map.counts), ElementsAre(2, 0, 2));
  EXPECT_THAT(values_of<std::int32_t>(map.outputs), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(values_of<std::int32_t>(map.first), ElementsAre(0, 1, 3, 4, 5));
  EXPECT_THAT(values_of<std::int32_t>(map.sources), ElementsAre(0, 0, 1, 3, 1));
}

TEST(RelationMaps, InverseRelationsExchangeHeadsAndTails) {
  Triples triples = graph(3, 2, {{0, 1, 0}, {1, 2, 0}, {1, 2, 2}});
  triples.relations = {"a", "b"};
  const Triples both = with_inverses(triples);
  EXPECT_THAT(both.relations, ElementsAre("a", "b", "a^-1", "b^-1"));
  EXPECT_THAT(both.triples, ElementsAre(Triple{0, 1, 0}, Triple{1, 2, 0}, Triple{1, 2, 2}, Triple{2, 0, 1},
                                        Triple{3, 0, 2}, Triple{3, 2, 2}));
  EXPECT_EQ(both.self_loops, 2);
  EXPECT_TRUE(both.inverse);
}

TEST(RelationMaps, Trap28RefusesMoreTriplesThanAnInt32CanCount) {
  EXPECT_NO_THROW(require_countable((std::int64_t{1} << 31) - 1, "big.tsv"));
  try {
    require_countable(std::int64_t{1} << 31, "big.tsv");
    FAIL() << "2^31 triples must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
    EXPECT_STREQ(error.what(), "big.tsv: 2,147,483,648 triples; at most 2,147,483,647 are possible");
  }
  try {
    require_countable(std::int64_t{1} << 31, "the graph", "nodes and rows");
    FAIL() << "2^31 rows must be refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the graph: 2,147,483,648 nodes and rows; at most 2,147,483,647 are possible");
  }
}

TEST(RelationKernels, Trap28ANodeWithoutSourcesIsOnlyMultipliedByW0) {
  const auto subject = subject_with_relations();
  if (!subject) GTEST_SKIP() << "the back end cannot run relations";
  // Node 4 is in no triple. Without relations, it has the same output, bit for bit.
  const Triples with = graph(5, 2, {{0, 1, 0}, {1, 2, 3}}), without = graph(5, 2, {});
  for (const FeatureMethod method : methods_of(*subject)) {
    const RelationLayer layer(with, Normalise::mean, Precision::fp32),
        plain(without, Normalise::mean, Precision::fp32);
    const Features output = layer.output(*subject, method), expected = plain.output(*subject, method);
    for (int channel = 0; channel < output.channels; ++channel) {
      for (const std::int64_t node : {0, 3, 4})
        EXPECT_EQ(feature_at(output, node, channel), feature_at(expected, node, channel)) << node;
      for (const std::int64_t node : {1, 2})
        EXPECT_NE(feature_at(output, node, channel), feature_at(expected, node, channel)) << node;
    }
  }
}

TEST(RelationKernels, Trap28ASelfLoopIsAddedToW0) {
  const auto subject = subject_with_relations();
  if (!subject) GTEST_SKIP() << "the back end cannot run relations";
  RelationLayer layer(graph(1, 1, {{0, 0, 0}}), Normalise::mean, Precision::fp32, 1, 1);
  layer.weights.weight = {3, 10};
  layer.weights.bias = {0.5};
  layer.in = test::features_of({2}, 1, Precision::fp32);
  for (const FeatureMethod method : methods_of(*subject))
    EXPECT_EQ(feature_at(layer.output(*subject, method), 0, 0), 26.5F);
}

TEST(RelationKernels, Trap28TheSumOfAHubMayExceedTheRangeOfFp16) {
  const auto subject = subject_with_relations();
  if (!subject) GTEST_SKIP() << "the back end cannot run relations";
  RelationLayer layer(hub(661), Normalise::mean, Precision::fp16, 1, 1);
  layer.weights.weight = {0, 0, 1};
  layer.weights.bias = {0};
  layer.in = test::features_of(std::vector<float>(661, 1000.0F), 1, Precision::fp16);
  for (const FeatureMethod method : methods_of(*subject))
    EXPECT_EQ(feature_at(layer.output(*subject, method), 3, 0), 1000.0F);
}

TEST(RelationKernels, Trap28RowsOfAnyWidthAndManySourcesMatchTheReference) {
  const auto subject = subject_with_relations();
  if (!subject) GTEST_SKIP() << "the back end cannot run relations";
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const auto& [in_channels, out_channels] : {std::pair(8, 16), {16, 8}, {24, 8}, {264, 8}, {36, 24}}) {
      SCOPED_TRACE(std::string(text_of(precision)) + ' ' + std::to_string(in_channels));
      const RelationLayer one(hub(661), Normalise::mean, precision, in_channels, out_channels);
      const RelationLayer many(random_graph(100, 1, 5000, 6), Normalise::mean, precision, in_channels,
                               out_channels);
      one.expect_output(*subject, FeatureMethod::by_layout, true);
      many.expect_output(*subject, FeatureMethod::by_layout, false);
    }
  }
}

TEST(RelationKernels, Trap28ThreadsDoNotChangeABit) {
  const RelationLayer layer(random_graph(9000, 7, 40'000, 9), Normalise::mean, Precision::fp32, 6, 5);
  const RelationLayer narrow(random_graph(9000, 7, 40'000, 9), Normalise::mean, Precision::fp16, 6, 5);
  for (const RelationLayer* one : {&layer, &narrow}) {
    for (const FeatureMethod method : {FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter}) {
      BackendOptions options;
      options.threads = 1;
      const Features first = one->output(*app::make_registry().make("cpu", options), method);
      for (const int threads : {2, 3, 16}) {
        options.threads = threads;
        const Features again = one->output(*app::make_registry().make("cpu", options), method);
        EXPECT_EQ(std::memcmp(first.data.data(), again.data.data(), first.data.bytes()), 0) << threads;
      }
    }
  }
}

TEST(RelationKernels, AShapeThatDoesNotMatchIsRefused) {
  const auto subject = subject_with_relations();
  if (!subject) GTEST_SKIP() << "the back end cannot run relations";
  RelationLayer layer(random_graph(40, 3, 90, 1), Normalise::mean, Precision::fp32);
  layer.in = test::random_features(39, 5, Precision::fp32, 3);
  EXPECT_THROW(static_cast<void>(layer.output(*subject, FeatureMethod::by_layout)), Error);
  layer.in = test::random_features(40, 5, Precision::fp32, 3);
  layer.triples.relations.emplace_back("one more");
  EXPECT_THROW(static_cast<void>(layer.output(*subject, FeatureMethod::by_layout)), Error);
}

}  // namespace
}  // namespace spira
