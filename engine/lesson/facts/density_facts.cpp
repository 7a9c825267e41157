#include "engine/lesson/facts/density_facts.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/lesson.hpp"
#include "engine/lesson/shuffled_level.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace spira {
namespace {

constexpr int max_l1 = 9;  // The largest L1 norm, for K = 7.
constexpr std::size_t listed_exceptions = 5;

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]])
      ++to;
    for (std::size_t at = from; at < to; ++at)
      ranks[order[at]] = static_cast<double>(from + to - 1) / 2.0;
    from = to;
  }
  return ranks;
}

/// Returns the rank correlation of density and norm. Omits the centre offset, because every output has an
/// input there.
double correlation_of(const Densities& found) {
  std::vector<double> density, norm;
  for (const ColumnDensity& column : found.columns) {
    if (column.l1 == 0) continue;
    density.push_back(column.density);
    norm.push_back(column.l1);
  }
  return rank_correlation(density, norm);
}

std::vector<std::string> names_with(const std::string& group, std::vector<std::string> names) {
  for (int l1 = 0; l1 <= max_l1; ++l1)
    names.push_back(group + ".l1." + std::to_string(l1));
  add_axes(names, group + ".axis");
  return names;
}

std::vector<Fact> facts_with(const std::string& group, const Densities& found) {
  std::vector<Fact> facts;
  for (const L1Density& one : found.groups)
    facts.push_back(exact_fact(group + ".l1." + std::to_string(one.l1), one.mean));
  std::array<double, 3> axis{};
  for (const ColumnDensity& column : found.columns) {
    if (column.l1 != 1) continue;
    for (std::size_t at = 0; at < 3; ++at)
      axis.at(at) += column.offset.at(at) != 0 ? column.density / 2.0 : 0.0;
  }
  for (std::size_t at = 0; at < 3; ++at)
    facts.push_back(exact_fact(of_axis(group + ".axis", at), axis.at(at)));
  facts.push_back(exact_fact(group + ".rank_correlation", correlation_of(found)));
  return facts;
}

std::string of_exception(std::size_t at, const char* which) {
  return "density.exception." + std::to_string(at + 1) + "." + which;
}

/// Adds facts about the exceptions to the norm rule to the list `facts`. They contain offsets in steps of the
/// stride of the level.
void add_rule(const NormRule& rule, int stride, std::vector<Fact>& facts) {
  facts.push_back(count_fact("density.exceptions", rule.exceptions));
  facts.push_back(count_fact("density.compared", rule.compared));
  facts.push_back(count_fact("density.exceptions.more", rule.exceptions - std::ssize(rule.strongest)));
  for (std::size_t at = 0; at < rule.strongest.size(); ++at) {
    const auto tell = [&](const char* which, const ColumnDensity& column) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        facts.push_back(count_fact(of_axis(of_exception(at, which), axis), column.offset.at(axis) / stride));
      facts.push_back(exact_fact(of_exception(at, which) + ".density", column.density));
    };
    tell("longer", rule.strongest[at].longer);
    tell("shorter", rule.strongest[at].shorter);
  }
}

/// Adds the matches of one z-group to `matches`. Its offsets are `anchor` and the next cells along z. The
/// matches of an output in a z-group are adjacent in `inputs`, and the anchors of ascending outputs ascend.
void add_matches(const SortedVoxels& inputs, const SortedVoxels& outputs, const Voxel& anchor, int stride,
                 std::span<std::int64_t> matches) {
  const std::int32_t end = static_cast<std::int32_t>(matches.size()) * stride;
  std::size_t at = 0;
  for (const Voxel& q : outputs) {
    const Voxel lowest{q[0] + anchor[0], q[1] + anchor[1], q[2] + anchor[2]};
    while (at < inputs.size() && inputs[at] < lowest)
      ++at;
    for (std::size_t next = at; next < inputs.size(); ++next) {
      const Voxel& v = inputs[next];
      const std::int32_t above = v[2] - lowest[2];
      if (v[0] != lowest[0] || v[1] != lowest[1] || above >= end) break;
      if (above % stride == 0) ++matches[static_cast<std::size_t>(above / stride)];
    }
  }
}

}  // namespace

