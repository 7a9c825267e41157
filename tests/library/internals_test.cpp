// Tests that each error of the engine becomes one exception of the library with the same text, and which
// plans are deterministic on a GPU.
#include "app/library/state.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/report/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <new>
#include <spira/error.hpp>
#include <spira/profile.hpp>
#include <system_error>

namespace spira::test {
namespace {

void expect_translated(v0::ErrorKind kind, const std::string& message, const std::function<void()>& work) {
  try {
    library::guarded(work);
    ADD_FAILURE() << "no error; expected " << message;
  } catch (const v0::Error& error) {
    EXPECT_EQ(error.kind(), kind) << message;
    EXPECT_EQ(std::string(error.what()), message);
  }
}

TEST(LibraryErrors, EachKindOfTheEngineHasAKindAndItsText) {
  const std::vector<std::pair<ErrorKind, v0::ErrorKind>> kinds{
      {ErrorKind::usage, v0::ErrorKind::usage},
      {ErrorKind::undecided, v0::ErrorKind::usage},
      {ErrorKind::input, v0::ErrorKind::input},
      {ErrorKind::does_not_fit, v0::ErrorKind::does_not_fit},
      {ErrorKind::device, v0::ErrorKind::device},
      {ErrorKind::device_memory, v0::ErrorKind::memory},
      {ErrorKind::memory, v0::ErrorKind::memory},
      {ErrorKind::cancelled, v0::ErrorKind::cancelled},
      {ErrorKind::failed_check, v0::ErrorKind::internal},
      {ErrorKind::slower, v0::ErrorKind::internal},
      {ErrorKind::internal, v0::ErrorKind::internal}};
  for (const auto& [engine, kind] : kinds)
    expect_translated(kind, "file: fault", [engine = engine] { throw Error(engine, "file: fault"); });
}

TEST(LibraryErrors, OtherExceptionsAreTranslatedToo) {
  expect_translated(v0::ErrorKind::memory, "out of memory", [] { throw std::bad_alloc(); });
  expect_translated(v0::ErrorKind::input, "scan.bin: Permission denied", [] {
    throw std::filesystem::filesystem_error("open", "scan.bin",
                                            std::make_error_code(std::errc::permission_denied));
  });
  expect_translated(
      v0::ErrorKind::device, "cannot start a thread: the limit on threads or memory is reached",
      [] { throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)); });
  expect_translated(v0::ErrorKind::internal, "vector", [] { throw std::out_of_range("vector"); });
  expect_translated(v0::ErrorKind::internal, "unknown exception", [] { throw 1; });
  expect_translated(v0::ErrorKind::input, "as it was",
                    [] { throw v0::Error(v0::ErrorKind::input, "as it was"); });
}

/// Returns a network of a submanifold layer, a down-sampling layer and a transposed layer.
Network up_and_down(int kernel_size) {
  Network network = single_layer_network(3, 1, 4, 8);
  for (const char* name : {"down", "up"}) {
    Layer layer;
    layer.name = name;
    layer.inputs = {network.layers.back().name};
    layer.kernel_size = kernel_size;
    layer.stride = 2;
    layer.transposed = layer.name == "up";
    layer.in_channels = layer.out_channels = 8;
    network.layers.push_back(layer);
  }
  return network;
}

/// Returns the message with which a plan is refused on a GPU, or an empty text.
std::string why_not_deterministic(const Network& network, const Plan& plan) {
  try {
    library::require_deterministic(network, plan);
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
}

TEST(LibraryPlans, SumsInAnUnspecifiedOrderAreRefusedOnAGpu) {
  const Network network = up_and_down(2);
  const auto why_not = [&](const char* dataflow) {
    Plan plan = default_plan(network);
    plan.layers[0] = with_dataflow(network.layers[0], plan.layers[0], dataflow);
    return why_not_deterministic(network, plan);
  };
  for (const char* dataflow : {"os", "unsorted", "mask-sorted:2", "gather"})
    EXPECT_EQ(why_not(dataflow), "") << dataflow;
  for (const char* dataflow : {"ws", "hybrid:2"})
    EXPECT_THAT(why_not(dataflow), testing::HasSubstr(std::string("dataflow ") + dataflow + " adds sums"));
  // A voxel of the finer level is in several pairs of a transposed layer with 27 cells, so its sum has an
  // order.
  const Network wide = up_and_down(3);
  EXPECT_THAT(why_not_deterministic(wide, default_plan(wide)), testing::StartsWith("layer up: "));
}

TEST(LibraryPlans, TheDeterministicPlanDiffersOnlyWhereTheDefaultPlanIsRefused) {
  for (const int kernel_size : {2, 3}) {
    const Network network = up_and_down(kernel_size);
    const Plan plan = library::deterministic_plan(network);
    EXPECT_EQ(why_not_deterministic(network, plan), "");
    for (std::size_t at = 0; at < 2; ++at)
      EXPECT_EQ(dataflow_text(network.layers[at], plan.layers[at]), "os");
    EXPECT_EQ(dataflow_text(network.layers[2], plan.layers[2]), kernel_size == 3 ? "gather" : "ws");
  }
}

TEST(LibraryReports, AreValidForScenesInMemory) {
  const v0::Network network("resn21");
  v0::ModelOptions options;
  options.device.kind = v0::DeviceKind::cpu;
  const v0::Model model(network, options);
  const std::vector<float> positions{0, 0, 0, 1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> cells{0, 0, 0, 1, 2, 3};
  const std::vector<float> features(8);
  for (const v0::Scene& scene :
       {v0::Scene::points(v0::Tensor::view(positions, {3, 3})),
        v0::Scene::voxels(v0::Tensor::view(cells, {2, 3}), v0::Tensor::view(features, {2, 4}), "frame 7")}) {
    const std::string json = v0::profile(model, scene, {.voxel_m = {1, 1, 1}, .repetitions = 1, .warmup = 0});
    EXPECT_THAT(validate_document(json, "report").faults, testing::IsEmpty());
    EXPECT_NE(json.find(scene.has_voxels() ? "\"frame 7\"" : "\"points\""), std::string::npos);
  }
}

}  // namespace
}  // namespace spira::test
