// Tests the maps and features with outputs sorted by mask, with inputs that are difficult for masks, for the
// padding and for the sum of the splits.
#include "engine/base/fp16.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace spira {
namespace {

class MaskSorted : public testing::Test {
 protected:
  static MapRequest request(const std::shared_ptr<const KernelOffsets>& offsets, int splits) {
    const MapPartRequest part{MapLayout::mask_sorted, test::all_columns(*offsets), splits};
    return {offsets, MapAlgorithm::z_delta, {part}, false};
  }
  /// Returns `count` voxels that are at least 12 cells apart.
  static std::vector<Voxel> scattered(int count) {
    constexpr std::int32_t per_axis = 10, distance = 12, first = 20;
    std::vector<Voxel> voxels;
    for (std::int32_t at = 0; at < count; ++at)
      voxels.push_back({first + (at / (per_axis * per_axis) * distance),
                        first + (at / per_axis % per_axis * distance), first + (at % per_axis * distance)});
    return voxels;
  }
  /// Compares the features with the reference, for all numbers of splits up to 8 that are possible.
  void check(const std::vector<Voxel>& inputs, const std::vector<Voxel>& outputs, int kernel_size,
             const std::string& what) {
    const PackSpec pack = PackSpec::bits64();
    const CoordSet in = test::coord_set(pack, inputs), out = test::coord_set(pack, outputs);
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    const LayerWeights weights = seeded_weights(single_layer_network(kernel_size, 1, 4, 8), 5).layers.back();
    const auto uploaded = subject_->upload_weights(weights, Precision::fp32),
               in_order = reference_->upload_weights(weights, Precision::fp32);
    Features x{size_of(in), 4, Precision::fp32, Buffer(make_host_pool(), inputs.size() * 4 * sizeof(float))};
    float value = 1;
    for (float& each : x.data.host_span<float>())
      each = value += 0.125F;
    for (int splits = 1; splits <= 8; ++splits) {
      if (!why_not_splits(offsets->columns(), splits).empty()) continue;
      const MapRequest wanted = request(offsets, splits);
      const KernelMap map = subject_->build_map(in, out, wanted, job_),
                      truth = reference_->build_map(in, out, wanted, job_);
      ASSERT_EQ(test::pairs_of(map), test::pairs_of(truth)) << what << ", " << splits << " splits";
      const Features expected = reference_->convolve(truth, x, in_order, {}, job_);
      const WorstError worst = compare(subject_->convolve(map, x, uploaded, {}, job_), expected,
                                       error_scale(truth, x, in_order, {}, job_));
      ASSERT_TRUE(worst.ratio <= 1 && worst.special_values_agree) << what << ", " << splits << " splits";
      ++checked_;
    }
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
  int checked_ = 0;
};

// In the release of TorchSparse++, a mask with its highest bit set is sorted behind the padding.
TEST_F(MaskSorted, Trap11_EveryColumnAlone) {
  for (const int kernel_size : {2, 3, 5, 7}) {
    const KernelOffsets offsets(kernel_size, 1);
    for (int column = 0; column < offsets.columns(); ++column) {
      const std::vector<Voxel> outputs = scattered(17);
      std::vector<Voxel> inputs;
      for (const Voxel& q : outputs) {
        const Voxel d = offsets.offset(column);
        inputs.push_back({q[0] + d[0], q[1] + d[1], q[2] + d[2]});
      }
      check(inputs, outputs, kernel_size,
            "K " + std::to_string(kernel_size) + " column " + std::to_string(column));
    }
  }
  EXPECT_EQ(checked_, (8 * 5) + (27 * 7) + (125 * 7) + (343 * 3));
}

TEST_F(MaskSorted, Trap11_EveryNumberOfRowsNearATile) {
  for (const int rows : {1, 15, 16, 17, 127, 128, 129, 1000}) {
    const std::vector<Voxel> voxels = scattered(rows);
    check(voxels, voxels, 3, std::to_string(rows) + " rows");
  }
}

TEST_F(MaskSorted, Trap11_AllColumnsOfABlock) {
  std::vector<Voxel> block;
  for (std::int32_t at = 0; at < 9 * 9 * 9; ++at)
    block.push_back({20 + (at / 81), 20 + (at / 9 % 9), 20 + (at % 9)});
  for (const int kernel_size : {3, 5, 7})
    check(block, block, kernel_size, "block, K " + std::to_string(kernel_size));
}

TEST_F(MaskSorted, Trap20_OutputsWithoutAnInputAreTheBias) {
  check({{200, 200, 200}}, scattered(20), 3, "no pairs");
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  const CoordSet in = test::coord_set(PackSpec::bits64(), {{200, 200, 200}}),
                 out = test::coord_set(PackSpec::bits64(), scattered(20));
  LayerWeights weights{27, 1, 2, std::vector<float>(54, 1.0F), {0.25F, -3.0F}};
  Features x{1, 1, Precision::fp32, Buffer(make_host_pool(), sizeof(float))};
  x.data.host_span<float>()[0] = 1;
  for (const int splits : {1, 4}) {
    const Features y = subject_->convolve(subject_->build_map(in, out, request(offsets, splits), job_), x,
                                          subject_->upload_weights(weights, Precision::fp32), {}, job_);
    for (std::size_t row = 0; row < 20; ++row) {
      EXPECT_EQ(y.data.host_span<float>()[2 * row], 0.25F);
      EXPECT_EQ(y.data.host_span<float>()[(2 * row) + 1], -3.0F);
    }
  }
}

// A sum of a split can be too large for fp16, although the sum of all splits is small.
TEST_F(MaskSorted, Trap17_LargeSumsOfSplitsCancel) {
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  const Voxel q{40, 40, 40};
  const CoordSet out = test::coord_set(PackSpec::bits64(), {q});
  // With two splits, column 0 is in the first split and the columns 25 and 26 are in the second one.
  std::vector<Voxel> inputs;
  LayerWeights weights{27, 1, 1, std::vector<float>(27, 0.0F), {0.0F}};
  for (const auto& [column, weight] :
       {std::pair{0, 100.0F}, std::pair{25, -100.0F}, std::pair{26, 1.0F / 700}}) {
    const Voxel d = offsets->offset(column);
    inputs.push_back({q[0] + d[0], q[1] + d[1], q[2] + d[2]});
    weights.weight[static_cast<std::size_t>(column)] = weight;
  }
  const CoordSet in = test::coord_set(PackSpec::bits64(), inputs);
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    Features x{3, 1, precision, Buffer(make_host_pool(), 3 * bytes_of(precision))};
    for (std::size_t at = 0; at < 3; ++at) {
      if (precision == Precision::fp32) x.data.host_span<float>()[at] = 700;
      if (precision == Precision::fp16) x.data.host_span<Fp16>()[at] = float_to_fp16(700);
    }
    const Features y = subject_->convolve(subject_->build_map(in, out, request(offsets, 2), job_), x,
                                          subject_->upload_weights(weights, precision), {}, job_);
    const float found = precision == Precision::fp32 ? y.data.host_span<float>()[0]
                                                     : fp16_to_float(y.data.host_span<Fp16>()[0]);
    EXPECT_NEAR(found, 1.0F, 0.01F) << text_of(precision);
  }
}

/// Exchanges two neighbouring rows of a split.
void exchange_rows(KernelMap::Part& part, std::size_t row, std::size_t length) {
  const auto order = part.order.host_span<std::int32_t>(), entries = part.entries.host_span<std::int32_t>();
  std::swap(order[row], order[row + 1]);
  for (std::size_t at = 0; at < length; ++at)
    std::swap(entries[(row * length) + at], entries[((row + 1) * length) + at]);
}

TEST_F(MaskSorted, Trap21_TheOrderOfEqualMasksDoesNotChangeABit) {
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  Random random(4);
  std::set<Voxel> voxels;
  while (voxels.size() < 3000)
    voxels.insert({20 + static_cast<int>(random.uniform(0, 24)), 20 + static_cast<int>(random.uniform(0, 24)),
                   20 + static_cast<int>(random.uniform(0, 24))});
  const CoordSet coords = test::coord_set(PackSpec::bits64(), {voxels.begin(), voxels.end()});
  const LayerWeights weights = seeded_weights(single_layer_network(3, 1, 5, 7), 5).layers.back();
  const auto uploaded = subject_->upload_weights(weights, Precision::fp32);
  Features x{3000, 5, Precision::fp32, Buffer(make_host_pool(), 3000 * 5 * sizeof(float))};
  for (float& value : x.data.host_span<float>())
    value = static_cast<float>(random.normal());
  for (const int splits : {1, 3, 5}) {
    KernelMap map = subject_->build_map(coords, coords, request(offsets, splits), job_);
    const Features before = subject_->convolve(map, x, uploaded, {}, job_);
    KernelMap::Part& part = map.parts.front();
    const auto length = static_cast<std::size_t>(columns_per_split(27, splits));
    const auto entries = part.entries.host_span<std::int32_t>();
    const auto has = [&](std::size_t row, std::size_t at) { return entries[(row * length) + at] >= 0; };
    int exchanged = 0;
    for (int split = 0; split < splits; ++split) {
      const auto first = static_cast<std::size_t>(split * padded_rows_of(3000));
      for (std::size_t row = first; row + 1 < first + 3000; row += 2) {
        bool equal = true;
        for (std::size_t at = 0; at < length; ++at)
          equal = equal && has(row, at) == has(row + 1, at);
        if (!equal) continue;
        exchange_rows(part, row, length);
        ++exchanged;
      }
    }
    EXPECT_GT(exchanged, 20);
    const Features after = subject_->convolve(map, x, uploaded, {}, job_);
    const auto left = before.data.host_span<std::byte>(), right = after.data.host_span<std::byte>();
    EXPECT_TRUE(std::equal(left.begin(), left.end(), right.begin(), right.end())) << splits << " splits";
  }
}

}  // namespace
}  // namespace spira
