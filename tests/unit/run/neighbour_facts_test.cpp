// Tests the counts of native maps on generated scenes against a direct count, and the frames of native
// batches.
#include "engine/run/neighbour_facts.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/validate.hpp"
#include "engine/scene/batch.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace spira {
namespace {

/// Returns a network with a strided layer and its transposed counterpart, in which all layers are native.
Network native_unet(NeighbourShape shape = NeighbourShape::ball) {
  Network network = parse_network(R"({"name": "native", "layers": [
    {"name": "stem", "out_channels": 4},
    {"name": "down", "out_channels": 8, "stride": 2},
    {"name": "deep", "out_channels": 8},
    {"name": "up", "out_channels": 4, "stride": 2, "transposed": true}]})",
                                  "native.json");
  set_neighbourhood(network, {shape});
  return network;
}

/// Returns the position of a row in voxels of stride 1.
Point place_of(const VoxelScene& scene, int stride, std::int32_t row) {
  const Voxel voxel = voxel_at(scene.level(stride), row);
  const auto fields = position_fields(
      positions_of(scene, stride).words.host_span<std::uint64_t>()[static_cast<std::size_t>(row)]);
  Point place{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    place.at(axis) =
        voxel.at(axis) + (static_cast<double>(fields.at(axis)) / static_cast<double>(position_one));
  return place;
}

TEST(NeighbourFacts, AreThoseOfADirectCount) {
  test::SmallSession some(native_unet());
  some.load();
  const VoxelScene& scene = *some.session.scene();
  Job job;
  for (const auto& [out, cell] : {std::pair{1, 1}, {2, 1}, {1, 3}}) {
    KernelShape kernel(3);
    kernel.neighbourhood = {NeighbourShape::ball, cell, 0};
    const MapKey key{kernel, 1, out};
    const auto map = map_of_scene(*some.backend, scene, key, job);
    const KernelShape of_voxels(3);
    const auto voxels = map_of_scene(*some.backend, scene, {of_voxels, 1, out}, job);
    std::set<std::tuple<int, int, int>> voxel_pairs;
    std::set<std::pair<int, int>> neighbours_of_voxels, groups;
    for_each_pair(*voxels, [&](std::int32_t output, int column, std::int32_t input) {
      voxel_pairs.emplace(output, column, input);
      neighbours_of_voxels.emplace(output, input);
    });
    NeighbourCounts expected;
    std::vector<std::int64_t> by_output(static_cast<std::size_t>(map->outputs), 0);
    std::set<int> read;
    for_each_pair(*map, [&](std::int32_t output, int column, std::int32_t input) {
      const Point from = place_of(scene, out, output), to = place_of(scene, 1, input);
      bool outside = false;
      for (std::size_t axis = 0; axis < 3; ++axis)
        outside = outside || std::abs(std::nearbyint((to.at(axis) - from.at(axis)) / cell)) > 1;
      ++expected.triplets;
      expected.folded += outside ? 1 : 0;
      groups.emplace(output, column);
      ++by_output[static_cast<std::size_t>(output)];
      read.insert(input);
      expected.same_column += voxel_pairs.contains({output, column, input}) ? 1 : 0;
      expected.in_voxel_map += neighbours_of_voxels.contains({output, input}) ? 1 : 0;
    });
    expected.groups = std::ssize(groups);
    std::sort(by_output.begin(), by_output.end());
    expected.most_neighbours = by_output.back();
    const NeighbourFacts facts = neighbour_facts(scene, key, *map);
    EXPECT_EQ(facts.counts, expected) << out << ", cell " << cell;
    EXPECT_GT(expected.folded, 0);
    EXPECT_GT(expected.fan_in(), 1.0);
    EXPECT_EQ(facts.unread, map->inputs - std::ssize(read));
    EXPECT_EQ(facts.percentiles[0], by_output[(by_output.size() - 1) / 2]);
    EXPECT_LE(facts.percentiles[1], facts.percentiles[2]);
    EXPECT_LE(facts.percentiles[2], expected.most_neighbours);
    EXPECT_EQ(facts.list_bytes(), expected.triplets * 8);
    EXPECT_EQ(facts.position_bytes(), (out == 1 ? map->outputs : map->outputs + map->inputs) * 8);
    EXPECT_EQ(facts.explicit_bytes(64, 2), map->outputs * expected.most_neighbours * 132);
  }
}

TEST(NeighbourFacts, OfPositionsAreDistancesToTheCentres) {
  test::SmallSession some(native_unet());
  some.load();
  const VoxelScene& scene = *some.session.scene();
  const PositionFacts facts = position_facts(scene);
  std::vector<double> distances;
  double sum = 0;
  const auto points = positions_of(scene, 1).points.host_span<std::int32_t>();
  for (std::size_t row = 0; row < points.size(); ++row) {
    const Point& point = scene.cloud->positions.at(static_cast<std::size_t>(points[row]));
    const Point centre = scene.centre_m(voxel_at(scene.level(1), static_cast<std::int64_t>(row)), 1);
    const double distance = std::hypot(point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]);
    sum += distance * distance;
    distances.push_back(distance);
  }
  std::sort(distances.begin(), distances.end());
  EXPECT_NEAR(facts.rms_m, std::sqrt(sum / static_cast<double>(distances.size())), 1e-5);
  EXPECT_NEAR(facts.p95_m, distances.at(distances.size() * 95 / 100), 1e-3);
  EXPECT_EQ(facts.merged, scene.kept - std::ssize(distances));
  test::SmallSession plain;
  plain.load();
  EXPECT_THROW(static_cast<void>(position_facts(*plain.session.scene())), Error);
}

