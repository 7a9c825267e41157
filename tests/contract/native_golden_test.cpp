// Tests native layers on real scenes against numbers that a separate program counted from the same rules, and
// against the voxel convolution.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/neighbour_facts.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/real_scenes.hpp"

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

constexpr Neighbourhood cube{NeighbourShape::cube}, ball{NeighbourShape::ball};

KernelShape native(int size, const Neighbourhood& neighbourhood) {
  KernelShape kernel(size);
  kernel.neighbourhood = neighbourhood;
  return kernel;
}

int percent(std::int64_t part, std::int64_t all) {
  return static_cast<int>(std::lround(100.0 * static_cast<double>(part) / static_cast<double>(all)));
}

/// The numbers of one scene.
struct Golden {
  const char* file;
  double voxel_m;
  std::int64_t rows, voxel_pairs, cube, ball, groups, folded;
  std::array<int, 3> percents;  ///< Voxel neighbours that stay, that keep their column, and new triplets.
  std::int64_t most_neighbours, cube5, ball5, strided, unread;
};
std::ostream& operator<<(std::ostream& out, const Golden& golden) {
  return out << golden.file;
}

class NativeGolden : public testing::TestWithParam<Golden> {};

/// A real scene with positions.
class Scene {
 public:
  Scene(const char* file, double voxel_m, int native_stride = 2,
        PositionKind positions = PositionKind::nearest)
      : backend_(app::make_registry().make("cpu", {})) {
    Grid grid{{voxel_m, voxel_m, voxel_m}, {}};
    grid.positions = positions;
    const auto cloud = load_scene(test::data_folder() / file, {}, job_);
    scene_ = voxelize_scene(*backend_, cloud, grid, PackSpec::bits64(), {7, native_stride}, job_, {},
                            native_stride);
  }
  [[nodiscard]] const VoxelScene& operator*() const { return *scene_; }
  [[nodiscard]] std::shared_ptr<const KernelMap> map(const MapKey& key) {
    return map_of_scene(*backend_, *scene_, key, job_);
  }
  [[nodiscard]] NeighbourFacts facts(const MapKey& key) { return neighbour_facts(*scene_, key, *map(key)); }
  /// Builds the map with the hash search.
  [[nodiscard]] KernelMap hashed(const MapKey& key) {
    auto offsets =
        std::make_shared<const KernelOffsets>(key.kernel, scene_->level(key.stride_in).rule.stride());
    const MapRequest request =
        with_positions(request_for_threshold(std::move(offsets), MapAlgorithm::hash, 0, false), *scene_, key);
    return backend_->build_map(scene_->level(key.stride_in), scene_->level(key.stride_out), request, job_);
  }
  [[nodiscard]] std::int64_t voxel_pairs(int kernel_size) {
    return densities(*map({kernel_size, 1, 1})).pairs;
  }

 private:
  Job job_;
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<const VoxelScene> scene_;
};

bool same_lists(const KernelMap& one, const KernelMap& other) {
  const auto bytes = [](const Buffer& buffer) { return buffer.host_span<std::byte>(); };
  return std::ranges::equal(bytes(one.parts.front().counts), bytes(other.parts.front().counts)) &&
         std::ranges::equal(bytes(one.parts.front().entries), bytes(other.parts.front().entries));
}

