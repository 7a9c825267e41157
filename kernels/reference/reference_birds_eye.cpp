#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "kernels/reference/reference_backend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace spira::reference {
namespace {

/// An image in double precision. Shape: [cells[0]][cells[1]][channels].
struct WideImage {
  std::array<std::int64_t, 2> cells{};
  int channels = 0;
  std::vector<double> values;

  WideImage(std::array<std::int64_t, 2> size, int width)
      : cells(size),
        channels(width),
        values(static_cast<std::size_t>(size[0] * size[1]) * static_cast<std::size_t>(width), 0.0) {}
  [[nodiscard]] bool contains(std::int64_t x, std::int64_t y) const {
    return x >= 0 && x < cells[0] && y >= 0 && y < cells[1];
  }
  [[nodiscard]] double* at(std::int64_t x, std::int64_t y) {
    return values.data() + ((x * cells[1] + y) * channels);
  }
  [[nodiscard]] const double* at(std::int64_t x, std::int64_t y) const {
    return values.data() + ((x * cells[1] + y) * channels);
  }
};

double value_of(const Buffer& buffer, Precision precision, std::size_t at) {
  return precision == Precision::fp32 ? static_cast<double>(buffer.host_span<float>()[at])
                                      : static_cast<double>(fp16_to_float(buffer.host_span<Fp16>()[at]));
}

void store(Features& features, std::size_t at, double value) {
  const auto rounded = static_cast<float>(value);
  if (features.precision == Precision::fp32) {
    features.data.host_span<float>()[at] = rounded;
  } else {
    features.data.host_span<Fp16>()[at] = float_to_fp16(rounded);
  }
}

/// Returns a value rounded to the precision in which images are stored.
double rounded_to(Precision precision, double value) {
  const auto rounded = static_cast<float>(value);
  return precision == Precision::fp32 ? static_cast<double>(rounded)
                                      : static_cast<double>(fp16_to_float(float_to_fp16(rounded)));
}

Features empty_image(const std::shared_ptr<MemoryPool>& pool, std::int64_t rows, int channels,
                     Precision precision) {
  return {rows, channels, precision,
          Buffer(pool,
                 static_cast<std::size_t>(rows) * static_cast<std::size_t>(channels) * bytes_of(precision))};
}

/// Computes the outputs of one layer without its ReLU.
WideImage convolved(const WideImage& in, const UnitLayer& layer, int step, Job& job) {
  const UploadedWeights& weights = *layer.weights;
  WideImage out({in.cells[0] / step, in.cells[1] / step}, weights.out_channels);
  const std::int64_t reach = (layer.kernel_size - 1) / 2;
  const auto bias = weights.bias.host_span<float>();
  std::vector<double> kernel(weights.weight.bytes() / bytes_of(weights.precision));
  for (std::size_t at = 0; at < kernel.size(); ++at)
    kernel[at] = value_of(weights.weight, weights.precision, at);
  for (std::int64_t x = 0; x < out.cells[0]; ++x) {
    for (std::int64_t y = 0; y < out.cells[1]; ++y) {
      constexpr std::int64_t cells_between_checks = 64;
      if ((x * out.cells[1] + y) % cells_between_checks == 0) job.checkpoint({"reference unit", 0, 0});
      double* const sums = out.at(x, y);
      std::copy(bias.begin(), bias.end(), sums);
      std::size_t weight = 0;
      for (std::int64_t ix = -reach; ix <= reach; ++ix) {
        for (std::int64_t iy = -reach; iy <= reach; ++iy) {
          const bool inside = in.contains(x * step + ix, y * step + iy);
          const double* const from = inside ? in.at(x * step + ix, y * step + iy) : nullptr;
          for (int a = 0; a < in.channels; ++a) {
            for (int b = 0; b < out.channels; ++b, ++weight) {
              if (inside) sums[b] += from[a] * kernel[weight];
            }
          }
        }
      }
    }
  }
  return out;
}

/// Returns the output image of the dense unit, rounded to the precision of `image`.
WideImage dense_output(const Features& image, const UnitRequest& request, Job& job) {
  WideImage input(request.cells, image.channels);
  for (std::size_t at = 0; at < input.values.size(); ++at)
    input.values[at] = value_of(image.data, image.precision, at);
  WideImage current = input;
  for (std::size_t layer = 0; layer < request.layers.size(); ++layer) {
    current = convolved(current, request.layers[layer], layer == 0 ? request.step : 1, job);
    const bool adds = request.residual && layer + 1 == request.layers.size();
    for (std::size_t at = 0; at < current.values.size(); ++at) {
      double& value = current.values[at];
      if (adds) value += input.values[at];
      if (request.layers[layer].relu && value < 0.0) value = 0.0;
      value = rounded_to(image.precision, value);
    }
  }
  return current;
}

/// Returns for each cell of the output image whether it is in the core of an active block. All cells are if
/// there are no blocks.
std::vector<bool> active_cells(const UnitRequest& request) {
  const auto cells = output_cells(request);
  std::vector<bool> active(static_cast<std::size_t>(cells[0] * cells[1]), request.blocks == nullptr);
  if (request.blocks == nullptr) return active;
  const std::int64_t core = request.blocks->shape.core, columns = request.blocks->grid[1];
  const auto numbers = request.blocks->numbers.host_span<std::int32_t>();
  for (std::int64_t at = 0; at < request.blocks->count.host_span<std::int64_t>().front(); ++at) {
    const std::int64_t first_x = numbers[static_cast<std::size_t>(at)] / columns * core,
                       first_y = numbers[static_cast<std::size_t>(at)] % columns * core;
    for (std::int64_t x = first_x; x < std::min(first_x + core, cells[0]); ++x) {
      for (std::int64_t y = first_y; y < std::min(first_y + core, cells[1]); ++y)
        active[static_cast<std::size_t>(x * cells[1] + y)] = true;
    }
  }
  return active;
}

}  // namespace

