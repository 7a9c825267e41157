#include "engine/scene/scene_folder.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/scene/formats/npy_table.hpp"

#include <algorithm>
#include <vector>

namespace spira {
namespace {

namespace fs = std::filesystem;

/// Returns the arrays of a folder, sorted by name.
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
