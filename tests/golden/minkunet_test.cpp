// Tests the largest built-in network on a real LiDAR sweep: all outputs must be finite, and the memory use
// must not exceed the forecast.
#include "engine/backend/host_read.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/subject.hpp"

#include <cmath>

namespace spira {
namespace {

TEST(MinkUNet42, StaysFiniteInFp16AndBelowTwoGibibytesOnAKittiSweep) {
  SPIRA_NEED_REAL_SCENES();
  Job job;
  const auto cloud = load_scene((test::data_folder() / "kitti/object_000001.bin").string(), {}, job);
  const std::shared_ptr<Backend> backend = test::make_subject();
  const auto network = std::make_shared<const Network>(network_preset("minkunet42"));
  Session session(backend, network, std::make_shared<const NetworkWeights>(seeded_weights(*network, 1)));
  const Grid grid{{0.05, 0.05, 0.05}, {}};
  Plan plan = default_plan(*network);
  plan.precision = Precision::fp16;
  static_cast<void>(session.load(cloud, grid, PackSpec::bits64(), plan.precision, job));
  session.run_all(plan, job, [](const std::shared_ptr<const LayerResult>& result) {
    for (const float norm : feature_norms(*result->features))
      ASSERT_TRUE(std::isfinite(norm)) << "layer " << result->layer;
  });
  EXPECT_EQ(session.result(0)->features->rows, 90'688);
  constexpr std::size_t two_gibibytes = 2ULL << 30U;
  EXPECT_LT(backend->memory().peak_bytes(), two_gibibytes);
  RecordProperty("peak_bytes", std::to_string(backend->memory().peak_bytes()));
}

}  // namespace
}  // namespace spira
