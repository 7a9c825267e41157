// Compares a batch of frames with the same frames alone: coordinates must be equal, and features equal on the
// CPU. Also tests voxels on all faces of adjacent frames, where offsets could cross into the next frame.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/scene/batch.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace spira {
namespace {

using Clouds = std::vector<std::shared_ptr<const PointCloud>>;
using testing::HasSubstr;

const Grid metre{{1.0, 1.0, 1.0}, {}};

/// Returns a voxel file's cloud with random features.
std::shared_ptr<PointCloud> voxel_cloud(const std::vector<Voxel>& voxels, int channels, std::uint64_t seed) {
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = "voxels";
  cloud->feature_channels = channels;
  Random random(seed);
  const std::set<Voxel> distinct(voxels.begin(), voxels.end());
  for (const Voxel& voxel : distinct) {
    cloud->positions.push_back({voxel[0] + 0.5, voxel[1] + 0.5, voxel[2] + 0.5});
    for (int channel = 0; channel < channels; ++channel)
      cloud->features.push_back(static_cast<float>(random.normal()));
  }
  return cloud;
}

/// The rows of one layer by their voxel in the coordinates of the file, or by the number of their point in
/// its frame.
using Rows = std::map<Voxel, std::vector<float>>;

Rows rows_of(const LayerResult& result, int frame) {
  const CoordSet& level = result.scene->level(result.levels.stride_out);
  Rows rows;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    const bool points = level.rule.is_points();
    if ((points ? result.scene->point_rows->frame(row) : frame_at(level, row)) != frame) continue;
    Voxel voxel = points ? Voxel{static_cast<std::int32_t>(rows.size()), 0, 0} : voxel_at(level, row);
    for (std::size_t axis = 0; axis < 3 && !points; ++axis)
      voxel.at(axis) += static_cast<std::int32_t>(result.scene->shift.at(axis));
    std::vector<float>& values = rows[voxel];
    for (int channel = 0; channel < result.features->channels; ++channel)
      values.push_back(feature_at(*result.features, row, channel));
  }
  return rows;
}

struct Setting {
  explicit Setting(std::shared_ptr<const Network> of, Grid voxels = metre, Precision stored = Precision::fp32)
      : network(std::move(of)),
        weights(std::make_shared<const NetworkWeights>(seeded_weights(*network, 5))),
        grid(voxels),
        precision(stored) {}
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  Grid grid;
  Precision precision;
};

/// The results of all layers.
std::vector<std::shared_ptr<const LayerResult>> run(const Setting& setting,
                                                    const std::shared_ptr<const PointCloud>& cloud,
                                                    Plan plan) {
  Session session(test::make_subject(), setting.network, setting.weights);
  Job job;
  const PackNeeds needs = levels_of(*setting.network).needs.with_batch(cloud->batch());
  const auto packs = packings_that_fit(voxel_range(*cloud, setting.grid, job).extent(needs.levels), needs);
  static_cast<void>(session.load(cloud, setting.grid, packs.at(0), setting.precision, job));
  plan.precision = setting.precision;
  std::vector<std::shared_ptr<const LayerResult>> results;
  session.run_all(plan, job, [&](const auto& result) { results.push_back(result); });
  return results;
}

/// Returns the largest difference, divided by the largest value.
double difference(const Rows& a, const Rows& b) {
  double largest = 1e-30, worst = 0;
  for (const auto& [voxel, values] : a) {
    const std::vector<float>& others = b.at(voxel);
    for (std::size_t at = 0; at < values.size(); ++at) {
      largest = std::max(largest, std::abs(static_cast<double>(values[at])));
      worst = std::max(worst, std::abs(static_cast<double>(values[at]) - static_cast<double>(others[at])));
    }
  }
  return worst / largest;
}

std::set<Voxel> voxels_of(const Rows& rows) {
  std::set<Voxel> voxels;
  for (const auto& [voxel, values] : rows)
    voxels.insert(voxel);
  return voxels;
}

/// The CPU sums each row in one order. A GPU chooses its kernels by the number of rows.
double tolerance(Precision precision) {
  if (test::subject_name() == "cpu") return 0;
  return precision == Precision::fp32 ? 1e-5 : 1e-2;
}

