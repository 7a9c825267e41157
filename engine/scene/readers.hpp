// The readers of the one list of formats. Each is stateless; formats.cpp hands out the only instances.
#pragma once

#include "engine/scene/reader.hpp"

namespace spira {

[[nodiscard]] const SceneReader& kitti_reader() noexcept;  ///< float32 x 4: x, y, z, intensity
[[nodiscard]] const SceneReader&
nuscenes_reader() noexcept;  ///< float32 x 5: x, y, z, intensity, ring (Waymo: elongation)
[[nodiscard]] const SceneReader& xyzrgb_reader() noexcept;  ///< float32 x 6: x, y, z, r, g, b
[[nodiscard]] const SceneReader& pcd_reader() noexcept;
[[nodiscard]] const SceneReader& ply_reader() noexcept;
[[nodiscard]] const SceneReader& text_reader() noexcept;
[[nodiscard]] const SceneReader& npy_reader() noexcept;
[[nodiscard]] const SceneReader& npz_reader() noexcept;
[[nodiscard]] const SceneReader& las_reader() noexcept;

/// Rows of numbers without a header in any other layout.
[[nodiscard]] const SceneReader& row_reader() noexcept;

/// Id of the format that the bytes of a file without a header have: "kitti", "nuscenes", "xyzrgb" or "rows".
/// Empty if no layout fits clearly. `file_name` in lower case.
[[nodiscard]] std::string_view guess_rows(std::span<const std::byte> bytes, std::string_view file_name);
/// Explains why guess_rows() finds no layout and which layouts it considered. The message begins with `path`.
[[nodiscard]] UnclearFormat no_rows_found(std::span<const std::byte> bytes, std::string_view file_name,
                                          std::string_view path);

}  // namespace spira
