#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/point_cloud.hpp"

#include <algorithm>
#include <bit>
#include <cctype>

namespace spira {
namespace {

static_assert(std::endian::native == std::endian::little,
              "binary files are written in the byte order of memory");

template <class Number> void put(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string as_ply(const PointCloud& cloud) {
  std::string text = "ply\nformat binary_little_endian 1.0\ncomment written by spira\nelement vertex " +
                     std::to_string(cloud.size()) +
                     "\nproperty double x\nproperty double y\nproperty double z\n";
  if (!cloud.intensity.empty()) text += "property float intensity\n";
  if (!cloud.colour.empty()) text += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  if (!cloud.label.empty()) text += "property uint label\n";
  text += "end_header\n";
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    for (const double c : cloud.positions[at])
      put(text, c);
    if (!cloud.intensity.empty()) put(text, cloud.intensity[at]);
    if (!cloud.colour.empty()) {
      for (const auto c : cloud.colour[at])
        put(text, c);
    }
    if (!cloud.label.empty()) put(text, cloud.label[at]);
  }
  return text;
}

void put_row_xyzi(std::string& bytes, const PointCloud& cloud, std::size_t at) {
  for (const double c : cloud.positions[at])
    put(bytes, static_cast<float>(c));
  put(bytes, cloud.intensity.empty() ? 0.0F : cloud.intensity[at]);
}

std::string as_kitti(const PointCloud& cloud) {
  std::string bytes;
  for (std::size_t at = 0; at < cloud.positions.size(); ++at)
    put_row_xyzi(bytes, cloud, at);
  return bytes;
}

std::string as_npy(const PointCloud& cloud) {
  return npy_header({"", ArrayType::f32, {cloud.size(), 4}, {}}) + as_kitti(cloud);
}

std::string as_csv(const PointCloud& cloud) {
  std::string text = "x,y,z";
  if (!cloud.intensity.empty()) text += ",intensity";
  if (!cloud.colour.empty()) text += ",r,g,b";
  if (!cloud.label.empty()) text += ",label";
  text += "\n";
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    const Point& p = cloud.positions[at];
    text += shortest(p[0]) + "," + shortest(p[1]) + "," + shortest(p[2]);
    if (!cloud.intensity.empty()) text += "," + shortest(static_cast<double>(cloud.intensity[at]));
    if (!cloud.colour.empty()) {
      for (const auto c : cloud.colour[at])
        text += "," + std::to_string(c);
    }
    if (!cloud.label.empty()) text += "," + std::to_string(cloud.label[at]);
    text += "\n";
  }
  return text;
}

using Writer = std::string (*)(const PointCloud&);

/// Returns the function that writes files with this extension. Throws `Error(usage)` if no function writes
/// this extension.
Writer writer_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".ply") return as_ply;
  if (extension == ".npy") return as_npy;
  if (extension == ".csv") return as_csv;
  if (extension == ".bin") return as_kitti;
  throw Error(ErrorKind::usage,
              path.string() + ": unsupported extension; scenes are written as .ply, .npy, .csv or .bin");
}

}  // namespace

void require_written_format(const std::filesystem::path& path) {
  static_cast<void>(writer_of(path));
}

void write_scene(const PointCloud& cloud, const std::filesystem::path& path, const std::stop_token& stop) {
  write_file(path, writer_of(path)(cloud), stop);
}

}  // namespace spira