void expect_frames(const Setting& setting, const Clouds& frames, const Plan& plan) {
  const auto batch = batch_of(frames);
  ASSERT_EQ(batch->batch(), static_cast<int>(frames.size()));
  const auto together = run(setting, batch, plan);
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    if (frames[frame]->positions.empty()) {
      for (const auto& result : together)
        EXPECT_TRUE(rows_of(*result, static_cast<int>(frame)).empty()) << "an empty frame has no outputs";
      continue;
    }
    const auto alone = run(setting, frames[frame], plan);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t layer = 0; layer < alone.size(); ++layer) {
      const Rows expected = rows_of(*alone[layer], 0),
                 found = rows_of(*together[layer], static_cast<int>(frame));
      const std::string where = setting.network->layers[layer].name + ", frame " + std::to_string(frame);
      ASSERT_EQ(voxels_of(found), voxels_of(expected)) << where;
      ASSERT_LE(difference(expected, found), tolerance(setting.precision)) << where;
    }
  }
}

Clouds rooms(int count) {
  Clouds frames;
  for (int frame = 0; frame < count; ++frame)
    frames.push_back(test::small_room(200 + (60 * frame), static_cast<std::uint64_t>(frame) + 1));
  return frames;
}

class Batch : public testing::TestWithParam<const char*> {};

TEST_P(Batch, OfFourEqualsFourRuns) {
  const std::string id = GetParam();
  const auto network = std::make_shared<const Network>(id == "little"     ? test::little_unet()
                                                       : id == "reaching" ? test::reached_network()
                                                                          : network_preset(id));
  expect_frames(Setting(network, test::small_grid), rooms(4), default_plan(*network));
}

INSTANTIATE_TEST_SUITE_P(Networks, Batch,
                         testing::Values("little", "reaching", "resn21", "minkunet42", "resnl20"),
                         [](const auto& info) { return test::case_name(info.param); });

TEST(BatchRuns, InFp16AndWeightStationary) {
  const auto network = std::make_shared<const Network>(test::little_unet());
  expect_frames(Setting(network, test::small_grid, Precision::fp16), rooms(3), default_plan(*network));
  for (const int t : {0, 2}) {
    Plan plan = default_plan(*network);
    set_threshold(plan, *network, t);
    expect_frames(Setting(network, test::small_grid), rooms(2), plan);
  }
}

/// Networks that spconv computed, on their recorded input, a part of it, an empty frame, and the same input
/// again.
TEST(BatchRuns, OfRecordedInputsEqualTheInputsAlone) {
  int networks = 0;
  for (const auto& folder : std::filesystem::directory_iterator(SPIRA_SOURCE_DIR "/tests/fixtures/oracle")) {
    const std::string name = folder.path().filename().string();
    const auto capture = folder.path() / (name + ".capture.safetensors");
    if (!std::filesystem::exists(capture) || name == "batch") continue;
    SCOPED_TRACE(name);
    Job job;
    const auto whole = load_scene(capture.string(), {"voxels"}, job);
    auto part = std::make_shared<PointCloud>(*whole);
    const auto half = static_cast<std::size_t>(whole->size()) / 2;
    part->positions.resize(half);
    part->features.resize(half * static_cast<std::size_t>(whole->feature_channels));
    auto none = std::make_shared<PointCloud>(*whole);
    none->positions.clear();
    none->features.clear();
    const auto network = std::make_shared<const Network>(read_network(folder.path() / (name + ".json")));
    if (name == "pools") {  // It contains an instance_norm.
      try {
        expect_frames(Setting(network), {whole, part}, default_plan(*network));
        FAIL() << "a batch has no mean of one frame";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    testing::HasSubstr("cannot run the layer norm2, because instance_norm normalises"));
      }
      continue;
    }
    expect_frames(Setting(network), {whole, part, none, whole}, default_plan(*network));
    ++networks;
  }
  EXPECT_GE(networks, 10);
}

