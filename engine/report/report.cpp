#include "engine/report/report.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/bev_run.hpp"
#include "engine/run/relation_run.hpp"
#include "engine/run/session.hpp"
#include "engine/voxel/fit.hpp"

#include <bit>

namespace spira {

SceneFacts scene_facts(const VoxelScene& scene) {
  SceneFacts facts;
  facts.name = scene.cloud->name;
  facts.format = scene.cloud->format;
  facts.unit = scene.cloud->unit();
  facts.reading = scene.cloud->reading;
  facts.points = scene.cloud->size();
  facts.batch = scene.cloud->batch();
  facts.every = scene.cloud->every;
  facts.kept = scene.kept;
  facts.crop_m = scene.grid.crop_m;
  facts.dropped_non_finite = scene.cloud->dropped_non_finite;
  facts.voxels = size_of(scene.level(1));
  facts.voxel_m = scene.grid.voxel_m;
  facts.pack = scene.pack;
  facts.span = scene.span;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.fit_extent[axis] = scene.fit.axes[axis].extent;
    facts.fit_limit[axis] = scene.fit.axes[axis].limit;
  }
  return facts;
}

std::string TripleFacts::text() const {
  return counted_text(nodes, "node", "nodes") + ", " + counted_text(triples, "triple", "triples") + ", " +
         counted_text(relations, "relation", "relations") + (inverse ? " including inverse relations" : "") +
         ", " + std::string(text_of(normalise)) + " of the sources";
}

namespace {

/// Returns a report without the scene and the network.
Report report_of(const Measurement& measurement, std::vector<std::string> command) {
  Report report;
  report.created = utc_text_now();
  report.build = build_facts();
  report.host = host_facts();
  report.command = std::move(command);
  report.measurement = measurement;
  return report;
}

TripleFacts triple_facts(const Triples& triples, const RelationMap& map) {
  TripleFacts facts{map.nodes,  map.triples(),    triples.duplicates, triples.self_loops, map.relations(),
                    map.rows(), map.most_sources, map.normalise,      triples.inverse,    {},
                    {}};
  const auto first = map.first.host_span<std::int32_t>();
  for (std::size_t relation = 0; relation < triples.relations.size(); ++relation) {
    const auto begin = static_cast<std::size_t>(map.begins[relation]),
               end = static_cast<std::size_t>(map.begins[relation + 1]);
    facts.each.push_back(
        {triples.relations[relation], first[end] - first[begin], static_cast<std::int64_t>(end - begin)});
  }
  facts.rows_by_sources.resize(std::bit_width(static_cast<std::uint64_t>(map.most_sources)));
  for (std::size_t row = 0; row + 1 < first.size(); ++row) {
    const auto sources = static_cast<std::uint32_t>(first[row + 1] - first[row]);
    ++facts.rows_by_sources[std::bit_width(sources) - 1U];
  }
  return facts;
}

/// Returns the facts about a graph. Its nodes are the cells of one row along x.
SceneFacts scene_facts(const RelationRun& run) {
  const Triples& triples = run.triples();
  const RelationMap& map = run.map();
  SceneFacts facts;
  facts.name = triples.name;
  facts.format = triples.format;
  facts.unit = LengthUnit::cells;
  // Nodes without triples are part of the graph.
  facts.fingerprint =
      hash64(std::as_bytes(std::span(triples.triples))) ^ hash64(std::as_bytes(std::span(&map.nodes, 1)));
  facts.points = facts.kept = std::ssize(triples.triples) + triples.duplicates;
  facts.voxels = map.nodes;
  facts.voxel_m = {1, 1, 1};
  facts.pack = {31, 16, 16};  // The x field holds the largest number of nodes.
  facts.span = facts.fit_extent = {map.nodes, 1, 1};
  const Fit meter = fit(facts.fit_extent, facts.pack, levels_of(run.network()).needs);
  for (std::size_t axis = 0; axis < 3; ++axis)
    facts.fit_limit.at(axis) = meter.axes.at(axis).limit;
  facts.triples = triple_facts(triples, map);
  return facts;
}

/// Returns the facts about a bird's-eye view. The cells of its mask count as voxels that are one cell high.
SceneFacts scene_facts(const BevRun& run) {
  const PointCloud& cloud = run.cloud();
  const BevFacts& view = run.facts();
  const Area& area = view.area;
  SceneFacts facts;
  facts.name = cloud.name;
  facts.format = cloud.format;
  facts.unit = cloud.unit();
  facts.reading = cloud.reading;
  facts.points = facts.kept = cloud.size();
  facts.every = cloud.every;
  facts.dropped_non_finite = cloud.dropped_non_finite;
  facts.fingerprint = view.mask_fingerprint;
  facts.voxels = view.mask_cells;
  facts.voxel_m = {area.cell_m, area.cell_m, area.z_m[1] - area.z_m[0]};
  facts.span = facts.fit_extent = {area.cells[0], area.cells[1], 1};
  const PackNeeds needs = levels_of(run.network()).needs;
  const auto packs = packings_that_fit(facts.fit_extent, needs);
  facts.pack = packs.empty() ? PackSpec::bits64() : packs.front();
  const Fit meter = fit(facts.fit_extent, facts.pack, needs);
  for (std::size_t axis = 0; axis < 3; ++axis)
    facts.fit_limit.at(axis) = meter.axes.at(axis).limit;
  return facts;
}

}  // namespace

