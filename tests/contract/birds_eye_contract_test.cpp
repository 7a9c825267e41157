// Compares the bird's-eye views of the back end under test with the reference in double precision: the input
// image, masks, blocks, and units with all methods. The allowed error of each value is computed from the
// data.
#include "app/common/backends.hpp"
#include "engine/backend/birds_eye.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/bev/unit.hpp"
#include "engine/job/recorder.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "kernels/cpu/cells.hpp"
#include "kernels/cpu/panel.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stop_token>
#include <tuple>

namespace spira {
namespace {

constexpr std::array precisions{Precision::fp32, Precision::fp16};
constexpr std::array block_methods{UnitMethod::gathered, UnitMethod::fused};

std::vector<std::byte> bytes_of_values(const Features& features) {
  const auto* const data = static_cast<const std::byte*>(features.data.data());
  return {data, data + features.data.bytes()};
}
Features copy_of(const Features& from) {
  Features copy{from.rows, from.channels, from.precision, Buffer(make_host_pool(), from.data.bytes())};
  std::memcpy(copy.data.data(), from.data.data(), from.data.bytes());
  return copy;
}

struct LayerShape {
  int kernel_size, out_channels;
};
struct UnitShape {
  const char* name;
  int in_channels;
  std::vector<LayerShape> layers;
  int step = 1;
  bool residual = false;

  /// Returns the halo in cells of the input (see BevUnit).
  [[nodiscard]] int halo() const {
    int halo = 0;
    for (std::size_t at = 0; at < layers.size(); ++at)
      halo += (at == 0 ? 1 : step) * (layers[at].kernel_size - 1) / 2;
    return halo;
  }
};
std::ostream& operator<<(std::ostream& out, const UnitShape& shape) {
  return out << shape.name;
}

std::vector<UnitShape> unit_shapes() {
  return {{"K1", 5, {{1, 7}}},
          {"K3", 8, {{3, 16}}},
          {"K5", 3, {{5, 33}}},
          {"K7", 2, {{7, 5}}},
          {"K3 with residual", 12, {{3, 12}}, 1, true},
          {"two K3", 9, {{3, 24}, {3, 8}}},
          {"two K3 with residual", 8, {{3, 20}, {3, 8}}, 1, true},
          {"K5 and K3 with residual", 4, {{5, 6}, {3, 4}}, 1, true},
          {"strided K3", 7, {{3, 16}}, 2},
          {"strided K3 and K3", 6, {{3, 8}, {3, 10}}, 2},
          {"strided K5 and K3 and K1", 3, {{5, 9}, {3, 8}, {1, 40}}, 2},
          {"bottleneck", 48, {{1, 12}, {3, 12}, {1, 48}}, 1, true},
          {"wide", 64, {{3, 64}}}};
}

Mask mask_of(std::array<std::int64_t, 2> cells, std::vector<std::uint8_t> values) {
  Area area;
  area.cells = cells;
  return {area, "made", std::move(values)};
}
Mask filled_mask(std::array<std::int64_t, 2> cells, std::uint8_t value) {
  return mask_of(cells, std::vector<std::uint8_t>(static_cast<std::size_t>(cells[0] * cells[1]), value));
}
/// Returns a mask in which each cell is set with this probability.
Mask random_mask(std::array<std::int64_t, 2> cells, double density, std::uint64_t seed) {
  Random random(seed);
  Mask mask = filled_mask(cells, 0);
  for (std::uint8_t& cell : mask.cells)
    cell = random.uniform() < density ? 1 : 0;
  return mask;
}
Buffer buffer_of(const Mask& mask) {
  Buffer buffer(make_host_pool(), mask.cells.size());
  std::copy(mask.cells.begin(), mask.cells.end(), buffer.host_span<std::uint8_t>().begin());
  return buffer;
}
std::vector<std::int32_t> numbers_of(const BlockList& list) {
  const auto numbers = list.numbers.host_span<std::int32_t>();
  return {numbers.begin(), numbers.begin() + list.count.host_span<std::int64_t>().front()};
}

/// A unit on an image, with weights that each back end uploads.
struct UnitCase {
  UnitShape shape;
  std::array<std::int64_t, 2> cells;
  Features image;
  std::vector<LayerWeights> weights;

  UnitCase(UnitShape of, std::array<std::int64_t, 2> size, Precision precision, std::uint64_t seed = 1)
      : shape(std::move(of)),
        cells(size),
        image(test::random_features(size[0] * size[1], shape.in_channels, precision, seed)) {
    int channels = shape.in_channels;
    for (const LayerShape& layer : shape.layers) {
      const int columns = layer.kernel_size * layer.kernel_size;
      weights.push_back(seeded_layer("layer", columns, channels, layer.out_channels, columns, seed + 1));
      channels = layer.out_channels;
    }
  }

