// Tests features of more than 2^31 bytes. The test allocates 2.4 GB.
#include "tests/library/library_fixture.hpp"

#include <array>

namespace spira::test {
namespace {

constexpr std::int64_t rows = 1'100'000, channels = 512;

/// Returns rows that have no neighbours, so that every sum is an exact whole number.
Scene far_voxels() {
  std::vector<std::int32_t> cells;
  std::vector<float> features;
  constexpr std::int32_t edge = 104;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (const std::int32_t cell : {row / (edge * edge), row / edge % edge, row % edge})
      cells.push_back(2 * cell);
    features.push_back(static_cast<float>((row % 5) + 1));
  }
  return Scene::voxels(Tensor::view(cells, {rows, 3}), Tensor::view(features, {rows, 1}));
}

/// Multiplies the feature of each voxel by `width` factors, beginning with the factor number `first`, and
/// adds the products with alternating weights in a kernel of 27 cells.
class WideModel {
 public:
  WideModel(const TempFolder& folder, std::int64_t first, std::int64_t width) {
    std::vector<float> factors, sums(static_cast<std::size_t>(27 * width));
    for (std::int64_t channel = first; channel < first + width; ++channel) {
      factors.push_back(static_cast<float>((channel * 7 % 11) - 5));
      sums[static_cast<std::size_t>((13 * width) + channel - first)] = static_cast<float>((channel % 3) + 1);
    }
    const std::string json = R"({"schema": "spira.network 2", "name": "wide", "in_channels": 1,
      "input": {"features": "file"}, "layers": [
      {"name": "wide", "kernel_size": 1, "out_channels": )" +
                             std::to_string(width) + R"(, "norm": false, "activation": "none"},
      {"name": "sum", "kernel_size": 3, "out_channels": 1, "norm": false, "activation": "none"}]})";
    ModelOptions options;
    options.device.kind = DeviceKind::cpu;
    options.weights = folder
                          .write("wide.safetensors", weight_bytes({{"wide.weight", {1, 1, width}, factors},
                                                                   {"sum.weight", {27, width, 1}, sums}}))
                          .string();
    model_ = std::make_unique<Model>(Network(folder.write("wide.json", json).string()), options);
  }
  [[nodiscard]] Tensor run(const Scene& scene) const {
    return Runner(*model_).run(scene).outputs[0].features;
  }

 private:
  std::unique_ptr<Model> model_;
};

TEST_F(Library, FeaturesOfMoreThan2GiBEqualTheirSumInParts) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs several times the memory";
#endif
  static_assert(rows * channels * 4 > std::int64_t{1} << 31U);
  const Scene scene = far_voxels();
  const Tensor whole = WideModel(folder_, 0, channels).run(scene);
  std::vector<float> parts(static_cast<std::size_t>(rows));
  constexpr std::int64_t width = channels / 4;
  for (std::int64_t first = 0; first < channels; first += width) {
    const Tensor part = WideModel(folder_, first, width).run(scene);
    for (std::size_t row = 0; row < parts.size(); ++row)
      parts[row] += part.values<float>()[row];
  }
  ASSERT_EQ(whole.rows(), rows);
  EXPECT_NE(parts.front(), 0);
  EXPECT_TRUE(std::equal(parts.begin(), parts.end(), whole.values<float>().begin()));
}

}  // namespace
}  // namespace spira::test
