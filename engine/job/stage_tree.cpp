#include "engine/job/stage_tree.hpp"

#include <algorithm>
#include <array>

namespace spira {
namespace {

constexpr std::array<StageFacts, 37> all_stages{{
    {"voxelize", StageGroup::voxelize,
     "Convert points to sorted, unique, packed voxels with averaged features"},
    {"pack", StageGroup::voxelize, "Compute floor(p / g) of each point and pack it into one word"},
    {"sort", StageGroup::voxelize, "Sort packed coordinates and merge duplicates"},
    {"downsample", StageGroup::downsample,
     "Round the coordinates of level 0 down to a stride and remove duplicates"},
    {"project", StageGroup::voxelize, "Compute the input image of a bird's-eye view from the points"},
    {"blocks", StageGroup::downsample, "Find the active blocks of a mask"},
    {"map", StageGroup::search, "Build a kernel map"},
    {"preprocess", StageGroup::search, "Prepare data for the search, such as a hash table"},
    {"search", StageGroup::search, "Find the input for each output and offset"},
    {"transpose", StageGroup::transpose, "Reorder the map for the stage that reads it"},
    {"filter", StageGroup::filter, "Remove entries without an input from weight-stationary columns"},
    {"order", StageGroup::order,
     "Reorder the rows of a map for a feature kernel, when the kernel first uses the map"},
    {"mask", StageGroup::order,
     "Compute the bitmask of each output, for sorted outputs; or the mask of a bird's-eye view"},
    {"argsort", StageGroup::order, "Sort the outputs by their bitmasks"},
    {"reorder", StageGroup::order, "Write the map in the order of its sorted outputs"},
    {"weights", StageGroup::other, "Convert weights to the plain layout that some kernels need"},
    {"features", StageGroup::other, "Compute the features of a layer"},
    {"os", StageGroup::output_stationary,
     "Output-stationary columns: gather inputs, multiply, sum each output in registers"},
    {"ws", StageGroup::weight_stationary,
     "Weight-stationary columns: multiply with one weight matrix at a time, add to the outputs"},
    {"gather", StageGroup::weight_stationary,
     "Copy the input rows of all pairs for a matrix library, or the blocks of an image"},
    {"dense", StageGroup::output_stationary, "Compute all cells of an image, or of gathered blocks"},
    {"gemm", StageGroup::weight_stationary, "Compute one matrix product per column with a general library"},
    {"scatter", StageGroup::weight_stationary,
     "Add the product of each pair to its output, or copy the cores of blocks to the image"},
    {"epilogue", StageGroup::epilogue, "Add bias and residual, apply ReLU, convert the precision"},
    {"rows", StageGroup::epilogue, "Compute operations on each voxel, such as sums, scales and activations"},
    {"pool", StageGroup::output_stationary, "Reduce the inputs of each output to their maximum, sum or mean"},
    {"join", StageGroup::epilogue, "Add the feature rows of voxels that are in several levels"},
    {"points", StageGroup::epilogue, "Move features between voxels and points"},
    {"repack", StageGroup::other,
     "Convert the fp32 weights of a training step to the forms that kernels read"},
    {"dgrad", StageGroup::other, "Compute the gradient with respect to the inputs of a layer"},
    {"wgrad", StageGroup::other, "Compute the gradient with respect to the weights of a layer"},
    {"gate", StageGroup::epilogue,
     "Add the gradients of all layers that read an output; the result is 0 where the ReLU of the output "
     "gives 0"},
    {"reduce", StageGroup::epilogue, "Add the partial sums of a gradient in a fixed order"},
    {"input", StageGroup::voxelize, "Compute input features as means over the points of each voxel"},
    {"clear", StageGroup::other, "Clear the occupancy grid for the next run"},
    {"transfer", StageGroup::other, "Copy data between host and device"},
}};

}  // namespace

std::span<const StageFacts> stage_facts() noexcept {
  return all_stages;
}

StageKey::StageKey(std::string_view text) {
  const auto open = text.find_first_of("[.");
  phase = text.substr(0, open);
  if (open == std::string_view::npos) return;
  if (const auto close = text.rfind(']'); text[open] == '[' && close != std::string_view::npos) {
    subject = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
  } else {
    text.remove_prefix(open);
  }
  if (!text.empty()) step = text.substr(1);
}

std::string StageKey::text() const {
  return phase + (subject.empty() ? "" : "[" + subject + "]") + (step.empty() ? "" : "." + step);
}

std::string_view StageKey::name() const noexcept {
  const std::string_view last = step.empty() ? phase : step;
  return last.substr(last.rfind('.') + 1);
}

std::string_view StageKey::layer() const noexcept {
  const bool of_layer =
      phase == "map" || phase == "features" || phase == "repack" || phase == "dgrad" || phase == "wgrad";
  return of_layer ? std::string_view(subject) : std::string_view();
}

StageGroup StageKey::group() const noexcept {
  for (const auto& stage : all_stages) {
    if (stage.name == name()) return stage.group;
  }
  return StageGroup::other;
}

bool StageKey::of_map() const noexcept {
  const StageGroup own = group();
  return phase == "map" || own == StageGroup::transpose || own == StageGroup::filter ||
         own == StageGroup::order;
}

std::string_view clock_text(Clock clock) noexcept {
  return clock == Clock::cuda_events ? "CUDA events" : "steady clock";
}

std::string_view clocks_text(Clock of_stages) noexcept {
  return of_stages == Clock::cuda_events ? "CUDA events, wall times by the host clock"
                                         : clock_text(of_stages);
}

StageKey StageTree::key(int node) const {
  const auto& here = nodes.at(static_cast<std::size_t>(node));
  if (here.parent < 0) return here.name;
  StageKey inner = key(here.parent);
  inner.step += (inner.step.empty() ? "" : ".") + here.name;
  return inner;
}

int StageTree::find(const StageKey& wanted) const {
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
    if (key(node) == wanted) return node;
  }
  return -1;
}

