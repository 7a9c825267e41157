#include "engine/survey/survey.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace spira {
namespace {

namespace fs = std::filesystem;

PackSpec pack_for(const FrameExtent& extent, const SurveyRequest& request) {
  const PackNeeds needs = request.needs();
  const auto packs = packings_that_fit(extent.fit_cells, needs);
  const PackSpec pack = request.pack ? *request.pack : packs.empty() ? PackSpec::bits64() : packs.front();
  require_fit(extent.fit_cells, pack, needs);
  return pack;
}

/// Computes the results for one frame and stores them in `row`. If it throws, `row` keeps the results that
/// were already computed.
void look_at(const fs::path& path, Survey& survey, FrameRow& row, Backend& backend, Job& job) {
  const SurveyRequest& request = survey.request;
  const auto cloud = load_scene(path, {request.format}, job);
  if (cloud->size() == 0) throw Error(ErrorKind::input, "contains no points");
  if (cloud->batch() > 1)
    throw Error(ErrorKind::input, "is a batch of " + std::to_string(cloud->batch()) +
                                      " frames; a survey reads one frame per file. To describe the batch, "
                                      "run spira info FILE");
  row.points = cloud->size();
  survey.unit = cloud->unit();
  row.notes = cloud->notes;
  if (!survey.grid) {
    survey.grid = suggest_grid(*cloud, request.crop_m);
    survey.grid_from = row.name;
  }
  survey.grid->crop_m = request.crop_m;
  survey.grid->positions = request.positions;
  const VoxelRange range = voxel_range(*cloud, *survey.grid, job);
  if (range.points == 0) throw Error(ErrorKind::input, "no point lies inside the crop");
  row.extent = extent_of(range, request.needs().levels);
  const PackSpec pack = pack_for(*row.extent, request);
  // Only compute the levels that are needed, because coarser levels cost time and memory.
  const bool wanted = request.density_kernel_size > 0;
  const int kernel_size = wanted ? request.density_kernel_size : 1;
  const int stride = wanted ? request.density_stride : 1;
  const PackNeeds built = request.neighbours_of ? request.needs() : PackNeeds(kernel_size, stride);
  const auto scene = voxelize_scene(backend, cloud, *survey.grid, pack, built, job, {},
                                    request.neighbours_of ? request.neighbours_of->stride_out : 0);
  row.notes.insert(row.notes.end(), scene->notes.begin(), scene->notes.end());
  const std::int64_t voxels = size_of(scene->level(1));
  if (wanted) {
    Densities found = densities(*map_of_scene(backend, *scene, {kernel_size, stride, stride}, job));
    row.densities = FrameDensities{found.outputs, found.pairs, std::move(found.groups)};
  }
  if (request.neighbours_of) row.neighbours = frame_neighbours(backend, *scene, *request.neighbours_of, job);
  row.voxels = voxels;
}

/// Removes the path at the start of an error message of a reader, because the row already contains the name.
std::string without_name(std::string message, const fs::path& path) {
  for (const std::string& start : {path.string() + ": ", path.filename().string() + ": "}) {
    if (message.starts_with(start)) return message.substr(start.size());
  }
  return message;
}

bool is_of_the_frame(ErrorKind kind) {
  return kind == ErrorKind::input || kind == ErrorKind::does_not_fit || is_device_fault(kind);
}

FrameRow row_of(const fs::path& path, Survey& survey, Backend& backend, Job& job) {
  FrameRow row;
  row.name = path.filename().string();
  try {
    look_at(path, survey, row, backend, job);
  } catch (const Error& error) {
    if (!is_of_the_frame(error.kind())) throw;
    row.fault_kind = error.kind();
    row.fault = without_name(error.what(), path);
  } catch (const std::bad_alloc&) {
    row.fault_kind = ErrorKind::device;
    row.fault = "out of memory";
  }
  return row;
}

/// Returns the largest extent on each axis over the frames that fit at least one packing. The values can come
/// from different frames, because a packing treats each axis separately.
std::array<std::int64_t, 3> largest_extent(const Survey& survey) {
  const PackNeeds needs = survey.request.needs();
  std::array<std::int64_t, 3> largest{0, 0, 0};
  for (const FrameRow& row : survey.rows) {
    if (!row.extent) continue;
    const auto& cells = row.extent->fit_cells;
    if (packings_that_fit(cells, needs).empty()) continue;
    for (std::size_t axis = 0; axis < 3; ++axis)
      largest.at(axis) = std::max(largest.at(axis), cells.at(axis));
  }
  return largest;
}

void judge_packings(Survey& survey) {
  const PackNeeds needs = survey.request.needs();
  survey.packings = usual_packings();
  const auto add = [&](PackSpec pack) {
    if (std::find(survey.packings.begin(), survey.packings.end(), pack) == survey.packings.end())
      survey.packings.push_back(pack);
  };
  if (survey.request.pack) add(*survey.request.pack);
  const auto largest = largest_extent(survey);
  if (largest[0] > 0) {
    for (const PackSpec& pack : packings_that_fit(largest, needs))
      add(pack);
  }
  for (FrameRow& row : survey.rows) {
    row.fits.clear();
    for (const PackSpec& pack : survey.packings) {
      if (row.extent) {
        row.fits.push_back(fit(row.extent->fit_cells, pack, needs).fits());
      } else if (row.fault_kind == ErrorKind::does_not_fit) {
        row.fits.push_back(false);
      }
    }
  }
}

/// Returns the options of `spira neighbours` that differ from their defaults.
std::vector<std::string> neighbour_words(const MapKey& key, PositionKind positions) {
  const Neighbourhood& own = key.kernel.neighbourhood;
  std::vector<std::string> words{"--kernel", std::to_string(key.kernel.size[0]), "--neighbours",
                                 std::string(text_of(own.shape))};
  const auto add = [&](bool given, const char* option, const std::string& value) {
    if (given) words.insert(words.end(), {option, value});
  };
  add(own.cell != 1, "--cell", std::to_string(own.cell));
  add(own.radius != 0, "--radius", shortest(own.radius));
  add(key.stride_in != 1, "--stride", std::to_string(key.stride_in));
  add(!key.submanifold(), "--out-stride", std::to_string(key.stride_out));
  add(positions != PositionKind::nearest, "--positions", std::string(text_of(positions)));
  return words;
}

void require_sense(const SurveyRequest& request) {
  if (request.density_kernel_size <= 0) return;
  static_cast<void>(KernelOffsets(request.density_kernel_size, request.density_stride));
  SPIRA_ASSERT(request.density_kernel_size <= request.judged_kernel_size &&
                   request.density_stride <= request.judged_max_stride,
               "the largest stride for packings must be at least the stride of the densities");
}

}  // namespace

