// Networks: layers and their connections, without weights.
//
//   spira::Network network("backbone.json");
//   for (const spira::LayerInfo& layer : network.layers())
//     std::cout << layer.name << ": " << layer.in_channels << " -> " << layer.out_channels << " channels\n";
#pragma once

#include <array>
#include <memory>
#include <spira/version.hpp>
#include <string>
#include <vector>

namespace spira::library {
struct Access;
struct NetworkState;
}  // namespace spira::library

namespace spira::v0 {

/// One layer of a network. The arrays are in the order x, y, z.
struct LayerInfo {
  std::string name;
  std::string operation;  ///< The name in network files, such as "conv", "concat" or "dense".
  /// Names of earlier layers, "input" for the voxels, or "points" for the points.
  std::vector<std::string> inputs;
  std::array<int, 3> kernel_size{1, 1, 1};  ///< In cells. 1 for operations without a kernel.
  std::array<int, 3> stride{1, 1, 1};
  bool transposed = false;
  int in_channels = 0;  ///< The sum over all inputs.
  int out_channels = 0;
};

/// An immutable network. Copies share their content. All functions are thread-safe.
class Network {
 public:
  /// Loads a built-in network ("minkunet42", "resn21", "resnl20", "fcgf" or "sbnet") or a network file
  /// (docs/network-files.md). Throws `Error(input)` if the file does not exist, cannot be read, has another
  /// version or is not valid, and `Error(usage)` if a name without a folder and an extension is not built in.
  explicit Network(const std::string& preset_or_file);

  [[nodiscard]] const std::string& name() const noexcept;
  /// The number of input features of a voxel.
  [[nodiscard]] int input_channels() const noexcept;
  /// All layers, in the order of execution.
  [[nodiscard]] const std::vector<LayerInfo>& layers() const noexcept;
  /// The names of the layers that are results of the network: the layers that the file names, or the last
  /// layer.
  [[nodiscard]] const std::vector<std::string>& outputs() const noexcept;
  /// The voxel size in metres that the network file requires, along x, y and z. Zeros if the file names none.
  [[nodiscard]] std::array<double, 3> voxel_m() const noexcept;

 private:
  friend struct library::Access;
  std::shared_ptr<const library::NetworkState> state_;
};

}  // namespace spira::v0
