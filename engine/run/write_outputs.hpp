// Writes the outputs of layers, and the voxels of a level, to files for other programs.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/measurement.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace spira {

class Backend;
struct CoordSet;
struct Layer;
struct Network;
struct PointRows;
struct VoxelScene;

/// Throws `Error(usage)` unless the name of `file` ends with .safetensors or .npz.
void require_outputs_format(const std::filesystem::path& file);

/// Returns the output of a layer with the operation "dense" as a grid of fp32 or fp16 values, in the shape
/// and the order of axes of the layer. A batch has one grid for each frame. Cells without a voxel are zero.
/// Throws `Error(input)` with the name `of` if a voxel is outside the cells of the layer.
[[nodiscard]] std::vector<std::byte> dense_grid(const Layer& layer, const LayerResult& result,
                                                const std::string& of);

/// Returns the coordinates of a level of voxels as rows of x, y, z, or of batch index, x, y, z in a batch.
[[nodiscard]] std::vector<std::int32_t> coordinate_rows(const CoordSet& level, int batch);
/// Returns the positions of points in the same form, in voxels. A rounded position stays in the voxel of its
/// point.
[[nodiscard]] std::vector<float> position_rows(const PointRows& points, int batch);

/// Writes two arrays for each layer, in the row order of the level:
/// - "NAME.features" [voxels][channels]: float32 or float16, the precision of the run;
/// - "NAME.coordinates" [voxels][3]: int32 x, y, z in voxels of the grid, multiples of the stride of the
///   layer. In a batch: [voxels][4], with the batch index first.
/// A layer on points has "NAME.points" [points][3] instead: float32 positions in voxels, without a shift.
/// A layer with the operation "dense" is written as one array NAME.dense with the shape and the axes of the
/// layer, and with the batch as the first dimension in a batch. Throws `Error(input)` if a voxel is outside
/// its cells. The metadata contains scene, network, weights, precision, "voxel_m", "shift_voxels"
/// "NAME.stride", and for levels with another rule "NAME.level" (see level_text()). The low corner of a
/// voxel, in metres of the scene, is (coordinates + shift_voxels) * voxel_m, plus "low_m" if the network has
/// an InputGrid. The extension of `file` selects the format (docs/file-formats.md). All results must belong
/// to one scene, and their features must be in host memory. Throws `Error(usage)` for another extension,
/// `Error(input)` if the file cannot be written, and `Error(cancelled)`.
void write_outputs(const std::filesystem::path& file, const Network& network,
                   std::span<const std::shared_ptr<const LayerResult>> layers, const std::string& weights,
                   Job& job);

/// Writes the input of a network as a voxel file (docs/network-files.md): the voxels of a scene and their
/// features in float32, and the points and their features if the network reads them. The extension of `file`
/// selects the format, as for write_outputs(). Throws `Error(input)` if a coordinate is beyond +-2^30, and
/// the errors of build_levels() and write_outputs().
void write_voxel_file(const std::filesystem::path& file, Backend& backend, const VoxelScene& scene,
                      const Network& network, Job& job);

/// Writes one row per voxel. `rows` contains the row numbers of the voxels in the level. The columns are:
/// - the centre (x, y, z in metres), the index (ix, iy, iz), the row in the level, and the number of points;
/// - the mean intensity, the mean colour and the most frequent label, if the scene has these attributes.
/// The extension of `file` selects the format: binary PLY or CSV with these column names, or NPY as float64
/// [rows][columns] in this order. Throws `Error(usage)` for another extension, `Error(input)` if the file
/// cannot be written, and `Error(cancelled)`.
void write_voxels(const VoxelScene& scene, int stride, std::span<const std::int32_t> rows,
                  const std::filesystem::path& file, Job& job);

}  // namespace spira
