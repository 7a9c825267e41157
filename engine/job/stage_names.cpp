#include "engine/job/stage_names.hpp"

#include <array>

namespace spira {
namespace {

constexpr std::array<StageFacts, 21> all_stages{{
    {"voxelize", StageGroup::voxelize,
     "Convert points to sorted, unique, packed voxels with averaged features"},
    {"pack", StageGroup::voxelize, "Compute floor(p / g) of each point and pack it into one word"},
    {"sort", StageGroup::voxelize, "Sort packed coordinates and merge duplicates"},
    {"downsample", StageGroup::downsample,
     "Round the coordinates of level 0 down to a stride and remove duplicates"},
    {"map", StageGroup::search, "Build a kernel map"},
    {"preprocess", StageGroup::search, "Prepare data for the search, such as a hash table"},
    {"search", StageGroup::search, "Find the input for each output and offset"},
    {"transpose", StageGroup::transpose, "Reorder the map for the stage that reads it"},
    {"filter", StageGroup::filter, "Remove entries without an input from weight-stationary columns"},
    {"order", StageGroup::transpose, "Reorder the rows of a map for a feature kernel, on first use"},
    {"weights", StageGroup::other, "Convert weights to the plain layout that some kernels need"},
    {"features", StageGroup::other, "Compute the features of a layer"},
    {"os", StageGroup::output_stationary,
     "Output-stationary columns: gather inputs, multiply, sum each output in registers"},
    {"ws", StageGroup::weight_stationary,
     "Weight-stationary columns: multiply with one weight matrix at a time, add to the outputs"},
    {"gather", StageGroup::weight_stationary, "Copy the input rows of all pairs for a matrix library"},
    {"gemm", StageGroup::weight_stationary, "Compute one matrix product per column with a general library"},
    {"scatter", StageGroup::weight_stationary, "Add the products of all pairs to their outputs"},
    {"epilogue", StageGroup::epilogue, "Add bias and residual, apply ReLU, convert the precision"},
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
  return phase == "map" || phase == "features" ? std::string_view(subject) : std::string_view();
}

StageGroup StageKey::group() const noexcept {
  for (const auto& stage : all_stages) {
    if (stage.name == name()) return stage.group;
  }
  return StageGroup::other;
}

bool StageKey::of_map() const noexcept {
  return phase == "map" || group() == StageGroup::transpose || group() == StageGroup::filter;
}

}  // namespace spira
