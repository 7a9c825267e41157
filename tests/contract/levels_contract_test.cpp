// Tests levels with the reached rule, and kernels that differ between the axes. Compares them with sets that
// spconv computed (tests/fixtures/oracle/chains.json), and with the naive reference.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/file.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/map/map_view.hpp"
#include "engine/network/network.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/features.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace spira {
namespace {

using Json = nlohmann::json;
using Cells = std::array<std::int64_t, 3>;

const Grid metre{{1.0, 1.0, 1.0}, {}};

PerAxis per_axis(const Json& numbers) {
  return {numbers.at(0).get<int>(), numbers.at(1).get<int>(), numbers.at(2).get<int>()};
}

/// Draws the input of a chain with the same random numbers as scripts/record-oracle.
std::set<Voxel> voxels_of(const Json& chain) {
  auto state = chain.at("seed").get<std::uint64_t>();
  const PerAxis shape = per_axis(chain.at("shape"));
  std::set<Voxel> voxels;
  while (voxels.size() < chain.at("count").get<std::size_t>()) {
    Voxel voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      state = (state * 6364136223846793005ULL) + 1442695040888963407ULL;
      voxel.at(axis) = static_cast<std::int32_t>((state >> 33U) % static_cast<std::uint64_t>(shape[axis]));
    }
    voxels.insert(voxel);
  }
  return voxels;
}

PointCloud cloud_of(const std::set<Voxel>& voxels) {
  PointCloud cloud;
  cloud.name = "voxels";
  for (const Voxel& voxel : voxels)
    cloud.positions.push_back({voxel[0] + 0.5, voxel[1] + 0.5, voxel[2] + 0.5});
  return cloud;
}

/// Returns the FNV-1a hash of the cells of a level, in ascending order.
std::string hash_of(const CoordSet& level, const Cells& shift) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const PerAxis stride = level.rule.stride();
  for (const Voxel& voxel : all_voxels(level)) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto cell = static_cast<std::uint32_t>((voxel.at(axis) + shift.at(axis)) / stride[axis]);
      for (unsigned byte = 0; byte < 4; ++byte)
        hash = (hash ^ ((cell >> (8 * byte)) & 0xFFU)) * 0x100000001b3ULL;
    }
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

class LevelsContract : public testing::Test {
 protected:
  std::vector<Backend*> both() { return {subject_.get(), reference_.get()}; }
  /// Compares the sums of three levels in their union, and in the union without z, with the reference.
  void expect_sums(const std::vector<const CoordSet*>& levels, const CoordSet& all, const CoordSet& flat) {
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      std::vector<Features> inputs;
      SetSumRequest sum;
      sum.levels = levels;
      for (const CoordSet* level : sum.levels)
        inputs.push_back(test::random_features(size_of(*level), 11, precision, inputs.size()));
      for (const Features& input : inputs)
        sum.inputs.push_back(&input);
      for (const bool drops : {false, true}) {
        sum.flat = drops;
        sum.out = drops ? &flat : &all;
        const Features expected = reference_->add_sets(sum, job_);
        const WorstError worst = compare(subject_->add_sets(sum, job_), expected, error_scale(sum));
        ASSERT_LE(worst.ratio, 1) << text_of(precision);
        ASSERT_EQ(worst.non_finite, 0);
      }
    }
  }
  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject(),
                           reference_ = app::make_registry().make("reference");
};

TEST_F(LevelsContract, ChainsHaveTheSetsOfSpconv) {
  const Json document =
      Json::parse(read_text_file(SPIRA_SOURCE_DIR "/tests/fixtures/oracle/chains.json", 1 << 20));
  int levels = 0;
  for (const Json& chain : document.at("chains")) {
    const PointCloud cloud = cloud_of(voxels_of(chain));
    LevelRule rule;
    LevelReach reach;
    std::vector<LevelRule> rules;
    for (const Json& layer : chain.at("layers")) {
      rule = rule.after(OutputRule::reached, per_axis(layer.at("kernel_size")), per_axis(layer.at("stride")),
                        per_axis(layer.at("padding")), layer.at("cells").get<Cells>());
      rules.push_back(rule);
      reach.add(rule);
    }
    for (Backend* backend : both()) {
      const Voxelized level0 =
          backend->voxelize(cloud, metre, {PackSpec::bits32(), reach, Precision::fp32}, job_);
      for (std::size_t at = 0; at < rules.size(); ++at) {
        const Json& layer = chain.at("layers").at(at);
        const CoordSet level =
            backend->downsample(level0.coords, {first_numbered_level, rules[at]}, level0.shift, job_);
        ASSERT_EQ(size_of(level), layer.at("count").get<std::int64_t>()) << chain << " layer " << at;
        ASSERT_EQ(hash_of(level, level0.shift), layer.at("hash").get<std::string>())
            << chain << " layer " << at;
        ++levels;
      }
    }
  }
  EXPECT_GT(levels, 400);
}