TEST(BatchRuns, OfOneVoxelPerFrameAndOfEqualFrames) {
  const auto network = std::make_shared<const Network>(parse_network(
      R"({"schema": "spira.network 2", "name": "voxels", "input": {"features": "file"}, "in_channels": 2,
          "layers": [{"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8, "stride": 2},
                     {"name": "c", "out_channels": 8, "rule": "reached", "cells": [3, 3, 3], "stride": 2}]})",
      "voxels.json"));
  const Plan plan = default_plan(*network);
  Clouds single, equal;
  const auto shape = test::box_voxels({5, 5, 5}, 1, 20, 3);
  for (int frame = 0; frame < 5; ++frame) {
    single.push_back(voxel_cloud({{frame, 2, frame % 2}}, 2, static_cast<std::uint64_t>(frame)));
    equal.push_back(voxel_cloud(shape, 2, static_cast<std::uint64_t>(frame)));
  }
  expect_frames(Setting(network), single, plan);
  expect_frames(Setting(network), equal, plan);
}

TEST(BatchRuns, AcceptTheLargestBatchAndRefuseALargerOne) {
  const auto network = std::make_shared<const Network>(parse_network(
      R"({"schema": "spira.network 2", "name": "voxels", "input": {"features": "file"}, "in_channels": 1,
          "layers": [{"name": "a", "out_channels": 4}]})",
      "voxels.json"));
  Clouds frames;
  for (int frame = 0; frame < max_batch; ++frame)
    frames.push_back(voxel_cloud({{frame % 3, 0, 0}, {1, 1, 1}}, 1, static_cast<std::uint64_t>(frame)));
  const auto results = run(Setting(network), batch_of(frames), default_plan(*network));
  EXPECT_EQ(results.front()->scene->pack.batch_bits, 8);
  EXPECT_EQ(results.front()->features->rows, 2 * max_batch);
  EXPECT_EQ(frame_at(results.front()->scene->level(1), (2 * max_batch) - 1), max_batch - 1);
  frames.push_back(frames.front());
  EXPECT_THROW(static_cast<void>(batch_of(frames)), Error);
}

TEST(BatchRuns, NameThePackingThatFits) {
  const auto network = std::make_shared<const Network>(test::little_unet());
  Session session(test::make_subject(), network,
                  std::make_shared<const NetworkWeights>(seeded_weights(*network, 5)));
  Job job;
  try {
    static_cast<void>(
        session.load(batch_of(rooms(4)), test::small_grid, PackSpec::bits32(), Precision::fp32, job));
    ADD_FAILURE() << "34 bits do not fit in a word of 32";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
    EXPECT_THAT(error.what(), HasSubstr("12/12/8 and 2 bits for the batch does not fit"));
    EXPECT_THAT(error.what(), HasSubstr("the fields have 34 bits; a word has 32; packings that fit: "));
  }
}

class BatchFaces : public testing::Test {
 protected:
  std::shared_ptr<Backend> subject_ = test::make_subject(),
                           reference_ = app::make_registry().make("reference");
  Job job_;

  /// Expects the levels and maps of the reference, for voxels on all faces of the largest box that fits.
  void expect_maps(PackSpec pack, int frames, int kernel_size, int coarsest) {
    pack = pack.with_batch(frames);
    const PackNeeds needs = PackNeeds(kernel_size, coarsest).with_batch(frames);
    const Fit limits = fit({1, 1, 1}, pack, needs);
    const std::array<std::int64_t, 3> extent{limits.axes[0].limit, limits.axes[1].limit,
                                             limits.axes[2].limit};
    if (std::min({extent[0], extent[1], extent[2]}) < 1) return;
    ASSERT_TRUE(fit(extent, pack, needs).fits());
    Clouds clouds;
    for (int frame = 0; frame < frames; ++frame)
      clouds.push_back(
          voxel_cloud(test::box_voxels(extent, 1, 60, static_cast<std::uint64_t>(frame) + 9), 1, 1));
    const auto batch = batch_of(clouds);
    const VoxelizeRequest request{pack, needs.levels, Precision::fp32};
    const Voxelized mine = subject_->voxelize(*batch, metre, request, job_),
                    truth = reference_->voxelize(*batch, metre, request, job_);
    ASSERT_EQ(all_batch_voxels(mine.coords), all_batch_voxels(truth.coords));
    EXPECT_EQ(mine.points_per_voxel, truth.points_per_voxel);
    EXPECT_EQ(mine.voxel_of_point, truth.voxel_of_point);
    for (int stride = 1; stride <= coarsest; stride *= 2) {
      const CoordSet in = subject_->downsample(mine.coords, stride, job_),
                     true_in = reference_->downsample(truth.coords, stride, job_);
      ASSERT_EQ(all_batch_voxels(in), all_batch_voxels(true_in)) << pack.batch_text() << " stride " << stride;
      expect_map(in, in, true_in, true_in, kernel_size);
      if (stride == coarsest) break;
      const CoordSet out = subject_->downsample(mine.coords, 2 * stride, job_),
                     true_out = reference_->downsample(truth.coords, 2 * stride, job_);
      expect_map(in, out, true_in, true_out, kernel_size);
    }
  }

