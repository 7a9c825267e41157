// Tests readings_of(), which interprets the first points of a file in every format.
#include "engine/scene/readings.hpp"

#include "engine/base/error.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

namespace spira::test {
namespace {

using testing::HasSubstr;

void write_rows(const std::filesystem::path& file) {
  constexpr std::array<float, 8> rows{1.5F, 2.5F, 0.5F, 0.25F, 3.0F, 4.0F, 1.0F, 0.75F};
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(rows.data()), sizeof rows);
}

TEST(Readings, TheLikeliestComesFirstWithItsPoints) {
  const TempFolder folder;
  write_rows(folder / "scan.bin");
  Job job;
  const auto readings = readings_of(folder / "scan.bin", job);
  ASSERT_FALSE(readings.empty());
  EXPECT_EQ(readings.front().format->id, "kitti");
  ASSERT_EQ(readings.front().first.positions.size(), 2U);
  EXPECT_EQ(readings.front().first.positions[1], (Point{3, 4, 1}));
}

TEST(Readings, OfAFolderAreThoseOfItsFirstFrame) {
  const TempFolder folder;
  write_rows(folder / "1.bin");
  Job job;
  const auto readings = readings_of(folder / "", job);
  EXPECT_EQ(readings.front().format->id, "kitti");
  EXPECT_EQ(readings.front().first.positions.size(), 2U);
}

TEST(Readings, AFormatCanBeChosenEvenIfNoneCanBeRead) {
  const TempFolder folder;
  Job job;
  const auto readings = readings_of(folder / "none.bin", job);
  ASSERT_GT(readings.size(), 4U);
  for (const Reading& reading : readings)
    EXPECT_THAT(reading.why, HasSubstr("none.bin: cannot be read"));
}

TEST(Readings, CanBeCancelled) {
  const TempFolder folder;
  write_rows(folder / "scan.bin");
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  EXPECT_THROW(static_cast<void>(readings_of(folder / "scan.bin", job)), Error);
}

}  // namespace
}  // namespace spira::test