  [[nodiscard]] std::vector<UploadedWeights> uploaded(BirdsEye& views) const {
    std::vector<UploadedWeights> all;
    for (const LayerWeights& layer : weights)
      all.push_back(views.upload_weights(layer, image.precision));
    return all;
  }
  [[nodiscard]] UnitRequest request(const std::vector<UploadedWeights>& of_layers, UnitMethod method,
                                    const BlockList* blocks, bool keep_input) const {
    UnitRequest request;
    request.cells = cells;
    request.step = shape.step;
    for (std::size_t at = 0; at < shape.layers.size(); ++at)
      request.layers.push_back({shape.layers[at].kernel_size, true, &of_layers[at]});
    request.residual = shape.residual;
    request.keep_input = keep_input;
    request.method = method;
    request.blocks = blocks;
    return request;
  }
  [[nodiscard]] Features run(Backend& backend, UnitMethod method, const BlockList* blocks,
                             bool keep_input = false) const {
    Job job;
    BirdsEye& views = require_birds_eye(backend);
    const auto of_layers = uploaded(views);
    Features input = copy_of(image);
    Features result = views.run_unit(input, request(of_layers, method, blocks, keep_input), job);
    if (keep_input) {
      EXPECT_EQ(bytes_of_values(input), bytes_of_values(image)) << "the input changed";
    }
    return result;
  }

  [[nodiscard]] BlockShape block_shape(int core) const {
    return {shape.step, core, (shape.halo() + shape.step - 1) / shape.step, 1};
  }
  [[nodiscard]] BlockList blocks(Backend& backend, const Mask& mask, int core) const {
    Job job;
    return require_birds_eye(backend).active_blocks(buffer_of(mask), mask.area, block_shape(core), job);
  }
  /// Returns for each cell of the result whether it is in the core of an active block.
  [[nodiscard]] std::vector<bool> active_cells(const Mask& mask, int core) const {
    const auto active = active_blocks(mask, block_shape(core));
    const std::int64_t rows = cells[0] / shape.step, columns = cells[1] / shape.step,
                       across = (columns + core - 1) / core;
    std::vector<bool> inside;
    for (std::int64_t x = 0; x < rows; ++x) {
      for (std::int64_t y = 0; y < columns; ++y)
        inside.push_back(std::binary_search(active.begin(), active.end(), x / core * across + y / core));
    }
    return inside;
  }

  /// Expects that a result equals `dense` on the cells of active cores, and the input or 0 on all others, bit
  /// for bit.
  void expect_blocks(const Features& result, const Features& dense, const std::vector<bool>& active) const {
    ASSERT_EQ(result.rows, dense.rows);
    ASSERT_EQ(result.channels, dense.channels);
    const std::size_t row = static_cast<std::size_t>(result.channels) * spira::bytes_of(result.precision);
    const std::vector<std::byte> zeros(row);
    const auto* const found = static_cast<const std::byte*>(result.data.data());
    std::int64_t wrong_inside = 0, wrong_outside = 0;
    for (std::size_t at = 0; at < static_cast<std::size_t>(result.rows); ++at) {
      const auto equals = [&](const void* values, std::size_t offset) {
        return std::memcmp(found + at * row, static_cast<const std::byte*>(values) + offset, row) == 0;
      };
      if (active[at]) {
        wrong_inside += equals(dense.data.data(), at * row) ? 0 : 1;
      } else {
        wrong_outside +=
            (shape.residual ? equals(image.data.data(), at * row) : equals(zeros.data(), 0)) ? 0 : 1;
      }
    }
    EXPECT_EQ(wrong_inside, 0) << "cells of active cores";
    EXPECT_EQ(wrong_outside, 0) << "cells outside active cores";
  }

  /// Returns the error scale of the result. The magnitude contains the errors of the inner layers, as far as
  /// they reach the result.
  [[nodiscard]] ErrorScale scale() const;
  /// Expects that the dense result of a back end matches the reference.
  void expect_matches_reference(const Features& result) const {
    const auto reference = app::make_registry().make("reference");
    const WorstError worst = compare(result, run(*reference, UnitMethod::dense, nullptr), scale());
    EXPECT_LE(worst.ratio, 1.0);
    EXPECT_TRUE(worst.special_values_agree);
    EXPECT_GT(worst.finite, 0);
  }
};

/// One value per cell and channel of an image.
using Values = std::vector<double>;

/// The rounding errors of a layer: the outputs, the sums of |x w| + |bias|, and the sums of |w| times the
/// error of x.
struct LayerErrors {
  Values outputs, magnitude, passed_on;
};

class ErrorScaleOfUnit {
 public:
  explicit ErrorScaleOfUnit(const UnitCase& unit)
      : unit_(unit), fp16_(unit.image.precision == Precision::fp16) {
    for (std::int64_t row = 0; row < unit.image.rows; ++row) {
      for (int channel = 0; channel < unit.image.channels; ++channel)
        image_.push_back(static_cast<double>(feature_at(unit.image, row, channel)));
    }
  }

