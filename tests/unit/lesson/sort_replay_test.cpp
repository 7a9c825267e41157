// Tests merge_comparisons(), which counts the comparisons of a bottom-up merge sort. The expected counts come
// from a separate recursive merge sort.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace spira {
namespace {

using Words = std::vector<std::uint64_t>;

/// Returns the sorted words. Adds the number of comparisons of a recursive merge sort to `comparisons`. The
/// left part has the length of the largest power of two below the number of words. Therefore the parts are
/// equal to the runs of a bottom-up merge sort.
Words sorted(const Words& words, std::int64_t& comparisons) {
  if (words.size() < 2) return words;
  std::size_t half = 1;
  while (half * 2 < words.size())
    half *= 2;
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(half);
  const Words a = sorted({words.begin(), middle}, comparisons),
              b = sorted({middle, words.end()}, comparisons);
  Words merged;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    ++comparisons;
    merged.push_back(b[j] < a[i] ? b[j++] : a[i++]);
  }
  merged.insert(merged.end(), a.begin() + static_cast<std::ptrdiff_t>(i), a.end());
  merged.insert(merged.end(), b.begin() + static_cast<std::ptrdiff_t>(j), b.end());
  return merged;
}

TEST(MergeComparisons, AreThoseOfRunsThatDouble) {
  Job job;
  EXPECT_EQ(merge_comparisons({}, job), 0);
  EXPECT_EQ(merge_comparisons({7}, job), 0);
  EXPECT_EQ(merge_comparisons({1, 2, 3, 4}, job), 4)
      << "two comparisons merge pairs, and two more merge the runs";
  EXPECT_EQ(merge_comparisons({1, 3, 2, 4}, job), 5);
  Random random(5);
  for (const std::size_t count : {2U, 3U, 5U, 8U, 100U, 257U, 1000U}) {
    Words words(count);
    for (std::uint64_t& word : words)
      word = random.below(500);
    std::int64_t comparisons = 0;
    const Words all = sorted(words, comparisons);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(merge_comparisons(words, job), comparisons) << count;
    EXPECT_LE(comparisons, static_cast<double>(count) * std::ceil(std::log2(count)));
  }
}

TEST(WordsInFileOrder, HaveEachVoxelOnceInTheOrderOfFirstPoints) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene =
      voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
  for (const int stride : {1, 4}) {
    std::vector<Voxel> expected;
    std::set<Voxel> met;
    const VoxelScene& scene = *input.scene;
    for (const Point& p : scene.cloud->positions) {
      Voxel v{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        v.at(axis) = static_cast<std::int32_t>(std::floor(p.at(axis) / scene.grid.voxel_m.at(axis)) -
                                               static_cast<double>(scene.shift.at(axis)));
        v.at(axis) -= v.at(axis) % stride;
      }
      if (met.insert(v).second) expected.push_back(v);
    }
    const auto words = words_in_file_order(scene, stride, job);
    ASSERT_EQ(words.size(), expected.size());
    for (std::size_t at = 0; at < words.size(); ++at)
      EXPECT_EQ(scene.pack.unpack(words[at]), expected[at]);
    input.stride = stride;
    std::int64_t comparisons = 0;
    static_cast<void>(sorted(words, comparisons));
    std::map<std::string, double> facts;
    for (const Fact& fact : compute_facts("search", input, job))
      facts[fact.name] = fact.value;
    EXPECT_EQ(facts.at("search.sort.comparisons"), static_cast<double>(comparisons));
    EXPECT_NEAR(facts.at("search.sort.comparisons_per_voxel") * facts.at("search.voxels"),
                static_cast<double>(comparisons), 1e-6);
  }
}

}  // namespace
}  // namespace spira
