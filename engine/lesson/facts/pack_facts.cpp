#include "engine/lesson/facts/pack_facts.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/voxel/fit_meter.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace spira {
namespace {

constexpr std::size_t voxels_per_checkpoint = 4096;  // Small, because each voxel needs many look-ups.

std::array<std::int64_t, 3> extent_of(const CoordSet& level, Job& job) {
  std::array<std::int64_t, 3> extent{};
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"measuring the extent", row, size_of(level)});
    const Voxel voxel = voxel_at(level, row);
    for (std::size_t axis = 0; axis < 3; ++axis)
      extent.at(axis) = std::max<std::int64_t>(extent.at(axis), voxel.at(axis) + 1);
  }
  return extent;
}

struct Layers {
  std::int32_t lowest = INT32_MAX, highest = 0;
};
Layers layers_of(const LessonInput& input) {
  const CoordSet& level = input.scene->level(1);
  Layers layers;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    const std::int32_t z = voxel_at(level, row)[2];
    layers = {std::min(layers.lowest, z), std::max(layers.highest, z)};
  }
  return layers;
}

int bits_for(int highest) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(highest))));
}

/// Combines the fields of a word with OR. This imitates a program that does not check whether each component
/// fits its field.
std::uint64_t joined(const PackSpec& pack, const Voxel& v) {
  const auto part = [](std::int32_t c) { return static_cast<std::uint64_t>(c); };
  return ((part(v[0]) << (pack.y_bits + pack.z_bits)) | (part(v[1]) << pack.z_bits) | part(v[2])) &
         pack.word_mask();
}

struct Falsehoods {
  std::int64_t leaving = 0;  ///< Number of queries below or above the z field.
  std::int64_t wrong = 0;    ///< Number of these queries whose word equals the word of another voxel.
};

/// Counts the queries of a kernel that leave a z field of `z_bits` bits, and how many of them match a wrong
/// voxel. The field contains the lowest 2^z_bits z layers of the scene.
Falsehoods falsehoods(const LessonInput& input, int z_bits, int kernel_size, Job& job) {
  const CoordSet& level = input.scene->level(1);
  PackSpec pack = input.scene->pack;
  pack.z_bits = z_bits;
  const int cells = 1 << z_bits, reach = (kernel_size - 1) / 2;
  const std::int32_t lowest = layers_of(input).lowest;
  std::unordered_set<std::uint64_t> words;
  std::vector<Voxel> near;  // The voxels near the border of the field. Only their queries can leave it.
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"scanning the border", row, size_of(level)});
    Voxel voxel = voxel_at(level, row);
    voxel[2] -= lowest;
    if (voxel[2] >= cells) continue;
    words.insert(pack.pack(voxel));
    if (voxel[2] < reach || voxel[2] >= cells - reach) near.push_back(voxel);
  }
  Falsehoods found;
  for (std::size_t at = 0; at < near.size(); ++at) {
    if (at % voxels_per_checkpoint == 0)
      job.checkpoint({"checking queries beyond the border", static_cast<std::int64_t>(at), std::ssize(near)});
    const Voxel& q = near[at];
    for (int dx = -reach; dx <= reach; ++dx) {
      for (int dy = -reach; dy <= reach; ++dy) {
        for (int dz = -reach; dz <= reach; ++dz) {
          const Voxel query{q[0] + dx, q[1] + dy, q[2] + dz};
          if (query[2] >= 0 && query[2] < cells) continue;
          ++found.leaving;
          found.wrong += words.contains(pack.pack(query)) ? 1 : 0;
        }
      }
    }
  }
  return found;
}

constexpr std::array judged_kernels{3, 5, 7};

std::string of_kernel(const std::string& name, int kernel) {
  return "border." + name + "." + std::to_string(kernel);
}

