// Tests trap 1 in docs/architecture.md (borrow and carry between the fields of a packed word). Within the
// limits of fit(), a search with packed words must find the same matches as a search with unpacked triplets.
// If an extent is one cell larger than the limit, the search with packed words must find a false match. This
// search uses only modular arithmetic on words.
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/coord_sets.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace spira {
namespace {

struct Tally {
  int wrong = 0, real = 0;
};

Tally compare(const PackSpec& pack, const std::vector<Voxel>& inputs, const std::vector<Voxel>& outputs,
              const KernelOffsets& offsets) {
  const std::set<Voxel> truth(inputs.begin(), inputs.end());
  std::unordered_set<std::uint64_t> keys;
  for (const Voxel& voxel : truth)
    keys.insert(pack.pack(voxel));
  Tally tally;
  for (const Voxel& q : outputs) {
    for (int k = 0; k < offsets.columns(); ++k) {
      const Voxel d = offsets.offset(k);
      const bool is = truth.contains({q[0] + d[0], q[1] + d[1], q[2] + d[2]});
      const bool found = keys.contains((pack.pack(q) + pack.pack(d)) & pack.word_mask());
      tally.real += is ? 1 : 0;
      tally.wrong += is != found ? 1 : 0;
    }
  }
  return tally;
}

const std::vector<PackSpec> packings{{12, 12, 8},  {11, 11, 10}, {7, 5, 4}, {22, 5, 5},
                                     {24, 24, 16}, {21, 21, 21}, {27, 3, 2}};

std::array<std::int64_t, 3> limits(const PackSpec& pack, int kernel_size, int max_stride) {
  const Fit at = fit({1, 1, 1}, pack, {kernel_size, max_stride});
  return {at.axes[0].limit, at.axes[1].limit, at.axes[2].limit};
}

TEST(Trap1BorrowAndCarry, NoFalseMatchInABoxOfTheLargestExtentThatFits) {
  constexpr int max_stride = 16;
  std::uint64_t seed = 1;
  int boxes = 0;
  for (const PackSpec& pack : packings) {
    for (const int kernel_size : {2, 3, 5, 7}) {
      const auto extent = limits(pack, kernel_size, max_stride);
      if (std::min({extent[0], extent[1], extent[2]}) < 1) continue;
      for (const int stride : {1, 2, 4, 8, 16}) {
        const KernelOffsets offsets(kernel_size, stride);
        const auto inputs = test::box_voxels(extent, stride, 120, ++seed);
        const Tally same = compare(pack, inputs, inputs, offsets);
        EXPECT_EQ(same.wrong, 0) << pack.text() << " K " << kernel_size << " stride " << stride;
        EXPECT_GT(same.real, 0);
        ++boxes;
        if (stride == max_stride) continue;
        std::vector<Voxel> coarse;
        for (const Voxel& v : inputs) {
          const int s = 2 * stride;
          coarse.push_back({v[0] / s * s, v[1] / s * s, v[2] / s * s});
        }
        EXPECT_EQ(compare(pack, inputs, coarse, offsets).wrong, 0)
            << pack.text() << " K " << kernel_size << " stride " << stride << " -> " << 2 * stride;
      }
    }
  }
  EXPECT_GE(boxes, 100);
}

/// Returns the number of false matches between two voxels at opposite ends of a box. On the axis `axis`, the
/// box is `excess` cells longer than the limit.
int wrong_beyond(const PackSpec& pack, int kernel_size, int stride, std::size_t axis, std::int64_t excess) {
  const KernelOffsets offsets(kernel_size, stride);
  auto extent = limits(pack, kernel_size, stride);
  extent.at(axis) += excess;
  Voxel low{stride, stride, stride}, high = low;
  low.at(axis) = 0;
  high.at(axis) = static_cast<std::int32_t>((extent.at(axis) - 1) / stride * stride);
  // A borrow from y leads to the previous column of voxels.
  if (axis == 2) high[1] -= stride;
  if (axis == 1) high[0] -= stride;
  return compare(pack, {low, high}, {low, high}, offsets).wrong;
}

TEST(Trap1BorrowAndCarry, OneCellAboveTheLimitHasAFalseMatch) {
  for (const PackSpec& pack : {PackSpec{12, 12, 8}, PackSpec{11, 11, 10}, PackSpec{10, 12, 10}}) {
    for (const int kernel_size : {3, 5, 7}) {
      for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
        EXPECT_EQ(wrong_beyond(pack, kernel_size, 1, axis, 0), 0) << pack.text() << " axis " << axis;
        EXPECT_GT(wrong_beyond(pack, kernel_size, 1, axis, 1), 0) << pack.text() << " axis " << axis;
      }
      // The coarsest stride determines the limit for x, so x is tested with each possible coarsest stride.
      for (const int stride : {1, 2, 4, 8, 16}) {
        EXPECT_EQ(wrong_beyond(pack, kernel_size, stride, 0, 0), 0) << pack.text() << " stride " << stride;
        EXPECT_GT(wrong_beyond(pack, kernel_size, stride, 0, 1), 0) << pack.text() << " stride " << stride;
      }
    }
  }
}

TEST(Trap1BorrowAndCarry, EvenKernelsCarryAtTheHighFaceOnly) {
  const PackSpec pack = PackSpec::bits32();
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_EQ(limits(pack, 2, 1).at(axis), limits(pack, 3, 1).at(axis));
    const KernelOffsets offsets(2, 1);
    // With these voxels, adding 1 to `high` carries into the next column of voxels.
    Voxel high{1, 1, 1}, low{1, 1, 1};
    high.at(axis) = static_cast<std::int32_t>(limits(pack, 2, 1).at(axis));
    low.at(axis) = 0;
    low.at(axis - 1) += 1;
    EXPECT_GT(compare(pack, {low, high}, {low, high}, offsets).wrong, 0);
    high.at(axis) -= 1;
    EXPECT_EQ(compare(pack, {low, high}, {low, high}, offsets).wrong, 0);
  }
}