Report make_report(const BevRun& run, const Measurement& measurement, std::vector<std::string> command) {
  Report report = report_of(measurement, std::move(command));
  report.scene = scene_facts(run);
  report.network = run.network();
  report.weights = run.weights().source;
  report.layer_densities.resize(report.network.layers.size());
  return report;
}

Report make_report(const RelationRun& run, const Measurement& measurement, std::vector<std::string> command) {
  Report report = report_of(measurement, std::move(command));
  report.scene = scene_facts(run);
  report.graph = run.shared_triples();
  report.network = run.network();
  report.weights = seeded_source(run.settings().seed);
  report.layer_densities.resize(report.network.layers.size());
  return report;
}

Report make_report(const Session& session, const Measurement& measurement, std::vector<std::string> command) {
  Report report = report_of(measurement, std::move(command));
  const CoordSet& level0 = session.scene()->level(1);
  report.scene = scene_facts(*session.scene());
  report.scene.fingerprint = hash64(level0.keys.host_span<std::byte>().first(key_bytes(level0)));
  report.scene.display_origin_m = session.scene()->origin;
  if (!session.scene()->positions.empty()) report.scene.positions = position_facts(*session.scene());
  report.network = session.network();
  report.weights = session.weights().source;
  Plan& plan = report.measurement.plan;
  for (std::size_t at = 0; at < plan.layers.size(); ++at)
    note_threshold_source(plan, at, threshold_source(plan, report.network, at));
  for (int layer = 0; layer < static_cast<int>(report.network.layers.size()); ++layer) {
    const auto result = session.result(layer);
    report.layer_densities.push_back(result ? result->densities : Densities{});
  }
  return report;
}

Trust trust_of(const Report& report) {
  bool overflows = false;
  for (std::size_t axis = 0; axis < 3; ++axis)
    overflows = overflows || report.scene.fit_extent.at(axis) > report.scene.fit_limit.at(axis);
  return trust_of(report.measurement, overflows);
}

std::string report_id(const Report& report) {
  std::string words = report.created + "\n" + report.tool_version + "\n" + report.measurement.device.name +
                      "\n" + fingerprint_text(report.scene.fingerprint) + "\n" + report.network.name;
  for (const auto& word : report.command)
    words += "\n" + word;
  const std::uint64_t of_words = hash64(std::as_bytes(std::span(words)));
  return fingerprint_text(hash64(std::as_bytes(std::span(report.measurement.wall.ms)), of_words));
}

std::vector<ReportedMap> kernel_maps(const Report& report) {
  const Measurement& m = report.measurement;
  if (report.network.layers.empty() || report.network.space == NetworkSpace::bev) return {};
  const Levels levels = levels_of(report.network);
  std::vector<ReportedMap> maps;
  for (std::size_t at = 0; at < std::min(m.layers.size(), levels.layers.size()); ++at) {
    if (!report.network.layers[at].has_map()) continue;
    const MapKey& key = levels.layers[at].map;
    const auto reads = [&](const ReportedMap& map) { return map.key == key; };
    const auto use_of = [&](std::size_t layer) {
      return map_use(levels.layers[layer], m.plan.layers.at(layer));
    };
    const auto alike = [&](const ReportedMap& map) {
      return use_of(static_cast<std::size_t>(map.built_by)) == use_of(at);
    };
    auto found = maps.rend();
    if (m.layers[at].map_shared) {
      found = std::find_if(maps.rbegin(), maps.rend(), alike);
      if (found == maps.rend()) found = std::find_if(maps.rbegin(), maps.rend(), reads);
    }
    const int layer = static_cast<int>(at);
    if (found == maps.rend()) {
      maps.push_back({key, layer, {layer}, m.layers[at].map_bytes});
    } else {
      found->used_by.push_back(layer);
    }
  }
  return maps;
}

}  // namespace spira
