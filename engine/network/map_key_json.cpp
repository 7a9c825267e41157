#include "engine/network/map_key_json.hpp"

#include <algorithm>
#include <bit>

namespace spira {
namespace {

nlohmann::ordered_json numbers_json(const PerAxis& numbers) {
  if (numbers.equal()) return numbers[0];
  return numbers.values;
}

/// Reads one number for all axes, or an array of three.
PerAxis numbers_from(const JsonFields& fields, const std::string& key, int low, int high) {
  if (!fields.value(key).is_array()) return static_cast<int>(fields.whole(key, low, high));
  const auto counts = fields.counts(key, 3);
  const bool sound = counts.size() == 3 && std::all_of(counts.begin(), counts.end(), [&](std::int64_t count) {
                       return count >= low && count <= high;
                     });
  if (!sound)
    fields.fail(key, "expected three numbers from " + std::to_string(low) + " to " + std::to_string(high));
  return {static_cast<int>(counts[0]), static_cast<int>(counts[1]), static_cast<int>(counts[2])};
}

/// Reads the neighbourhood of a kernel and checks that the kernel can have it.
void read_neighbourhood(const JsonFields& fields, KernelShape& kernel) {
  Neighbourhood& own = kernel.neighbourhood;
  if (fields.has("neighbours"))
    own.shape = choice<NeighbourShape>(fields, "neighbours",
                                       {{text_of(NeighbourShape::voxels), NeighbourShape::voxels},
                                        {text_of(NeighbourShape::cube), NeighbourShape::cube},
                                        {text_of(NeighbourShape::ball), NeighbourShape::ball}});
  if (fields.has("cell")) own.cell = static_cast<int>(fields.whole("cell", 1, most_window_cells));
  if (fields.has("radius")) {
    own.radius = fields.number("radius", 0, most_window_cells);
    if (own.radius == 0) fields.fail("radius", "must be greater than 0");
  }
  if (const std::string why = why_not(own, kernel.size); !why.empty()) {
    const auto colon = why.find(": ");
    fields.fail(why.substr(0, colon), why.substr(colon + 2));
  }
  if (own.native() && !kernel.centred())
    fields.fail("padding", "a kernel with native neighbours has the usual padding");
}

}  // namespace

void add_neighbourhood(nlohmann::ordered_json& row, const Neighbourhood& neighbourhood) {
  if (neighbourhood.native()) row["neighbours"] = text_of(neighbourhood.shape);
  if (neighbourhood.cell != 1) row["cell"] = neighbourhood.cell;
  if (neighbourhood.radius != 0) row["radius"] = neighbourhood.radius;
}

void add_kernel(nlohmann::ordered_json& row, const KernelShape& kernel) {
  row["kernel_size"] = numbers_json(kernel.size);
  if (kernel.padding != KernelShape::usual_padding(kernel.size))
    row["padding"] = numbers_json(kernel.padding);
  add_neighbourhood(row, kernel.neighbourhood);
}

void add_map_key(nlohmann::ordered_json& row, const MapKey& key) {
  add_kernel(row, key.kernel);
  row["in_stride"] = key.stride_in;
  row["out_stride"] = key.stride_out;
}

KernelShape kernel_from(const JsonFields& fields) {
  KernelShape kernel = numbers_from(fields, "kernel_size", 1, largest_kernel_size);
  if (fields.has("padding")) kernel.padding = numbers_from(fields, "padding", 0, largest_kernel_size - 1);
  read_neighbourhood(fields, kernel);
  return kernel;
}

int level_from(const JsonFields& fields, const std::string& key) {
  constexpr int most_levels = 10'000;
  const auto number = static_cast<int>(fields.whole(key, 1, first_numbered_level + most_levels));
  const bool stride = number <= max_level_stride && std::has_single_bit(static_cast<unsigned>(number));
  if (!stride && number < first_numbered_level) fields.fail(key, "expected 1, 2, 4, 8, 16, 32 or 64");
  return number;
}

MapKey map_key_from(const JsonFields& fields) {
  return {kernel_from(fields), level_from(fields, "in_stride"), level_from(fields, "out_stride")};
}

PositionKind position_kind_from(const JsonFields& fields, const std::string& key) {
  return choice<PositionKind>(fields, key,
                              {{text_of(PositionKind::nearest), PositionKind::nearest},
                               {text_of(PositionKind::grid), PositionKind::grid}});
}

}  // namespace spira