TEST(NeighbourFacts, AreInTheResultsOfNativeLayers) {
  test::SmallSession some(native_unet());
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  for (int layer = 0; layer < std::ssize(some.network->layers); ++layer) {
    const auto result = some.session.result(layer);
    ASSERT_TRUE(result->neighbours);
    EXPECT_EQ(*result->neighbours, neighbour_counts(*result->scene, result->levels.map, *result->map));
    EXPECT_EQ(result->neighbours->triplets, result->densities.triplets);
    EXPECT_EQ(result->neighbours->groups, result->densities.pairs);
    const Layer& of = some.network->layers.at(static_cast<std::size_t>(layer));
    const LayerMeasurement counted = counts_of(of, *result);
    EXPECT_EQ(counted.pairs, result->neighbours->triplets);
    EXPECT_EQ(counted.useful_flops, 2 * counted.pairs * of.in_channels * of.out_channels);
    EXPECT_EQ(counted.neighbours, result->neighbours);
  }
  test::SmallSession plain;
  plain.load();
  EXPECT_FALSE(plain.session.run_layer(0, plain.plan, job)->neighbours);
}

/// Returns a report of a native network.
Report native_report() {
  test::SmallSession some(native_unet());
  some.load();
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  Job job;
  return make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"});
}

TEST(NativeReport, KeepsTheNeighboursAndThePositions) {
  const Report written = native_report();
  const std::string text = report_json(written);
  const Report read = parse_report(text, "r.json");
  EXPECT_EQ(report_json(read), text);
  ASSERT_TRUE(read.scene.positions);
  EXPECT_EQ(read.scene.positions->merged, written.scene.positions->merged);
  EXPECT_EQ(read.scene.positions->rms_m, written.scene.positions->rms_m);
  for (std::size_t layer = 0; layer < read.measurement.layers.size(); ++layer) {
    ASSERT_TRUE(read.measurement.layers[layer].neighbours);
    EXPECT_EQ(read.measurement.layers[layer].neighbours, written.measurement.layers[layer].neighbours);
    EXPECT_EQ(read.layer_densities.at(layer).triplets, written.layer_densities.at(layer).triplets);
    EXPECT_GT(read.layer_densities.at(layer).triplets, read.layer_densities.at(layer).pairs);
  }
  EXPECT_THAT(report_markdown(read), testing::HasSubstr("| fan-in |"));
  EXPECT_THAT(report_markdown(read), testing::HasSubstr("nearest, distance to the centre: rms 0.0"));
  EXPECT_THAT(densities_csv(read), testing::HasSubstr("density,triplets\r\n"));
  EXPECT_THAT(validate_document(text, "r.json").faults, testing::IsEmpty());
}