/// Tests SECOND on a real frame, in the range and grid of KITTI. The expected numbers are from spconv 2.3.8.
TEST_F(LevelsContract, ARealFrameHasTheLevelsOfSpconv) {
  SPIRA_NEED_REAL_SCENES();
  const auto cloud = load_scene((test::data_folder() / "kitti/object_000001.bin").string(), {}, job_);
  const Point low{0, -40, -3}, size{0.05, 0.05, 0.1};
  const Cells range{1408, 1600, 40};  // The shape that spconv uses has one more cell in z.
  std::set<Voxel> voxels;
  for (const Point& p : cloud->positions) {
    Voxel voxel{};
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      voxel.at(axis) = static_cast<std::int32_t>(std::floor((p.at(axis) - low.at(axis)) / size.at(axis)));
      inside = inside && voxel.at(axis) >= 0 && voxel.at(axis) < range.at(axis);
    }
    if (inside) voxels.insert(voxel);
  }
  ASSERT_EQ(voxels.size(), 44'280U);
  const LevelRule two = LevelRule().after(OutputRule::reached, 3, 2, 1, {704, 800, 21}),
                  four = two.after(OutputRule::reached, 3, 2, 1, {352, 400, 11}),
                  eight = four.after(OutputRule::reached, 3, 2, PerAxis(1, 1, 0), {176, 200, 5}),
                  last =
                      eight.after(OutputRule::reached, PerAxis(1, 1, 3), PerAxis(1, 1, 2), 0, {176, 200, 2});
  LevelReach reach;
  for (const LevelRule& rule : {two, four, eight, last})
    reach.add(rule);
  const Voxelized level0 =
      subject_->voxelize(cloud_of(voxels), metre, {PackSpec::bits32(), reach, Precision::fp32}, job_);
  const auto size_at = [&](const LevelRule& rule) {
    return size_of(subject_->downsample(level0.coords, {first_numbered_level, rule}, level0.shift, job_));
  };
  EXPECT_EQ(size_at(two), 73'848);
  EXPECT_EQ(size_at(four), 45'868);
  EXPECT_EQ(size_at(eight), 19'830);
  EXPECT_EQ(size_at(last), 14'639);
}

/// Draws random numbers for kernels and scenes.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int up_to(int most) { return static_cast<int>(random_.uniform() * (most + 1)); }
  PerAxis sizes() { return {1 + up_to(4), 1 + up_to(4), 1 + up_to(4)}; }
  PerAxis strides() { return {1 << up_to(1), 1 << up_to(1), 1 << up_to(1)}; }
  PerAxis paddings(PerAxis size) { return {up_to(size[0] - 1), up_to(size[1] - 1), up_to(size[2] - 1)}; }
  std::set<Voxel> voxels(int count) {
    std::set<Voxel> all;
    for (int at = 0; at < count; ++at)
      all.insert({up_to(40) - 13, up_to(30) - 20, up_to(20) - 5});
    return all;
  }

 private:
  Random random_;
};

std::set<std::tuple<std::int32_t, int, std::int32_t>> pairs_of(const KernelMap& map) {
  std::set<std::tuple<std::int32_t, int, std::int32_t>> pairs;
  for_each_pair(map, [&](std::int32_t q, int k, std::int32_t p) { pairs.emplace(q, k, p); });
  return pairs;
}

TEST_F(LevelsContract, LevelsAndMapsOfRandomStepsEqualTheReference) {
  Draw draw(11);
  for (int round = 0; round < 20; ++round) {
    const PointCloud cloud = cloud_of(draw.voxels(100));
    const PerAxis first = draw.sizes(), second = draw.sizes(), first_below = draw.paddings(first),
                  second_below = draw.paddings(second);
    const auto kind = draw.up_to(2) == 0 ? OutputRule::floor : OutputRule::reached;
    const LevelRule fine = LevelRule().after(kind, first, draw.strides(), first_below, {}),
                    coarse = fine.after(OutputRule::reached, second, draw.strides(), second_below, {});
    LevelReach reach;
    reach.add(fine);
    reach.add(coarse);
    const auto pack = round % 2 == 0 ? PackSpec::bits32() : PackSpec::bits64();
    const VoxelizeRequest request{pack, reach, Precision::fp32};
    const Voxelized found = subject_->voxelize(cloud, metre, request, job_),
                    truth = reference_->voxelize(cloud, metre, request, job_);
    ASSERT_EQ(all_voxels(found.coords), all_voxels(truth.coords));
    const auto level = [&](Backend& backend, const Voxelized& from, int number, const LevelRule& rule) {
      return backend.downsample(from.coords, {number, rule}, from.shift, job_);
    };
    const CoordSet in = level(*subject_, found, 1000, fine), out = level(*subject_, found, 1001, coarse);
    const CoordSet true_in = level(*reference_, truth, 1000, fine),
                   true_out = level(*reference_, truth, 1001, coarse);
    ASSERT_EQ(all_voxels(in), all_voxels(true_in)) << "round " << round;
    ASSERT_EQ(all_voxels(out), all_voxels(true_out)) << "round " << round;
    const auto expect_maps = [&](const CoordSet& from, const CoordSet& to, const CoordSet& true_from,
                                 const CoordSet& true_to, const KernelShape& kernel) {
      const auto offsets = std::make_shared<const KernelOffsets>(kernel, from.rule.stride());
      const bool submanifold = from.stride == to.stride;
      const auto wanted = [&](MapAlgorithm algorithm, int t, MapLayout dense) {
        return request_for_threshold(offsets, algorithm, t, submanifold, dense);
      };
      const int all = offsets->max_threshold();
      const auto expected = pairs_of(reference_->build_map(
          true_from, true_to, wanted(MapAlgorithm::z_delta, all, MapLayout::output_major), job_));
      for (const auto algorithm : {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                   MapAlgorithm::sorted_query}) {
        for (const auto layout : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major})
          ASSERT_EQ(pairs_of(subject_->build_map(from, to, wanted(algorithm, all, layout), job_)), expected)
              << "round " << round << ", K " << text_of(kernel) << ", " << text_of(algorithm) << ", "
              << text_of(layout);
        for (int t = 0; t < all; t += 2)
          ASSERT_EQ(pairs_of(subject_->build_map(from, to, wanted(algorithm, t, MapLayout::z_runs), job_)),
                    expected)
              << "round " << round << ", K " << text_of(kernel) << ", t " << t;
      }
    };
    expect_maps(in, out, true_in, true_out, {second, second_below});
    expect_maps(out, out, true_out, true_out, draw.sizes());
  }
}

TEST_F(LevelsContract, ConvolutionsOfRandomKernelsEqualTheReference) {
  Draw draw(12);
  for (int round = 0; round < 30; ++round) {
    const PointCloud cloud = cloud_of(draw.voxels(200));
    const PerAxis size = draw.sizes(), below = draw.paddings(size);
    const LevelRule rule = LevelRule().after(OutputRule::reached, size, draw.strides(), below, {});
    LevelReach reach;
    reach.add(rule);
    const Voxelized scene =
        reference_->voxelize(cloud, metre, {PackSpec::bits32(), reach, Precision::fp32}, job_);
    const CoordSet out = reference_->downsample(scene.coords, {1000, rule}, scene.shift, job_);
    const auto offsets = std::make_shared<const KernelOffsets>(KernelShape(size, below), 1);
    LayerWeights weights{offsets->columns(), 16, 16, {}, std::vector<float>(16, 0.25F)};
    Random random(static_cast<std::uint64_t>(round));
    for (int at = 0; at < offsets->columns() * 256; ++at)
      weights.weight.push_back(static_cast<float>(random.normal()));
    Features in{size_of(scene.coords), 16, Precision::fp32, {}};
    in.data = Buffer(make_host_pool(), static_cast<std::size_t>(in.rows) * 64);
    for (float& value : in.data.host_span<float>())
      value = static_cast<float>(random.normal());
    const auto run = [&](Backend& backend, int t, bool transposed) {
      const KernelMap map = backend.build_map(
          scene.coords, out, request_for_threshold(offsets, MapAlgorithm::z_delta, t, false), job_);
      Features from;
      if (transposed) {
        const KernelMap forward = reference_->build_map(
            scene.coords, out,
            request_for_threshold(offsets, MapAlgorithm::z_delta, 0, false, MapLayout::output_major), job_);
        from =
            reference_->convolve(forward, in, reference_->upload_weights(weights, Precision::fp32), {}, job_);
      }
      return backend.convolve(map, transposed ? from : in, backend.upload_weights(weights, Precision::fp32),
                              {transposed}, job_);
    };
    const auto expect_close = [&](const Features& found, const Features& truth, const std::string& what) {
      ASSERT_EQ(found.rows, truth.rows);
      float largest = 0, worst = 0;
      for (std::size_t at = 0; at < truth.data.bytes() / 4; ++at) {
        const float a = found.data.host_span<float>()[at], b = truth.data.host_span<float>()[at];
        largest = std::max(largest, std::abs(b));
        worst = std::max(worst, std::abs(a - b));
      }
      EXPECT_LE(worst, 1e-5F * largest) << "round " << round << ", K " << text_of(size) << ", " << what;
    };
    const int all = offsets->max_threshold();
    const Features truth = run(*reference_, 0, false);
    for (const int t : {0, all / 2, all})
      expect_close(run(*subject_, t, false), truth, "t = " + std::to_string(t));
    expect_close(run(*subject_, 0, true), run(*reference_, 0, true), "transposed");
  }
}

/// Some outputs of the floor rule have no input in their kernel, and one voxel alone has one input.
TEST_F(LevelsContract, PoolsOfRandomKernelsEqualTheReference) {
  Draw draw(13);
  int empty = 0;
  for (int round = 0; round < 40; ++round) {
    const PointCloud cloud = cloud_of(draw.voxels(round == 0 ? 1 : 150));
    const PerAxis size = round % 4 == 1 ? PerAxis(1) : draw.sizes(), below = draw.paddings(size);
    const auto kind = round % 2 == 0 ? OutputRule::reached : OutputRule::floor;
    const LevelRule rule = LevelRule().after(kind, size, draw.strides(), below, {});
    LevelReach reach;
    reach.add(rule);
    const Voxelized scene =
        reference_->voxelize(cloud, metre, {PackSpec::bits32(), reach, Precision::fp32}, job_);
    const CoordSet coarse = reference_->downsample(scene.coords, {1000, rule}, scene.shift, job_);
    const CoordSet& out = rule == LevelRule() ? scene.coords : coarse;
    const auto offsets = std::make_shared<const KernelOffsets>(KernelShape(size, below), 1);
    const int all = offsets->max_threshold();
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      const Features in = test::random_features(size_of(scene.coords), 19, precision, 5);
      const KernelMap map = reference_->build_map(
          scene.coords, out, request_for_threshold(offsets, MapAlgorithm::z_delta, all, rule == LevelRule()),
          job_);
      for (const auto layout : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major}) {
        const KernelMap of_subject = subject_->build_map(
            scene.coords, out,
            request_for_threshold(offsets, MapAlgorithm::z_delta, all, rule == LevelRule(), layout), job_);
        for (const auto reduction :
             {PoolReduction::max, PoolReduction::sum, PoolReduction::mean, PoolReduction::mean_of_cells}) {
          const ErrorScale scale = error_scale(map, in, reduction);
          const WorstError worst = compare(subject_->pool(of_subject, in, reduction, job_),
                                           reference_->pool(map, in, reduction, job_), scale);
          ASSERT_LE(worst.ratio, 1) << "round " << round << ", K " << text_of(size) << ", "
                                    << text_of(reduction) << ", " << text_of(layout);
          ASSERT_EQ(worst.non_finite, 0);
          empty += static_cast<int>(std::count(scale.products.begin(), scale.products.end(), 0));
        }
      }
    }
  }
  EXPECT_GT(empty, 0) << "the draw must contain outputs without an input";
}

