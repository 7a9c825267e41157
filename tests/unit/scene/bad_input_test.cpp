// Tests invalid files of each format. Each file must give an error of one line that names the file. A reader
// must not crash, and must not allocate memory only because a header claims a large size.
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spira::test {
namespace {

using testing::HasSubstr;

struct Bad {
  const char* name;
  std::string bytes;
  const char* format;  ///< The format that the test forces. If it is empty, the format is detected.
  const char* says;
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name << " " << bad.says;
}

class BadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadInput, IsRefusedInOneLine) {
  const TempFolder folder;
  Job job;
  try {
    static_cast<void>(load_scene(folder.write(GetParam().name, GetParam().bytes), {GetParam().format}, job));
    FAIL() << "the file must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().name));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

/// Returns `bytes` after reversing the order of every four bytes.
std::string swapped(std::string bytes) {
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at) + 4);
  return bytes;
}

const std::string ply_xyz = "property float x\nproperty float y\nproperty float z\nend_header\n";
const std::string pcd_xyz = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";

const std::vector<LasPoint> las_points{{1, 2, 3, 4, 5, 6, 7, 8}, {2, 3, 4, 5, 6, 7, 8, 9}};

INSTANTIATE_TEST_SUITE_P(
    Files, BadInput,
    testing::Values(
        Bad{"empty.ply", "", "", "is empty"},
        Bad{"odd.bin", std::string(30, '\1'), "kitti", "not a multiple of 16"},
        Bad{"nan.bin", std::string(160, '\xFF'), "kitti", "none of the 10 points is finite"},
        Bad{"junk.dat", std::string(1001, '\x7E'), "", "not in a supported format"},
        Bad{"huge.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n" + ply_xyz, "",
            "declares 4000000000"},
        Bad{"huge_ascii.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\n" + ply_xyz + "1 2 3\n", "",
            "declares 4000000000"},
        Bad{"short.ply", "ply\nformat ascii 1.0\nelement vertex 3\n" + ply_xyz + "1 2 3\n4 5 6\n", "",
            "the file contains fewer of them"},
        Bad{"word.ply", "ply\nformat ascii 1.0\nelement vertex 1\n" + ply_xyz + "1 two 3\n", "",
            "line 8: 'two' is not a number"},
        Bad{"no_end.ply", "ply\nformat ascii 1.0\nelement vertex 1\n", "", "without end_header"},
        Bad{"type.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n", "",
            "'quad' is not a PLY type"},
        Bad{"negative.ply", "ply\nformat ascii 1.0\nelement vertex -3\n" + ply_xyz, "",
            "not a number of elements"},
        Bad{"no_xyz.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float a\nend_header\n1\n", "",
            "the vertices have no properties x, y and z"},
        Bad{"list.ply",
            "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint float v\nelement "
            "vertex 1\n" +
                ply_xyz + std::string("\xFF\xFF\xFF\x7F", 4) + std::string(12, '\0'),
            "", "truncated?"},
        Bad{"nan_list.ply",
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int v\n" + ply_xyz + "nan 1 2 3\n",
            "", "line 9: a list is longer than its line"},
        Bad{"huge.pcd", pcd_xyz + "WIDTH 1000000000\nHEIGHT 1\nPOINTS 1000000000\nDATA binary\n1234", "",
            "declares 1000000000"},
        Bad{"count.pcd", pcd_xyz + "WIDTH 4\nHEIGHT 2\nPOINTS 9\nDATA ascii\n", "", "is not WIDTH x HEIGHT"},
        Bad{"torn.pcd", pcd_xyz + "WIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA binary\n" + std::string(20, 'a'), "",
            "truncated?"},
        Bad{"lzf.pcd",
            pcd_xyz + "WIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA binary_compressed\n" +
                std::string("\x04\0\0\0\x0C\0\0\0\xFF\xFF\xFF\xFF", 12),
            "", "damaged"},
        Bad{"bomb.pcd",
            pcd_xyz + "WIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA binary_compressed\n" +
                std::string("\x04\0\0\0\xFF\xFF\xFF\x7F\1\1\1\1", 12),
            "", "bytes cannot come from 4 compressed bytes"},
        Bad{"size.pcd", "VERSION 0.7\nFIELDS x y z\nSIZE 4 3 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n1 2 3\n",
            "", "line 3: a field of TYPE F and SIZE 3"},
        Bad{"types.pcd", "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n1 2 3\n", "",
            "line 4: 3 FIELDS, but 3 SIZE, 2 TYPE"},
        Bad{"nopoints.pcd", "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nDATA ascii\n1 2 3\n", "",
            "PCD header: POINTS and WIDTH x HEIGHT are both missing"},
        Bad{"fields.pcd", "VERSION 0.7\nFIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n1 2\n", "",
            "FIELDS does not contain x, y and z"},
        Bad{"outlier.xyz", "1 2 3\n4 5 6\n1e30 2 3\n", "",
            "point 3 lies at x = 1e+30 m; check the byte order and the format"},
        Bad{"order.ply",
            "ply\nformat binary_big_endian 1.0\nelement vertex 1\n" + ply_xyz +
                std::string("\0\0\0\0\0\0\0\0\x7D\x7D\x7D\x7D", 12),
            "", "point 1 lies at z = 2.1"},
        Bad{"torn.bin", float_rows(8, [](int) { return std::vector<float>{0.5F}; }) + "abc", "",
            "131 bytes without a header: no layout fits; considered: "},
        Bad{"nothing.pcd.bin", std::string(160, '\xFF'), "", "no layout fits; describe the rows"},
        Bad{"swapped.bin", swapped(float_rows(80, [](int) { return std::vector<float>{0.5F}; })), "",
            "look like big-endian float32"},
        Bad{"hole.csv", "x,y,z\n1,2,3\n1,,3\n", "", "line 3: cell 2 (y) is empty"},
        Bad{"first.csv", "1;2;3;4\n ;2;3;4\n", "", "line 2: cell 1 (x) is empty"},
        Bad{"words.csv", "x,y,z\n1,2,3\n1,two,3\n", "", "line 3: 'two' is not a number"},
        Bad{"short.txt", "1 2 3\n1 2\n", "text", "line 2: 2 values"},
        Bad{"object.npy", npy("|O", "(4, 3)", "x"), "", "pickle"},
        Bad{"huge.npy", npy("<f4", "(99999999999, 3)", "x"), "", "declares 99999999999"},
        Bad{"flat.npy", npy("<f4", "(12,)", std::string(48, '\0')), "", "expected N x 3"},
        Bad{"torn.npz", "PK\x03\x04 points.npy", "", "zip"},
        Bad{"short.las", "LASF and more", "", "ends within the header, after 13 bytes"},
        Bad{"other.las", "something else", "las", "does not begin with 'LASF'"},
        Bad{"scan.laz", with(las(2, 3, las_points), 104, '\x83'), "", "laspy decompress "},
        Bad{"future.las", with(las(2, 0, las_points), 25, '\x07'), "",
            "LAS version 1.7, expected 1.0 to 1.4"},
        Bad{"format.las", with(las(2, 0, las_points), 104, '\x0B'), "", "point format 11, expected 0 to 10"},
        Bad{"narrow.las", with(las(2, 3, las_points), 105, static_cast<short>(33)), "",
            "points of 33 bytes, but point format 3 has 34"},
        Bad{"zero.las", with(las(2, 0, las_points), 139, 0.0), "", "the scale of y in the header"},
        Bad{"nan.las", with(las(2, 0, las_points), 171, std::nan("")), "", "the offset of z in the header"},
        Bad{"far.las", with(las(2, 0, las_points), 131, 1e300), "", "point 1 lies at x"},
        Bad{"begin.las", with(las(2, 0, las_points), 96, 4'000'000'000U), "",
            "the points begin at byte 4000000000 of "},
        Bad{"inside.las", with(las(2, 0, las_points), 96, 100U), "", "the points begin at byte 100 of "},
        Bad{"lies.las", with(las(2, 0, las_points), 107, 4'000'000'000U), "",
            "declares 4000000000 points of 20 bytes, but the file has only 2 (truncated?)"},
        Bad{"lies64.las", with(las(4, 6, las_points), 247, 1ULL << 60U), "", "but the file has only 2"},
        Bad{"torn.las", las(2, 3, las_points).substr(0, 270), "", "but the file has only 1 (truncated?)"},
        Bad{"none.las", las(2, 0, {}), "", "contains no points"},
        Bad{"mesh.off", "OFF\n1 0 0\n", "", "not supported yet"},
        Bad{"part.stl", std::string(200, 's'), "", "not supported yet"}),
    test::PrintedName{});

TEST(BadPaths, FoldersAndMissingFilesAreNamed) {
  const TempFolder folder;
  Job job;
  EXPECT_THROW(static_cast<void>(load_scene(folder.path(), {}, job)), Error);
  EXPECT_THROW(static_cast<void>(load_scene(folder / "missing.ply", {}, job)), Error);
  std::filesystem::create_symlink("loop.bin", folder / "loop.bin");
  try {
    static_cast<void>(load_scene(folder / "loop.bin", {}, job));
    ADD_FAILURE() << "the file must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("loop.bin: cannot be read: Too many levels"));
  }
  LoadOptions small;
  small.max_bytes = 10;
  EXPECT_THROW(static_cast<void>(load_scene(folder.write("a.xyz", "1 2 3\n4 5 6\n"), small, job)), Error);
}

TEST(BadPaths, LoadingStopsWhenAsked) {
  const TempFolder folder;
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  try {
    static_cast<void>(load_scene(folder.write("a.xyz", "1 2 3\n"), {}, job));
    FAIL() << "the cancelled load must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

}  // namespace
}  // namespace spira::test
