// The readers in formats(). Each is stateless; formats.cpp provides the only instances.
#pragma once

#include "engine/scene/reader.hpp"

namespace spira {

[[nodiscard]] const SceneReader& kitti_reader() noexcept;  ///< float32 x 4: x, y, z, intensity
/// float32 x 5: x, y, z, intensity, ring (Waymo: elongation).
[[nodiscard]] const SceneReader& nuscenes_reader() noexcept;
[[nodiscard]] const SceneReader& xyzrgb_reader() noexcept;  ///< float32 x 6: x, y, z, r, g, b
[[nodiscard]] const SceneReader& pcd_reader() noexcept;
[[nodiscard]] const SceneReader& ply_reader() noexcept;
[[nodiscard]] const SceneReader& text_reader() noexcept;
[[nodiscard]] const SceneReader& npy_reader() noexcept;
[[nodiscard]] const SceneReader& npz_reader() noexcept;
[[nodiscard]] const SceneReader& las_reader() noexcept;

/// Returns the reader of rows of numbers without a header in any other layout.
[[nodiscard]] const SceneReader& row_reader() noexcept;

/// Returns the id of the format of a file without a header: "kitti", "nuscenes", "xyzrgb" or "rows". Returns
/// an empty string if no layout fits clearly. `file_name` must be in lower case.
[[nodiscard]] std::string_view guess_rows(std::span<const std::byte> bytes, std::string_view file_name);
/// Returns the error that explains why guess_rows() finds no layout, with the layouts that it considered.
/// The message begins with `path`.
[[nodiscard]] UnclearFormat no_rows_found(std::span<const std::byte> bytes, std::string_view file_name,
                                          std::string_view path);

}  // namespace spira