/// Three levels of different strides, one of them often empty because of its limits, are joined. The union
/// loses z, and another step follows.
TEST_F(LevelsContract, JoinedAndFlatLevelsEqualTheReference) {
  Draw draw(14);
  for (int round = 0; round < 30; ++round) {
    const PointCloud cloud = cloud_of(draw.voxels(round == 0 ? 1 : 150));
    const PerAxis size = draw.sizes(), flat_size{1 + draw.up_to(2), 1 + draw.up_to(2), 1};
    const LevelRule first = LevelRule().after(OutputRule::reached, size, 2, draw.paddings(size), {}),
                    second = LevelRule().after(OutputRule::floor, 2, PerAxis(4, 2, 4), 0, {}),
                    third = first.after(OutputRule::reached, 3, 2, 1, {1 + draw.up_to(2), 4, 3}),
                    all = LevelRule::joined({first, second, third}), flat = all.flattened(),
                    last = flat.after(OutputRule::reached, flat_size, PerAxis(1 << draw.up_to(1), 1, 1),
                                      draw.paddings(flat_size), {});
    LevelReach reach;
    for (const LevelRule& rule : {first, second, third, all, flat, last})
      reach.add(rule);
    const auto pack = round % 2 == 0 ? PackSpec::bits32() : PackSpec::bits64();
    const Voxelized scene = reference_->voxelize(cloud, metre, {pack, reach, Precision::fp32}, job_);
    struct Sets {
      CoordSet first, second, third, all, flat;
    };
    const auto sets_of = [&](Backend& backend) {
      const auto level = [&](const CoordSet& from, int number, const LevelRule& rule) {
        return backend.downsample(from, {number, rule}, scene.shift, job_);
      };
      Sets sets{level(scene.coords, 1000, first),
                level(scene.coords, 1001, second),
                level(scene.coords, 1002, third),
                {},
                {}};
      sets.all = backend.unite({&sets.first, &sets.second, &sets.third}, {1003, all}, job_);
      sets.flat = level(sets.all, 1004, flat);
      return sets;
    };
    const Sets found = sets_of(*subject_), truth = sets_of(*reference_);
    ASSERT_EQ(all_voxels(found.all), all_voxels(truth.all)) << "round " << round;
    ASSERT_EQ(all_voxels(found.flat), all_voxels(truth.flat)) << "round " << round;
    std::set<Voxel> united, columns;
    for (const CoordSet* part : {&truth.first, &truth.second, &truth.third}) {
      for (const Voxel& voxel : all_voxels(*part)) {
        united.insert(voxel);
        columns.insert({voxel[0], voxel[1], static_cast<std::int32_t>(-scene.shift[2])});
      }
    }
    const auto cells = all_voxels(found.all), flat_cells = all_voxels(found.flat);
    ASSERT_TRUE(std::equal(cells.begin(), cells.end(), united.begin(), united.end())) << "round " << round;
    ASSERT_TRUE(std::equal(flat_cells.begin(), flat_cells.end(), columns.begin(), columns.end()));
    // All levels after a union are computed from it, not from the level before them.
    const CoordSet from_union = subject_->downsample(found.all, {1005, last}, scene.shift, job_),
                   true_last = reference_->downsample(truth.all, {1005, last}, scene.shift, job_);
    ASSERT_EQ(all_voxels(from_union), all_voxels(true_last)) << "round " << round;
    expect_sums({&truth.first, &truth.second, &truth.third}, truth.all, truth.flat);
  }
}