TEST(NativeReport, RefusesCountsThatContradictEachOther) {
  const nlohmann::json report = nlohmann::json::parse(report_json(native_report()));
  for (const auto& [path, value, fault] :
       {std::tuple{"/layers/0/triplets", 3, "layers[0].triplets: 3; the layer has"},
        {"/layers/0/groups", 1'000'000'000, "layers[0].groups"},
        {"/layers/1/same_column", 1'000'000'000, "layers[1].same_column"},
        {"/layers/0/densities/matches_per_column/13", 1'000'000'000, "more matches than outputs"},
        {"/layers/0/densities/triplets_per_column/13", 0, "fewer triplets than matches"},
        {"/scene/positions/merged", 1'000'000'000, "scene.positions.merged"}}) {
    nlohmann::json changed = report;
    changed[nlohmann::json::json_pointer(path)] = value;
    try {
      static_cast<void>(parse_report(changed.dump(), "r.json"));
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(fault));
    }
  }
}

TEST(NativeReport, OfVoxelsHasNoNeighbours) {
  const std::string text = report_json(test::recorded_report());
  for (const char* key : {"\"positions\"", "\"triplets\"", "\"folded\"", "triplets_per_column"})
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(key)));
}

TEST(NativeFrames, HaveTheTripletsAndPositionsOfTheBatch) {
  const std::vector<std::shared_ptr<const PointCloud>> clouds{test::small_room(2000, 1),
                                                              test::small_room(1500, 2)};
  test::SmallSession some(native_unet());
  some.load(batch_of(clouds), PackSpec{16, 16, 16}.with_batch(2));
  Job job;
  some.session.run_all(some.plan, job, {});
  std::vector<std::int64_t> triplets(some.network->layers.size(), 0);
  for (const int number : {0, 1}) {
    const auto frame = frame_scene(some.session.scene(), number);
    const auto points = positions_of(*frame, 1).points.host_span<std::int32_t>();
    for (std::size_t row = 0; row < points.size(); ++row)
      ASSERT_EQ(frame->voxel_of_point.at(static_cast<std::size_t>(points[row])),
                static_cast<std::int32_t>(row));
    test::SmallSession alone(native_unet());
    alone.load(clouds.at(static_cast<std::size_t>(number)), PackSpec::bits64());
    alone.session.run_all(alone.plan, job, {});
    for (int layer = 0; layer < std::ssize(some.network->layers); ++layer) {
      const auto part = frame_result(*some.session.result(layer), frame);
      ASSERT_TRUE(part->map->many());
      const NeighbourCounts counts = neighbour_counts(*frame, part->levels.map, *part->map);
      EXPECT_EQ(counts, *alone.session.result(layer)->neighbours) << number << ", layer " << layer;
      // The map of the frame is the one that a search in the frame finds.
      const auto again = map_of_scene(*some.backend, *frame, part->levels.map, job);
      for (int column = 0; column < 27; ++column) {
        for (std::int32_t output = 0; output < again->outputs; output += 17)
          ASSERT_EQ(inputs_of(*part->map, output, column), inputs_of(*again, output, column));
      }
      triplets.at(static_cast<std::size_t>(layer)) += counts.triplets;
    }
  }
  for (int layer = 0; layer < std::ssize(some.network->layers); ++layer)
    EXPECT_EQ(triplets.at(static_cast<std::size_t>(layer)), some.session.result(layer)->neighbours->triplets);
}

}  // namespace
}  // namespace spira