Densities densities_of(const SortedVoxels& inputs, const SortedVoxels& outputs, const KernelOffsets& offsets,
                       Job& job) {
  const auto matches = count_matches(inputs, outputs, offsets, job);
  return densities(offsets, matches, std::ssize(outputs));
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> ra = ranks(a), rb = ranks(b);
  const auto mean = static_cast<double>(a.size() - 1) / 2.0;
  double both = 0, of_a = 0, of_b = 0;
  for (std::size_t at = 0; at < a.size(); ++at) {
    both += (ra[at] - mean) * (rb[at] - mean);
    of_a += (ra[at] - mean) * (ra[at] - mean);
    of_b += (rb[at] - mean) * (rb[at] - mean);
  }
  return of_a > 0 && of_b > 0 ? both / std::sqrt(of_a * of_b) : 0.0;
}

SortedVoxels sorted_voxels(const CoordSet& level) {
  return all_voxels(level);  // Packed words have the same order as the coordinates.
}

std::vector<std::int64_t> count_matches(const SortedVoxels& inputs, const SortedVoxels& outputs,
                                        const KernelOffsets& offsets, Job& job) {
  std::vector<std::int64_t> matches(static_cast<std::size_t>(offsets.columns()));
  const auto cells = static_cast<std::size_t>(offsets.z_cells());
  for (int group = 0; group < offsets.z_groups(); ++group) {
    job.checkpoint({"counting matches", group, offsets.z_groups()});
    add_matches(inputs, outputs, offsets.anchor(group), offsets.stride()[2],
                std::span(matches).subspan(static_cast<std::size_t>(group) * cells, cells));
  }
  return matches;
}

std::int64_t count_matches(const SortedVoxels& inputs, const SortedVoxels& outputs, Voxel offset) {
  std::int64_t found = 0;
  std::size_t at = 0;
  for (const Voxel& q : outputs) {  // The queries are in ascending order, because the outputs are.
    const Voxel query{q[0] + offset[0], q[1] + offset[1], q[2] + offset[2]};
    while (at < inputs.size() && inputs[at] < query)
      ++at;
    if (at == inputs.size()) break;
    found += inputs[at] == query ? 1 : 0;
  }
  return found;
}

std::vector<std::string> density_fact_names() {
  std::vector<std::string> names{
      "density.kernel_size",       "density.stride",          "density.outputs",
      "density.matches_per_voxel", "density.filling",         "density.rank_correlation",
      "density.exceptions",        "density.exceptions.more", "density.compared"};
  for (std::size_t at = 0; at < listed_exceptions; ++at) {
    for (const char* which : {"longer", "shorter"}) {
      add_axes(names, of_exception(at, which));
      names.push_back(of_exception(at, which) + ".density");
    }
  }
  return names_with("density", std::move(names));
}

std::vector<Fact> density_facts(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  const KernelOffsets offsets(input.kernel_size, input.stride);
  const SortedVoxels voxels = sorted_voxels(level);
  const Densities found = densities_of(voxels, voxels, offsets, job);
  std::vector<Fact> facts = facts_with("density", found);
  double cells = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax_element(
        voxels.begin(), voxels.end(), [axis](const Voxel& a, const Voxel& b) { return a[axis] < b[axis]; });
    cells *= ((*high)[axis] - (*low)[axis]) / static_cast<double>(input.stride) + 1;
  }
  facts.push_back(count_fact("density.kernel_size", input.kernel_size));
  facts.push_back(count_fact("density.stride", input.stride));
  facts.push_back(count_fact("density.outputs", found.outputs));
  facts.push_back(exact_fact("density.matches_per_voxel",
                             static_cast<double>(found.pairs) / static_cast<double>(found.outputs)));
  facts.push_back(exact_fact("density.filling", static_cast<double>(found.outputs) / cells));
  add_rule(check_norm_rule(found, listed_exceptions), input.stride, facts);
  return facts;
}

std::vector<std::string> shuffled_fact_names() {
  return names_with("shuffled", {"shuffled.rank_correlation"});
}

std::vector<Fact> shuffled_facts(const LessonInput& input, Job& job) {
  const SortedVoxels voxels =
      sorted_voxels(shuffled_level(input.scene->level(input.stride), shuffle_seed, job));
  return facts_with("shuffled",
                    densities_of(voxels, voxels, KernelOffsets(input.kernel_size, input.stride), job));
}

