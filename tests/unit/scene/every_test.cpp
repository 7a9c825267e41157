// Tests readers with the option to read only every n-th point. Tests which points are read, which notes are
// reported, and how files that do not fit in memory are handled.
#include "app/common/scene_argument.hpp"
#include "engine/base/error.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class EveryNthPoint : public testing::Test {
 protected:
  std::shared_ptr<const PointCloud> load(const std::filesystem::path& file, std::int64_t every,
                                         std::optional<std::uint64_t> free_bytes = {}) {
    Job job;
    LoadOptions options;
    options.limits = {every, free_bytes};
    return load_scene(file, options, job);
  }
  /// Returns files with 601 points. There is one file for each format that the program can write, and one
  /// with rows of floats.
  std::vector<std::filesystem::path> files() {
    Job job;
    std::vector<std::filesystem::path> all;
    for (const char* ending : {"ply", "pcd", "xyz", "npy"}) {
      all.push_back(folder / (std::string("room.") + ending));
      try {
        write_scene(*generate_scene("room", 601, 1, job), all.back().string());
      } catch (const Error&) {
        // The program can read this format but cannot write it.
        all.pop_back();
      }
    }
    all.push_back(folder.write("a.bin", float_rows(601, [](int at) {
                                 return std::vector<float>{static_cast<float>(at % 90) / 100.0F};
                               })));
    return all;
  }
  TempFolder folder;
};

TEST_F(EveryNthPoint, EqualsThatPointOfTheWholeFile) {
  for (const auto& file : files()) {
    const auto all = load(file, 1), part = load(file, 3);
    EXPECT_EQ(all->every, 1) << file;
    EXPECT_EQ(part->every, 3) << file;
    EXPECT_EQ(part->in_file, all->size()) << file;
    ASSERT_EQ(part->size(), (all->size() + 2) / 3) << file;
    for (std::size_t at = 0; at < part->positions.size(); ++at)
      EXPECT_EQ(part->positions[at], all->positions[3 * at]) << file << " " << at;
    if (!all->intensity.empty()) {
      EXPECT_EQ(part->intensity[7], all->intensity[21]) << file;
    }
    EXPECT_THAT(part->reading, HasSubstr("points, every 3rd of " + std::to_string(all->size()))) << file;
  }
}

TEST_F(EveryNthPoint, KeepsItsLabel) {
  std::string labels;
  for (unsigned at = 0; at < 600; ++at)
    put(labels, at);
  static_cast<void>(folder.write("a.label", labels));
  const auto file = folder.write("a.bin", float_rows(600, [](int at) {
                                   return std::vector<float>{static_cast<float>(at % 90) / 100.0F};
                                 }));
  const auto part = load(file, 7);
  ASSERT_EQ(part->label.size(), part->positions.size());
  EXPECT_EQ(part->label[0], 0U);
  EXPECT_EQ(part->label[5], 35U);
}

TEST_F(EveryNthPoint, IsSuggestedIfAllPointsDoNotFit) {
  const auto file = folder.write("big.bin", float_rows(20'000, [](int at) {
                                   return std::vector<float>{static_cast<float>(at % 90) / 100.0F};
                                 }));
  try {
    static_cast<void>(load(file, 1, 300'000));
    FAIL() << "560,000 bytes must not fit in 300,000 bytes";
  } catch (const NotEnoughMemory& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_EQ(facts(error.kind()).exit_code, 5);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("big.bin: 20,000 points need"), HasSubstr(", but only "),
                                    HasSubstr("is free"), HasSubstr("; every 6th point would fit")));
    EXPECT_EQ(error.every(), 6);
    EXPECT_THAT(error.what(), Not(HasSubstr("--")))
        << "the error of the engine must not name command-line options";
    EXPECT_THAT(app::error_text(error), EndsWith("; every 6th point would fit (--every 6)"));
    EXPECT_EQ(app::error_text(Error(ErrorKind::input, "a.bin: empty")), "a.bin: empty");
    EXPECT_EQ(load(file, error.every(), 300'000)->size(), 3334);
  }
  EXPECT_THROW(static_cast<void>(load(file, 1, 10)), NotEnoughMemory)
      << "too little memory for any points must be an error";
}

TEST(EveryText, UsesOrdinalNumbers) {
  EXPECT_EQ(every_text(1), "all");
  EXPECT_EQ(every_text(2), "every 2nd");
  EXPECT_EQ(every_text(3), "every 3rd");
  EXPECT_EQ(every_text(4), "every 4th");
  EXPECT_EQ(every_text(11), "every 11th");
  EXPECT_EQ(every_text(21), "every 21st");
  EXPECT_EQ(every_text(112), "every 112th");
}

}  // namespace
}  // namespace spira::test