double StageTree::median_ms(int node) const {
  return median_of(nodes.at(static_cast<std::size_t>(node)).samples_ms);
}

double StageTree::sum_of_tops_ms() const {
  double sum = 0;
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
    if (nodes[static_cast<std::size_t>(node)].parent < 0) sum += median_ms(node);
  }
  return sum;
}

double StageTree::maps_ms() const {
  double sum = 0;
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
    const int parent = nodes[static_cast<std::size_t>(node)].parent;
    const bool inside = parent >= 0 && key(parent).of_map();
    if (!inside && key(node).of_map()) sum += median_ms(node);
  }
  return sum;
}

std::optional<std::size_t> StageTree::peak_bytes() const {
  std::optional<std::size_t> largest;
  for (const StageNode& node : nodes)
    largest = std::max(largest, node.peak_bytes);  // An empty optional is less than any value.
  return largest;
}

void add_to_list(std::string& list, std::string_view name) {
  constexpr std::string_view between = " + ";
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(between, begin), list.size());
    if (std::string_view(list).substr(begin, end - begin) == name) return;
    begin = end + between.size();
  }
  if (!list.empty() && !name.empty()) list += between;
  list += name;
}

std::string StageTree::kernels(int top) const {
  if (top < 0) return {};
  std::string all = nodes.at(static_cast<std::size_t>(top)).kernel;
  std::vector<bool> below(nodes.size());
  below.at(static_cast<std::size_t>(top)) = true;
  for (std::size_t node = static_cast<std::size_t>(top) + 1; node < nodes.size(); ++node) {
    const int parent = nodes[node].parent;
    below[node] = parent >= 0 && below[static_cast<std::size_t>(parent)];
    if (below[node]) add_to_list(all, nodes[node].kernel);
  }
  const std::string& layout = nodes[static_cast<std::size_t>(top)].layout;
  return layout + (layout.empty() || all.empty() ? "" : ": ") + all;
}

void StageTree::merge(const StageTree& other) {
  std::vector<int> here(other.nodes.size());
  for (std::size_t from = 0; from < other.nodes.size(); ++from) {
    const StageNode& node = other.nodes[from];
    const int parent = node.parent < 0 ? -1 : here[static_cast<std::size_t>(node.parent)];
    const auto match = std::find_if(nodes.begin(), nodes.end(), [&](const StageNode& mine) {
      return mine.parent == parent && mine.name == node.name;
    });
    if (match == nodes.end()) {
      here[from] = static_cast<int>(nodes.size());
      nodes.push_back(node);
      nodes.back().parent = parent;
    } else {
      here[from] = static_cast<int>(match - nodes.begin());
      match->samples_ms.insert(match->samples_ms.end(), node.samples_ms.begin(), node.samples_ms.end());
      match->failed = match->failed || node.failed;
      match->peak_bytes = std::max(match->peak_bytes, node.peak_bytes);
      add_to_list(match->kernel, node.kernel);
      if (!node.layout.empty()) match->layout = node.layout;
    }
  }
}

}  // namespace spira
