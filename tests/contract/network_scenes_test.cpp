// Runs one compiled network on many scenes (trap 7 in docs/architecture.md), and compares it with the same
// network run layer by layer. All counts stay on the device. Therefore a new scene must need neither
// recompilation nor more memory. A run must not read data of the previous scene.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "tests/support/features.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spira {
namespace {

using test::SmallSession;

/// Returns a network whose layers use different feature kernels. It has layers with few channels, many
/// channels and a large kernel size, down-sampling and up-sampling layers, and a skip connection.
Network many_kernels() {
  return parse_network(R"({"name": "kernels", "layers": [
    {"name": "stem", "out_channels": 16},
    {"name": "widen", "out_channels": 96},
    {"name": "wide", "out_channels": 96},
    {"name": "down", "out_channels": 32, "kernel_size": 2, "stride": 2},
    {"name": "far", "out_channels": 32, "kernel_size": 5},
    {"name": "up", "out_channels": 16, "kernel_size": 2, "stride": 2, "transposed": true},
    {"name": "join", "inputs": ["up", "stem"], "out_channels": 24},
    {"name": "last", "inputs": ["join"], "residual": "join", "out_channels": 24}]})",
                       "kernels.json");
}

/// Returns every `step`-th point of a room.
std::shared_ptr<const PointCloud> part_of(const PointCloud& room, std::size_t step) {
  PointCloud part;
  part.name = "a part";
  for (std::size_t at = 0; at < room.positions.size(); at += step) {
    part.positions.push_back(room.positions[at]);
    if (!room.intensity.empty()) part.intensity.push_back(room.intensity[at]);
  }
  return std::make_shared<const PointCloud>(std::move(part));
}

class OneCompiledNetwork : public testing::TestWithParam<Precision> {
 protected:
  /// Compiles the network with capacity for more voxels than the room has. Returns `nullptr` if the back end
  /// can only run layer by layer.
  std::unique_ptr<NetworkRun> compile() {
    SmallSession some(many_kernels(), backend_);
    some.plan.precision = GetParam();
    some.load(room_);
    uploaded_.clear();
    for (const LayerWeights& weights : some.weights->layers)
      uploaded_.push_back(backend_->upload_weights(weights, GetParam()));
    NetworkRunRequest request = run_request(*some.session.scene(), some.network, some.plan, job_);
    request.weights = &uploaded_;
    request.keep_outputs = true;
    request.capacity.points += 100;
    for (std::int64_t& voxels : request.capacity.voxels)
      voxels = std::max<std::int64_t>(6001, voxels + 37);
    shift_ = request.shift;
    return backend_->compile(request, job_).run;
  }

  /// Returns a session that has run the same network layer by layer.
  [[nodiscard]] std::unique_ptr<SmallSession> truth_of(const std::shared_ptr<const PointCloud>& cloud) {
    auto truth = std::make_unique<SmallSession>(many_kernels(), backend_);
    truth->plan.precision = GetParam();
    truth->load(cloud);
    truth->session.run_all(truth->plan, job_, {});
    return truth;
  }

  [[nodiscard]] std::vector<std::array<std::int64_t, 3>> cells_of(
      const CoordSet& level, const std::array<std::int64_t, 3>& shift) const {
    std::vector<std::array<std::int64_t, 3>> cells;
    for (const Voxel& voxel : all_voxels(level))
      cells.push_back({voxel[0] + shift[0], voxel[1] + shift[1], voxel[2] + shift[2]});
    return cells;
  }

  void expect_right(NetworkRun& run, const std::shared_ptr<const PointCloud>& cloud) {
    run.set_points(*cloud);
    run.run();
    const auto truth = truth_of(cloud);
    const VoxelScene& scene = *truth->session.scene();
    for (std::size_t at = 0; at < scene.levels.size(); ++at) {
      EXPECT_EQ(cells_of(backend_->download(run.level(static_cast<int>(at))), shift_),
                cells_of(*scene.levels[at], scene.shift));
    }
    const double share = GetParam() == Precision::fp16 ? 1e-2 : 1e-4;
    for (int layer = 0; layer < static_cast<int>(truth->network->layers.size()); ++layer) {
      test::expect_close(backend_->download(run.output(layer)), *truth->session.result(layer)->features,
                         share,
                         truth->network->layers[static_cast<std::size_t>(layer)].name + ", " +
                             std::to_string(cloud->size()) + " points");
    }
  }

  Job job_;
  std::shared_ptr<Backend> backend_ = app::make_registry().make(test::subject_name());
  std::shared_ptr<const PointCloud> room_ = test::small_room(6000);
  std::vector<UploadedWeights> uploaded_;
  std::array<std::int64_t, 3> shift_{};
};

TEST_P(OneCompiledNetwork, Trap7AllocatesNothingForARunOrNewPoints) {
  const auto run = compile();
  if (!run) GTEST_SKIP() << "the network is not compiled on this back end";
  const auto few = part_of(*room_, 7);
  run->set_points(*room_);
  run->run();
  MemoryPool& memory = backend_->memory();
  const std::size_t used = memory.used_bytes();
  memory.reset_peak();
  run->run();
  run->set_points(*few);
  for (int time = 0; time < 3; ++time)
    run->run();
  run->set_points(*room_);
  run->run();
  EXPECT_EQ(memory.used_bytes(), used);
  EXPECT_EQ(memory.peak_bytes(), used) << "the run must not allocate memory, not even temporarily";
}