TEST_P(NativeGolden, CountsAreThoseOfTheSeparateCount) {
  SPIRA_NEED_REAL_SCENES();
  const Golden& golden = GetParam();
  Scene scene(golden.file, golden.voxel_m);
  const NeighbourFacts of_ball = scene.facts({native(3, ball), 1, 1});
  const NeighbourCounts& counts = of_ball.counts;
  EXPECT_EQ(of_ball.outputs, golden.rows);
  EXPECT_EQ(scene.voxel_pairs(3), golden.voxel_pairs);
  EXPECT_EQ(scene.facts({native(3, cube), 1, 1}).counts.triplets, golden.cube);
  EXPECT_EQ(counts.triplets, golden.ball);
  EXPECT_EQ(counts.groups, golden.groups);
  EXPECT_EQ(counts.folded, golden.folded);
  EXPECT_EQ(counts.most_neighbours, golden.most_neighbours);
  EXPECT_EQ(percent(counts.in_voxel_map, golden.voxel_pairs), golden.percents[0]);
  EXPECT_EQ(percent(counts.same_column, golden.voxel_pairs), golden.percents[1]);
  EXPECT_EQ(percent(counts.triplets - counts.in_voxel_map, counts.triplets), golden.percents[2]);
  EXPECT_EQ(of_ball.unread, 0) << "each row is its own input";
  EXPECT_EQ(scene.facts({native(5, cube), 1, 1}).counts.triplets, golden.cube5);
  EXPECT_EQ(scene.facts({native(5, ball), 1, 1}).counts.triplets, golden.ball5);
  const NeighbourFacts strided = scene.facts({native(3, ball), 1, 2});
  EXPECT_EQ(strided.counts.triplets, golden.strided);
  EXPECT_EQ(strided.unread, golden.unread);
}

TEST_P(NativeGolden, BothSearchesFindTheSameTriplets) {
  SPIRA_NEED_REAL_SCENES();
  Scene scene(GetParam().file, GetParam().voxel_m);
  for (const MapKey& key : {MapKey{native(3, ball), 1, 1}, MapKey{native(3, ball), 1, 2},
                            MapKey{native(3, cube), 2, 2}, MapKey{native(5, ball), 2, 2}})
    EXPECT_TRUE(same_lists(*scene.map(key), scene.hashed(key)))
        << text_of(key.kernel) << ", " << key.stride_in << " > " << key.stride_out;
}