  ErrorScale compute() const {
    Values values = image_, errors(image_.size(), 0.0);
    std::array<std::int64_t, 2> cells = unit_.cells;
    int channels = unit_.shape.in_channels;
    ErrorScale scale;
    for (std::size_t at = 0; at < unit_.weights.size(); ++at) {
      const LayerErrors layer = run(at, values, errors, cells);
      const int step = at == 0 ? unit_.shape.step : 1;
      cells = {cells[0] / step, cells[1] / step};
      const double products = unit_.weights[at].columns * channels + 1.0;
      channels = unit_.weights[at].out_channels;
      scale.products.assign(static_cast<std::size_t>(cells[0] * cells[1]),
                            static_cast<std::int64_t>(products));
      scale.magnitude.clear();
      values.clear();
      errors.clear();
      const bool adds = unit_.shape.residual && at + 1 == unit_.weights.size();
      for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
        const double sum = layer.outputs[i] + (adds ? image_[i] : 0.0);
        const double rounding = (products + 2.0) * 0x1p-24;
        const double magnitude = layer.magnitude[i] + layer.passed_on[i] + (adds ? std::abs(image_[i]) : 0.0);
        scale.magnitude.push_back(magnitude + layer.passed_on[i] / rounding);
        values.push_back(stored(std::max(sum, 0.0)));
        errors.push_back(scale.magnitude.back() * rounding +
                         2.0 * (fp16_ ? 0x1p-11 : 0x1p-24) * std::abs(sum) + (fp16_ ? 0x1p-24 : 0x1p-126));
      }
    }
    return scale;
  }

 private:
  [[nodiscard]] double stored(double value) const {
    const auto rounded = static_cast<float>(value);
    return static_cast<double>(fp16_ ? fp16_to_float(float_to_fp16(rounded)) : rounded);
  }
  [[nodiscard]] LayerErrors run(std::size_t layer, const Values& in, const Values& errors,
                                std::array<std::int64_t, 2> cells) const {
    const LayerWeights& weights = unit_.weights[layer];
    const std::int64_t step = layer == 0 ? unit_.shape.step : 1, edge = unit_.shape.layers[layer].kernel_size,
                       halo = (edge - 1) / 2;
    const auto c_in = static_cast<std::size_t>(weights.in_channels),
               c_out = static_cast<std::size_t>(weights.out_channels);
    LayerErrors result;
    for (std::int64_t cell = 0; cell < cells[0] / step * (cells[1] / step); ++cell) {
      const std::int64_t x = cell / (cells[1] / step) * step - halo,
                         y = cell % (cells[1] / step) * step - halo;
      Values sums(weights.bias.begin(), weights.bias.end()), magnitude, passed_on(c_out, 0.0);
      for (const float bias : weights.bias)
        magnitude.push_back(std::abs(static_cast<double>(bias)));
      for (std::int64_t column = 0; column < edge * edge; ++column) {
        const std::int64_t row = x + column / edge, line = y + column % edge;
        if (row < 0 || row >= cells[0] || line < 0 || line >= cells[1]) continue;
        for (std::size_t a = 0; a < c_in; ++a) {
          const std::size_t from = static_cast<std::size_t>(row * cells[1] + line) * c_in + a;
          for (std::size_t b = 0; b < c_out; ++b) {
            const double w = stored(static_cast<double>(
                weights.weight[(static_cast<std::size_t>(column) * c_in + a) * c_out + b]));
            sums[b] += in[from] * w;
            magnitude[b] += std::abs(in[from] * w);
            passed_on[b] += errors[from] * std::abs(w);
          }
        }
      }
      result.outputs.insert(result.outputs.end(), sums.begin(), sums.end());
      result.magnitude.insert(result.magnitude.end(), magnitude.begin(), magnitude.end());
      result.passed_on.insert(result.passed_on.end(), passed_on.begin(), passed_on.end());
    }
    return result;
  }

