// Declares the readers that formats() lists. Each reader is stateless and has a single instance.
#pragma once

#include "engine/scene/reader.hpp"

namespace spira {

[[nodiscard]] const SceneReader& kitti_reader() noexcept;  ///< Reads float32 x 4: x, y, z, intensity.
/// Reads float32 x 5: x, y, z, intensity, and a ring (nuScenes) or an elongation (Waymo).
[[nodiscard]] const SceneReader& nuscenes_reader() noexcept;
[[nodiscard]] const SceneReader& xyzrgb_reader() noexcept;  ///< Reads float32 x 6: x, y, z, r, g, b.
[[nodiscard]] const SceneReader& pcd_reader() noexcept;
[[nodiscard]] const SceneReader& ply_reader() noexcept;
[[nodiscard]] const SceneReader& text_reader() noexcept;
[[nodiscard]] const SceneReader& npy_reader() noexcept;
[[nodiscard]] const SceneReader& npz_reader() noexcept;
[[nodiscard]] const SceneReader& las_reader() noexcept;

/// Returns the reader of rows of numbers without a header, for all layouts that have no other reader.
[[nodiscard]] const SceneReader& row_reader() noexcept;

/// Returns the id of the format of a file without a header: "kitti", "nuscenes", "xyzrgb" or "rows". Returns
/// an empty string if no layout clearly fits. `file_name` must be in lower case.
[[nodiscard]] std::string_view guess_rows(std::span<const std::byte> bytes, std::string_view file_name);
/// Returns an error that explains why guess_rows() finds no layout, with the layouts that were considered.
/// The message begins with `path`.
[[nodiscard]] UnclearFormat no_rows_found(std::span<const std::byte> bytes, std::string_view file_name,
                                          std::string_view path);

}  // namespace spira