 private:
  void expect_map(const CoordSet& in, const CoordSet& out, const CoordSet& true_in, const CoordSet& true_out,
                  int kernel_size) {
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, in.stride);
    const bool submanifold = in.stride == out.stride;
    const auto request = [&](MapAlgorithm algorithm) {
      return request_for_threshold(offsets, algorithm, offsets->max_threshold(), submanifold);
    };
    const auto expected = test::pairs_of(
        reference_->build_map(true_in, true_out,
                              request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(),
                                                    submanifold, MapLayout::output_major),
                              job_));
    for (const auto algorithm :
         {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash, MapAlgorithm::sorted_query})
      EXPECT_EQ(test::pairs_of(subject_->build_map(in, out, request(algorithm), job_)), expected)
          << in.pack.batch_text() << ", K " << kernel_size << ", stride " << in.stride << ", "
          << text_of(algorithm);
  }
};

TEST_F(BatchFaces, OffsetsDoNotCrossFrames) {
  for (const int kernel_size : {2, 3, 5, 7}) {
    for (const int coarsest : {1, 4, 16}) {
      expect_maps({7, 5, 4}, 2, kernel_size, coarsest);
      expect_maps({8, 6, 5}, 3, kernel_size, coarsest);
      expect_maps({9, 12, 9}, 4, kernel_size, coarsest);
      expect_maps({8, 20, 16}, 5, kernel_size, coarsest);
    }
  }
}

TEST(CompiledBatch, EqualsTheReferenceAndRefusesAnotherBatch) {
  const auto subject = test::make_subject();
  const auto reference = app::make_registry().make("reference");
  for (const Network& network : {test::little_unet(), test::reached_network()}) {
    const Levels levels = levels_of(network);
    const NetworkWeights weights = seeded_weights(network, 3);
    Job job;
    const auto batch = batch_of(rooms(3));
    const PackNeeds needs = levels.needs.with_batch(3);
    const auto extent = voxel_range(*batch, test::small_grid, job).extent(needs.levels);
    for (const PackSpec& pack : packings_that_fit(extent, needs)) {
      for (const Precision precision : {Precision::fp32, Precision::fp16}) {
        const LevelRequest request{pack, precision, levels.needs, levels.sets};
        const BuiltLevels truth = build_levels(*reference, batch, test::small_grid, request, job);
        VerifyResult result;
        verify_compiled(*subject, *reference, {network, levels, weights, pack, precision, false}, truth,
                        result, job);
        for (const VerifyRow& row : result.rows)
          EXPECT_TRUE(row.passed) << row.layer << ", " << row.setting << ": " << row.fault;
        if (!result.notes.empty()) GTEST_SKIP() << result.notes.front();
      }
    }
  }
  test::SmallSession scene(test::little_unet(), subject);
  Job job;
  const auto batch = batch_of(rooms(3));
  const PackNeeds needs = levels_of(*scene.network).needs.with_batch(3);
  const auto extent = voxel_range(*batch, test::small_grid, job).extent(needs.levels);
  static_cast<void>(scene.session.load(batch, test::small_grid, packings_that_fit(extent, needs).front(),
                                       scene.plan.precision, job));
  const CompiledNetwork& compiled = scene.session.compiled(scene.plan, job);
  ASSERT_TRUE(compiled.run) << compiled.why_not;
  EXPECT_THROW(compiled.run->set_points(*test::small_room()), Error);
  compiled.run->set_points(*batch);
  EXPECT_NO_THROW(compiled.run->run());
}

}  // namespace
}  // namespace spira
