// Tests the LAS reader with files that the tests build byte by byte.
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::test {
namespace {

using testing::HasSubstr;

class LasReader : public testing::Test {
 protected:
  std::shared_ptr<const PointCloud> load(const std::string& name, const std::string& bytes) {
    Job job;
    return load_scene(folder.write(name, bytes), {}, job);
  }
  TempFolder folder;
};

TEST_F(LasReader, ReadsEachVersionAndPointFormat) {
  const std::vector<LasPoint> points{{-12'345, 250, 7, 40'000, 0x02, 65'280, 25'600, 0},
                                     {100, -200, 300, 1, 0x05, 0, 512, 65'280}};
  for (std::size_t format = 0; format <= 10; ++format) {
    const std::vector<int> versions = format < 4   ? std::vector{0, 1, 2, 3, 4}
                                      : format < 6 ? std::vector{3, 4}
                                                   : std::vector{4};
    for (const int minor : versions) {
      SCOPED_TRACE("LAS 1." + std::to_string(minor) + " format " + std::to_string(format));
      const auto cloud = load("a.las", las(minor, format, points, format % 3));
      EXPECT_EQ(cloud->format, "las");
      EXPECT_THAT(cloud->reading, HasSubstr("read as LAS 1." + std::to_string(minor) + " point format " +
                                            std::to_string(format) + ": x, y, z, intensity, label"));
      ASSERT_EQ(cloud->size(), 2);
      EXPECT_EQ(cloud->positions.at(0),
                (Point{-12'345 * 0.01 + 500'000, 250 * 0.01 + 500'000, 7 * 0.01 + 500'000}));
      EXPECT_EQ(cloud->intensity, (std::vector{40'000.0F, 1.0F}));
      EXPECT_EQ(cloud->label, (std::vector{2U, 5U}));
      const bool coloured =
          format == 2 || format == 3 || format == 5 || format == 7 || format == 8 || format == 10;
      ASSERT_EQ(cloud->colour.size(), coloured ? 2U : 0U);
      if (coloured) {
        EXPECT_EQ(cloud->colour.at(0), (Colour{255, 100, 0}));
      }
      EXPECT_EQ(testing::PrintToString(cloud->notes), testing::PrintToString(std::vector<std::string>{}));
    }
  }
}

TEST_F(LasReader, ReadsFlags8BitColoursAndLegacyCounts) {
  const std::vector<LasPoint> points{{1, 2, 3, 4, 0xE2, 255, 100, 0}, {2, 3, 4, 5, 0xE2, 0, 0, 0}};
  const auto old = load("a.las", las(2, 2, points));
  EXPECT_EQ(old->label, (std::vector{2U, 2U})) << "the upper three bits are flags, not part of the label";
  EXPECT_EQ(old->colour.at(0), (Colour{255, 100, 0})) << "8-bit colours in 16-bit fields must be recognised";
  const auto current = load("b.las", las(4, 6, points));
  EXPECT_EQ(current->label, (std::vector{0xE2U, 0xE2U}));
  const auto legacy = load("c.las", with(with(las(4, 3, points), 247, 0ULL), 107, 2U));
  EXPECT_EQ(legacy->size(), 2);
}

TEST_F(LasReader, NotesOnlyBytesThatNothingExplains) {
  const std::vector<LasPoint> points{{1, 2, 3, 4, 2, 0, 0, 0}, {2, 3, 4, 5, 2, 0, 0, 0}};
  const std::string file = las(4, 6, points);
  EXPECT_THAT(load("a.las", file + "rest")->notes,
              testing::ElementsAre(HasSubstr("4 bytes after the last point")));
  const auto records = static_cast<unsigned long long>(file.size());
  EXPECT_THAT(load("b.las", with(file, 235, records) + "rest")->notes, testing::IsEmpty())
      << "extended records must not be noted";
}

TEST_F(LasReader, RefusesLazUnderAnyNameAndNamesTheCommandThatConvertsIt) {
  const std::vector<LasPoint> points{{1, 2, 3, 4, 2, 0, 0, 0}};
  for (const char* name : {"scan.laz", "scan.las", "scan.xyz"}) {
    for (const char compressed : {'\x83', '\x43'}) {
      SCOPED_TRACE(name);
      try {
        load(name, with(las(2, 3, points), 104, compressed));
        ADD_FAILURE() << "the compressed file must be refused";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_THAT(error.what(),
                    testing::AllOf(HasSubstr(name), HasSubstr("LAZ"), HasSubstr("laspy decompress "),
                                   testing::Not(HasSubstr("\n"))));
      }
    }
  }
}

}  // namespace
}  // namespace spira::test
