#include "engine/voxel/fit.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/voxel/fit_meter.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spira {
namespace {

int reach(int kernel_size) {
  return kernel_size % 2 == 1 ? (kernel_size - 1) / 2 : kernel_size - 1;
}

std::int64_t cells(int bits) {
  return std::int64_t{1} << std::min(bits, 62);
}

/// Returns the number of bits in a word that can contain coordinates. Searches compare 64-bit words as signed
/// numbers, so the top bit of a 64-bit word cannot be used.
int usable_bits(const PackSpec& pack) {
  return std::min(pack.word_bits(), 63);
}

/// Returns the number of usable bits above the x field.
int bits_spare(const PackSpec& pack) {
  return pack.batch_bits > 0 ? 0 : usable_bits(pack) - pack.x_bits - pack.y_bits - pack.z_bits;
}

/// Coordinates have 32 bits with a sign, and kernels compute with the batch index and x as one number.
constexpr int max_x_bits = 31;

int bits_for(std::int64_t cell_count) {
  int bits = 1;
  while (bits < 63 && cells(bits) < cell_count)
    ++bits;
  return bits;
}

/// Returns the narrowest fields for an extent and its guard cells.
PackSpec tight_fields(const std::array<std::int64_t, 3>& extent, const PackNeeds& needs) {
  PackSpec tight{bits_for(extent[0] + needs.guard[0]), bits_for(extent[1] + needs.guard[1]),
                 bits_for(extent[2] + needs.guard[2]), PackSpec::bits_for_batch(needs.batch)};
  if (needs.batch > 1) tight.x_bits = std::max(tight.x_bits, bits_for(needs.levels.coarsest[0]));
  return tight;
}

}  // namespace

std::array<std::int64_t, 3> guard_cells(int max_kernel_size, int max_stride) {
  const std::int64_t h = reach(max_kernel_size);
  return {h * max_stride, h, h};
}

std::array<std::int64_t, 3> guard_cells(PerAxis below, PerAxis above, PerAxis stride) {
  std::array<std::int64_t, 3> guard{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // If a field overflows, its carry adds 1 to the next field. The result can only be equal to a voxel of
    // the level if the stride of the level is 1 on the axis of the next field. If both axes have the same
    // stride, h guard cells are enough.
    const int next = axis == 0 ? 1 : stride[axis - 1];
    const std::int64_t steps = std::max(1, stride[axis] / next);
    guard.at(axis) = std::max({0, below[axis], above[axis]}) * steps;
  }
  return guard;
}

PackNeeds::PackNeeds(int max_kernel_size, int max_stride)
    : guard(guard_cells(max_kernel_size, max_stride)),
      levels(max_stride),
      text("K = " + std::to_string(max_kernel_size) + ", strides up to " + std::to_string(max_stride)) {}

std::array<std::int64_t, 3> free_cells(std::array<std::int64_t, 3> extent, PackSpec pack) {
  const std::int64_t own = cells(pack.x_bits);
  const std::int64_t x_cells = extent[0] > own ? own : cells(pack.x_bits + bits_spare(pack));
  return {x_cells - extent[0], cells(pack.y_bits) - extent[1], cells(pack.z_bits) - extent[2]};
}

Fit fit(std::array<std::int64_t, 3> extent, PackSpec pack, const PackNeeds& needs) {
  const auto& guard = needs.guard;
  const std::array<int, 3> given{pack.x_bits, pack.y_bits, pack.z_bits};
  // No field is above x, so x wraps only at the end of the word. Therefore unused bits of the word serve as
  // guard cells for x.
  const std::int64_t x_cells = cells(pack.x_bits + bits_spare(pack));
  // In a batch, the index is above x, so x leads to the next frame. Frames start at a multiple of every
  // stride, so their distance is one too.
  const bool batch = pack.batch_bits > 0;
  const std::int64_t coarsest = needs.levels.coarsest[0];
  Fit result{};
  result.batch_bits = pack.batch_bits;
  result.used_bits = pack.used_bits();
  result.word_bits = std::min(usable_bits(pack.with_batch(1)), max_x_bits + pack.y_bits + pack.z_bits);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t own = cells(given.at(axis));
    const std::int64_t limit = axis > 0                  ? own - guard.at(axis)
                               : batch && own < coarsest ? 0
                                                         : std::min(own, x_cells - guard[0]);
    const int spare = axis == 0 ? std::max(0, bits_spare(pack)) : 0;
    result.axes.at(axis) = {
        "xyz"[axis], extent.at(axis), limit, given.at(axis),
        std::max(bits_for(extent.at(axis)), bits_for(extent.at(axis) + guard.at(axis)) - spare)};
  }
  if (batch) result.axes[0].bits_needed = std::max(result.axes[0].bits_needed, bits_for(coarsest));
  return result;
}