/// A voxel of a batch.
struct InFrame {
  int frame;
  Voxel voxel;
  auto operator<=>(const InFrame&) const = default;
};

Tally compare_batch(const PackSpec& pack, const std::vector<InFrame>& voxels, const KernelOffsets& offsets) {
  const std::set<InFrame> truth(voxels.begin(), voxels.end());
  std::unordered_set<std::uint64_t> keys;
  for (const auto& [frame, voxel] : truth)
    keys.insert(pack.pack(voxel, frame));
  Tally tally;
  for (const auto& [frame, q] : voxels) {
    for (int k = 0; k < offsets.columns(); ++k) {
      const Voxel d = offsets.offset(k);
      const bool is = truth.contains({frame, {q[0] + d[0], q[1] + d[1], q[2] + d[2]}});
      const bool found = keys.contains((pack.pack(q, frame) + pack.pack(d)) & pack.word_mask());
      tally.real += is ? 1 : 0;
      tally.wrong += is != found ? 1 : 0;
    }
  }
  return tally;
}

TEST(Trap1BorrowAndCarry, OffsetsDoNotCrossTheFramesOfABatch) {
  int boxes = 0;
  for (const PackSpec& axes : {PackSpec{8, 5, 4}, PackSpec{10, 12, 8}, PackSpec{9, 20, 16}}) {
    for (const int frames : {2, 3, 4}) {
      const PackSpec pack = axes.with_batch(frames);
      for (const int kernel_size : {2, 3, 5, 7}) {
        for (const int coarsest : {1, 4, 16}) {
          const auto extent = limits(pack, kernel_size, coarsest);
          if (std::min({extent[0], extent[1], extent[2]}) < 1) continue;
          for (int stride = 1; stride <= coarsest; stride *= 2) {
            std::vector<InFrame> voxels;
            for (int frame = 0; frame < frames; ++frame) {
              for (const Voxel& v :
                   test::box_voxels(extent, stride, 60, static_cast<std::uint64_t>(frame) + 1))
                voxels.push_back({frame, v});
            }
            const Tally tally = compare_batch(pack, voxels, KernelOffsets(kernel_size, stride));
            EXPECT_EQ(tally.wrong, 0) << pack.batch_text() << " K " << kernel_size << " stride " << stride;
            EXPECT_GT(tally.real, 0);
            ++boxes;
          }
        }
      }
    }
  }
  EXPECT_GE(boxes, 150);
}

