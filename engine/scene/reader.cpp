#include "engine/scene/reader.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/host_facts.hpp"
#include "engine/base/tensor_file.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/readings.hpp"
#include "engine/scene/rows/row_layout.hpp"
#include "engine/scene/sequence.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace spira {

namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

BetweenParts reading(Job& job) {
  return [&job](std::int64_t done, std::int64_t total) { job.checkpoint({"reading the file", done, total}); };
}

std::string choices() {
  std::string text;
  for (const auto& format : formats()) {
    if (format.reader != nullptr) text += (text.empty() ? "" : ", ") + std::string(format.id);
  }
  return text;
}

/// Returns the format of a file that the program recognises but cannot read, or `nullptr` for other files.
/// Recognises a format by its signature, or by the file extension if the format has no signature.
const FormatFacts* unsupported(std::span<const std::byte> bytes, const std::string& name) {
  const auto text = text_of(bytes.first(std::min<std::size_t>(bytes.size(), 256)));
  std::string_view id;
  if (text.starts_with("ASTM-E57")) id = "e57";
  if (text.starts_with("OFF\n") || text.starts_with("OFF\r") || text.starts_with("OFF ")) id = "off";
  if (text.starts_with("solid ") || name.ends_with(".stl")) id = "stl";
  if (name.ends_with(".obj")) id = "obj";
  if (name.ends_with(".ptx")) id = "ptx";
  for (const auto& format : formats()) {
    if (format.id == id) return &format;
  }
  return nullptr;
}

const FormatFacts& format_by_id(std::string_view given) {
  const std::string id = printable(given.substr(0, given.find(':')));
  for (const auto& format : formats()) {
    if (format.id != id) continue;
    if (format.reader == nullptr)
      throw Error(ErrorKind::usage, "format '" + id + "' is not supported yet; expected " + choices());
    return format;
  }
  throw Error(ErrorKind::usage, "format '" + id + "': expected " + choices());
}

const FormatFacts& guess_format(std::span<const std::byte> bytes, const std::string& name,
                                const std::string& path) {
  if (const FormatFacts* known = unsupported(bytes, name)) {
    throw Error(ErrorKind::input, path + ": " + std::string(known->label) +
                                      " files are not supported yet; convert this file to PLY or PCD");
  }
  const FormatFacts* best = nullptr;
  double confidence = 0.0;
  for (const auto& format : formats()) {
    if (format.reader == nullptr || format.headerless) continue;
    const double here = format.reader->guess(bytes, name).confidence;
    if (here > confidence) {
      best = &format;
      confidence = here;
    }
  }
  constexpr double min_confidence = 0.1;
  if (best != nullptr && confidence >= min_confidence) return *best;
  if (const std::string fault = checkpoint_fault(text_of(bytes)); !fault.empty())
    throw Error(ErrorKind::input, path + ": " + fault);
  if (const std::string_view id = guess_rows(bytes, name); !id.empty()) return format_by_id(id);
  if (name.ends_with(".bin") && !is_text(bytes)) throw no_rows_found(bytes, name, path);
  throw UnclearFormat(path + ": " + count_text(static_cast<std::int64_t>(bytes.size())) +
                          " bytes that are not in a supported format (" + choices() + ")",
                      FormatRemedy::choose_format);
}

bool ends_as(const std::string& name, std::string_view extensions) {
  while (!extensions.empty()) {
    const auto blank = extensions.find(' ');
    if (name.ends_with(extensions.substr(0, blank))) return true;
    extensions = blank == std::string_view::npos ? std::string_view{} : extensions.substr(blank + 1);
  }
  return false;
}

void add_labels(const fs::path& scan, PointCloud& cloud) {
  for (const fs::path& file : label_files_of(scan)) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    const auto bytes = read_file(file, std::uint64_t{4} << 32U);
    const auto points = static_cast<std::uint64_t>(cloud.in_file);
    if (bytes.size() != points * 4) {
      cloud.notes.push_back("labels ignored: the " + count_text(static_cast<std::int64_t>(bytes.size())) +
                            " bytes of " + file.filename().string() +
                            " do not contain one uint32 for each of the " +
                            count_text(static_cast<std::int64_t>(points)) + " points");
      return;
    }
    if (cloud.dropped_non_finite != 0) {
      cloud.notes.emplace_back("labels ignored, because some points were dropped");
      return;
    }
    constexpr std::uint32_t class_mask = 0xFFFF;  // The upper 16 bits are the instance number.
    cloud.label.resize(static_cast<std::size_t>(cloud.size()));
    const auto step = static_cast<std::size_t>(cloud.every) * 4;
    for (std::size_t at = 0; at < cloud.label.size(); ++at) {
      cloud.label[at] = load<std::uint32_t>(bytes.data() + (at * step)) & class_mask;
    }
    cloud.notes.push_back("labels from " + file.filename().string());
    return;
  }
}