std::vector<PackSpec> packings_that_fit(std::array<std::int64_t, 3> extent, const PackNeeds& needs) {
  std::vector<PackSpec> found;
  const int batch_bits = PackSpec::bits_for_batch(needs.batch);
  const auto try_one = [&](PackSpec pack) {
    pack.batch_bits = batch_bits;
    if (fit(extent, pack, needs).fits() && std::find(found.begin(), found.end(), pack) == found.end()) {
      found.push_back(pack);
    }
  };
  try_one(PackSpec::bits32());
  if (found.empty()) {
    PackSpec narrow = tight_fields(extent, needs);
    const int spare = 32 - narrow.used_bits();
    if (spare >= 0) {
      // The frames of a batch are 2^x_bits cells apart. Wide gaps would make occupancy grids large.
      (needs.batch > 1 ? narrow.y_bits : narrow.x_bits) += spare;
      try_one(narrow);
    }
  }
  try_one(PackSpec::bits64());
  const PackSpec tight = tight_fields(extent, needs);
  if (needs.batch > 1) {  // The default 64-bit packing has no room for a batch index.
    try_one({tight.x_bits, std::max(tight.y_bits, PackSpec::bits64().y_bits),
             std::max(tight.z_bits, PackSpec::bits64().z_bits)});
  }
  if (found.empty()) {
    const int x_bits =
        needs.batch > 1 ? tight.x_bits : std::min(max_x_bits, 63 - tight.y_bits - tight.z_bits);
    if (x_bits >= 1 && tight.y_bits <= 31 && tight.z_bits <= 31)
      try_one({x_bits, tight.y_bits, tight.z_bits});
  }
  return found;
}

std::vector<PackSpec> usual_packings() {
  return {PackSpec::bits32(), {11, 12, 9}, {11, 11, 10}, PackSpec::bits64()};
}

std::vector<PackSpec> packings_to_try(std::array<std::int64_t, 3> extent, const PackNeeds& needs) {
  std::vector<PackSpec> all = usual_packings();
  for (PackSpec& pack : all)
    pack = pack.with_batch(needs.batch);
  for (const PackSpec& pack : packings_that_fit(extent, needs)) {
    if (std::find(all.begin(), all.end(), pack) == all.end()) all.push_back(pack);
  }
  return all;
}

std::string misfit_text(const Fit& fit, const std::vector<PackSpec>& alternatives) {
  std::string text;
  if (!fit.batch_fits()) {
    text = "with " + counted_text(fit.batch_bits, "bit", "bits") + " for the batch, the fields have " +
           std::to_string(fit.used_bits) + " bits; a word has " + std::to_string(fit.word_bits);
  }
  for (const AxisFit& axis : fit.axes) {
    if (axis.fits()) continue;
    if (!text.empty()) text += "; ";
    text += std::string(1, axis.axis) + " spans " + count_text(axis.extent) + " cells; " +
            std::to_string(axis.bits_given) + " bits hold " + count_text(axis.limit) + " (" +
            std::to_string(axis.bits_needed) + " needed)";
  }
  text += alternatives.empty() ? "; no 64-bit packing fits; use larger voxels or a crop"
                               : "; packings that fit: ";
  for (std::size_t at = 0; at < alternatives.size(); ++at) {
    text += (at == 0 ? "" : ", ") + alternatives[at].text();  // The width of the batch index is the same.
  }
  return text;
}