/// Adds two kinds of numbers to `facts`: the guard cells that the current packing has, and the guard cells
/// that each kernel needs on any level. Unsafe packings are rejected by the same numbers.
void tell_guards(const VoxelScene& scene, std::vector<Fact>& facts) {
  const auto& axes = scene.fit.axes;
  const std::array extent{axes[0].extent, axes[1].extent, axes[2].extent};
  const int largest_stride = coarsest_floor_level(scene).stride;
  const auto free = free_cells(extent, scene.pack);
  for (std::size_t axis = 0; axis < 3; ++axis)
    facts.push_back(count_fact(of_axis("border.free", axis), free.at(axis)));
  for (const int kernel : judged_kernels) {
    const auto needed = guard_cells(kernel, largest_stride);
    std::size_t tightest = 2;  // If axes are equally tight, z is preferred, then y.
    for (const std::size_t axis : {1U, 0U}) {
      if (free.at(axis) - needed.at(axis) < free.at(tightest) - needed.at(tightest)) tightest = axis;
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      facts.push_back(count_fact(of_axis(of_kernel("needed", kernel), axis), needed.at(axis)));
    const bool safe = fit(extent, scene.pack, {kernel, largest_stride}).fits();
    facts.push_back(count_fact(of_kernel("safe", kernel), safe ? 1 : 0));
    facts.push_back(count_fact(of_kernel("tightest", kernel) + ".needed", needed.at(tightest)));
    facts.push_back(count_fact(of_kernel("tightest", kernel) + ".free", free.at(tightest)));
  }
}

}  // namespace

std::vector<std::string> pack_fact_names() {
  std::vector<std::string> names{"pack.word_bits", "pack.neighbours", "pack.in_order"};
  for (const char* name : {"pack.bits", "pack.cells", "pack.extent", "pack.needed", "pack.free"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> pack_facts(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(1);
  const PackSpec& pack = input.scene->pack;
  const std::int64_t voxels = size_of(level);
  std::int64_t in_order = 0;
  for (std::int64_t row = 1; row < voxels; ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"comparing neighbours", row, voxels});
    in_order += voxel_at(level, row - 1) < voxel_at(level, row) ? 1 : 0;
  }
  const auto extent = extent_of(level, job);
  std::vector<Fact> facts{count_fact("pack.word_bits", pack.word_bits()),
                          count_fact("pack.neighbours", voxels - 1), count_fact("pack.in_order", in_order)};
  const std::array<int, 3> bits{pack.x_bits, pack.y_bits, pack.z_bits};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t cells = std::int64_t{1} << bits.at(axis);
    facts.push_back(count_fact(of_axis("pack.bits", axis), bits.at(axis)));
    facts.push_back(count_fact(of_axis("pack.cells", axis), cells));
    facts.push_back(count_fact(of_axis("pack.extent", axis), extent.at(axis)));
    facts.push_back(
        count_fact(of_axis("pack.needed", axis), bits_for(static_cast<int>(extent.at(axis) - 1))));
    facts.push_back(count_fact(of_axis("pack.free", axis), cells - extent.at(axis)));
  }
  return facts;
}

PackSpec tried_pack(const LessonInput& input) {
  if (input.trial.pack) return *input.trial.pack;
  PackSpec pack = input.scene->pack;
  pack.z_bits = std::max(1, bits_for(layers_of(input).highest) - 1);
  return pack;
}

std::vector<Misread> misread_voxels(const LessonInput& input, const PackSpec& pack, Job& job) {
  const CoordSet& level = input.scene->level(1);
  std::vector<Misread> misread;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"packing with a short field", row, size_of(level)});
    const Voxel voxel = voxel_at(level, row);
    const Voxel read = pack.unpack(joined(pack, voxel));
    if (read != voxel) misread.push_back({voxel, read});
  }
  return misread;
}

std::vector<std::string> overflow_fact_names() {
  std::vector<std::string> names{"overflow.z_bits",         "overflow.cells",     "overflow.voxels",
                                 "overflow.share",          "overflow.merged",    "overflow.example.z",
                                 "overflow.example.y",      "overflow.example.x", "overflow.example.read_z",
                                 "overflow.example.read_y", "overflow.chosen"};
  add_axes(names, "overflow.bits");
  return names;
}

