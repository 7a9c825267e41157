#include "engine/scene/sequence.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/formats/npy_table.hpp"
#include "engine/scene/reader.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace spira {
namespace {

namespace fs = std::filesystem;

/// Compares names in natural order: digits are compared as numbers, so frame2 is before frame10.
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    std::size_t a_end = i, b_end = j;
    while (a_end < a.size() && digit(a[a_end]))
      ++a_end;
    while (b_end < b.size() && digit(b[b_end]))
      ++b_end;
    std::string_view left = std::string_view(a).substr(i, a_end - i),
                     right = std::string_view(b).substr(j, b_end - j);
    left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
    right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
    i = a_end;
    j = b_end;
  }
  return a.size() - i < b.size() - j;
}

}  // namespace

std::vector<fs::path> list_frames(const fs::path& folder) {
  if (is_scene_folder(folder)) return {folder};
  std::error_code fault;
  std::vector<fs::path> frames, scene_folders;
  std::size_t others = 0;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && is_scene_folder(entry->path()))
      scene_folders.push_back(entry->path());
    if (!entry->is_regular_file(ignored)) continue;
    if (is_scene_name(entry->path().filename().string())) {
      frames.push_back(entry->path());
    } else {
      ++others;
    }
  }
  if (fault) throw Error(ErrorKind::input, folder.string() + ": cannot be listed: " + fault.message());
  if (frames.empty()) frames = std::move(scene_folders);
  if (frames.empty()) {
    throw Error(ErrorKind::input, folder.string() + ": no scene files in this folder (" +
                                      std::to_string(others) + " other files)");
  }
  std::sort(frames.begin(), frames.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  return frames;
}

bool same_files(const std::vector<fs::path>& a, const std::vector<fs::path>& b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const fs::path& one, const fs::path& other) {
    return one.native() == other.native();
  });
}

PickedFrames pick_frames(const std::vector<fs::path>& files, Job& job) {
  PickedFrames picked;
  for (const fs::path& file : files) {
    job.checkpoint({"examining the files", &file - files.data(), std::ssize(files)});
    try {
      std::error_code ignored;
      if (fs::is_directory(file, ignored)) {
        const auto frames = list_frames(file);
        picked.frames.insert(picked.frames.end(), frames.begin(), frames.end());
      } else {
        require_scene(file, job);
        picked.frames.push_back(file);
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      picked.left_out.push_back({file, error.what()});
    }
  }
  if (!picked.frames.empty()) return picked;
  std::string names;
  for (const auto& one : picked.left_out)
    names += (names.empty() ? "" : ", ") + one.file.filename().string();
  throw Error(ErrorKind::input, "none of these files is a scene: " + names);
}

namespace {

namespace fs = std::filesystem;

/// Returns the array files of a folder, sorted by name.
std::vector<fs::path> arrays_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (entry->path().extension() == ".npy") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool is_scene_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return false;
  bool coordinates = false, other = false;
  for (const fs::path& file : arrays_in(folder)) {
    const ArrayPart part = part_of_scene(file.stem().string());
    coordinates = coordinates || part == ArrayPart::coordinates;
    other = other || part == ArrayPart::attribute;
  }
  return coordinates && other;
}

PointCloud read_scene_folder(const fs::path& folder, std::uint64_t max_bytes, const ReadLimits& limits,
                             Job& job) {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<NpyTable> tables;
  for (const fs::path& file : arrays_in(folder)) {
    job.checkpoint({"reading the arrays", static_cast<std::int64_t>(tables.size()), 0});
    if (part_of_scene(file.stem().string()) == ArrayPart::none) continue;
    bytes.push_back(read_file(file, max_bytes));
    NpyHeader header = read_npy_header(bytes.back(), file.string());
    tables.push_back(table_of(std::move(header), file.stem().string(), bytes.back().size()));
    NpyTable& table = tables.back();
    if (!table.fault.empty())
      throw Error(ErrorKind::input,
                  file.string() + ": array of shape " + shape_text(table.header) + ": " + table.fault);
    table.data = std::span<const std::byte>(bytes.back()).subspan(table.header.data_offset);
  }
  const auto chosen = tables_of_cloud(tables);
  if (chosen.empty())
    throw Error(ErrorKind::input,
                folder.string() + ": none of its arrays has coordinates (N x 3): " + list_of(tables));
  std::vector<const NpyTable*> parts;
  std::vector<NpyTable> unused;
  for (std::size_t at = 0; at < tables.size(); ++at) {
    if (std::find(chosen.begin(), chosen.end(), at) == chosen.end()) unused.push_back(tables[at]);
  }
  std::string used;
  for (const std::size_t at : chosen) {
    parts.push_back(&tables[at]);
    used += (used.empty() ? "" : ", ") + tables[at].name;
  }
  PointCloud cloud = points_of(parts, folder.string(), "npy", "a folder of arrays: " + used, 0, limits, job);
  if (!unused.empty()) cloud.notes.push_back("unused arrays: " + list_of(unused));
  return cloud;
}

}  // namespace spira
