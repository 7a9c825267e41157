#include "engine/scene/npy_header.hpp"
#include "engine/scene/readers.hpp"

namespace spira {
namespace {

class NpyReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    if (text_of(bytes).starts_with("\x93NUMPY")) return {1.0, "begins with an NPY signature"};
    return {};
  }
  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    return points_of_npy(bytes, file_name, "npy", "NPY", 0, limits, job);
  }
};

}  // namespace

const SceneReader& npy_reader() noexcept {
  static const NpyReader reader;
  return reader;
}

}  // namespace spira
