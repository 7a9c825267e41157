// LAS files made by hand, and LAZ files next to the same points without compression.
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
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
  EXPECT_EQ(old->label, (std::vector{2U, 2U})) << "the upper three bits are flags";
  EXPECT_EQ(old->colour.at(0), (Colour{255, 100, 0})) << "8 bits in fields of 16";
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
      << "extended records";
}

/// The fuzz corpus holds files that were written by laspy, both plain and compressed.
TEST_F(LasReader, LazHasThePointsOfTheUncompressedFile) {
  for (const int format : {0, 1, 2, 3, 6, 7}) {
    SCOPED_TRACE(format);
    const std::string twin = std::string(SPIRA_FUZZ_CORPUS) + "/las/twin_" + std::to_string(format);
    Job job;
    const auto plain = load_scene(twin + ".las", {}, job), packed = load_scene(twin + ".laz", {}, job);
    EXPECT_THAT(packed->reading,
                HasSubstr((format < 6 ? "read as LAZ 1.2 point format " : "read as LAZ 1.4 point format ") +
                          std::to_string(format)));
    ASSERT_EQ(packed->size(), 40);
    EXPECT_EQ(packed->positions, plain->positions);
    EXPECT_EQ(packed->intensity, plain->intensity);
    EXPECT_EQ(packed->label, plain->label);
    EXPECT_EQ(packed->colour, plain->colour);
    EXPECT_EQ(packed->colour.empty(), format != 2 && format != 3 && format != 7);
  }
}

TEST_F(LasReader, LazThatCannotBeReadNamesTheCommandThatConvertsIt) {
  const std::string corpus = std::string(SPIRA_FUZZ_CORPUS) + "/las/";
  Job job;
  const auto fault_of = [&](const std::filesystem::path& file) -> std::string {
    try {
      static_cast<void>(load_scene(file, {}, job));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return "it was read";
  };
  const std::string whole = read_text_file(corpus + "twin_3.laz", 1 << 20);
  const std::size_t items = whole.find("laszip encoded") - 2 + 54 + 34;  // type, size and version of each
  EXPECT_THAT(fault_of(folder.write("newer.laz", with(whole, items + 4, static_cast<short>(5)))),
              testing::AllOf(HasSubstr("LAZ with item 6 of version 5 cannot be read; decompress it"),
                             HasSubstr("pdal translate " + (folder / "newer.laz").string() + " scan.las")));
  EXPECT_THAT(fault_of(folder.write("torn.laz", whole.substr(0, whole.size() - 200))),
              HasSubstr("the compressed points end after "));
  EXPECT_THAT(fault_of(folder.write("lies.laz", with(whole, 107, 4'000'000'000U))),
              HasSubstr("the compressed points end after "));
}

}  // namespace
}  // namespace spira::test
