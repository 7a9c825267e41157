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
     "Round level 0 down to a stride and keep unique coordinates (section 5.5)"},
    {"map", StageGroup::search, "Build a kernel map"},
    {"preprocess", StageGroup::search, "Prepare data for the search, such as a hash table"},
    {"search", StageGroup::search, "Find the input of each (output, offset)"},
    {"transpose", StageGroup::transpose, "Reorder the map for the stage that reads it"},
    {"filter", StageGroup::filter, "Drop the entries without input for weight-stationary columns"},
    {"order", StageGroup::transpose, "Reorder the rows of a map for a feature kernel, on first use"},
    {"weights", StageGroup::other, "Unpack weights for a kernel that needs plain order"},
    {"features", StageGroup::other, "Compute the features of a layer"},
    {"os", StageGroup::output_stationary,
     "Output-stationary columns: gather, multiply, keep the output rows"},
    {"ws", StageGroup::weight_stationary,
     "Weight-stationary columns: one weight matrix at a time, scatter-add"},
    {"gather", StageGroup::weight_stationary, "Copy the input rows of all pairs for a matrix library"},
    {"gemm", StageGroup::weight_stationary, "One matrix product per column by a general library"},
    {"scatter", StageGroup::weight_stationary, "Add up the products of all pairs per output"},
    {"epilogue", StageGroup::epilogue, "Bias, residual, ReLU, conversion"},
    {"input", StageGroup::voxelize, "Input features: means over the points of each voxel"},
    {"clear", StageGroup::other, "Clear the occupancy grid for the next run"},
    {"transfer", StageGroup::other, "Copy data between host and device"},
}};

}  // namespace

std::span<const StageFacts> stage_facts() noexcept {
  return all_stages;
}

/// Returns the last part of a path without its brackets. The layer name in the brackets may contain dots.
std::string_view last_of_path(std::string_view path) noexcept {
  if (const auto dot = path.rfind("]."); dot != std::string_view::npos) path.remove_prefix(dot + 2);
  if (const auto bracket = path.find('['); bracket != std::string_view::npos) path = path.substr(0, bracket);
  if (const auto dot = path.rfind('.'); dot != std::string_view::npos) path.remove_prefix(dot + 1);
  return path;
}

StageGroup stage_group(std::string_view name) noexcept {
  name = last_of_path(name);
  for (const auto& stage : all_stages) {
    if (stage.name == name) return stage.group;
  }
  return StageGroup::other;
}

bool stage_of_map(std::string_view path) noexcept {
  const StageGroup group = stage_group(path);
  return path.starts_with("map") || group == StageGroup::transpose || group == StageGroup::filter;
}

std::string_view layer_of_stage(std::string_view path) noexcept {
  const auto open = path.find('['), close = path.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  const std::string_view name = path.substr(0, open);
  return name == "map" || name == "features" ? path.substr(open + 1, close - open - 1) : std::string_view();
}

std::string stage_of(std::string_view name, std::string_view subject) {
  return std::string(name) + "[" + std::string(subject) + "]";
}

}  // namespace spira
