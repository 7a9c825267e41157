// Measures a network, finds the fastest settings of each layer, and measures the network with these settings.
//
//   tune_layers NETWORK SCENE VOXEL_SIZE SECONDS FOLDER     for example: tune_layers resn21 scan.bin 0.05 30
//   out
//
// Then `spirascope out/before.spira.json` shows the times of each layer, and `spira compare
// out/before.spira.json out/after.spira.json` shows what the settings gain.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <spira/profile.hpp>
#include <string>
#include <vector>

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
  std::cout << file.string() << "\n";
}

void tune_layers(const std::vector<std::string>& arguments) {
  const spira::Network network(arguments[0]);
  const spira::Scene scene = spira::read_scene(arguments[1]);
  const double edge_m = std::stod(arguments[2]);
  const std::filesystem::path folder = arguments[4];
  std::filesystem::create_directories(folder);

  const spira::Model usual(network);
  write(folder / "before.spira.json", spira::profile(usual, scene, {.voxel_m = {edge_m, edge_m, edge_m}}));

  spira::TuneOptions options;
  options.voxel_m = {edge_m, edge_m, edge_m};
  options.budget_s = std::stod(arguments[3]);
  const std::filesystem::path settings = folder / "settings.tune.json";
  write(settings, spira::tune(usual, {scene}, options));

  // Weight-stationary layers add in an unspecified order on a GPU, so the tuned network may differ in the
  // last digits from run to run. On the CPU, results are always the same.
  const spira::Model tuned(network, {.plan = settings.string(), .deterministic = false});
  write(folder / "after.spira.json", spira::profile(tuned, scene, {.voxel_m = {edge_m, edge_m, edge_m}}));
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.size() != 5) {
    std::cerr << "usage: tune_layers NETWORK SCENE VOXEL_SIZE SECONDS FOLDER\n";
    return 2;
  }
  try {
    tune_layers(arguments);
  } catch (const std::exception& error) {
    std::cerr << "tune_layers: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
