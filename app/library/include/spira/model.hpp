// A network with weights and settings, ready to run on a device.
//
//   spira::Model model(network, {.weights = "backbone.safetensors"});
#pragma once

#include <cstdint>
#include <memory>
#include <spira/device.hpp>
#include <spira/network.hpp>
#include <spira/tensor.hpp>
#include <spira/version.hpp>
#include <string>

namespace spira::library {
struct Access;
struct ModelState;
}  // namespace spira::library

namespace spira::v0 {

struct ModelOptions {
  DeviceOptions device{};
  /// A .safetensors file (docs/network-files.md). If it is empty, the weights are random numbers from `seed`.
  std::string weights{};
  std::uint64_t seed = 1;
  /// The type of weights and features: float32 or float16. Sums are always computed in float32.
  DataType precision = DataType::float32;
  /// A plan file, or a tuning profile of `spira tune` or tune(). It sets the dataflow and the mapping
  /// algorithm of each layer. If it is empty, all layers run output-stationary, and transposed layers
  /// weight-stationary. If `deterministic` is true, a transposed layer whose kernel is larger than its stride
  /// runs with the dataflow "gather" on a GPU.
  std::string plan{};
  /// If true, a run with the same scene and device always has the same bits. On a GPU, layers that add sums
  /// in an unspecified order are then refused. On the CPU, all plans are deterministic.
  bool deterministic = true;
};

/// An immutable network with weights and plan on a device. Copies share their content, and any number of
/// threads may use it at the same time, each with its own Runner.
class Model {
 public:
  /// Reads the weights and the plan. Throws `Error(input)` if a file cannot be read or does not match the
  /// network, `Error(device)` if the device cannot be used, and `Error(usage)` if the precision is neither
  /// float32 nor float16, if the tuning profile was measured for another network, device, precision or
  /// version, or if the plan is not deterministic although it must be.
  explicit Model(const Network& network, const ModelOptions& options = {});

  [[nodiscard]] const Network& network() const noexcept;
  [[nodiscard]] const DeviceInfo& device() const noexcept;

 private:
  friend struct library::Access;
  std::shared_ptr<const library::ModelState> state_;
};

}  // namespace spira::v0
