#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/tune/apply_profile.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace spira {
namespace {

/// Throws if the times of the profiles cannot be compared.
void require_same_measurement(const std::vector<ProfileFile>& parts) {
  const std::string& first_file = parts.front().file;
  const TuningProfile& first = parts.front().profile;
  for (const auto& [file, profile] : parts) {
    const auto refuse = [&, name = &file](const std::string& why) {
      throw Error(ErrorKind::input, *name + ": " + why + " as in " + first_file);
    };
    if (!profile.shard) throw Error(ErrorKind::input, file + ": is not a shard; write it with --shard K/N");
    if (profile.network_fingerprint != first.network_fingerprint)
      refuse("network " + profile.network + ", not network " + first.network);
    if (profile.precision != first.precision)
      refuse("precision " + std::string(text_of(profile.precision)) + ", not " +
             std::string(text_of(first.precision)));
    if (profile.training != first.training)
      refuse(std::string(profile.training ? "" : "not ") + "for training steps, not");
    if (const std::string why = why_not_device(first, profile.device, profile.tool_version); !why.empty())
      throw Error(ErrorKind::input, file + ": cannot be merged with " + first_file + ": " + why +
                                        "; merge the profiles of each device alone");
  }
}

struct MovedScene {
  std::int64_t frame = 0;  ///< Index in the whole folder.
  std::size_t part = 0, scene = 0;
};

/// Returns the scenes of all parts in the order of the folder.
std::vector<MovedScene> ordered_scenes(const std::vector<ProfileFile>& parts, bool partial) {
  std::vector<MovedScene> scenes;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::string> seen;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const TuningProfile& profile = parts[part].profile;
    const Shard& shard = *profile.shard;
    const auto measured = std::ssize(profile.scenes);
    if (measured > shard.own_frames() || (measured < shard.own_frames() && !partial))
      throw Error(ErrorKind::input, parts[part].file + ": shard " + shard.text() + " has " +
                                        count_text(measured) + " of " + count_text(shard.own_frames()) +
                                        " scenes; tune it again with a larger --budget, or merge with "
                                        "--partial");
    for (std::size_t scene = 0; scene < profile.scenes.size(); ++scene) {
      const TunedScene& one = profile.scenes[scene];
      scenes.push_back({shard.index_of(static_cast<std::int64_t>(scene)), part, scene});
      const auto [known, added] = seen.emplace(std::pair(one.fingerprint, one.points), parts[part].file);
      if (!added)
        throw Error(ErrorKind::input, parts[part].file + ": scene " + one.name +
                                          " has the same voxels as a scene of " + known->second +
                                          "; a scene must occur only once");
    }
  }
  std::sort(scenes.begin(), scenes.end(),
            [](const MovedScene& one, const MovedScene& other) { return one.frame < other.frame; });
  return scenes;
}

/// Appends the records of one scene with a new index of the scene.
template <class Record>
void append_records(std::vector<Record>& to, const std::vector<Record>& from, std::size_t scene,
                    int new_scene) {
  for (const Record& record : from) {
    if (record.scene != static_cast<int>(scene)) continue;
    to.push_back(record);
    to.back().scene = new_scene;
  }
}

}  // namespace

TuningProfile merge_profiles(const std::vector<ProfileFile>& parts, const Network& network, bool partial) {
  require_same_measurement(parts);
  std::vector<ShardFile> files;
  for (const ProfileFile& part : parts)
    files.push_back({part.file, *part.profile.shard});
  require_all_shards(files, partial);
  require_network(parts.front().profile, network);
  TuningProfile merged = parts.front().profile;
  merged.shard.reset();
  merged.scenes.clear();
  merged.features.clear();
  merged.maps.clear();
  merged.indexing.clear();
  // The checks of the parts belong to their own plans.
  merged.checks.clear();
  merged.budget_ms = 0;
  for (const ProfileFile& part : parts) {
    merged.created = std::max(merged.created, part.profile.created);
    merged.budget_ms += part.profile.budget_ms;
    if (merged.stopped.empty()) merged.stopped = part.profile.stopped;
  }
  for (const MovedScene& moved : ordered_scenes(parts, partial)) {
    const TuningProfile& from = parts[moved.part].profile;
    const auto index = static_cast<int>(merged.scenes.size());
    merged.scenes.push_back(from.scenes[moved.scene]);
    append_records(merged.features, from.features, moved.scene, index);
    append_records(merged.maps, from.maps, moved.scene, index);
    append_records(merged.indexing, from.indexing, moved.scene, index);
  }
  if (partial && std::ssize(merged.scenes) < files.front().shard.frames) merged.stopped = "interrupted";
  decide(merged, network);
  return merged;
}

}  // namespace spira
