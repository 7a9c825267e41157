#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/run/infer/manifest.hpp"
#include "engine/scene/shard_json.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace spira {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema_name = "spira.frame";
constexpr std::uint64_t max_bytes = 1ULL << 30U;

std::string manifest_name(const std::optional<Shard>& shard) {
  if (!shard) return "manifest.jsonl";
  return "manifest-" + std::to_string(shard->number) + "-of-" + std::to_string(shard->count) + ".jsonl";
}

FrameLine line_from(const JsonFields& fields) {
  static_cast<void>(check_schema(fields, schema_name, "line of a manifest", {1, 0}));
  FrameLine line;
  line.frame = fields.text("frame");
  line.bytes = static_cast<std::uint64_t>(fields.count("bytes"));
  line.run = {fields.fingerprint("network"), fields.fingerprint("weights"), fields.fingerprint("settings")};
  line.fault = fields.text_or("fault", "");
  constexpr double no_limit = std::numeric_limits<double>::max();
  line.read_ms = fields.number("read_ms", 0, no_limit);
  line.engine_ms = fields.number("engine_ms", 0, no_limit);
  if (!line.fault.empty()) return line;
  line.file = fields.text("file");
  line.file_bytes = static_cast<std::uint64_t>(fields.count("file_bytes"));
  line.points = fields.count("points");
  line.voxels = fields.count("voxels");
  line.pack = fields.text("pack");
  return line;
}

Error cannot_use(const fs::path& file, const std::string& why) {
  return {ErrorKind::input, file.string() + ": " + why};
}

}  // namespace

std::string frame_line_json(const FrameLine& line, const std::optional<Shard>& shard) {
  nlohmann::ordered_json here{{"schema", schema_name},
                              {"schema_version", "1.0"},
                              {"frame", line.frame},
                              {"bytes", line.bytes},
                              {"network", fingerprint_text(line.run.network)},
                              {"weights", fingerprint_text(line.run.weights)},
                              {"settings", fingerprint_text(line.run.settings)}};
  if (shard) here["shard"] = shard_json(*shard);
  if (line.fault.empty()) {
    here["file"] = line.file;
    here["file_bytes"] = line.file_bytes;
    here["points"] = line.points;
    here["voxels"] = line.voxels;
    here["pack"] = line.pack;
  } else {
    here["fault"] = line.fault;
  }
  here["read_ms"] = line.read_ms;
  here["engine_ms"] = line.engine_ms;
  return here.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<FrameLine> parse_frame_line(std::string_view text) {
  try {
    const nlohmann::json document = parse_json_object(text, "manifest");
    return line_from(JsonFields(document, "manifest", ""));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return std::nullopt;
  }
}

Manifest::Manifest(const fs::path& folder, const std::optional<Shard>& shard)
    : folder_(folder),
      file_(folder / manifest_name(shard)),
      shard_(shard),
      descriptor_(::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw cannot_use(file_, std::string("cannot be opened: ") + std::strerror(errno));
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      throw cannot_use(
          file_,
          "another process is writing this shard; wait until it ends, or choose another folder with -o");
    const std::string text = read_text_file(file_, max_bytes);
    const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
    if (whole != text.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
      throw cannot_use(file_, std::string("cannot be written: ") + std::strerror(errno));
    read_lines();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Manifest::~Manifest() {
  ::close(descriptor_);
}

void Manifest::read_lines() {
  // The own manifest is read last, because its lines are the newest.
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("manifest") && name.ends_with(".jsonl") && name != file_.filename().string())
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  files.push_back(file_);
  for (const fs::path& file : files) {
    const std::string text = read_text_file(file, max_bytes);
    for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      // A line that is not valid counts as missing, so its frame runs again.
      if (auto line = parse_frame_line(std::string_view(text).substr(begin, end - begin)))
        lines_.insert_or_assign(line->frame, std::move(*line));
    }
  }
}

bool Manifest::finished(const fs::path& frame, const RunFingerprints& run) const {
  const auto found = lines_.find(frame.filename().string());
  if (found == lines_.end()) return false;
  const FrameLine& line = found->second;
  std::error_code missing;
  return line.fault.empty() && line.run == run && line.bytes == frame_bytes(frame) &&
         fs::file_size(folder_ / line.file, missing) == line.file_bytes && !missing;
}

void Manifest::append(const FrameLine& line) {
  const std::string text = frame_line_json(line, shard_) + "\n";
  if (::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS))
    throw cannot_use(file_, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace spira
