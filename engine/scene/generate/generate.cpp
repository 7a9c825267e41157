#include "engine/scene/generate/generate.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

namespace spira {
namespace {

constexpr std::array<GeneratorFacts, 3> all_generators{{
    {"street", "Street: a simulated 64-beam sweep", 0.1, 120'000},
    {"room", "Room: surfaces as an RGB-D camera sees them", 0.02, 200'000},
    {"random", "Random: uniform noise", 0.1, 100'000},
}};

PointCloud generate_random(std::int64_t points, Random& random, Job& job) {
  // The box has 400 x 400 x 100 cells of 0.1 m. Less than 1 % of the cells contain a point.
  constexpr double width_m = 40.0, height_m = 10.0;
  PointCloud cloud;
  for (std::int64_t at = 0; at < points; ++at) {
    if (at % 65'536 == 0) job.checkpoint({"generating points", at, points});
    cloud.positions.push_back(
        {random.uniform(0, width_m), random.uniform(0, width_m), random.uniform(0, height_m)});
  }
  return cloud;
}

}  // namespace

std::span<const GeneratorFacts> generators() noexcept {
  return all_generators;
}

std::shared_ptr<const PointCloud> generate_scene(std::string_view id, std::int64_t points, std::uint64_t seed,
                                                 Job& job) {
  constexpr std::int64_t max_points = 100'000'000;
  if (points < 0 || points > max_points) {
    throw Error(ErrorKind::usage,
                std::to_string(points) + " points: expected 1 to " + count_text(max_points));
  }
  std::string choices;
  for (const auto& facts : all_generators) {
    choices += (choices.empty() ? "" : ", ") + std::string(facts.id);
    if (facts.id != id) continue;
    Random random(seed);
    const std::int64_t wanted = points == 0 ? facts.points : points;
    PointCloud cloud = id == "street" ? generate_street(wanted, random, job)
                       : id == "room" ? generate_room(wanted, random, job)
                                      : generate_random(wanted, random, job);
    cloud.name = std::string(id);
    cloud.source = "generated:" + std::string(id) + " seed " + std::to_string(seed);
    cloud.format = "generated";
    cloud.reading = "generated " + std::string(id) + ", seed " + std::to_string(seed) + "; " +
                    counted_text(cloud.size(), "point", "points");
    return std::make_shared<const PointCloud>(std::move(cloud));
  }
  throw Error(ErrorKind::usage, "generator '" + std::string(id) + "': expected " + choices);
}

bool names_built_in_scene(const std::string& scene) {
  const std::string id = scene.substr(0, scene.find(':'));
  const auto all = generators();
  std::error_code fault;  // a name that cannot be looked up is treated as a file name
  const auto type = std::filesystem::status(scene, fault).type();
  return type == std::filesystem::file_type::not_found &&
         std::any_of(all.begin(), all.end(), [&](const GeneratorFacts& facts) { return facts.id == id; });
}

std::shared_ptr<const PointCloud> built_in_scene(const std::string& scene, Job& job) {
  const auto colon = scene.find(':');
  std::uint64_t seed = 1;
  if (colon != std::string::npos) {
    const auto value = parse_int(scene.substr(colon + 1));
    if (!value || *value < 0)
      throw Error(ErrorKind::usage, scene + ": the seed after the colon must be a whole number");
    seed = static_cast<std::uint64_t>(*value);
  }
  return generate_scene(scene.substr(0, colon), 0, seed, job);
}

}  // namespace spira