Features ReferenceBirdsEye::project(const UploadedPoints& points, const Area& area, int channels,
                                    Precision precision, Job& job) {
  SPIRA_ASSERT(channels >= 4, "an image of points has at least four channels");
  const PointCloud& cloud = *points.cloud;
  const auto cells = static_cast<std::size_t>(area.size()), width = static_cast<std::size_t>(channels);
  std::vector<double> sums(cells, 0.0), counts(cells, 0.0);
  Features image = empty_image(pool_, area.size(), channels, precision);
  std::memset(image.data.data(), 0, image.data.bytes());
  constexpr std::size_t points_between_checks = 65'536;
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    if (at % points_between_checks == 0) job.checkpoint({"reference image", 0, 0});
    const std::int64_t row = area.row_of(cloud.positions[at]);
    if (row < 0) continue;
    const auto cell = static_cast<std::size_t>(row);
    const int channel = height_channel(cloud.positions[at][2], area, channels);
    store(image, cell * width + static_cast<std::size_t>(channel), 1.0);
    sums[cell] += cloud.intensity.empty() ? 1.0 : static_cast<double>(cloud.intensity[at]);
    counts[cell] += 1.0;
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (counts[cell] > 0.0) store(image, (cell + 1) * width - 1, sums[cell] / counts[cell]);
  }
  return image;
}

Buffer ReferenceBirdsEye::make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec,
                                    Job& job) {
  const Mask mask = spira::make_mask(*points.cloud, area, spec, job);
  Buffer cells(pool_, mask.cells.size());
  std::copy(mask.cells.begin(), mask.cells.end(), cells.host_span<std::uint8_t>().begin());
  return cells;
}

BlockList ReferenceBirdsEye::active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape,
                                           Job& job) {
  job.checkpoint({"reference blocks", 0, 0});
  const auto cells = mask.host_span<std::uint8_t>();
  const auto active = spira::active_blocks(Mask{area, {}, {cells.begin(), cells.end()}}, shape);
  const auto grid = grid_of(shape, area);
  BlockList list{shape, grid,
                 Buffer(pool_, static_cast<std::size_t>(grid[0] * grid[1]) * sizeof(std::int32_t)),
                 Buffer(pool_, sizeof(std::int64_t)), std::ssize(active)};
  std::copy(active.begin(), active.end(), list.numbers.host_span<std::int32_t>().begin());
  list.count.host_span<std::int64_t>().front() = std::ssize(active);
  return list;
}

Features ReferenceBirdsEye::run_unit(Features& image, const UnitRequest& request, Job& job) {
  require_sound(image, request);
  const WideImage output = dense_output(image, request, job);
  const std::vector<bool> active = active_cells(request);
  Features result = empty_image(pool_, output.cells[0] * output.cells[1], output.channels, image.precision);
  for (std::size_t at = 0; at < output.values.size(); ++at) {
    const bool computed = active[at / static_cast<std::size_t>(output.channels)];
    store(result, at,
          computed           ? output.values[at]
          : request.residual ? value_of(image.data, image.precision, at)
                             : 0.0);
  }
  if (!request.keep_input) image = {};
  return result;
}

}  // namespace spira::reference
