#include "engine/run/replay/search_counters.hpp"

#include "engine/job/job.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/run/measurement_json.hpp"
#include "engine/run/replay/search_replay.hpp"
#include "engine/run/voxel_scene.hpp"

#include <cmath>

namespace spira {
namespace {

CountedSearches counted(const SearchReplay& replay) {
  CountedSearches result;
  result.queries = replay.queries;
  result.sampled_queries = replay.sampled_queries;
  for (std::size_t method = 0; method < replay.methods.size(); ++method) {
    result.comparisons.at(method) = replay.methods.at(method).comparisons;
    result.sectors.at(method) = replay.methods.at(method).sectors;
  }
  result.walk_comparisons = replay.walk_comparisons;
  return result;
}

/// Adds `share` times `mean` to `sum`. The maps are sampled independently, so squares of errors are added.
void add(SampledMean& sum, const SampledMean& mean, double share) {
  sum.value += share * mean.value;
  sum.error = std::hypot(sum.error, share * mean.error);
}

}  // namespace

CountedSearches SearchCounters::whole() const {
  CountedSearches all;
  for (const CountedMap& map : maps) {
    all.queries += map.counted.queries;
    all.sampled_queries += map.counted.sampled_queries;
  }
  for (const CountedMap& map : maps) {
    if (all.queries == 0) break;
    const CountedSearches& one = map.counted;
    const double share = static_cast<double>(one.queries) / static_cast<double>(all.queries);
    for (std::size_t method = 0; method < all.comparisons.size(); ++method) {
      add(all.comparisons.at(method), one.comparisons.at(method), share);
      add(all.sectors.at(method), one.sectors.at(method), share);
    }
    add(all.walk_comparisons, one.walk_comparisons, share);
  }
  return all;
}

SearchCounters count_searches(const VoxelScene& scene, const Network& network, Job& job,
                              std::int64_t max_queries) {
  SearchCounters counters;
  for (const MapKey& key : levels_of(network).maps) {
    if (key.kernel.native()) continue;  // The replay follows only the searches for voxels.
    const KernelOffsets offsets(key.kernel, scene.level(key.stride_in).rule.stride());
    const ReplaySample sample{.max_queries = max_queries};
    counters.maps.push_back({key, counted(replay_search(scene.level(key.stride_in),
                                                        scene.level(key.stride_out), offsets, sample, job))});
  }
  return counters;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array all_methods{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                 MapAlgorithm::sorted_query};
constexpr const char* walk = "zdelta_walk_cmp";

std::string name_of(MapAlgorithm algorithm) {
  return std::string(text_of(algorithm));
}

void add_counted(Json& document, const CountedSearches& counted) {
  document["queries"] = counted.queries;
  document["sampled_queries"] = counted.sampled_queries;
  Json sectors, errors, sector_errors;
  for (const MapAlgorithm algorithm : all_methods) {
    const auto at = static_cast<std::size_t>(algorithm);
    const std::string name = name_of(algorithm), compared = name + "_cmp";
    document[compared] = counted.comparisons.at(at).value;
    errors[compared] = counted.comparisons.at(at).error;
    sectors[name] = counted.sectors.at(at).value;
    sector_errors[name] = counted.sectors.at(at).error;
  }
  document[walk] = counted.walk_comparisons.value;
  errors[walk] = counted.walk_comparisons.error;
  document["sectors32"] = sectors;
  errors["sectors32"] = sector_errors;
  document["error95"] = errors;
}

SampledMean mean_from(const JsonFields& values, const JsonFields& errors, const std::string& key) {
  constexpr double most = 1e9;  // A larger number of comparisons or reads per query is an error in the file.
  return {values.number(key, 0, most), errors.number(key, 0, most)};
}

CountedSearches counted_from(const JsonFields& fields) {
  CountedSearches counted;
  counted.queries = fields.count("queries");
  counted.sampled_queries = fields.whole("sampled_queries", 0, counted.queries);
  const JsonFields errors = fields.at("error95"), sectors = fields.at("sectors32");
  const JsonFields sector_errors = errors.at("sectors32");
  for (const MapAlgorithm algorithm : all_methods) {
    const auto at = static_cast<std::size_t>(algorithm);
    counted.comparisons.at(at) = mean_from(fields, errors, name_of(algorithm) + "_cmp");
    counted.sectors.at(at) = mean_from(sectors, sector_errors, name_of(algorithm));
  }
  counted.walk_comparisons = mean_from(fields, errors, walk);
  return counted;
}

}  // namespace

Json counters_json(const SearchCounters& counters) {
  Json document{{"source", "instrumented_replay"}};
  add_counted(document, counters.whole());
  document["maps"] = Json::array();
  for (const CountedMap& map : counters.maps) {
    Json row;
    add_map_key(row, map.key);
    add_counted(row, map.counted);
    document["maps"].push_back(std::move(row));
  }
  return document;
}

SearchCounters counters_from(const JsonFields& fields) {
  constexpr std::size_t max_maps = 10'000;
  SearchCounters counters;
  for (const JsonFields& row : fields.rows("maps", max_maps)) {
    CountedMap map;
    map.key = map_key_from(row);
    map.counted = counted_from(row);
    counters.maps.push_back(map);
  }
  return counters;
}

}  // namespace spira
