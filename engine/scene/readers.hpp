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

/// Of a headerless .bin that no reader takes for its own: what follows "N bytes" in the message.
[[nodiscard]] std::string why_no_float_rows(std::span<const std::byte> bytes);

}  // namespace spira