void require_fit(std::array<std::int64_t, 3> extent, PackSpec pack, const PackNeeds& needs) {
  const Fit result = fit(extent, pack, needs);
  if (result.fits()) return;
  throw Error(ErrorKind::does_not_fit, "packing " + pack.batch_text() + " does not fit (" + needs.text +
                                           "): " + misfit_text(result, packings_that_fit(extent, needs)));
}

namespace {

/// Finds the window of `cells` cells that contains the most values of `sorted`, and returns its start. In a
/// tie, returns the lowest start.
std::int64_t fullest_window(const std::vector<std::int64_t>& sorted, std::int64_t cells) {
  std::int64_t best = sorted.front();
  std::size_t most = 0, end = 0;
  for (std::size_t begin = 0; begin < sorted.size(); ++begin) {
    while (end < sorted.size() && sorted[end] < sorted[begin] + cells)
      ++end;
    if (end - begin <= most) continue;
    most = end - begin;
    best = sorted[begin];
  }
  return best;
}

/// Returns a length with its unit, such as "25.4 m". Metres have at least two significant digits.
std::string length_text(double length, LengthUnit unit) {
  if (unit == LengthUnit::cells) return with_unit(shortest(length), unit);
  const int zeros = length > 0 && length < 1 ? static_cast<int>(-std::log10(length)) : 0;
  return with_unit(fixed(length, length < 10 ? 2 + zeros : 1), unit);
}

}  // namespace

std::string FittingCrop::text() const {
  std::string result;
  for (const char axis : axes) {
    const std::string length = length_text(length_m.at(static_cast<std::size_t>(axis - 'x')), unit);
    result += (result.empty() ? "" : ", ") + std::string(1, axis) + " to " + length;
  }
  return result;
}

std::optional<FittingCrop> crop_that_fits(const PointCloud& cloud, const Grid& grid, PackSpec pack,
                                          const PackNeeds& needs, Job& job) {
  const VoxelRange range = voxel_range(cloud, grid, job);
  if (range.points == 0) return std::nullopt;
  const Fit whole = fit(range.extent(needs.levels), pack, needs);
  if (whole.fits()) return std::nullopt;
  FittingCrop crop;
  crop.unit = cloud.unit();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t low = range.low.at(axis), cells = range.span().at(axis);
    // The shift is a multiple of the coarsest stride. Therefore up to (this stride - 1) cells below the scene
    // are empty.
    const std::int64_t room = whole.axes.at(axis).limit - (needs.levels.coarsest[axis] - 1);
    if (!whole.axes.at(axis).fits() && room > 0) {
      job.checkpoint({"finding a crop that fits", 0, 0});
      std::vector<std::int64_t> coordinates;
      for (const Point& p : cloud.positions) {
        if (grid.keeps(p))
          coordinates.push_back(static_cast<std::int64_t>(std::floor(p.at(axis) / grid.voxel_m.at(axis))));
      }
      std::sort(coordinates.begin(), coordinates.end());
      low = fullest_window(coordinates, room);
      cells = room;
      crop.axes += whole.axes.at(axis).axis;
    }
    crop.length_m.at(axis) = static_cast<double>(cells) * grid.voxel_m.at(axis);
    crop.box.low.at(axis) = static_cast<double>(low) * grid.voxel_m.at(axis);
    crop.box.high.at(axis) = static_cast<double>(low + cells) * grid.voxel_m.at(axis);
  }
  crop.points = range.points;
  crop.kept = count_inside(cloud, crop.box, job);
  // Because of rounding, the last cell can be inside or outside the crop. Check that the scene really fits
  // with this crop.
  Grid cropped = grid;
  cropped.crop_m = crop.box;
  const bool fits = fit(voxel_range(cloud, cropped, job).extent(needs.levels), pack, needs).fits();
  return fits && !crop.axes.empty() ? std::optional(crop) : std::nullopt;
}

}  // namespace spira
