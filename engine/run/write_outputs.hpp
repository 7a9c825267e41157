// Writes the outputs of layers as a file that NumPy and PyTorch programs read.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/layer_result.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace spira {

/// Throws `Error(usage)` unless `file` ends in .safetensors or .npz.
void require_outputs_format(const std::filesystem::path& file);

/// Writes two arrays for each layer, in the row order of the level:
/// - "NAME.features" [voxels][channels]: float32 or float16, the precision of the run;
/// - "NAME.coordinates" [voxels][3]: int32 x, y, z in voxels of the grid (multiples of the layer's stride).
/// The metadata contains scene, network, weights, precision, "voxel_m", "shift_voxels" and "NAME.stride". The
/// low corner of a voxel is (coordinates + shift_voxels) * voxel_m, in metres of the scene.
///
/// The extension selects the format (docs/file-formats.md). All results must belong to one scene, and their
/// features must be in host memory. Throws `Error(usage)` for another extension, `Error(input)` if the file
/// cannot be written, and `Error(cancelled)`.
void write_outputs(const std::filesystem::path& file, const Network& network,
                   std::span<const std::shared_ptr<const LayerResult>> layers, const std::string& weights,
                   Job& job);

}  // namespace spira