TEST(NativeGoldenScene, TheCentreColumnContainsMoreThanTheRowsThemselves) {
  SPIRA_NEED_REAL_SCENES();
  Scene scene("kitti/semantickitti_00_000000.bin", 0.05);
  const auto map = scene.map({native(3, ball), 1, 1});
  const int centre = map->offsets->centre();
  EXPECT_EQ(triplets_per_column(*map).at(static_cast<std::size_t>(centre)), 106'457);
  std::vector<bool> itself(static_cast<std::size_t>(map->outputs), false);
  for_each_pair(*map, [&](std::int32_t output, int column, std::int32_t input) {
    if (column == centre && output == input) itself[static_cast<std::size_t>(output)] = true;
  });
  EXPECT_EQ(std::count(itself.begin(), itself.end(), true), 91'767);
  // Trap 12 of native layers: densities count groups.
  const Densities found = densities(*map);
  EXPECT_EQ(found.columns.at(static_cast<std::size_t>(centre)).matches, 91'767);
  EXPECT_EQ(found.pairs, 319'268);
  EXPECT_EQ(found.triplets, 378'923);
  for (const ColumnDensity& column : found.columns)
    EXPECT_LE(column.density, 1.0) << column.column;
}

TEST(NativeGoldenScene, PositionsAreNearTheCentresOfTheirVoxels) {
  SPIRA_NEED_REAL_SCENES();
  const Scene scene("kitti/semantickitti_00_000000.bin", 0.05);
  const PositionFacts facts = position_facts(*scene);
  EXPECT_EQ(facts.kind, PositionKind::nearest);
  EXPECT_NEAR(facts.rms_m, 0.0242, 0.00005);
  EXPECT_NEAR(facts.p95_m, 0.0342, 0.00005);
  EXPECT_EQ(facts.merged, 124'668 - 91'767);
}

TEST(NativeGoldenScene, AFinerGridWithACoarserCellKeepsMorePoints) {
  SPIRA_NEED_REAL_SCENES();
  struct Fine {
    const char* file;
    double voxel_m;
    std::int64_t rows;
    double triplets_per_row, fan_in;
  };
  const Neighbourhood wide{NeighbourShape::ball, 3};
  for (const auto& [file, voxel_m, rows, triplets_per_row, fan_in] :
       {Fine{"kitti/semantickitti_00_000000.bin", 0.05 / 3, 122'369, 7.3, 1.76},
        Fine{"formats/spconv_benchmark-pc.npz", 0.1 / 3, 187'326, 17.8, 2.40}}) {
    Scene scene(file, voxel_m, 1);
    const NeighbourFacts facts = scene.facts({native(3, wide), 1, 1});
    EXPECT_EQ(facts.outputs, rows) << file;
    EXPECT_NEAR(static_cast<double>(facts.counts.triplets) / static_cast<double>(rows), triplets_per_row,
                0.05);
    EXPECT_NEAR(facts.counts.fan_in(), fan_in, 0.005) << file;
  }
}

/// Returns the lists of a voxel map with all columns. `key` must have a native kernel.
KernelMap voxel_lists(Backend& backend, const VoxelScene& scene, MapKey key, Job& job) {
  key.kernel.neighbourhood = {};
  const CoordSet& in = scene.level(key.stride_in);
  MapRequest request = request_for_threshold(
      std::make_shared<const KernelOffsets>(key.kernel, in.rule.stride()), MapAlgorithm::z_delta, 0, false);
  return backend.build_map(in, scene.level(key.stride_out), request, job);
}

// Rule (a) of native layers: positions on the grid give the map and the features of the voxel convolution.
TEST(NativeGoldenScene, PositionsOnTheGridGiveTheVoxelConvolutionBitForBit) {
  SPIRA_NEED_REAL_SCENES();
  Job job;
  const auto cloud = load_scene(test::data_folder() / "nuscenes/n015_1532402927647951.pcd.bin", {}, job);
  Grid grid{{0.2, 0.2, 0.2}, {}};
  grid.positions = PositionKind::grid;
  for (const Neighbourhood& neighbourhood : {cube, ball}) {
    Network network = network_preset("resn21");
    set_neighbourhood(network, neighbourhood);
    const auto shared = std::make_shared<const Network>(network);
    Session session(app::make_registry().make("cpu", {}), shared,
                    std::make_shared<const NetworkWeights>(seeded_weights(network, 1)));
    const auto scene = session.load(cloud, grid, PackSpec::bits64(), Precision::fp32, job);
    session.run_all(default_plan(network), job, {});
    std::size_t native_layers = 0;
    for (int layer = 0; layer < std::ssize(network.layers); ++layer) {
      const auto result = session.result(layer);
      if (!result->levels.map.kernel.native()) continue;
      ++native_layers;
      const KernelMap voxels = voxel_lists(session.backend(), *scene, result->levels.map, job);
      const std::string what =
          text_of(neighbourhood) + ", " + network.layers.at(static_cast<std::size_t>(layer)).name;
      EXPECT_TRUE(same_lists(*result->map, voxels)) << what;
      const Features features = session.execute_features(layer, voxels, job);
      EXPECT_TRUE(std::ranges::equal(features.data.host_span<std::byte>(),
                                     result->features->data.host_span<std::byte>()))
          << what;
    }
    EXPECT_GT(native_layers, 10U);
  }
}

TEST(NativeGoldenScene, LargeCubesOnTheGridHaveTheVoxelLists) {
  SPIRA_NEED_REAL_SCENES();
  Job job;
  const auto backend = app::make_registry().make("cpu", {});
  Scene scene("nuscenes/n015_1532402927647951.pcd.bin", 0.2, 16, PositionKind::grid);
  for (const int size : {3, 5, 7}) {
    for (const auto& [in, out] : {std::pair{1, 1}, {2, 2}, {16, 16}, {1, 2}, {8, 16}}) {
      const MapKey key{native(size, cube), in, out};
      EXPECT_TRUE(same_lists(*scene.map(key), voxel_lists(*backend, *scene, key, job)))
          << size << ", " << in << " > " << out;
    }
  }
}

/// Returns a scene with one point in the centre of each voxel of a cube.
std::shared_ptr<const VoxelScene> full_block(Backend& backend, int edge, Job& job) {
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = "block";
  for (int at = 0; at < edge * edge * edge; ++at) {
    const int x = at / (edge * edge), y = at / edge % edge, z = at % edge;
    cloud->positions.push_back({x + 0.5, y + 0.5, z + 0.5});
  }
  return voxelize_scene(backend, cloud, {{1, 1, 1}, {}}, PackSpec::bits64(), {7, 1}, job, {}, 1);
}

// Trap 7 of native layers.
TEST(NativeBlock, NativeTrap7LargeBallsMissCornersAndFoldPointsOutsideTheCube) {
  Job job;
  const auto backend = app::make_registry().make("cpu", {});
  constexpr int edge = 9, middle = ((4 * edge) + 4) * edge + 4;
  const auto scene = full_block(*backend, edge, job);
  for (const auto& [size, missed, folded] : {std::tuple{3, 0, 0}, {5, 8, 6}, {7, 56, 54}}) {
    const auto map = map_of_scene(*backend, *scene, {native(size, ball), 1, 1}, job);
    int columns = 0;
    std::size_t inputs = 0;
    for (int column = 0; column < map->offsets->columns(); ++column) {
      const auto found = inputs_of(*map, middle, column);
      inputs += found.size();
      const Voxel offset = map->offsets->offset(column), at = voxel_at(scene->level(1), middle);
      const auto direct =
          row_of_voxel(scene->level(1), {at[0] + offset[0], at[1] + offset[1], at[2] + offset[2]});
      columns += std::ranges::count(found, static_cast<std::int32_t>(direct.value())) == 1 ? 1 : 0;
    }
    const int all = size * size * size;
    EXPECT_EQ(columns, all - missed) << size;
    EXPECT_EQ(inputs, static_cast<std::size_t>(all - missed + folded)) << size;
  }
}

// Rule (b) of native layers: points at the centres of voxels have the neighbours of the voxels.
TEST(NativeBlock, PointsAtCentresHaveTheVoxelLists) {
  Job job;
  const auto backend = app::make_registry().make("cpu", {});
  const auto scene = full_block(*backend, 6, job);
  for (const auto& [size, neighbourhood] : {std::pair{3, cube}, {3, ball}, {5, cube}, {7, cube}}) {
    const MapKey key{native(size, neighbourhood), 1, 1};
    const auto map = map_of_scene(*backend, *scene, key, job);
    EXPECT_TRUE(same_lists(*map, voxel_lists(*backend, *scene, key, job))) << text_of(key.kernel);
    const NeighbourFacts facts = neighbour_facts(*scene, key, *map);
    EXPECT_EQ(facts.counts.same_column, facts.counts.triplets);
    EXPECT_EQ(facts.counts.fan_in(), 1.0);
    EXPECT_EQ(facts.counts.folded, 0);
  }
  EXPECT_NEAR(position_facts(*scene).rms_m, 0, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Scenes, NativeGolden,
                         testing::Values(Golden{"kitti/semantickitti_00_000000.bin",
                                                0.05,
                                                91'767,
                                                346'221,
                                                354'391,
                                                378'923,
                                                319'268,
                                                48'300,
                                                {91, 68, 17},
                                                22,
                                                849'767,
                                                929'653,
                                                203'695,
                                                278},
                                         Golden{"formats/spconv_benchmark-pc.npz",
                                                0.1,
                                                125'565,
                                                788'961,
                                                813'347,
                                                859'837,
                                                713'241,
                                                109'560,
                                                {89, 63, 18},
                                                33,
                                                2'229'165,
                                                2'383'135,
                                                354'793,
                                                256},
                                         Golden{"indoor/sunrgbd_000001.npz",
                                                0.02,
                                                31'433,
                                                248'029,
                                                255'023,
                                                270'563,
                                                215'826,
                                                37'018,
                                                {89, 58, 19},
                                                33,
                                                723'583,
                                                791'251,
                                                99'425,
                                                47},
                                         Golden{"indoor/redkitchen_000.ply",
                                                0.02,
                                                28'793,
                                                401'985,
                                                385'051,
                                                448'981,
                                                350'308,
                                                77'606,
                                                {94, 80, 16},
                                                33,
                                                1'256'559,
                                                1'270'219,
                                                114'056,
                                                6},
                                         Golden{"nuscenes/n015_1532402927647951.pcd.bin",
                                                0.1,
                                                17'885,
                                                50'537,
                                                50'977,
                                                56'493,
                                                48'176,
                                                6'654,
                                                {97, 77, 13},
                                                17,
                                                99'717,
                                                115'347,
                                                33'557,
                                                24}),
                         test::PrintedName{});

}  // namespace
}  // namespace spira