std::vector<std::string> stride_fact_names() {
  std::vector<std::string> names;
  for (const char* stride : {"s1", "s2", "s4", "s8", "s16"}) {
    for (const char* kernel : {"k3", "k5"}) {
      for (const char* name : {"rank_correlation", "exceptions", "compared"})
        names.push_back(std::string("strides.") + stride + "." + kernel + "." + name);
    }
    names.push_back(std::string("strides.") + stride + ".neighbours");
  }
  return names;
}

std::vector<Fact> stride_facts(const LessonInput& input, Job& job) {
  std::vector<Fact> facts;
  for (const auto& level : input.scene->levels) {
    if (level->stride >= first_numbered_level) continue;
    const SortedVoxels voxels = sorted_voxels(*level);
    const std::string stride = "strides.s" + std::to_string(level->stride);
    for (const int kernel : {3, 5}) {
      const Densities found = densities_of(voxels, voxels, KernelOffsets(kernel, level->stride), job);
      const std::string of_kernel = stride + ".k" + std::to_string(kernel) + ".";
      const NormRule rule = check_norm_rule(found, 0);
      facts.push_back(exact_fact(of_kernel + "rank_correlation", correlation_of(found)));
      facts.push_back(count_fact(of_kernel + "exceptions", rule.exceptions));
      facts.push_back(count_fact(of_kernel + "compared", rule.compared));
      if (kernel == 3) facts.push_back(exact_fact(stride + ".neighbours", found.groups.at(1).mean));
    }
  }
  return facts;
}

namespace {

/// Returns the densities of one offset of each pair (delta, -delta).
std::vector<ColumnDensity> halved(const Densities& densities) {
  std::vector<ColumnDensity> columns;
  for (const ColumnDensity& column : densities.columns) {
    if (column.offset > Voxel{0, 0, 0}) columns.push_back(column);
  }
  return columns;
}

}  // namespace

NormRule check_norm_rule(const Densities& densities, std::size_t most) {
  const std::vector<ColumnDensity> columns = halved(densities);
  NormRule rule;
  std::vector<NormException> found;
  for (const ColumnDensity& longer : columns) {
    for (const ColumnDensity& shorter : columns) {
      if (longer.l1 <= shorter.l1) continue;
      ++rule.compared;
      if (longer.matches > shorter.matches) found.push_back({longer, shorter});
    }
  }
  rule.exceptions = std::ssize(found);
  // Exceptions with the same difference in matches are sorted by column, so that the result is the same on
  // every platform.
  const auto order = [](const NormException& one) {
    return std::tuple(one.shorter.matches - one.longer.matches, one.longer.column, one.shorter.column);
  };
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
  std::partial_sort(found.begin(), end, found.end(),
                    [&](const auto& a, const auto& b) { return order(a) < order(b); });
  rule.strongest.assign(found.begin(), end);
  return rule;
}

namespace {

/// Returns the part of `name` after the last `key`, or an empty string if `name` does not contain it.
std::string behind(std::string_view name, std::string_view key) {
  const std::size_t at = name.rfind(key);
  return at == std::string_view::npos ? std::string() : std::string(name.substr(at + key.size()));
}

std::optional<LessonCommand> offsets_of_fact(const std::string& name) {
  const std::string norm = behind(name, ".l1."), axis = behind(name, ".axis.");
  if (!norm.empty() && parse_int(norm)) return LessonCommand{"choose.l1", {norm}};
  if (axis == "x") return LessonCommand{"choose.offset", {"1", "0", "0"}};
  if (axis == "y") return LessonCommand{"choose.offset", {"0", "1", "0"}};
  if (axis == "z") return LessonCommand{"choose.offset", {"0", "0", "1"}};
  return std::nullopt;
}

}  // namespace

std::optional<LessonCommand> offsets_of(const Expression& formula) {
  std::optional<LessonCommand> about;
  for (const std::string& name : formula.names()) {
    const auto one = offsets_of_fact(name);
    if (!one || one == about) continue;
    if (about) return std::nullopt;
    about = one;
  }
  return about;
}

}  // namespace spira
