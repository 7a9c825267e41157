#include "engine/map/relation_map.hpp"

#include <algorithm>
#include <memory>

namespace spira {

RelationMap relation_map(const Triples& triples, Normalise normalise) {
  const std::vector<Triple>& all = triples.triples;
  const auto begins_row = [&](std::size_t at) {
    return at == 0 || all[at].relation != all[at - 1].relation || all[at].tail != all[at - 1].tail;
  };
  std::size_t rows = 0;
  for (std::size_t at = 0; at < all.size(); ++at)
    rows += begins_row(at) ? 1 : 0;
  const std::shared_ptr<MemoryPool> pool = make_host_pool();
  RelationMap map;
  map.nodes = std::ssize(triples.nodes);
  map.normalise = normalise;
  map.begins.assign(triples.relations.size() + 1, 0);
  map.counts = Buffer(pool, triples.relations.size() * sizeof(std::int32_t));
  map.outputs = Buffer(pool, rows * sizeof(std::int32_t));
  map.first = Buffer(pool, (rows + 1) * sizeof(std::int32_t));
  map.sources = Buffer(pool, all.size() * sizeof(std::int32_t));
  const auto outputs = map.outputs.host_span<std::int32_t>(), first = map.first.host_span<std::int32_t>(),
             sources = map.sources.host_span<std::int32_t>();
  std::size_t row = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    sources[at] = all[at].head;
    if (!begins_row(at)) continue;
    outputs[row] = all[at].tail;
    first[row] = static_cast<std::int32_t>(at);
    ++map.begins[static_cast<std::size_t>(all[at].relation) + 1];
    ++row;
  }
  first[rows] = static_cast<std::int32_t>(all.size());
  for (std::size_t relation = 1; relation < map.begins.size(); ++relation) {
    map.counts.host_span<std::int32_t>()[relation - 1] = static_cast<std::int32_t>(map.begins[relation]);
    map.begins[relation] += map.begins[relation - 1];
  }
  for (std::size_t at = 0; at < rows; ++at)
    map.most_sources = std::max<std::int64_t>(map.most_sources, first[at + 1] - first[at]);
  return map;
}

}  // namespace spira
