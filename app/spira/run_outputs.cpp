#include "app/common/value_names.hpp"
#include "app/spira/run_table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/run/write_outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace spira::app {
namespace {

/// Adds the layers that `text` names: "all", one name, or several names separated by commas. A name can
/// contain a comma, so the whole text is first compared with the names.
void add_named(const Network& network, const std::string& text, std::set<int>& chosen) {
  if (const int layer = network.index_of(text); layer >= 0) {
    chosen.insert(layer);
    return;
  }
  if (text == "all") {
    for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer)
      chosen.insert(layer);
    return;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const int layer = network.index_of(name);
    if (layer < 0)
      throw Error(ErrorKind::usage,
                  "--output-layers: network " + network.name + " has no layer '" + name + "'");
    chosen.insert(layer);
    begin = end + 1;
  }
}

std::filesystem::path whole_path(const std::string& name) {
  return std::filesystem::weakly_canonical(std::filesystem::absolute(name));
}

}  // namespace

void RunOutputs::add(CLI::App& command) {
  auto* output = command
                     .add_option("--outputs", file,
                                 "Write outputs of layers with their coordinates to this file: "
                                 ".safetensors or .npz")
                     ->type_name(file_value);
  command
      .add_option("--output-layers", layers,
                  "The layers of --outputs: all, or names separated by commas; may be repeated (default: "
                  "the last layer)")
      ->type_name("all|LIST")
      ->allow_extra_args(false)
      ->needs(output);
}

std::vector<int> RunOutputs::chosen(const Network& network, const std::vector<std::string>& inputs) const {
  if (file.empty()) return {};
  require_outputs_format(file);
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    std::error_code not_there;
    // equivalent() fails if a file does not exist yet, so the paths are compared too.
    if (std::filesystem::equivalent(file, input, not_there) || whole_path(file) == whole_path(input))
      throw Error(ErrorKind::usage,
                  "--outputs " + file + " would overwrite " + input + ", which the run uses");
  }
  std::set<int> layers_of_file;
  for (const std::string& text : layers)
    add_named(network, text, layers_of_file);
  if (layers_of_file.empty()) layers_of_file.insert(static_cast<int>(network.layers.size()) - 1);
  require_writable(file);
  return {layers_of_file.begin(), layers_of_file.end()};
}

void RunOutputs::write(const Context& context, const Loaded& loaded, const std::vector<int>& chosen,
                       Job& job) const {
  if (chosen.empty()) return;
  std::vector<std::shared_ptr<const LayerResult>> results;
  for (const int layer : chosen) {
    auto result = loaded.session->result(layer);
    const bool current = result && result->plan == loaded.plan.layers.at(static_cast<std::size_t>(layer));
    results.push_back(current ? std::move(result) : loaded.session->run_layer(layer, loaded.plan, job));
  }
  write_outputs(file, *loaded.network, results, loaded.weights->source, job);
  context.say("outputs of " + counted_text(std::ssize(results), "layer", "layers") + ": " + file);
}

}  // namespace spira::app
