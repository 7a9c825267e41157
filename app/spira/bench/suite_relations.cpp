// Suite of `spira bench` for relational convolutions. Compares one product for each row of means with one
// product for each triple, on generated graphs with the sizes of usual benchmarks or on a graph of the user.
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/backend/relations.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace spira::app {
namespace {

/// Nodes and triples as in the documentation of PyTorch Geometric, and relations as in "Modeling Relational
/// Data with Graph Convolutional Networks" (Schlichtkrull et al., 2018), with the inverse relations.
struct KnownSizes {
  const char* name;
  TripleSizes sizes;
};
constexpr std::array known_sizes{
    KnownSizes{"AIFB", {8'285, 58'086, 90}}, KnownSizes{"MUTAG", {23'644, 148'454, 46}},
    KnownSizes{"BGS", {333'845, 1'832'398, 206}}, KnownSizes{"AM", {1'666'764, 11'976'642, 266}}};

/// Returns a map with one row for each triple, so that each triple is multiplied. It computes the same sums
/// as a map with Normalise::sum.
RelationMap map_of_pairs(const Triples& triples) {
  const auto pool = make_host_pool();
  const std::size_t count = triples.triples.size();
  RelationMap map;
  map.nodes = std::ssize(triples.nodes);
  map.normalise = Normalise::sum;
  map.begins.assign(triples.relations.size() + 1, 0);
  map.counts = Buffer(pool, triples.relations.size() * sizeof(std::int32_t));
  map.outputs = Buffer(pool, count * sizeof(std::int32_t));
  map.first = Buffer(pool, (count + 1) * sizeof(std::int32_t));
  map.sources = Buffer(pool, count * sizeof(std::int32_t));
  map.most_sources = count > 0 ? 1 : 0;
  for (std::size_t at = 0; at < count; ++at) {
    map.outputs.host_span<std::int32_t>()[at] = triples.triples[at].tail;
    map.sources.host_span<std::int32_t>()[at] = triples.triples[at].head;
    ++map.begins[static_cast<std::size_t>(triples.triples[at].relation) + 1];
  }
  std::copy(map.begins.begin() + 1, map.begins.end(), map.counts.host_span<std::int32_t>().begin());
  const auto first = map.first.host_span<std::int32_t>();
  std::iota(first.begin(), first.end(), 0);
  std::partial_sum(map.begins.begin(), map.begins.end(), map.begins.begin());
  return map;
}

/// Two layers of a graph, on the back end.
struct GraphOperands {
  RelationMap means, pairs;
  Features in;
  std::array<UploadedWeights, 2> weights;
};

constexpr std::array channels{16, 64, 16};

std::shared_ptr<const GraphOperands> graph_operands(Bench& bench, const Triples& triples) {
  Backend& backend = bench.backend();
  auto operands = std::make_shared<GraphOperands>();
  operands->means = upload(backend, relation_map(triples, Normalise::sum));
  operands->pairs = upload(backend, map_of_pairs(triples));
  const int columns = static_cast<int>(triples.relations.size()) + 1;
  constexpr double terms = 4;
  for (std::size_t layer = 0; layer < operands->weights.size(); ++layer)
    operands->weights[layer] =
        backend.upload_weights(seeded_layer("relations" + std::to_string(layer + 1), columns,
                                            channels.at(layer), channels.at(layer + 1), terms, 1),
                               bench.precision());
  operands->in =
      backend.upload(random_features(std::ssize(triples.nodes), channels.front(), bench.precision()));
  return operands;
}

/// The work that is necessary in any order of computation: each row is multiplied once, and each feature,
/// weight and source is read or written once.
Work work_of(const RelationMap& map, Precision precision) {
  Work work;
  for (std::size_t layer = 0; layer + 1 < channels.size(); ++layer) {
    const int in = channels.at(layer), out = channels.at(layer + 1);
    work.flops += 2.0 * static_cast<double>(map.nodes + map.rows()) * in * out;
    work.bytes += bytes_of_features(map.nodes, in + out, precision) +
                  bytes_of_features((map.relations() + 1) * std::int64_t{in}, out, precision) +
                  static_cast<double>(map.bytes());
  }
  return work;
}

void bench_graph(Bench& bench, const std::string& group, const Triples& triples) {
  const auto operands = graph_operands(bench, triples);
  const auto subject = [&](const char* name, const RelationMap& map, FeatureMethod method) {
    return BenchSubject{name,
                        [&bench, operands, &map, method](Job& job) {
                          Relations& relations = *bench.backend().extensions().relations;
                          const Features hidden = relations.convolve(map, operands->in, operands->weights[0],
                                                                     {.relu = true, .method = method}, job);
                          static_cast<void>(relations.convolve(map, hidden, operands->weights[1],
                                                               {.relu = false, .method = method}, job));
                          bench.backend().wait();
                        },
                        work_of(operands->means, bench.precision())};
  };
  bench.note(group + ": " + count_text(operands->means.nodes) + " nodes, " +
             count_text(operands->means.triples()) + " triples, " + count_text(operands->means.rows()) +
             " rows");
  std::vector<BenchSubject> subjects{subject("pairs first", operands->pairs, FeatureMethod::by_layout),
                                     subject("means first, ws", operands->means, FeatureMethod::by_layout)};
  if (bench.backend().facts().kind != BackendKind::cuda)
    subjects.push_back(subject("means first, gather", operands->means, FeatureMethod::gather_gemm_scatter));
  bench.measure(group, RatioOf::wall, std::move(subjects));
}

}  // namespace

void bench_relations(Bench& bench) {
  static_cast<void>(require_relations(bench.backend()));
  if (!bench.file().empty()) {
    const Triples triples = read_triples(bench.file(), {}, bench.job());
    if (bench.wants(triples.name)) bench_graph(bench, triples.name, triples);
    return;
  }
  bench.note("the graphs are random; they have the sizes of the data sets AIFB, MUTAG, BGS and AM");
  for (const KnownSizes& known : known_sizes) {
    if (bench.wants(known.name))
      bench_graph(bench, known.name, generate_triples(known.sizes, 1, bench.job()));
  }
}

}  // namespace spira::app
