#include "app/common/scene_argument.hpp"

#include "engine/scene/built_in_scene.hpp"
#include "engine/scene/read_limits.hpp"
#include "engine/scene/reader.hpp"

namespace spira::app {

std::shared_ptr<const PointCloud> open_scene(const std::string& scene, const std::string& format,
                                             std::int64_t every, Job& job) {
  if (names_built_in_scene(scene)) return built_in_scene(scene, job);
  LoadOptions options;
  options.format = format;
  options.limits.every = every;
  return load_scene(scene, options, job);
}

std::string error_text(const Error& error) {
  const auto* memory = dynamic_cast<const NotEnoughMemory*>(&error);
  if (memory == nullptr || memory->every() <= 1) return error.what();
  return std::string(error.what()) + " (--every " + std::to_string(memory->every()) + ")";
}

}  // namespace spira::app
