#include "engine/job/stage_tree.hpp"

#include <algorithm>

namespace spira {

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
    largest = std::max(largest, node.peak_bytes);  // an empty optional is less than any value
  return largest;
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
    }
  }
}

}  // namespace spira