/// Calculated by hand: rows of z at two columns, and one of them on a second level.
TEST_F(LevelsContract, ASumOfLevelsAddsTheRowsOfEqualVoxels) {
  const PackSpec pack = PackSpec::bits32();
  const CoordSet fine = test::coord_set(pack, {{0, 0, 2}, {0, 0, 4}, {2, 0, 0}}, 2),
                 coarse = test::coord_set(pack, {{0, 0, 4}, {4, 0, 0}}, 4),
                 all = test::coord_set(pack, {{0, 0, 2}, {0, 0, 4}, {2, 0, 0}, {4, 0, 0}}, 2),
                 flat = test::coord_set(pack, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, 2);
  const Features a = test::features_of({1, 2, 3}, 1, Precision::fp32),
                 b = test::features_of({10, 20}, 1, Precision::fp32);
  for (Backend* backend : both()) {
    const Features sum = backend->add_sets({{&fine, &coarse}, {&a, &b}, &all, false}, job_),
                   columns = backend->add_sets({{&fine, &coarse}, {&a, &b}, &flat, true}, job_);
    const std::vector<float> in_union{1, 12, 3, 20}, without_z{13, 3, 20};
    for (std::size_t row = 0; row < in_union.size(); ++row)
      EXPECT_EQ(feature_at(sum, static_cast<std::int64_t>(row), 0), in_union[row]);
    for (std::size_t row = 0; row < without_z.size(); ++row)
      EXPECT_EQ(feature_at(columns, static_cast<std::int64_t>(row), 0), without_z[row]);
  }
}

