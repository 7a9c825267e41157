#include "engine/survey/frame_neighbours_json.hpp"

#include "engine/network/map_key_json.hpp"

namespace spira {

nlohmann::ordered_json frame_neighbours_json(const FrameNeighbours& found) {
  const NeighbourFacts& facts = found.facts;
  const NeighbourCounts& counts = facts.counts;
  return {{"outputs", facts.outputs},
          {"inputs", facts.inputs},
          {"voxel_pairs", found.voxel_pairs},
          {"triplets", counts.triplets},
          {"groups", counts.groups},
          {"folded", counts.folded},
          {"fan_in", counts.fan_in()},
          {"in_voxel_map", counts.in_voxel_map},
          {"same_column", counts.same_column},
          {"p50_neighbours", facts.percentiles[0]},
          {"p90_neighbours", facts.percentiles[1]},
          {"p99_neighbours", facts.percentiles[2]},
          {"most_neighbours", counts.most_neighbours},
          {"unread_inputs", facts.unread},
          {"list_bytes", facts.list_bytes()},
          {"position_bytes", facts.position_bytes()},
          {"explicit_bytes", found.explicit_bytes()},
          {"positions", text_of(found.positions.kind)},
          {"rms_m", found.positions.rms_m},
          {"p95_m", found.positions.p95_m},
          {"merged", found.positions.merged}};
}

FrameNeighbours frame_neighbours_from(const JsonFields& fields) {
  constexpr double longest_m = 1e300;
  FrameNeighbours found;
  NeighbourFacts& facts = found.facts;
  facts.outputs = fields.count("outputs");
  facts.inputs = fields.count("inputs");
  facts.counts = {fields.count("triplets"),        fields.count("groups"),       fields.count("folded"),
                  fields.count("most_neighbours"), fields.count("in_voxel_map"), fields.count("same_column")};
  facts.percentiles = {fields.count("p50_neighbours"), fields.count("p90_neighbours"),
                       fields.count("p99_neighbours")};
  facts.unread = fields.count("unread_inputs");
  facts.position_rows = fields.count("position_bytes") / static_cast<std::int64_t>(sizeof(std::uint64_t));
  found.voxel_pairs = fields.count("voxel_pairs");
  found.positions = {position_kind_from(fields, "positions"), fields.number("rms_m", 0, longest_m),
                     fields.number("p95_m", 0, longest_m), fields.count("merged")};
  return found;
}

}  // namespace spira
