#include "app/common/scene_argument.hpp"

#include "engine/scene/built_in_scene.hpp"
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

}  // namespace spira::app
