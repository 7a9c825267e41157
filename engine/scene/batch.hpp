// Joins scenes to a batch, which a network runs as one scene, and takes single frames out of a batch.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace spira {

/// Returns a batch with one frame for each cloud, in this order. Attributes that some clouds lack are
/// dropped, except the intensity, which is 1 there. Throws `Error(usage)` if there are more than max_batch
/// clouds, if a cloud is a batch itself, if only some clouds are voxel files or have another number of
/// features, or if display_origin() of the points inside the crop differs. The features of a frame would then
/// differ from the features of the same scene alone.
[[nodiscard]] std::shared_ptr<const PointCloud> batch_of(
    std::span<const std::shared_ptr<const PointCloud>> clouds, const std::optional<Bounds>& crop_m = {});

/// Returns the points of one frame as a scene.
[[nodiscard]] PointCloud frame_of(const PointCloud& batch, int frame);

/// Calls `make` for each frame that has points, and joins the results to a batch. Frames without points stay
/// empty. If `cloud` is not a batch, returns make(cloud).
[[nodiscard]] std::shared_ptr<const PointCloud> for_each_frame(
    const std::shared_ptr<const PointCloud>& cloud,
    const std::function<std::shared_ptr<const PointCloud>(const std::shared_ptr<const PointCloud>&)>& make);

/// Returns the frame of each point, for devices that compute the key of each point separately.
[[nodiscard]] std::vector<std::uint8_t> frames_of_points(const PointCloud& cloud);

}  // namespace spira