/// Adds a note to the cloud that lists the guessed attributes of rows without a header. An intensity after
/// the coordinates is usual and needs no note.
void note_guessed_attributes(PointCloud& cloud) {
  if (cloud.attributes.size() < 2) return;
  std::string names;
  for (const AttributeFacts& attribute : cloud.attributes)
    names += (names.empty() ? "" : ", ") + attribute.name;
  cloud.notes.push_back(
      "the columns have no names; the values after x, y, z look like " + names +
      "; to change the columns, use \"Open as...\" in the window or --columns on the command line");
}

}  // namespace

PointCloud SceneReader::read_as(std::string_view detail, std::span<const std::byte>, std::string_view,
                                const ReadLimits&, Job&) const {
  check_detail(detail);
  throw Error(ErrorKind::internal,
              "the reader accepts a format description but does not implement read_as()");
}

void SceneReader::check_detail(std::string_view detail) const {
  throw Error(ErrorKind::usage,
              "format description '" + printable(detail) +
                  "': only the formats 'rows' and 'npz' accept a description after a colon");
}

std::vector<std::string> SceneReader::details(std::span<const std::byte>) const {
  return {};
}

/// Returns the paths where the labels of a scan can be. SemanticKITTI stores velodyne/000000.bin and
/// labels/000000.label. Other tools store both files in one folder.
std::array<fs::path, 2> label_files_of(const fs::path& scan) {
  fs::path beside = scan;
  beside.replace_extension(".label");
  return {beside, scan.parent_path().parent_path() / "labels" / beside.filename()};
}

bool is_scene_name(const std::string& file_name) {
  const std::string name = lower(file_name);
  const auto all = formats();
  return std::any_of(all.begin(), all.end(), [&](const FormatFacts& format) {
    return format.reader != nullptr && ends_as(name, format.extensions);
  });
}

void require_scene(const fs::path& path, Job& job) {
  if (is_scene_name(path.filename().string())) return;
  constexpr std::uint64_t most = 256ULL << 20;  // Size limit for files of unknown format.
  const auto bytes = read_file(path, most, reading(job));
  static_cast<void>(guess_format(bytes, lower(path.filename().string()), path.string()));
}

void check_format(std::string_view format) {
  const FormatFacts& facts = format_by_id(format);
  const auto colon = format.find(':');
  if (colon != std::string_view::npos) facts.reader->check_detail(format.substr(colon + 1));
}

std::shared_ptr<const PointCloud> load_scene(const fs::path& path, const LoadOptions& options, Job& job) {
  if (!options.format.empty()) check_format(options.format);
  job.checkpoint({"opening the file", 0, 0});
  if (is_scene_folder(path) && (options.format.empty() || options.format == "npy")) {
    ReadLimits limits = options.limits;
    limits.free_bytes = free_memory_bytes(limits.free_bytes);
    auto scene = std::make_shared<PointCloud>(read_scene_folder(path, options.max_bytes, limits, job));
    scene->source = path.string();
    scene->name = (path.has_filename() ? path : path.parent_path()).filename().string();
    return scene;
  }
  const bool piped = is_standard_input(path);
  const std::string file = piped ? std::string(standard_input_name) : path.string();
  const auto bytes =
      piped ? read_standard_input(options.max_bytes, free_memory_bytes(options.limits.free_bytes), job)
            : read_file(path, options.max_bytes, reading(job));
  if (bytes.empty()) throw Error(ErrorKind::input, file + ": is empty");
  // Standard input has no file name, so the format is detected only from the content.
  const std::string name = piped ? std::string() : lower(path.filename().string());
  const FormatFacts& format =
      options.format.empty() ? guess_format(bytes, name, file) : format_by_id(options.format);
  ReadLimits limits = options.limits;
  // Query the free memory after the file is in memory.
  limits.free_bytes = free_memory_bytes(limits.free_bytes);
  const auto colon = options.format.find(':');
  auto cloud = std::make_shared<PointCloud>(
      colon == std::string::npos
          ? format.reader->read(bytes, file, limits, job)
          : format.reader->read_as(options.format.substr(colon + 1), bytes, file, limits, job));
  cloud->name = piped ? file : path.filename().string();
  cloud->source = path.string();
  if (format.headerless && (options.format.empty() || options.format == "rows"))
    note_guessed_attributes(*cloud);
  if (format.id == "kitti" && !piped) add_labels(path, *cloud);
  return cloud;
}