  const UnitCase& unit_;
  bool fp16_;
  Values image_;
};

ErrorScale UnitCase::scale() const {
  return ErrorScaleOfUnit(*this).compute();
}

/// Returns the back end under test, or `nullptr` if it cannot run bird's-eye views.
std::shared_ptr<Backend> subject_with_views(BackendOptions options = {2, 0}) {
  auto subject = test::make_subject(options);
  return subject->extensions().birds_eye == nullptr ? nullptr : subject;
}

class BirdsEyeUnits : public testing::TestWithParam<std::tuple<UnitShape, Precision>> {
 protected:
  void SetUp() override {
    if (!subject_) GTEST_SKIP() << "the back end cannot run bird's-eye views";
  }
  [[nodiscard]] static UnitCase unit(std::array<std::int64_t, 2> cells, std::uint64_t seed = 1) {
    return {std::get<0>(GetParam()), cells, std::get<1>(GetParam()), seed};
  }
  /// Runs a unit with all methods that use blocks, and compares them with the dense result.
  void check(const UnitCase& unit, const Mask& mask) {
    const Features dense = unit.run(*subject_, UnitMethod::dense, nullptr);
    unit.expect_matches_reference(dense);
    for (const int core : block_cores) {
      const BlockList blocks = unit.blocks(*subject_, mask, core);
      const auto active = unit.active_cells(mask, core);
      for (const UnitMethod method : block_methods) {
        for (const bool keep_input : {false, true}) {
          SCOPED_TRACE(std::string(text_of(method)) + ", core " + std::to_string(core) +
                       (keep_input ? ", input kept" : ""));
          unit.expect_blocks(unit.run(*subject_, method, &blocks, keep_input), dense, active);
        }
      }
    }
  }