/// Returns points in and around voxels: inside them, on faces and corners, duplicates, and far outside.
PointRows points_around(const std::set<Voxel>& voxels, Draw& draw) {
  PointRows rows;
  for (const Voxel& voxel : voxels) {
    const int count = draw.up_to(3);  // Some voxels contain no points.
    for (int at = 0; at < count; ++at) {
      Point point{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        point[axis] = voxel.at(axis) + (draw.up_to(3) == 0 ? draw.up_to(2) : draw.up_to(1000) / 1000.0);
      rows.positions.push_back(point);
      if (draw.up_to(5) == 0) rows.positions.push_back(point);
    }
  }
  for (const double far : {-1e9, -100.5, 40.25, 5000.0, 1e9})
    rows.positions.push_back({far, 1.5, far});
  return rows;
}

TEST_F(LevelsContract, PointsOfRandomLevelsEqualTheReference) {
  Draw draw(15);
  std::int64_t partial = 0, empty_voxels = 0, empty_points = 0;
  for (int round = 0; round < 60; ++round) {
    auto voxels = draw.voxels(round == 0 ? 1 : 150);
    if (round % 3 == 1) {  // Negative coordinates.
      std::set<Voxel> moved;
      for (const Voxel& voxel : voxels)
        moved.insert({voxel[0] - 13, voxel[1] - 7, voxel[2] - 11});
      voxels = moved;
    }
    const int stride = 1 << (round % 5);
    const PerAxis size = draw.sizes();
    const LevelRule rule = round % 2 == 0 ? LevelRule(PerAxis(stride))
                                          : LevelRule().after(OutputRule::reached, size,
                                                              PerAxis(stride, 2, 1), draw.paddings(size), {});
    LevelReach reach;
    reach.add(rule);
    const auto pack = round % 4 < 2 ? PackSpec::bits32() : PackSpec::bits64();
    const Voxelized scene =
        reference_->voxelize(cloud_of(voxels), metre, {pack, reach, Precision::fp32}, job_);
    const CoordSet coarse = reference_->downsample(scene.coords, {1000, rule}, scene.shift, job_);
    const CoordSet& level = rule == LevelRule() ? scene.coords : coarse;
    const PointRows points = points_around(voxels, draw);
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      for (const PointMode mode : {PointMode::trilinear, PointMode::nearest, PointMode::mean}) {
        const bool to_voxels = mode == PointMode::mean;
        const Features in =
            test::random_features(to_voxels ? points.size() : size_of(level), 19, precision, 5);
        const PointRequest request{mode, &level, &points, scene.shift, &in};
        const ErrorScale scale = error_scale(request);
        const WorstError worst =
            compare(subject_->compute_rows(request, job_), reference_->compute_rows(request, job_), scale);
        ASSERT_LE(worst.ratio, 1) << "round " << round << ", " << text_of(rule) << ", " << text_of(mode);
        ASSERT_EQ(worst.non_finite, 0);
        const auto none = std::count(scale.products.begin(), scale.products.end(), 0);
        (to_voxels ? empty_voxels : empty_points) += none;
        if (mode == PointMode::trilinear)
          partial += std::count_if(scale.products.begin(), scale.products.end(),
                                   [](std::int64_t rows) { return rows > 0 && rows < 16; });
      }
    }
  }
  EXPECT_GT(partial, 0) << "the draw must contain points with some of 8 cells";
  EXPECT_GT(empty_points, 0) << "the draw must contain points outside all voxels";
  EXPECT_GT(empty_voxels, 0) << "the draw must contain voxels without points";
}