std::span<const FormatFacts> formats() noexcept {
  static const std::array<FormatFacts, 17> all{{
      {"kitti", "KITTI / SemanticKITTI (x, y, z, intensity as float32)", ".bin", &kitti_reader(), true},
      {"nuscenes", "nuScenes / Waymo (x, y, z, intensity, ring or elongation as float32)", ".pcd.bin .bin",
       &nuscenes_reader(), true},
      {"xyzrgb", "x, y, z, r, g, b as float32", ".bin", &xyzrgb_reader(), true},
      {"rows", "Rows of numbers without a header, in any other layout", ".bin", &row_reader(), true},
      {"pcd", "PCD (ascii, binary, binary_compressed)", ".pcd", &pcd_reader()},
      {"ply", "PLY (ascii, little and big endian)", ".ply", &ply_reader()},
      {"text", "Text: XYZ, TXT, CSV, PTS, ASC", ".xyz .txt .csv .pts .asc", &text_reader()},
      {"npy", "NumPy array (N x 3 or more)", ".npy", &npy_reader()},
      {"npz", "NumPy archive", ".npz", &npz_reader()},
      {"las", "LAS 1.0 to 1.4, uncompressed", ".las", &las_reader()},
      {"voxels", "Voxels with features (coords, features)", ".safetensors", &voxel_reader()},
      {"laz", "LAZ (compressed LAS)", ".laz", nullptr},
      {"e57", "E57", ".e57", nullptr},
      {"obj", "Wavefront OBJ", ".obj", nullptr},
      {"stl", "STL", ".stl", nullptr},
      {"off", "OFF", ".off", nullptr},
      {"ptx", "PTX", ".ptx", nullptr},
  }};
  return all;
}

namespace {

using Block = std::vector<std::byte>;

/// Copies the blocks into one allocation. Frees each block right after it was copied, so that the data is
/// never stored twice.
Block joined(std::vector<Block> blocks, std::uint64_t bytes) {
  if (blocks.size() == 1) return std::move(blocks.front());
  Block all;
  all.reserve(bytes);
  for (Block& block : blocks) {
    all.insert(all.end(), block.begin(), block.end());
    block = {};
  }
  return all;
}

}  // namespace

std::vector<std::byte> read_to_end(int descriptor, std::string_view name, std::uint64_t max_bytes,
                                   std::optional<std::uint64_t> free_bytes, Job& job) {
  constexpr std::size_t block_bytes = std::size_t{4} << 20U;
  constexpr int wait_ms = 50;  // A cancelled job stops within this time, even if the writer is slow.
  const std::string start = std::string(name) + ": ";
  std::vector<Block> blocks;
  std::uint64_t bytes = 0;
  std::size_t filled = block_bytes;  // Number of bytes used in the last block.
  const auto end_block = [&] {
    if (!blocks.empty()) blocks.back().resize(filled);
  };
  while (true) {
    job.checkpoint({"reading standard input", static_cast<std::int64_t>(bytes), 0});
    pollfd ready{descriptor, POLLIN, 0};
    const int there = poll(&ready, 1, wait_ms);
    if (there == 0 || (there < 0 && errno == EINTR)) continue;
    if (filled == block_bytes) {
      blocks.emplace_back(block_bytes);
      filled = 0;
    }
    const ssize_t got = read(descriptor, blocks.back().data() + filled, block_bytes - filled);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw Error(ErrorKind::input, start + "cannot be read: " + std::strerror(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    bytes += static_cast<std::uint64_t>(got);
    if (bytes > max_bytes)
      throw Error(ErrorKind::input, start + "is longer than the limit of " + bytes_text(max_bytes));
    if (free_bytes && bytes > *free_bytes)
      throw NotEnoughMemory(start + "is longer than the free memory of " + bytes_text(*free_bytes) +
                                "; save it to a file and read every N-th point with --every",
                            0);
  }
  end_block();
  if (bytes == 0) throw Error(ErrorKind::input, start + "is empty or was already read");
  return joined(std::move(blocks), bytes);
}

std::vector<std::byte> read_standard_input(std::uint64_t max_bytes, std::optional<std::uint64_t> free_bytes,
                                           Job& job) {
  const std::string name(standard_input_name);
  if (isatty(STDIN_FILENO) != 0)
    throw Error(ErrorKind::input, name +
                                      ": is a terminal, expected a scene from a pipe or a file, as in "
                                      "\"spira info - < scan.bin\"");
  return read_to_end(STDIN_FILENO, name, max_bytes, free_bytes, job);
}

std::string every_text(std::int64_t every) {
  if (every <= 1) return "all";
  const bool teen = every % 100 >= 11 && every % 100 <= 13;
  const std::int64_t last = teen ? 0 : every % 10;
  const char* ending = last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
  return "every " + std::to_string(every) + ending;
}

std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes, std::uint64_t free_bytes) {
  constexpr std::int64_t most = 1000;
  constexpr std::uint64_t min_items = 1000;
  if (free_bytes == 0) return 0;
  const auto every = static_cast<std::int64_t>((items * item_bytes + free_bytes - 1) / free_bytes);
  if (every > most || items / static_cast<std::uint64_t>(every < 1 ? 1 : every) < min_items) return 0;
  return every < 1 ? 1 : every;
}

}  // namespace spira