  std::shared_ptr<Backend> subject_ = subject_with_views();
};

TEST_P(BirdsEyeUnits, BlockTrap3And14BlocksEqualTheDenseImage) {
  // The sizes are not multiples of any core.
  check(unit({42, 38}), random_mask({42, 38}, 0.005, 3));
}
TEST_P(BirdsEyeUnits, BlockTrap1AFullMaskEqualsTheDenseImageAlsoAtItsBorder) {
  UnitCase one = unit({18, 34});
  for (LayerWeights& layer : one.weights)
    std::fill(layer.bias.begin(), layer.bias.end(), 5.0F);
  check(one, filled_mask(one.cells, 1));
}
TEST_P(BirdsEyeUnits, BlockTrap5AnAreaOfOneCell) {
  const std::int64_t edge = std::get<0>(GetParam()).step;
  check(unit({edge, edge}), filled_mask({edge, edge}, 1));
  check(unit({edge, edge}), filled_mask({edge, edge}, 0));
  check(unit({edge, edge * 70}), random_mask({edge, edge * 70}, 0.05, 4));
}
TEST_P(BirdsEyeUnits, BlockTrap5AnEmptyMaskAndOneCellInEachCorner) {
  check(unit({40, 36}), filled_mask({40, 36}, 0));
  for (const std::size_t corner :
       {std::size_t{0}, std::size_t{35}, std::size_t{39 * 36}, std::size_t{1439}}) {
    Mask mask = filled_mask({40, 36}, 0);
    mask.cells[corner] = 1;
    check(unit({40, 36}), mask);
  }
}
TEST_P(BirdsEyeUnits, BlockTrap6TouchingBlocksInPlaceReadTheUnchangedInput) {
  // Alternating blocks touch at their corners, and full rows of blocks along their edges.
  Mask mask = filled_mask({64, 64}, 0);
  for (std::size_t x = 0; x < 64; ++x) {
    for (std::size_t y = 0; y < 64; ++y)
      mask.cells[x * 64 + y] = (x < 32 && y < 40) || (x / 4 + y / 4) % 2 == 0 ? 1 : 0;
  }
  const UnitCase one = unit({64, 64});
  const Features dense = one.run(*subject_, UnitMethod::dense, nullptr);
  for (const int core : {4, 8}) {
    BlockShape shape = one.block_shape(core);
    shape.reach = 0;
    shape.min_cells = 4;
    Job job;
    const BlockList blocks =
        require_birds_eye(*subject_).active_blocks(buffer_of(mask), mask.area, shape, job);
    const auto active = numbers_of(blocks);
    std::vector<bool> cells;
    const std::int64_t edge = 64 / one.shape.step;
    for (std::int64_t at = 0; at < edge * edge; ++at) {
      const std::int64_t block = at / edge / core * blocks.grid[1] + at % edge / core;
      cells.push_back(std::binary_search(active.begin(), active.end(), block));
    }
    for (const UnitMethod method : block_methods)
      one.expect_blocks(one.run(*subject_, method, &blocks), dense, cells);
  }
}
TEST_P(BirdsEyeUnits, InfinityAndNanSpreadAsInTheReference) {
  UnitCase one = unit({12, 12});
  test::set_feature(one.image, 14, 0, std::numeric_limits<float>::infinity());
  test::set_feature(one.image, 100, 1, std::numeric_limits<float>::quiet_NaN());
  check(one, filled_mask(one.cells, 1));
}

INSTANTIATE_TEST_SUITE_P(, BirdsEyeUnits,
                         testing::Combine(testing::ValuesIn(unit_shapes()), testing::ValuesIn(precisions)),
                         [](const auto& info) {
                           return test::case_name(std::get<0>(info.param).name,
                                                  text_of(std::get<1>(info.param)));
                         });

class BirdsEyeViews : public testing::Test {
 protected:
  void SetUp() override {
    if (!subject_) GTEST_SKIP() << "the back end cannot run bird's-eye views";
    views_ = subject_->extensions().birds_eye;
  }
  std::shared_ptr<Backend> subject_ = subject_with_views();
  BirdsEye* views_ = nullptr;
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
  Job job_;
};

TEST_F(BirdsEyeViews, BlockTrap6AnInputWithTwoReadersIsKept) {
  const UnitCase one({"bottleneck", 16, {{1, 8}, {3, 8}, {1, 16}}, 1, true}, {40, 40}, Precision::fp32);
  const Mask mask = random_mask(one.cells, 0.01, 2);
  const BlockList blocks = one.blocks(*subject_, mask, 8);
  const auto of_layers = one.uploaded(*views_);
  Features input = copy_of(one.image);
  // The second reader must get the same result as the first one.
  for (const UnitMethod method : block_methods) {
    const auto request = one.request(of_layers, method, &blocks, true);
    const Features first = views_->run_unit(input, request, job_),
                   second = views_->run_unit(input, request, job_);
    EXPECT_EQ(bytes_of_values(first), bytes_of_values(second)) << text_of(method);
  }
  EXPECT_EQ(bytes_of_values(input), bytes_of_values(one.image));
}

TEST(BirdsEyeRepeats, BlockTrap8ThreadsAndRepetitionsDoNotChangeABit) {
  for (const UnitShape& shape : unit_shapes()) {
    for (const Precision precision : precisions) {
      SCOPED_TRACE(shape.name);
      const UnitCase one(shape, {150, 66}, precision);
      const Mask mask = random_mask(one.cells, 0.004, 5);
      std::vector<std::byte> expected;
      for (int threads = 1; threads <= 8; ++threads) {
        const auto backend = app::make_registry().make("cpu", {threads, 0, true});
        const BlockList blocks = one.blocks(*backend, mask, 8);
        EXPECT_EQ(numbers_of(blocks), active_blocks(mask, blocks.shape));
        std::vector<std::byte> all;
        for (int repetition = 0; repetition < 2; ++repetition) {
          all = bytes_of_values(one.run(*backend, UnitMethod::dense, nullptr));
          for (const UnitMethod method : block_methods) {
            const auto more = bytes_of_values(one.run(*backend, method, &blocks));
            all.insert(all.end(), more.begin(), more.end());
          }
          if (expected.empty()) expected = all;
          EXPECT_TRUE(all == expected) << threads << " threads";
        }
      }
    }
  }
}

TEST_F(BirdsEyeViews, BlockTrap4And5BlockListsEqualThoseOfTheEngine) {
  for (const auto cells : {std::array<std::int64_t, 2>{8, 8}, {80, 72}, {16, 304}}) {
    const Mask masks[] = {filled_mask(cells, 0), filled_mask(cells, 1), random_mask(cells, 0.01, 1),
                          random_mask(cells, 0.3, 2)};
    for (const Mask& mask : masks) {
      for (const int core : block_cores) {
        for (const int stride : {1, 2, 8}) {
          for (const auto& [reach, min_cells] : {std::pair(0, 1), {1, 1}, {3, 1}, {0, 5}, {1, 40}}) {
            const BlockShape shape{stride, core, reach, min_cells};
            const BlockList list = views_->active_blocks(buffer_of(mask), mask.area, shape, job_);
            const auto expected = active_blocks(mask, shape);
            EXPECT_EQ(numbers_of(list), expected) << core << ' ' << stride << ' ' << reach;
            EXPECT_EQ(list.grid, grid_of(shape, mask.area));
            EXPECT_EQ(list.numbers.bytes(),
                      static_cast<std::size_t>(list.grid[0] * list.grid[1]) * sizeof(std::int32_t));
            if (list.size) {
              EXPECT_EQ(*list.size, std::ssize(expected));
            }
          }
        }
      }
    }
  }
}

/// Returns points around an area of 4 x 3 m, with z from -4 to 2 m. Several are at the edges of cells and
/// bins.
std::shared_ptr<const PointCloud> points(bool intensity, int count = 4000) {
  Random random(7);
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = "points";
  for (int at = 0; at < count; ++at) {
    Point p{random.uniform(-1, 5), random.uniform(-3, 3), random.uniform(-4, 2)};
    if (at % 5 == 0) p = {std::round(p[0] * 10) / 10, std::round(p[1] * 10) / 10, std::round(p[2] * 5) / 5};
    cloud->positions.push_back(p);
    cloud->label.push_back(static_cast<std::uint32_t>(random.below(60)));
    if (intensity) cloud->intensity.push_back(static_cast<float>(random.uniform()));
  }
  return cloud;
}
Area small_area() {
  Area area;
  area.first = {0, -16};
  area.cells = {40, 32};
  return area;
}

TEST_F(BirdsEyeViews, TheInputImageEqualsThatOfTheReference) {
  for (const bool intensity : {false, true}) {
    for (const Precision precision : precisions) {
      for (const int channels : {4, 23, 33}) {
        for (const int count : {0, 1, 4000}) {
          const auto cloud = points(intensity, count);
          const auto image_of = [&](Backend& backend) {
            return require_birds_eye(backend).project(backend.upload_points(cloud, job_), small_area(),
                                                      channels, precision, job_);
          };
          const Features found = image_of(*subject_), expected = image_of(*reference_);
          ASSERT_EQ(found.rows, expected.rows);
          for (std::int64_t row = 0; row < found.rows; ++row) {
            for (int channel = 0; channel < channels; ++channel) {
              // The sums of intensities of a GPU are in fixed point.
              const float tolerance = channel + 1 < channels         ? 0.0F
                                      : precision == Precision::fp32 ? 1e-6F
                                                                     : 1e-3F;
              ASSERT_NEAR(feature_at(found, row, channel), feature_at(expected, row, channel), tolerance)
                  << row << ' ' << channel;
            }
          }
        }
      }
    }
  }
}

TEST(BirdsEyeReference, TheInputImageHasTheChannelsOfThePaper) {
  const auto reference = app::make_registry().make("reference");
  Job job;
  auto cloud = std::make_shared<PointCloud>();
  // The bins are [-3, -1) and [-1, 1).
  cloud->positions = {{0.05, 0.05, -3.5}, {0.05, 0.05, -3}, {0.15, 0.05, -1}, {0.15, 0.05, 0.99},
                      {0.15, 0.05, 1},    {0.15, 0.15, 5},  {9, 9, 0}};
  cloud->intensity = {1, 0.5, 0.25, 0.5, 0.75, 3, 9};
  Area area;
  area.cells = {2, 2};
  const Features image =
      require_birds_eye(*reference).project({cloud, {}, {}}, area, 5, Precision::fp32, job);
  const std::vector<std::vector<float>> expected{
      {1, 1, 0, 0, 0.75F}, {0, 0, 0, 0, 0}, {0, 0, 1, 1, 0.5F}, {0, 0, 0, 1, 3}};
  for (std::int64_t row = 0; row < 4; ++row) {
    for (int channel = 0; channel < 5; ++channel)
      EXPECT_EQ(feature_at(image, row, channel),
                expected[static_cast<std::size_t>(row)][static_cast<std::size_t>(channel)])
          << row << ' ' << channel;
  }
}

TEST_F(BirdsEyeViews, MasksEqualThoseOfTheEngine) {
  const auto cloud = points(true);
  const UploadedPoints uploaded = subject_->upload_points(cloud, job_);
  for (const char* text : {"all", "occupied", "occupied:3", "occupied+2", "label:40,48", "height:0.3,3",
                           "height:0.3,3+1", "top-left:0.1", "blobs:0.2:3"}) {
    const MaskSpec spec = parse_mask(text);
    const Buffer found = views_->make_mask(uploaded, small_area(), spec, job_);
    const Mask expected = make_mask(*cloud, small_area(), spec, job_);
    const auto cells = found.host_span<std::uint8_t>();
    EXPECT_TRUE(std::equal(cells.begin(), cells.end(), expected.cells.begin(), expected.cells.end())) << text;
  }
}

TEST_F(BirdsEyeViews, ACancelledJobThrowsAndKeepsTheInput) {
  const UnitCase one({"bottleneck", 16, {{1, 8}, {3, 8}, {1, 16}}, 1, true}, {40, 40}, Precision::fp32);
  const BlockList blocks = one.blocks(*subject_, filled_mask(one.cells, 1), 8);
  const auto of_layers = one.uploaded(*views_);
  std::stop_source stop;
  stop.request_stop();
  Job cancelled(stop.get_token());
  for (const UnitMethod method : {UnitMethod::dense, UnitMethod::gathered, UnitMethod::fused}) {
    Features input = copy_of(one.image);
    const auto request =
        one.request(of_layers, method, method == UnitMethod::dense ? nullptr : &blocks, false);
    try {
      static_cast<void>(views_->run_unit(input, request, cancelled));
      ADD_FAILURE() << text_of(method) << ": not cancelled";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
    EXPECT_EQ(bytes_of_values(input), bytes_of_values(one.image)) << text_of(method);
  }
}

TEST(BirdsEyeStages, EachMethodRecordsItsStagesAndItsTraffic) {
  const UnitCase one({"K3 with residual", 4, {{3, 4}}, 1, true}, {16, 16}, Precision::fp16);
  const auto backend = app::make_registry().make("cpu", {2, 0, true});
  const BlockList blocks = one.blocks(*backend, filled_mask(one.cells, 1), 8);
  const auto of_layers = one.uploaded(require_birds_eye(*backend));
  const auto stages_of = [&](UnitMethod method) {
    Recorder recorder(backend->stages());
    Job job({}, &recorder);
    Features input = copy_of(one.image);
    {
      const auto unit = job.stage("features[one]");
      const auto* const list = method == UnitMethod::dense ? nullptr : &blocks;
      static_cast<void>(
          require_birds_eye(*backend).run_unit(input, one.request(of_layers, method, list, false), job));
    }
    std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> stages;
    const StageTree tree = recorder.take();
    for (const StageNode& node : tree.nodes) {
      if (node.parent >= 0) stages.emplace_back(node.name, node.bytes_read, node.bytes_written);
    }
    return stages;
  };
  using Stages = decltype(stages_of(UnitMethod::dense));
  // Blocks read 10 x 10 cells of 4 values for 8 x 8 cells. The dense image is two tiles of 8 x 16 cells.
  EXPECT_EQ(stages_of(UnitMethod::dense), (Stages{{"dense", 2 * 10 * 18 * 4 * 2, 256 * 4 * 2}}));
  EXPECT_EQ(stages_of(UnitMethod::fused), (Stages{{"dense", 4 * 100 * 4 * 2, 256 * 4 * 2}}));
  EXPECT_EQ(stages_of(UnitMethod::gathered), (Stages{{"gather", 4 * 100 * 4 * 2, 4 * 100 * 4 * 4},
                                                     {"dense", 4 * 100 * 4 * 4, 256 * 4 * 4},
                                                     {"scatter", 256 * 4 * 4, 256 * 4 * 2}}));
}

TEST(BirdsEyeMemory, BlockTrap9AUnitThatDoesNotFitIsRefusedAndKeepsItsInput) {
  const UnitCase one({"bottleneck", 64, {{1, 16}, {3, 16}, {1, 64}}, 1, true}, {160, 160}, Precision::fp32);
  const auto backend = app::make_registry().make("cpu", {2, 100'000, true});
  BirdsEye& views = require_birds_eye(*backend);
  const BlockList blocks = one.blocks(*backend, filled_mask(one.cells, 1), 8);
  const auto of_layers = one.uploaded(views);
  Job job;
  for (const UnitMethod method : {UnitMethod::dense, UnitMethod::gathered, UnitMethod::fused}) {
    Features input = copy_of(one.image);
    const auto request =
        one.request(of_layers, method, method == UnitMethod::dense ? nullptr : &blocks, false);
    try {
      static_cast<void>(views.run_unit(input, request, job));
      ADD_FAILURE() << text_of(method) << ": not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device_memory);
    }
    EXPECT_EQ(bytes_of_values(input), bytes_of_values(one.image)) << text_of(method);
  }
}

TEST(BirdsEyeMemory, AUnitNeedsAtMostTheAnnouncedMemory) {
  Job job;
  for (const UnitShape& shape : unit_shapes()) {
    for (const Precision precision : precisions) {
      const UnitCase one(shape, {44, 52}, precision);
      const auto backend = app::make_registry().make("cpu", {2, 0, true});
      BirdsEye& views = require_birds_eye(*backend);
      const auto of_layers = one.uploaded(views);
      const BlockList blocks = one.blocks(*backend, filled_mask(one.cells, 1), 8);
      for (const UnitMethod method : {UnitMethod::dense, UnitMethod::gathered, UnitMethod::fused}) {
        for (const bool keep_input : {false, true}) {
          const auto request =
              one.request(of_layers, method, method == UnitMethod::dense ? nullptr : &blocks, keep_input);
          Features input = copy_of(one.image);
          backend->memory().reset_peak();
          const std::size_t before = backend->memory().used_bytes();
          const Features result = views.run_unit(input, request, job);
          EXPECT_LE(backend->memory().peak_bytes(),
                    before + result.data.bytes() + views.scratch_bytes(request, precision))
              << shape.name << ' ' << text_of(method);
        }
      }
    }
  }
}

TEST_F(BirdsEyeViews, AnImageThatDoesNotMatchIsRefused) {
  const UnitCase one({"K3", 8, {{3, 8}}}, {40, 40}, Precision::fp32);
  const auto of_layers = one.uploaded(*views_);
  const BlockList blocks = one.blocks(*subject_, filled_mask(one.cells, 1), 8),
                  others = one.blocks(*subject_, filled_mask({40, 64}, 1), 8);
  const auto expect_refused = [&](const UnitRequest& request) {
    Features input = copy_of(one.image);
    EXPECT_THROW(static_cast<void>(views_->run_unit(input, request, job_)), Error);
  };
  UnitRequest request = one.request(of_layers, UnitMethod::fused, &others, false);
  expect_refused(request);
  request.blocks = nullptr;
  expect_refused(request);
  request = one.request(of_layers, UnitMethod::fused, &blocks, false);
  request.cells = {40, 41};
  expect_refused(request);
  request.cells = {40, 40};
  request.step = 3;
  expect_refused(request);
  request.step = 1;
  request.layers.clear();
  expect_refused(request);
}

/// The other tests use the widest instruction set.
TEST(CellPanels, EveryInstructionSetGivesTheSameImage) {
  int count = 0;
  static_cast<void>(cpu::runnable_panel_kernels(count));
  Random random(1);
  constexpr std::int64_t rows = 5, columns = 37;
  for (const int out_channels : {1, 4, 7, 16, 24, 31, 48, 61, 96}) {
    constexpr int kernel_size = 3, in_channels = 5, inner = kernel_size * kernel_size * in_channels;
    const auto made = [&](std::int64_t size) {
      std::vector<float> values(static_cast<std::size_t>(size));
      for (float& value : values)
        value = static_cast<float>(random.normal());
      return values;
    };
    const auto in = made((rows + 2) * (columns + 2) * in_channels),
               weight = made(std::int64_t{inner} * out_channels), bias = made(out_channels),
               residual = made(rows * columns * out_channels);
    std::vector<float> first;
    for (int set = 0; set < count; ++set) {
      const cpu::CellKernels& kernels = *cpu::runnable_cell_kernels()[set];
      std::vector<float> packed(static_cast<std::size_t>(kernels.packed_size(inner, out_channels)));
      kernels.pack(weight.data(), inner, out_channels, packed.data());
      std::vector<float> out = residual;
      const cpu::CellRect rect{rows,
                               columns,
                               kernel_size,
                               1,
                               in_channels,
                               out_channels,
                               in.data(),
                               (columns + 2) * in_channels,
                               packed.data(),
                               bias.data(),
                               out.data(),
                               columns * out_channels,
                               true,
                               out.data(),
                               columns * out_channels};
      kernels.convolve(rect);
      if (set == 0) first = out;
      for (std::size_t at = 0; at < out.size(); ++at)
        ASSERT_NEAR(out[at], first[at], 2e-4) << set << ' ' << out_channels << ' ' << at;
    }
  }
}

TEST(CellPanels, EveryInstructionSetConvertsFp16InTheSameWay) {
  int count = 0;
  static_cast<void>(cpu::runnable_panel_kernels(count));
  std::vector<Fp16> halves;
  std::vector<float> floats;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    if ((bits & 0x7FFFU) > 0x7C00U) continue;  // The bits of a NaN may differ.
    halves.push_back(static_cast<Fp16>(bits));
    const float value = fp16_to_float(halves.back());
    for (const float factor : {1.0F, 1.0001F, 1.00048828125F, 0.9997F})
      floats.push_back(value * factor);
  }
  for (int set = 0; set < count; ++set) {
    const cpu::CellKernels& kernels = *cpu::runnable_cell_kernels()[set];
    std::vector<float> wide(halves.size());
    kernels.widen(halves.data(), std::ssize(halves), wide.data());
    for (std::size_t at = 0; at < halves.size(); ++at)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[at]),
                std::bit_cast<std::uint32_t>(fp16_to_float(halves[at])));
    std::vector<Fp16> narrow(floats.size());
    kernels.narrow(floats.data(), std::ssize(floats), narrow.data());
    std::vector<float> rounded = floats;
    kernels.round(rounded.data(), std::ssize(rounded));
    for (std::size_t at = 0; at < floats.size(); ++at) {
      ASSERT_EQ(narrow[at], float_to_fp16(floats[at])) << floats[at];
      ASSERT_EQ(rounded[at], fp16_to_float(narrow[at]));
    }
  }
}

}  // namespace
}  // namespace spira