/// Voxels with the values 1, 10 and 100 at the cells (0, 0, 0), (0, 0, 1) and (1, 0, 0) with stride 2,
/// calculated by hand. The shift moves the cells by -4.
TEST_F(LevelsContract, PointsReadTheCellsAroundThem) {
  const CoordSet level = test::coord_set(PackSpec::bits32(), {{0, 0, 0}, {0, 0, 2}, {2, 0, 0}}, 2);
  const std::array<std::int64_t, 3> shift{-4, -4, -4};
  PointRows points;
  points.positions = {{-4, -4, -4}, {-4, -4, -3}, {-3.5, -4, -3.5}, {-4, -4, -2}, {0, 0, 0}, {-5, -4, -4}};
  const Features voxels = test::features_of({1, 10, 100}, 1, Precision::fp32),
                 values = test::features_of({1, 2, 4, 8, 16, 32}, 1, Precision::fp32);
  // The third point reads (0, 0, 0), (0, 0, 1) and (1, 0, 0) with 9 : 3 : 3 sixteenths. The cell (1, 0, 1),
  // with 1 sixteenth, does not exist. The last point reads (0, 0, 0) from outside.
  const std::vector<float> trilinear{1, 5.5F, (9 * 1 + 3 * 10 + 3 * 100) / 15.0F, 10, 0, 1},
      nearest{1, 1, 1, 10, 0, 0}, mean{7 / 3.0F, 8, 0};
  for (Backend* backend : both()) {
    const auto expect = [&](PointMode mode, const Features& in, const std::vector<float>& expected) {
      const Features found = backend->compute_rows({mode, &level, &points, shift, &in}, job_);
      ASSERT_EQ(found.rows, std::ssize(expected));
      for (std::size_t row = 0; row < expected.size(); ++row)
        EXPECT_NEAR(feature_at(found, static_cast<std::int64_t>(row), 0), expected[row], 1e-5)
            << text_of(mode) << ", row " << row;
    };
    expect(PointMode::trilinear, voxels, trilinear);
    expect(PointMode::nearest, voxels, nearest);
    expect(PointMode::mean, values, mean);
  }
}

/// Two frames have a voxel at the same cell. A point reads only the voxel of its frame.
TEST_F(LevelsContract, PointsReadTheVoxelsOfTheirFrame) {
  PointCloud cloud = cloud_of({{1, 1, 1}});
  cloud.positions.push_back(cloud.positions.front());
  cloud.frame_starts = {0, 1, 2};
  const Voxelized scene =
      reference_->voxelize(cloud, metre, {PackSpec::bits32().with_batch(2), 1, Precision::fp32}, job_);
  PointRows points;
  points.positions = {{1, 1, 1}, {1, 1, 1}, {1.5, 1, 1}};
  points.frames = {1, 0, 1};
  const Features voxels = test::features_of({1, 2}, 1, Precision::fp32),
                 values = test::features_of({3, 4, 7}, 1, Precision::fp32);
  for (Backend* backend : both()) {
    const Features read =
        backend->compute_rows({PointMode::nearest, &scene.coords, &points, scene.shift, &voxels}, job_);
    const Features mean =
        backend->compute_rows({PointMode::mean, &scene.coords, &points, scene.shift, &values}, job_);
    EXPECT_EQ(feature_at(read, 0, 0), 2);
    EXPECT_EQ(feature_at(read, 1, 0), 1);
    EXPECT_EQ(feature_at(mean, 0, 0), 4);
    EXPECT_EQ(feature_at(mean, 1, 0), 5);
  }
}

/// Pools of the values 3, -5 and 1 in the cells 0, 1 and 5 of a row, calculated by hand: with kernel and
/// stride 2, the outputs are at the cells 0 and 4.
TEST_F(LevelsContract, APoolReducesTheCellsOfItsKernel) {
  const LevelRule rule = LevelRule().after(OutputRule::floor, 2, 2, 0, {});
  LevelReach reach;
  reach.add(rule);
  const Voxelized scene = reference_->voxelize(cloud_of({{0, 0, 0}, {0, 0, 1}, {0, 0, 5}}), metre,
                                               {PackSpec::bits32(), reach, Precision::fp32}, job_);
  const CoordSet out = reference_->downsample(scene.coords, {2, rule}, scene.shift, job_);
  const auto offsets = std::make_shared<const KernelOffsets>(KernelShape(2), 1);
  const Features in = test::features_of({3, -5, 1}, 1, Precision::fp32);
  const std::map<PoolReduction, std::vector<float>> expected{
      {PoolReduction::max, {3, 1}},
      {PoolReduction::sum, {-2, 1}},
      {PoolReduction::mean, {-1, 1}},
      {PoolReduction::mean_of_cells, {-0.25F, 0.125F}}};
  for (Backend* backend : both()) {
    const KernelMap map = backend->build_map(
        scene.coords, out,
        request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(), false), job_);
    for (const auto& [reduction, values] : expected) {
      const Features found = backend->pool(map, in, reduction, job_);
      ASSERT_EQ(found.rows, 2);
      EXPECT_EQ(feature_at(found, 0, 0), values[0]) << text_of(reduction);
      EXPECT_EQ(feature_at(found, 1, 0), values[1]) << text_of(reduction);
    }
  }
}

