// Runs a network on a scan, and writes the features and the coordinates of its outputs as raw files.
//
//   infer NETWORK SCENE VOXEL_SIZE FOLDER [WEIGHTS]     for example: infer resn21 scan.bin 0.05 out
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <spira/runner.hpp>
#include <string>
#include <vector>

namespace {

/// Writes the values of a tensor without a header. Its type and shape are printed.
void write(const std::filesystem::path& file, const spira::Tensor& tensor) {
  std::ofstream out(file, std::ios::binary);
  out.write(static_cast<const char*>(tensor.data()),
            static_cast<std::streamsize>(static_cast<std::size_t>(tensor.size()) * size_of(tensor.type())));
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
  std::cout << file.string() << ": " << text_of(tensor.type());
  for (const auto length : tensor.shape())
    std::cout << " " << length;
  std::cout << "\n";
}

void infer(const std::vector<std::string>& arguments) {
  const spira::Network network(arguments[0]);
  spira::ModelOptions options;
  if (arguments.size() > 4) options.weights = arguments[4];
  const spira::Model model(network, options);
  std::cout << network.name() << " with " << network.layers().size() << " layers on " << model.device().name
            << "\n";

  const spira::Scene scene = spira::read_scene(arguments[1]);
  const double edge_m = std::stod(arguments[2]);
  spira::Runner runner(model);
  const spira::Result result = runner.run(scene, {.voxel_m = {edge_m, edge_m, edge_m}});

  const std::filesystem::path folder = arguments[3];
  std::filesystem::create_directories(folder);
  for (const spira::Output& output : result.outputs) {
    write(folder / (output.layer + ".features"), output.features);
    write(folder / (output.layer + ".coordinates"), output.coordinates);
  }
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.size() != 4 && arguments.size() != 5) {
    std::cerr << "usage: infer NETWORK SCENE VOXEL_SIZE FOLDER [WEIGHTS]\n";
    return 2;
  }
  try {
    infer(arguments);
  } catch (const std::exception& error) {
    std::cerr << "infer: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
