// Tests trap 7 in docs/architecture.md: the number of voxels is stored on the device, so a buffer can be
// larger than its contents. Each operation must give the same result for a level in a larger buffer and in a
// buffer of exactly the right size.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/report/report.hpp"
#include "engine/run/verify/verify.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/features.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

using test::with_room;

/// Returns the back end under test. All its levels are in buffers with spare capacity.
std::shared_ptr<Backend> roomy_subject() {
  auto roomy = std::make_shared<test::AlteredBackend>(test::make_subject({2, 0}));
  roomy->alter_scene = [](Voxelized& scene) { scene.coords = with_room(scene.coords); };
  roomy->alter_level = [](CoordSet& level) { level = with_room(level); };
  return roomy;
}

class Trap7 : public testing::TestWithParam<PackSpec> {
 protected:
  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
  CoordSet exact_ = test::coord_set(GetParam(), test::box_voxels({20, 20, 12}, 1, 700, 7));
  CoordSet roomy_ = with_room(exact_);
};

TEST_P(Trap7, KeysBeyondTheCountAreNotVoxels) {
  EXPECT_EQ(all_voxels(roomy_), all_voxels(exact_));
  const Voxel last = voxel_at(exact_, size_of(exact_) - 1);
  EXPECT_TRUE(row_of_voxel(roomy_, last));
  EXPECT_FALSE(row_of_voxel(roomy_, {last[0], last[1], last[2] + 1}));
  const CoordSet again = subject_->download(subject_->upload(roomy_));
  EXPECT_EQ(again.capacity, roomy_.capacity);
  EXPECT_EQ(all_voxels(again), all_voxels(exact_));
}

TEST_P(Trap7, CoarserLevelsAreMadeOfTheCountedKeys) {
  for (const int stride : {1, 2, 8}) {
    const CoordSet coarse = subject_->downsample(roomy_, stride, job_);
    EXPECT_EQ(all_voxels(coarse), all_voxels(reference_->downsample(exact_, stride, job_)));
    EXPECT_EQ(coarse.count.host_span<std::int64_t>()[0], size_of(coarse))
        << "the count on the device must equal the count on the host";
    EXPECT_LE(size_of(coarse), coarse.capacity);
  }
}

TEST_P(Trap7, MapsHoldPairsOfTheCountedKeys) {
  const CoordSet exact_coarse = reference_->downsample(exact_, 2, job_),
                 roomy_coarse = with_room(exact_coarse);
  for (const int kernel_size : {2, 3, 5}) {
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    for (const auto algorithm : {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                 MapAlgorithm::sorted_query}) {
      for (const auto layout :
           {MapLayout::output_major, MapLayout::offset_major, MapLayout::pair_lists, MapLayout::z_runs}) {
        for (const bool strided : {false, true}) {
          const MapRequest request{offsets, algorithm, {{layout, test::all_columns(*offsets)}}, false};
          const KernelMap found = subject_->build_map(roomy_, strided ? roomy_coarse : roomy_, request, job_);
          const KernelMap truth =
              reference_->build_map(exact_, strided ? exact_coarse : exact_, request, job_);
          const std::string what = std::string(text_of(algorithm)) + ", " + std::string(text_of(layout));
          EXPECT_EQ(found.outputs, truth.outputs) << what;
          EXPECT_EQ(found.inputs, size_of(exact_)) << what;
          EXPECT_EQ(test::pairs_of(found), test::pairs_of(truth)) << what;
          EXPECT_EQ(densities(found).pairs, densities(truth).pairs) << what;
          if (layout != MapLayout::pair_lists) continue;
          // No other check of this test covers these counts.
          const auto counts = found.parts.at(0).counts.host_span<std::int32_t>();
          const auto matches = matches_per_column(truth);
          EXPECT_TRUE(std::equal(counts.begin(), counts.end(), matches.begin(), matches.end())) << what;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Words, Trap7, testing::Values(PackSpec::bits32(), PackSpec::bits64()),
                         [](const auto& pack) {
                           return "Of" + std::to_string(pack.param.word_bits()) + "Bits";
                         });

TEST(Trap7Session, EveryMappingLayoutAndDataflowIsRightOnRoomyLevels) {
  Job job;
  VerifyOptions options;
  options.grid = test::small_grid;
  options.quick = true;
  const auto roomy = roomy_subject(), reference = app::make_registry().make("reference");
  const VerifyResult result =
      verify(*roomy, *reference, test::small_room(400), test::little_unet(), options, job);
  EXPECT_GT(result.rows.size(), 50U);
  for (const VerifyRow& row : result.rows)
    EXPECT_TRUE(row.passed) << row.layer << ", " << row.setting << ": " << row.fault;
}

TEST(Trap7Session, ResultsAndReportsDoNotDependOnSpareCapacity) {
  test::SmallSession exact(test::little_unet(), test::make_subject({2, 0})),
      roomy(test::little_unet(), roomy_subject());
  Job job;
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  Report reports[2];
  for (auto* some : {&exact, &roomy}) {
    some->load();
    some->session.run_all(some->plan, job, {});
    const auto measured = some->session.measure(some->plan, how, job);
    reports[some == &roomy ? 1 : 0] = make_report(some->session, *measured, {});
  }
  ASSERT_GT(roomy.session.scene()->level(1).capacity, size_of(roomy.session.scene()->level(1)));
  for (int layer = 0; layer < static_cast<int>(exact.network->layers.size()); ++layer) {
    const auto found = roomy.session.result(layer), expected = exact.session.result(layer);
    const std::string& name = exact.network->layers[static_cast<std::size_t>(layer)].name;
    test::expect_close(*found->features, *expected->features, 1e-5, name);
    EXPECT_EQ(found->densities.outputs, expected->densities.outputs) << name;
    EXPECT_EQ(found->densities.pairs, expected->densities.pairs) << name;
  }
  EXPECT_EQ(reports[1].scene.voxels, reports[0].scene.voxels);
  EXPECT_EQ(reports[1].scene.fingerprint, reports[0].scene.fingerprint);
}

}  // namespace
}  // namespace spira