/// A box that just fits a packing, with voxels on all faces, edges and corners. If the guard were too small,
/// a query would match a voxel of a neighbouring column.
TEST_F(LevelsContract, ABoxThatJustFitsHasNoFalseMatches) {
  const PackSpec tight{5, 5, 5};
  for (const int size : {3, 5}) {
    for (int below = 0; below < size; ++below) {
      const LevelRule rule = LevelRule().after(OutputRule::reached, size, 2, below, {});
      PackNeeds needs;
      needs.levels.add(rule);
      needs.guard = guard_cells(below, size - 1 - below, 1);
      for (std::size_t axis = 0; axis < 3; ++axis)
        needs.guard.at(axis) =
            std::max(needs.guard.at(axis), guard_cells(below, size - 1 - below, 2).at(axis));
      int cells = 1;
      const auto fits = [&](int edge) {
        VoxelRange range;
        range.high = {edge - 1, edge - 1, edge - 1};
        return fit(range.extent(needs.levels), tight, needs).fits();
      };
      while (fits(cells + 1))
        ++cells;
      ASSERT_GT(cells, 10);
      std::set<Voxel> voxels;
      for (int a = 0; a < cells; ++a) {
        for (int b = 0; b < cells; ++b) {
          for (const int face : {0, cells - 1}) {
            voxels.insert({a, b, face});
            voxels.insert({a, face, b});
            voxels.insert({face, a, b});
          }
        }
      }
      const auto map_in = [&](const PackSpec& pack, Backend& backend) {
        const Voxelized scene =
            backend.voxelize(cloud_of(voxels), metre, {pack, needs.levels, Precision::fp32}, job_);
        const CoordSet out = backend.downsample(scene.coords, {1000, rule}, scene.shift, job_);
        const auto offsets = std::make_shared<const KernelOffsets>(KernelShape(size, below), 1);
        return std::pair(
            all_voxels(out),
            pairs_of(backend.build_map(
                scene.coords, out, request_for_threshold(offsets, MapAlgorithm::z_delta, 0, false), job_)));
      };
      EXPECT_EQ(map_in(tight, *subject_), map_in(PackSpec::bits64(), *reference_))
          << "K " << size << ", padding " << below;
    }
  }
}

/// Returns a scan whose coordinates are whole millimetres, so that many points are on voxel boundaries.
PointCloud scan_in_millimetres() {
  PointCloud cloud;
  cloud.name = "scan";
  std::uint64_t state = 7;
  const auto next = [&](std::uint64_t count) {
    state = (state * 6364136223846793005ULL) + 1442695040888963407ULL;
    return (state >> 33U) % count;
  };
  for (int at = 0; at < 4'000; ++at) {
    Point point{};
    for (double& value : point)
      value = static_cast<double>(static_cast<float>(next(3'500)) * 0.001F - 1.0F);
    cloud.positions.push_back(point);
    cloud.intensity.push_back(static_cast<float>(next(256)) / 255.0F);
  }
  return cloud;
}

/// Returns the voxels of a scan as spconv and NumPy compute them: in float32, and with at most `most` points
/// per voxel.
PointCloud voxel_file_of(const PointCloud& scan, const InputGrid& grid, std::size_t most) {
  std::map<Cells, std::vector<std::size_t>> voxels;
  for (std::size_t at = 0; at < scan.positions.size(); ++at) {
    Cells cell{};
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto p = static_cast<float>(scan.positions[at][axis]), low = static_cast<float>(grid.low_m[axis]);
      const float found = std::floor((p - low) / static_cast<float>(grid.voxel_m[axis]));
      inside = inside && found >= 0 && found < static_cast<float>(grid.cells[axis]);
      cell[axis] = static_cast<std::int64_t>(found);
    }
    if (inside && voxels[cell].size() < most) voxels[cell].push_back(at);
  }
  PointCloud file;
  file.name = "voxels";
  file.feature_channels = 4;
  for (const auto& [cell, points] : voxels) {
    file.positions.push_back({static_cast<double>(cell[0]) + 0.5, static_cast<double>(cell[1]) + 0.5,
                              static_cast<double>(cell[2]) + 0.5});
    std::array<double, 4> sums{};
    for (const std::size_t at : points) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        sums[axis] += scan.positions[at][axis];
      sums[3] += static_cast<double>(scan.intensity[at]);
    }
    for (const double sum : sums)
      file.features.push_back(static_cast<float>(sum / static_cast<double>(points.size())));
  }
  return file;
}

TEST(InputGrids, GiveTheVoxelsAndFeaturesOfAVoxelFile) {
  const Network network = parse_network(
      R"({"schema": "spira.network 2", "name": "limited",
          "input": {"grid": {"voxel_m": [0.05, 0.05, 0.15], "low_m": [0, -0.52, -0.9], "cells": [40, 44, 20],
                             "most_points": 2}},
          "layers": [{"name": "a", "stride": 2, "rule": "reached", "padding": 1, "cells": [20, 22, 10],
                      "out_channels": 8}]})",
      "limited.json");
  const auto scan = std::make_shared<const PointCloud>(scan_in_millimetres());
  const auto file = std::make_shared<const PointCloud>(voxel_file_of(*scan, *network.grid, 2));
  Job job;
  const auto backend = test::make_subject();
  const Levels levels = levels_of(network);
  const LevelRequest request{PackSpec::bits64(), Precision::fp32, levels.needs, levels.sets, &network};
  const BuiltLevels own = build_levels(*backend, scan, Grid{network.grid->voxel_m, {}}, request, job);
  const BuiltLevels wanted = build_levels(*backend, file, metre, request, job);
  EXPECT_LT(own.scene->cloud->size(), scan->size()) << "no point was dropped";
  EXPECT_EQ(own.scene->shift, wanted.scene->shift);
  ASSERT_EQ(own.scene->levels.size(), 2U);
  for (std::size_t at = 0; at < 2; ++at)
    EXPECT_EQ(all_voxels(*own.scene->levels[at]), all_voxels(*wanted.scene->levels[at])) << at;
  const Features &features = *own.device.features, &expected = *wanted.device.features;
  ASSERT_EQ(features.rows, std::ssize(file->positions));
  ASSERT_EQ(features.rows, expected.rows);
  ASSERT_EQ(features.channels, 4);
  for (std::int64_t row = 0; row < features.rows; ++row) {
    for (int channel = 0; channel < 4; ++channel)
      EXPECT_FLOAT_EQ(feature_at(features, row, channel), feature_at(expected, row, channel)) << row;
  }
}