TEST_P(OneCompiledNetwork, Trap7TakesFewerAndMorePoints) {
  const auto run = compile();
  if (!run) GTEST_SKIP() << "the network is not compiled on this back end";
  expect_right(*run, part_of(*room_, 9));
  expect_right(*run, room_);
}

TEST_P(OneCompiledNetwork, Trap7TakesOneAndNoPoints) {
  const auto run = compile();
  if (!run) GTEST_SKIP() << "the network is not compiled on this back end";
  run->set_points(*room_);
  run->run();
  // With this step, only one point is left.
  expect_right(*run, part_of(*room_, 6000));
  run->set_points({});
  run->run();
  for (int level = 0; level < 2; ++level)
    EXPECT_EQ(size_of(run->level(level)), 0);
  for (int layer = 0; layer < static_cast<int>(uploaded_.size()); ++layer)
    EXPECT_EQ(run->output(layer).rows, 0) << layer;
  expect_right(*run, part_of(*room_, 2));
}

/// Returns a scene with voxels on both sides of each end of a grid word, at all y, at the faces of the box,
/// and around holes. A grid word holds 26 cells along z, and four neighbouring columns in y are adjacent in
/// memory.
std::shared_ptr<const PointCloud> ends_of_words() {
  PointCloud cloud;
  cloud.name = "ends of words";
  for (int x = 0; x < 7; ++x)
    for (int y = 0; y < 11; ++y)
      for (int z = 0; z < 82; ++z) {
        const int in_word = z % 26;
        const bool end = in_word < 8 || in_word > 20 || z > 78;
        if (end && (x + (3 * y) + (5 * z)) % 7 != 0)
          cloud.positions.push_back({0.1 * x + 0.05, 0.1 * y + 0.05, 0.1 * z + 0.05});
      }
  return std::make_shared<const PointCloud>(std::move(cloud));
}

TEST_P(OneCompiledNetwork, FindsNeighboursAcrossTheWordsOfAGrid) {
  room_ = ends_of_words();
  const auto run = compile();
  if (!run) GTEST_SKIP() << "the network is not compiled on this back end";
  expect_right(*run, room_);
  expect_right(*run, part_of(*room_, 3));
}

/// Returns one flag per row of each layer's output. A flag is true if a NaN in row `input_row` of the
/// network's input reaches this row.
std::vector<std::vector<bool>> reached_outputs(const SmallSession& some, std::int32_t input_row) {
  const Network& network = *some.network;
  std::vector<bool> input(some.session.scene()->points_per_voxel.size(), false);
  input[static_cast<std::size_t>(input_row)] = true;
  std::vector<std::vector<bool>> reached;
  const auto rows_of = [&](const std::string& name) -> const std::vector<bool>& {
    const int index = network.index_of(name);
    return index < 0 ? input : reached[static_cast<std::size_t>(index)];
  };
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    const auto result = some.session.result(static_cast<int>(at));
    std::vector<bool> out(static_cast<std::size_t>(result->features->rows), false);
    if (!layer.residual.empty()) out = rows_of(layer.residual);
    for (const auto& name : layer.inputs) {
      const std::vector<bool>& from = rows_of(name);
      for_each_pair(*result->map, [&](std::int32_t output, int, std::int32_t taken) {
        if (from[static_cast<std::size_t>(layer.transposed ? output : taken)])
          out[static_cast<std::size_t>(layer.transposed ? taken : output)] = true;
      });
    }
    reached.push_back(std::move(out));
  }
  return reached;
}

/// Expects NaN in all channels of the given rows, and in no channel of the other rows.
void expect_special(const Features& found, const std::vector<bool>& rows, const std::string& what) {
  ASSERT_EQ(found.rows, std::ssize(rows)) << what;
  std::int64_t wrong = 0;
  for (std::int64_t row = 0; row < found.rows; ++row) {
    for (int channel = 0; channel < found.channels; ++channel)
      wrong += std::isnan(feature_at(found, row, channel)) != rows[static_cast<std::size_t>(row)] ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << what;
}

TEST_P(OneCompiledNetwork, NanReachesItsNeighboursAndEndsWithItsScene) {
  PointCloud spoilt = *room_;
  spoilt.intensity.assign(spoilt.positions.size(), 1.0F);
  const std::size_t point = spoilt.positions.size() / 2;
  spoilt.intensity[point] = std::numeric_limits<float>::quiet_NaN();
  const auto cloud = std::make_shared<const PointCloud>(std::move(spoilt));
  const auto truth = truth_of(cloud);
  const auto reached = reached_outputs(*truth, truth->session.scene()->voxel_of_point[point]);
  const auto& layers = truth->network->layers;
  EXPECT_LT(std::count(reached.back().begin(), reached.back().end(), true), std::ssize(reached.back()));
  for (std::size_t at = 0; at < layers.size(); ++at)
    expect_special(*truth->session.result(static_cast<int>(at))->features, reached[at], layers[at].name);
  const auto run = compile();
  if (!run) GTEST_SKIP() << "the network is not compiled on this back end";
  run->set_points(*cloud);
  run->run();
  for (std::size_t at = 0; at < layers.size(); ++at) {
    expect_special(backend_->download(run->output(static_cast<int>(at))), reached[at],
                   layers[at].name + ", compiled");
  }
  // Memory beyond the last valid row still contains NaN from the previous scene.
  expect_right(*run, part_of(*room_, 3));
}

INSTANTIATE_TEST_SUITE_P(Storages, OneCompiledNetwork, testing::Values(Precision::fp32, Precision::fp16),
                         [](const auto& precision) { return std::string(text_of(precision.param)); });

}  // namespace
}  // namespace spira
