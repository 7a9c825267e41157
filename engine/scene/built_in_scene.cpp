#include "engine/scene/built_in_scene.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/generate/generate.hpp"

#include <algorithm>
#include <filesystem>

namespace spira {

bool names_built_in_scene(const std::string& scene) {
  const std::string id = scene.substr(0, scene.find(':'));
  const auto all = generators();
  std::error_code fault;  // a name that cannot be looked up still counts as the name of a file
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
