#include "engine/scene/shard.hpp"

#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

namespace spira {

namespace fs = std::filesystem;

std::string Shard::text() const {
  return std::to_string(number) + "/" + std::to_string(count);
}

Shard parse_shard(const std::string& text) {
  const auto slash = text.find('/');
  std::optional<std::int64_t> number, count;
  if (slash != std::string::npos) {
    number = parse_int(text.substr(0, slash));
    count = parse_int(text.substr(slash + 1));
  }
  if (!number || !count || *number < 1 || *number > *count || *count > max_shards)
    throw Error(ErrorKind::usage,
                "--shard " + shortened(text) + ": expected K/N with K from 1 to N, such as 2/4");
  return {*number, *count};
}

std::uint64_t frame_bytes(const fs::path& frame) {
  std::error_code fault;
  if (!fs::is_directory(frame, fault)) {
    const auto bytes = fs::file_size(frame, fault);
    return fault ? 0 : bytes;
  }
  std::uint64_t total = 0;
  for (fs::directory_iterator entry(frame, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code not_a_file;
    const auto bytes = fs::file_size(entry->path(), not_a_file);
    if (!not_a_file) total += bytes;
  }
  return total;
}

std::uint64_t list_fingerprint(const std::vector<fs::path>& frames) {
  std::string text;
  for (const fs::path& frame : frames)
    text += frame.filename().string() + '\0' + std::to_string(frame_bytes(frame)) + '\n';
  return hash64(std::as_bytes(std::span(text)));
}

Shard take_shard(const std::string& text, std::vector<fs::path>& frames) {
  Shard shard = parse_shard(text);
  shard.frames = std::ssize(frames);
  shard.list = list_fingerprint(frames);
  std::vector<fs::path> own;
  for (std::int64_t at = shard.number - 1; at < shard.frames; at += shard.count)
    own.push_back(std::move(frames[static_cast<std::size_t>(at)]));
  frames = std::move(own);
  return shard;
}

void require_all_shards(const std::vector<ShardFile>& files, bool partial) {
  SPIRA_ASSERT(!files.empty(), "a merge needs files");
  const auto& [first_file, first] = files.front();
  std::map<std::int64_t, std::string> seen;
  for (const auto& [file, shard] : files) {
    if (shard.count != first.count)
      throw Error(ErrorKind::input,
                  file + ": is shard " + shard.text() + ", but " + first_file + " is shard " + first.text());
    if (shard.frames != first.frames || shard.list != first.list)
      throw Error(ErrorKind::input, file + ": the names or sizes of its " + count_text(shard.frames) +
                                        " frames differ from the " + count_text(first.frames) +
                                        " frames of " + first_file +
                                        "; the folder has changed between the two runs");
    if (const auto [known, added] = seen.emplace(shard.number, file); !added)
      throw Error(ErrorKind::input, file + ": shard " + shard.text() + " is also in " + known->second);
  }
  constexpr std::int64_t max_named = 5;
  std::string names;
  std::int64_t missing = 0, named = 0;
  // Shards with higher numbers have no frames.
  for (std::int64_t number = 1; number <= std::min(first.count, first.frames); ++number) {
    if (seen.contains(number)) continue;
    if (++missing > max_named) continue;
    names += (named++ == 0 ? "" : ", ") + Shard{number, first.count}.text();
  }
  if (partial || missing == 0) return;
  throw Error(ErrorKind::input, "missing " + std::string(missing == 1 ? "shard " : "shards ") + names +
                                    (missing > named ? " and " + count_text(missing - named) + " more" : "") +
                                    "; add the missing files, or merge the others with --partial");
}

}  // namespace spira