std::vector<Fact> overflow_facts(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(1);
  const PackSpec pack = tried_pack(input);
  const auto misread = misread_voxels(input, pack, job);
  std::vector<Voxel> read;
  for (const Misread& one : misread)
    read.push_back(one.read);
  job.checkpoint({"finding merged voxels", 0, std::ssize(misread)});
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  // Number of misread voxels that coincide with another misread voxel.
  std::int64_t merged = std::ssize(misread) - std::ssize(read);
  for (std::size_t at = 0; at < read.size(); ++at) {
    if (at % voxels_per_checkpoint == 0)
      job.checkpoint({"finding merged voxels", static_cast<std::int64_t>(at), std::ssize(read)});
    // Also count misread voxels that coincide with a correct voxel.
    merged += row_of_voxel(level, read[at]) ? 1 : 0;
  }
  const auto voxels = static_cast<double>(size_of(level));
  std::vector<Fact> facts{count_fact("overflow.chosen", input.trial.pack ? 1 : 0),
                          count_fact("overflow.z_bits", pack.z_bits),
                          count_fact("overflow.cells", std::int64_t{1} << pack.z_bits),
                          count_fact("overflow.voxels", std::ssize(misread)),
                          exact_fact("overflow.share", static_cast<double>(misread.size()) / voxels),
                          count_fact("overflow.merged", merged)};
  const std::array<int, 3> bits{pack.x_bits, pack.y_bits, pack.z_bits};
  for (std::size_t axis = 0; axis < 3; ++axis)
    facts.push_back(count_fact(of_axis("overflow.bits", axis), bits.at(axis)));
  if (misread.empty()) return facts;
  // Prefer examples in which the overflow of z changes y, and among them the example with the largest z. If y
  // already has the bit into which z overflows, y does not change.
  const auto tells = [](const Misread& one) { return std::pair{one.voxel[1] != one.read[1], one.voxel[2]}; };
  const auto [voxel, as] = *std::max_element(
      misread.begin(), misread.end(), [&](const auto& a, const auto& b) { return tells(a) < tells(b); });
  facts.push_back(count_fact("overflow.example.x", voxel[0]));
  facts.push_back(count_fact("overflow.example.y", voxel[1]));
  facts.push_back(count_fact("overflow.example.z", voxel[2]));
  facts.push_back(count_fact("overflow.example.read_y", as[1]));
  facts.push_back(count_fact("overflow.example.read_z", as[2]));
  return facts;
}

int tight_z_bits(const LessonInput& input) {
  const Layers layers = layers_of(input);
  return static_cast<int>(std::bit_width(static_cast<unsigned>(layers.highest - layers.lowest) + 1U)) - 1;
}

std::vector<std::string> border_fact_names() {
  std::vector<std::string> names{"border.floor",         "border.free_below",      "border.free_above",
                                 "border.tight.bits",    "border.tight.cells",     "border.tight.leaving.3",
                                 "border.tight.wrong.3", "border.tight.leaving.5", "border.tight.wrong.5"};
  add_axes(names, "border.free");
  for (const int kernel : judged_kernels) {
    add_axes(names, of_kernel("needed", kernel));
    names.push_back(of_kernel("safe", kernel));
    for (const char* name : {".needed", ".free"})
      names.push_back(of_kernel("tightest", kernel) + name);
  }
  return names;
}

std::vector<Fact> border_facts(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(1);
  const auto [lowest, highest] = layers_of(input);
  std::int64_t floor = 0;
  for (std::int64_t row = 0; row < size_of(level); ++row)
    floor += voxel_at(level, row)[2] == lowest ? 1 : 0;
  const int tight = tight_z_bits(input);
  std::vector<Fact> facts{count_fact("border.floor", floor), count_fact("border.free_below", lowest),
                          count_fact("border.free_above", (1LL << input.scene->pack.z_bits) - 1 - highest),
                          count_fact("border.tight.bits", tight),
                          count_fact("border.tight.cells", std::int64_t{1} << tight)};
  tell_guards(*input.scene, facts);
  for (const int kernel : {3, 5}) {
    const Falsehoods found = falsehoods(input, tight, kernel, job);
    facts.push_back(count_fact("border.tight.leaving." + std::to_string(kernel), found.leaving));
    facts.push_back(count_fact("border.tight.wrong." + std::to_string(kernel), found.wrong));
  }
  return facts;
}

std::vector<std::string> level_fact_names() {
  return {"levels.s1",  "levels.s2",       "levels.s4",     "levels.s8",
          "levels.s16", "levels.coarsest", "levels.rounded"};
}

std::vector<Fact> level_facts(const LessonInput& input, Job& job) {
  std::vector<Fact> facts;
  for (const auto& level : input.scene->levels) {
    if (level->stride < first_numbered_level)
      facts.push_back(count_fact("levels.s" + std::to_string(level->stride), size_of(*level)));
  }
  facts.push_back(count_fact("levels.coarsest", coarsest_floor_level(*input.scene).stride));
  const CoordSet& level = input.scene->level(1);
  constexpr int stride = 8;
  const std::uint64_t mask = level.pack.round_down_mask(stride);
  std::int64_t rounded = 0;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"rounding down", row, size_of(level)});
    const Voxel v = voxel_at(level, row);
    const Voxel floored{v[0] / stride * stride, v[1] / stride * stride, v[2] / stride * stride};
    rounded += level.pack.unpack(key_at(level, row) & mask) == floored ? 1 : 0;
  }
  facts.push_back(count_fact("levels.rounded", rounded));
  return facts;
}

}  // namespace spira
