#include "engine/backend/relations.hpp"

#include "engine/base/error.hpp"

namespace spira {

void require_sound(const RelationMap& map, const Features& in, const UploadedWeights& weights) {
  SPIRA_ASSERT(in.rows == map.nodes, "the number of feature rows differs from the number of nodes");
  SPIRA_ASSERT(in.channels == weights.in_channels && weights.columns == map.relations() + 1,
               "features, weights and relations have different shapes");
  SPIRA_ASSERT(in.precision == weights.precision, "features and weights have different precisions");
}

Relations& require_relations(Backend& backend) {
  Relations* const relations = backend.extensions().relations;
  if (relations == nullptr)
    throw Error(ErrorKind::device, "the " + std::string(text_of(backend.facts().kind)) +
                                       " back end cannot run relations yet; use --backend cpu");
  return *relations;
}

RelationMap upload(Backend& backend, const RelationMap& map) {
  RelationMap uploaded;
  uploaded.nodes = map.nodes;
  uploaded.normalise = map.normalise;
  uploaded.begins = map.begins;
  uploaded.counts = backend.to_device(map.counts);
  uploaded.outputs = backend.to_device(map.outputs);
  uploaded.first = backend.to_device(map.first);
  uploaded.sources = backend.to_device(map.sources);
  uploaded.most_sources = map.most_sources;
  return uploaded;
}

}  // namespace spira
