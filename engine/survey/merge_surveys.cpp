#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/survey/survey.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace spira {
namespace {

/// Returns the name of the first setting that differs, and both values. Returns an empty text if all settings
/// are equal.
std::string differing_setting(const SurveyRequest& one, const SurveyRequest& other) {
  const auto grid = [](const SurveyRequest& request) {
    return request.grid ? grid_text(request.grid->voxel_m) : std::string();
  };
  const auto crop = [](const SurveyRequest& request) {
    return request.crop_m ? crop_text(*request.crop_m) : std::string("none");
  };
  const auto pack = [](const SurveyRequest& request) {
    return request.pack ? request.pack->text() : std::string("automatic");
  };
  const auto network = [](const SurveyRequest& request) {
    return request.network + " " + fingerprint_text(request.network_fingerprint);
  };
  const auto judged = [](const SurveyRequest& request) {
    return std::to_string(request.judged_kernel_size) + " at stride " +
           std::to_string(request.judged_max_stride);
  };
  const auto densities = [](const SurveyRequest& request) {
    return std::to_string(request.density_kernel_size) + " at stride " +
           std::to_string(request.density_stride);
  };
  const auto neighbours = [](const SurveyRequest& request) -> std::string {
    if (!request.neighbours_of) return "not counted";
    const MapKey& key = *request.neighbours_of;
    return "of K = " + text_of(key.kernel) + " at strides " + std::to_string(key.stride_in) + " and " +
           std::to_string(key.stride_out) + ", positions " + std::string(text_of(request.positions));
  };
  const auto format = [](const SurveyRequest& request) {
    return request.format.empty() ? std::string("automatic") : request.format;
  };
  using Text = std::string (*)(const SurveyRequest&);
  for (const auto& [name, text] : {std::pair<const char*, Text>{"grid", grid},
                                   {"crop", crop},
                                   {"packing", pack},
                                   {"format", format},
                                   {"network", network},
                                   {"kernel size of the packings", judged},
                                   {"kernel size of the densities", densities},
                                   {"neighbours", neighbours}}) {
    if (text(one) != text(other)) return std::string(name) + " " + text(one) + ", not " + text(other);
  }
  return {};
}

void require_same_settings(const std::vector<SurveyFile>& parts) {
  const SurveyFile& first = parts.front();
  for (const SurveyFile& part : parts) {
    const std::string differs = differing_setting(part.survey.request, first.survey.request);
    if (!differs.empty()) throw Error(ErrorKind::input, part.file + ": " + differs + " as in " + first.file);
  }
}

void require_shards(const std::vector<SurveyFile>& parts, bool partial) {
  std::vector<ShardFile> files;
  for (const SurveyFile& part : parts) {
    if (!part.survey.request.shard)
      throw Error(ErrorKind::input, part.file + ": is not a shard; write it with --shard K/N");
    files.push_back({part.file, *part.survey.request.shard});
  }
  require_all_shards(files, partial);
  for (const SurveyFile& part : parts) {
    if (partial || !part.survey.partial()) continue;
    throw Error(ErrorKind::input, part.file + ": shard " + part.survey.request.shard->text() +
                                      " was interrupted after " + count_text(std::ssize(part.survey.rows)) +
                                      " of " + count_text(std::ssize(part.survey.request.frames)) +
                                      " frames; run it again, or merge with --partial");
  }
}

}  // namespace

Survey merge_surveys(std::vector<SurveyFile> parts, bool partial) {
  require_shards(parts, partial);
  require_same_settings(parts);
  Survey merged;
  const Shard first = *parts.front().survey.request.shard;
  merged.request = parts.front().survey.request;
  merged.request.shard.reset();
  merged.grid = merged.request.grid;
  merged.request.frames.assign(static_cast<std::size_t>(first.frames), {});
  struct Entry {
    std::int64_t frame;
    LengthUnit unit;
    FrameRow row;
  };
  std::vector<Entry> entries;
  for (SurveyFile& part : parts) {
    std::int64_t at = 0;
    for (FrameRow& row : part.survey.rows)
      entries.push_back({part.survey.request.shard->index_of(at++), part.survey.unit, std::move(row)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& one, const Entry& other) { return one.frame < other.frame; });
  std::set<std::string> names;
  for (Entry& entry : entries) {
    if (!names.insert(entry.row.name).second)
      throw Error(ErrorKind::input, "frame " + entry.row.name + " is in two of the files");
    // As in a survey of the whole folder, the unit is the unit of the last frame that can be read.
    if (entry.row.points) merged.unit = entry.unit;
    merged.request.frames[static_cast<std::size_t>(entry.frame)] = entry.row.name;
    merged.rows.push_back(std::move(entry.row));
  }
  summarise(merged);
  return merged;
}

}  // namespace spira