/// In a batch, unused bits of the word are not guard cells for x. The guard is h * stride, because the batch
/// index is not a multiple of the stride.
TEST(Trap1BorrowAndCarry, OneCellAboveTheLimitOfXMatchesInTheNextFrame) {
  for (const int kernel_size : {3, 5, 7}) {
    for (const int stride : {1, 2, 4, 8, 16}) {
      const PackSpec pack = PackSpec{8, 8, 8}.with_batch(2);
      const KernelOffsets offsets(kernel_size, stride);
      for (const std::int64_t excess : {0, 1}) {
        const std::int64_t extent = limits(pack, kernel_size, stride)[0] + excess;
        const auto last = static_cast<std::int32_t>((extent - 1) / stride * stride);
        const Tally tally = compare_batch(pack, {{0, {last, 0, 0}}, {1, {0, 0, 0}}}, offsets);
        EXPECT_EQ(tally.wrong > 0, excess > 0) << "K " << kernel_size << " stride " << stride;
      }
    }
  }
}

TEST(PackSpec, TheBatchIndexIsAboveX) {
  const PackSpec pack = PackSpec{10, 10, 8}.with_batch(5);
  EXPECT_EQ(pack.batch_bits, 3);
  EXPECT_EQ(pack.word_bits(), 32);
  EXPECT_EQ(PackSpec::bits32().with_batch(2).word_bits(), 64);
  for (const auto& [frames, bits] : {std::pair(1, 0), {2, 1}, {3, 2}, {4, 2}, {5, 3}, {255, 8}, {256, 8}})
    EXPECT_EQ(PackSpec::bits_for_batch(frames), bits) << frames;
  const Voxel voxel{1023, 5, 255};
  const std::uint64_t key = pack.pack(voxel, 4);
  EXPECT_EQ(pack.frame(key), 4);
  EXPECT_EQ(pack.unpack(key), voxel);
  EXPECT_LT(pack.pack(voxel, 3), pack.pack({0, 0, 0}, 4));
  const std::uint64_t rounded = key & pack.round_down_mask(16);
  EXPECT_EQ(pack.frame(rounded), 4);
  EXPECT_EQ(pack.unpack(rounded), (Voxel{1008, 0, 240}));
  EXPECT_EQ(pack.pack(voxel), PackSpec({10, 10, 8}).pack(voxel)) << "frame 0 has the keys of a single frame";
}

TEST(PackSpec, UnpackUndoesPackAndOrderIsLexicographic) {
  Random random(7);
  for (const PackSpec& pack : packings) {
    std::vector<Voxel> voxels;
    for (int at = 0; at < 200; ++at) {
      const auto draw = [&](int bits) { return static_cast<std::int32_t>(random.below(1ULL << bits)); };
      voxels.push_back({draw(pack.x_bits), draw(pack.y_bits), draw(pack.z_bits)});
    }
    for (const Voxel& v : voxels)
      EXPECT_EQ(pack.unpack(pack.pack(v)), v);
    // Tests trap 3 in docs/architecture.md: packed words are in the same order as their voxels.
    for (std::size_t at = 1; at < voxels.size(); ++at) {
      EXPECT_EQ(pack.pack(voxels[at - 1]) < pack.pack(voxels[at]), voxels[at - 1] < voxels[at]);
    }
  }
}

TEST(PackSpec, TheSumOfPackedIsThePackedSumWhileNoAxisLeavesItsField) {
  Random random(8);
  for (const PackSpec& pack : packings) {
    for (int at = 0; at < 300; ++at) {
      Voxel from{}, to{}, delta{};
      const std::array<int, 3> bits{pack.x_bits, pack.y_bits, pack.z_bits};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        from.at(axis) = static_cast<std::int32_t>(random.below(1ULL << bits.at(axis)));
        to.at(axis) = static_cast<std::int32_t>(random.below(1ULL << bits.at(axis)));
        delta.at(axis) = to.at(axis) - from.at(axis);
      }
      EXPECT_EQ((pack.pack(from) + pack.pack(delta)) & pack.word_mask(), pack.pack(to));
    }
  }
}

TEST(Trap2RoundingIsAnAnd, MaskFloorsEveryComponent) {
  Random random(9);
  for (const PackSpec& pack : packings) {
    for (const int s : {1, 2, 4, 8, 16}) {
      for (int at = 0; at < 100; ++at) {
        const auto draw = [&](int bits) { return static_cast<std::int32_t>(random.below(1ULL << bits)); };
        const Voxel v{draw(pack.x_bits), draw(pack.y_bits), draw(pack.z_bits)};
        const Voxel floored{v[0] / s * s, v[1] / s * s, v[2] / s * s};
        EXPECT_EQ(pack.unpack(pack.pack(v) & pack.round_down_mask(s)), floored);
      }
    }
  }
}

}  // namespace
}  // namespace spira