PackNeeds SurveyRequest::needs() const {
  if (neighbours_of) return needs_of(*neighbours_of);
  if (!network_needs) return {judged_kernel_size, judged_max_stride};
  PackNeeds needs = *network_needs;
  if (density_kernel_size == 0) return needs;
  needs.levels.add(LevelRule(density_stride));
  const auto guard = guard_cells(density_kernel_size, density_stride);
  for (std::size_t axis = 0; axis < 3; ++axis)
    needs.guard.at(axis) = std::max(needs.guard.at(axis), guard.at(axis));
  return needs;
}

FrameExtent extent_of(const VoxelRange& range, const LevelReach& levels) {
  FrameExtent extent;
  extent.span = range.span();
  extent.fit_cells = range.extent(levels);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto last = static_cast<std::uint64_t>(extent.span.at(axis) - 1);
    extent.bits.at(axis) = std::max(1, static_cast<int>(std::bit_width(last)));
  }
  return extent;
}

void summarise(Survey& survey) {
  judge_packings(survey);
  survey.summary = summarise(survey.rows, survey.packings);
}

Survey survey_frames(SurveyRequest request, Backend& backend, Job& job,
                     const std::function<void(const Survey&)>& done) {
  require_sense(request);
  Survey survey;
  survey.request = std::move(request);
  survey.grid = survey.request.grid;
  const auto total = std::ssize(survey.request.frames);
  // The steps within a frame change too fast to read. Therefore the progress shows the number of the frame.
  Job of_frame(job.stop_token(), nullptr, [&](const Progress&) {
    job.checkpoint({"surveying frame", std::ssize(survey.rows) + 1, total});
  });
  try {
    for (const fs::path& frame : survey.request.frames) {
      of_frame.checkpoint({"surveying frame", 0, 0});
      FrameRow row = row_of(frame, survey, backend, of_frame);
      survey.rows.push_back(std::move(row));
      if (done) done(survey);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
  }
  // Discard the grid if it was computed from a frame that has no row.
  if (survey.rows.empty()) {
    survey.grid = survey.request.grid;
    survey.grid_from.clear();
  }
  summarise(survey);
  return survey;
}

std::vector<std::string> command_of_survey(const Survey& survey, bool densities) {
  const SurveyRequest& request = survey.request;
  const bool counted = densities && request.density_kernel_size > 0;
  std::vector<std::string> words{"spira", request.neighbours_of ? "neighbours"
                                          : counted             ? "densities"
                                                                : "info"};
  if (request.picked) {
    for (const auto& frame : request.frames)
      words.push_back(frame.string());
  } else {
    words.push_back(request.folder);
  }
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (!request.format.empty()) add("--format", request.format);
  if (survey.grid) add("--grid", grid_text(survey.grid->voxel_m));
  if (request.crop_m) add("--crop", crop_text(*request.crop_m));
  if (request.neighbours_of) {
    for (auto& word : neighbour_words(*request.neighbours_of, request.positions))
      words.push_back(std::move(word));
  } else if (!counted && !request.network.empty()) {
    add("--network", request.network);
  } else {
    add("--kernel", std::to_string(counted ? request.density_kernel_size : request.judged_kernel_size));
    add("--stride", std::to_string(counted ? request.density_stride : request.judged_max_stride));
  }
  if (request.picked) words.emplace_back("--frames");
  words.emplace_back("--json");
  return words;
}

}  // namespace spira
