#include "engine/scene/readers.hpp"

#include <array>

namespace spira {

std::span<const FormatFacts> formats() noexcept {
  static const std::array<FormatFacts, 16> all{{
      {"kitti", "KITTI / SemanticKITTI (x, y, z, intensity as float32)", ".bin", &kitti_reader(), true},
      {"nuscenes", "nuScenes / Waymo (x, y, z, intensity, ring or elongation as float32)", ".pcd.bin .bin",
       &nuscenes_reader(), true},
      {"xyzrgb", "x, y, z, r, g, b as float32", ".bin", &xyzrgb_reader(), true},
      {"rows", "Rows of numbers without a header, in another layout", ".bin", &row_reader(), true},
      {"pcd", "PCD (ascii, binary, binary_compressed)", ".pcd", &pcd_reader()},
      {"ply", "PLY (ascii, little and big endian)", ".ply", &ply_reader()},
      {"text", "Text: XYZ, TXT, CSV, PTS, ASC", ".xyz .txt .csv .pts .asc", &text_reader()},
      {"npy", "NumPy array (N x 3 or more)", ".npy", &npy_reader()},
      {"npz", "NumPy archive", ".npz", &npz_reader()},
      {"las", "LAS 1.0 to 1.4, uncompressed", ".las", &las_reader()},
      {"laz", "LAZ (compressed LAS)", ".laz", nullptr},
      {"e57", "E57", ".e57", nullptr},
      {"obj", "Wavefront OBJ", ".obj", nullptr},
      {"stl", "STL", ".stl", nullptr},
      {"off", "OFF", ".off", nullptr},
      {"ptx", "PTX", ".ptx", nullptr},
  }};
  return all;
}

}  // namespace spira