/// The expected number and hash are from Point2VoxelCPU3d of spconv 2.3.8.
TEST(InputGrids, GiveTheVoxelsOfSpconvOnARealFrame) {
  SPIRA_NEED_REAL_SCENES();
  Job job;
  const auto cloud = load_scene((test::data_folder() / "kitti/object_000001.bin").string(), {}, job);
  InputGrid grid;
  grid.voxel_m = {0.05, 0.05, 0.1};
  grid.low_m = {0, -40, -3};
  grid.cells = {1408, 1600, 40};
  grid.most_points = 5;
  const auto scan = on_input_grid(*cloud, grid, {}, job);
  const auto backend = test::make_subject();
  LevelRequest request;
  request.pack = PackSpec::bits32();
  const BuiltLevels built = build_levels(*backend, scan, Grid{grid.voxel_m, {}}, request, job);
  EXPECT_EQ(size_of(*built.scene->levels.front()), 44'279);
  EXPECT_EQ(hash_of(*built.scene->levels.front(), built.scene->shift), "56980117a2b2381f");
  EXPECT_EQ(cloud->size() - scan->size(), 58'724 + 148) << "points outside, and points after the fifth";
}

TEST(InputGrids, RefuseAnotherVoxelSizeACropAndVoxelsOutside) {
  const auto network = parse_network(
      R"({"schema": "spira.network 2", "name": "small",
          "input": {"grid": {"voxel_m": 0.5, "cells": [4, 4, 4]}}, "layers": [{"name": "a", "out_channels": 8}]})",
      "small.json");
  Job job;
  const auto fault = [&](const PointCloud& cloud, const Grid& grid) -> std::string {
    try {
      const auto shared = std::make_shared<const PointCloud>(cloud);
      static_cast<void>(input_cloud(gridded_cloud(shared, grid, network, job), grid, network, job));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const PointCloud scan = scan_in_millimetres();
  EXPECT_EQ(fault(scan, {{0.5, 0.5, 0.5}, {}}), "accepted");
  EXPECT_EQ(fault(scan, {{0.5, 0.5, 0.25}, {}}),
            "the voxel size is 0.5,0.5,0.25 m, but network small reads voxels of 0.5 m (input.grid in the "
            "network file); use this voxel size");
  EXPECT_EQ(fault(scan, {{0.5, 0.5, 0.5}, Bounds{{0, 0, 0}, {1, 1, 1}}}),
            "network small has its own origin and limits (input.grid in the network file); remove the crop");
  PointCloud file;
  file.name = "voxels.npz";
  file.positions = {{0.5, 0.5, 0.5}, {0.5, 4.5, 0.5}};
  file.feature_channels = 4;
  file.features.resize(8);
  EXPECT_EQ(
      fault(file, metre),
      "voxels.npz: a voxel has y = 4, but the input of network small has only the cells 0 to 3 on this axis");
  EXPECT_EQ(fault(file, {{0.25, 0.25, 0.25}, {}}),
            "voxels.npz: the voxels of this file have an edge length of 1, but the voxel size is 0.25; set "
            "the voxel size to 1");
}

}  // namespace
}  // namespace spira
