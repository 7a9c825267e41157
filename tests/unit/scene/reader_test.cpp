// Tests the readers of all formats and encodings on files that the tests build byte by byte.
#include "engine/scene/reader.hpp"

#include "engine/base/error.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/sequence.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spira::test {
namespace {

using testing::HasSubstr;

class Readers : public testing::Test {
 protected:
  std::shared_ptr<const PointCloud> load(const std::string& name, const std::string& bytes,
                                         const std::string& format = {}) {
    Job job;
    return load_scene(folder.write(name, bytes), {format}, job);
  }
  TempFolder folder;
};

TEST_F(Readers, BinFilesAreDistinguishedByTheirValues) {
  const auto kitti =
      load("a.bin",
           float_rows(600, [](int at) { return std::vector<float>{static_cast<float>(at % 90) / 100.0F}; }));
  EXPECT_EQ(kitti->format, "kitti");
  EXPECT_EQ(kitti->size(), 600);
  EXPECT_THAT(kitti->reading, HasSubstr("read as KITTI: x, y, z, intensity; 600 points"));
  const auto nuscenes =
      load("b.bin", float_rows(600, [](int at) {
             return std::vector<float>{static_cast<float>(at % 200), static_cast<float>(at % 32)};
           }));
  EXPECT_EQ(nuscenes->format, "nuscenes");
  EXPECT_THAT(nuscenes->reading, HasSubstr("read as nuScenes or Waymo: x, y, z, intensity (not used: ring)"));
  const auto waymo =
      load("w.bin", float_rows(600, [](int at) {
             return std::vector<float>{static_cast<float>(at % 200), static_cast<float>(at % 90) / 60.0F};
           }));
  EXPECT_EQ(waymo->format, "nuscenes");
  EXPECT_THAT(waymo->reading,
              HasSubstr("read as nuScenes or Waymo: x, y, z, intensity (not used: elongation)"));
  const auto rgb = load("c.bin", float_rows(600, [](int at) {
                          return std::vector<float>{0.2F, 0.5F, static_cast<float>(at % 10) / 10.0F};
                        }));
  EXPECT_EQ(rgb->format, "xyzrgb");
  EXPECT_EQ(rgb->colour.at(0)[0], 51);
  const auto forced = load("d.bin",
                           float_rows(600,
                                      [](int) {
                                        return std::vector<float>{0.2F, 0.5F, 0.1F};
                                      }),
                           "kitti");
  EXPECT_EQ(forced->format, "kitti");
}

TEST_F(Readers, LabelsBesideAKittiScan) {
  std::string labels;
  for (unsigned at = 0; at < 600; ++at)
    put(labels, at % 3 | 0x70000U);
  folder.write("scan.label", labels);
  const auto bytes = float_rows(600, [](int) { return std::vector<float>{0.5F}; });
  const auto cloud = load("scan.bin", bytes, "kitti");
  ASSERT_EQ(cloud->label.size(), 600U);
  EXPECT_EQ(cloud->label[5], 2U);
  folder.write("scan.label", labels.substr(4));
  const auto without = load("scan.bin", bytes, "kitti");
  EXPECT_TRUE(without->label.empty());
  EXPECT_THAT(without->notes,
              testing::ElementsAre(
                  HasSubstr("labels ignored: the 2,396 bytes of scan.label do not contain one uint32")));
}

TEST_F(Readers, PlyInAllEncodings) {
  const std::string fields =
      "element vertex 2\nproperty float x\nproperty double y\nproperty float z\nproperty uchar red\nproperty "
      "uchar green\n"
      "property uchar blue\nproperty ushort intensity\nelement face 1\nproperty list uchar int "
      "vertex_indices\nend_header\n";
  const auto check = [](const PointCloud& cloud) {
    ASSERT_EQ(cloud.size(), 2);
    EXPECT_EQ(cloud.positions[1], (Point{4, 5, 6}));
    EXPECT_EQ(cloud.colour[0], (Colour{7, 8, 9}));
    EXPECT_EQ(cloud.intensity[1], 300.0F);
  };
  check(*load("a.ply", "ply\nformat ascii 1.0\n" + fields + "1 2 3 7 8 9 100\n4 5 6 0 0 0 300\n3 0 1 0\n"));
  std::string little, big;
  for (int at = 0; at < 2; ++at) {
    const auto f = static_cast<float>(at * 3);
    put(little, 1.0F + f), put(little, 2.0 + static_cast<double>(f)), put(little, 3.0F + f);
    put_big(big, 1.0F + f), put_big(big, 2.0 + static_cast<double>(f)), put_big(big, 3.0F + f);
    for (const char c : {'\7', '\10', '\11'})
      put(little, c), put(big, c);
    put(little, static_cast<unsigned short>(100 + (200 * at)));
    put_big(big, static_cast<unsigned short>(100 + (200 * at)));
  }
  check(*load("b.ply",
              "ply\nformat binary_little_endian 1.0\n" + fields + little + std::string("\x01\0\0\0\0", 5)));
  check(
      *load("c.ply", "ply\nformat binary_big_endian 1.0\n" + fields + big + std::string("\x01\0\0\0\0", 5)));
}

TEST_F(Readers, PlyPassesOverElementsBeforeTheVertices) {
  const auto cloud = load("a.ply",
                          "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int v\nelement vertex "
                          "1\nproperty float x\nproperty float y\n"
                          "property float z\nend_header\n3 0 1 2\n2 0 1\n1 2 3\n");
  EXPECT_EQ(cloud->positions[0], (Point{1, 2, 3}));
}

TEST_F(Readers, PcdInAllEncodings) {
  const std::string header =
      "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH "
      "3\nHEIGHT 1\nPOINTS 3\nDATA ";
  const auto check = [](const PointCloud& cloud) {
    ASSERT_EQ(cloud.size(), 2);
    EXPECT_EQ(cloud.dropped_non_finite, 1);
    EXPECT_EQ(cloud.positions[1], (Point{4, 5, 6}));
    EXPECT_EQ(cloud.intensity[1], 0.5F);
  };
  check(*load("a.pcd", header + "ascii\n1 2 3 0.25\nnan nan nan 0\n4 5 6 0.5\n"));
  const float rows[3][4] = {{1, 2, 3, 0.25F}, {NAN, 0, 0, 0}, {4, 5, 6, 0.5F}};
  std::string plain, columns;
  for (const auto& row : rows) {
    for (const float value : row)
      put(plain, value);
  }
  check(*load("b.pcd", header + "binary\n" + plain));
  for (int c = 0; c < 4; ++c) {
    for (const auto& row : rows)
      put(columns, row[c]);
  }
  // This LZF data consists only of literals.
  std::string packed;
  for (std::size_t at = 0; at < columns.size(); at += 32) {
    const std::string run = columns.substr(at, 32);
    packed += static_cast<char>(run.size() - 1);
    packed += run;
  }
  std::string sizes;
  put(sizes, static_cast<unsigned>(packed.size()));
  put(sizes, static_cast<unsigned>(columns.size()));
  check(*load("c.pcd", header + "binary_compressed\n" + sizes + packed));
}

TEST_F(Readers, TextWithAndWithoutNames) {
  EXPECT_EQ(load("a.xyz", "1 2 3\n4 5 6\n")->positions[1], (Point{4, 5, 6}));
  const auto named = load("b.csv", "z, x, y, label\n3, 1, 2, 7\n");
  EXPECT_EQ(named->positions[0], (Point{1, 2, 3}));
  EXPECT_EQ(named->label.at(0), 7U);
  EXPECT_EQ(load("c.txt", "# a comment\n1;2;3;0.5\n")->intensity.at(0), 0.5F);
}

TEST_F(Readers, NpyInBothOrdersAndTypes) {
  std::string rows, columns;
  for (int at = 0; at < 4; ++at) {
    for (int c = 0; c < 3; ++c)
      put(rows, static_cast<float>((at * 3) + c));
  }
  for (int c = 0; c < 3; ++c) {
    for (int at = 0; at < 4; ++at)
      put_big(columns, static_cast<double>((at * 3) + c));
  }
  for (const auto& cloud :
       {load("a.npy", npy("<f4", "(4, 3)", rows)), load("b.npy", npy(">f8", "(4, 3)", columns, "True"))}) {
    ASSERT_EQ(cloud->size(), 4);
    EXPECT_EQ(cloud->positions[3], (Point{9, 10, 11}));
  }
}

TEST_F(Readers, NpzMembersAreUnpackedAndTheirChecksumsHold) {
  std::string data;
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F})
    put(data, value);
  std::string plain = npy("<f4", "(2, 3)", data);
  const auto size = static_cast<unsigned>(plain.size());
  // This deflate stream is not compressed. It has one final block, which begins with its length and the
  // complement of the length.
  std::string deflated(1, '\1');
  put(deflated, static_cast<unsigned short>(size));
  put(deflated, static_cast<unsigned short>(~size));
  deflated += plain;
  for (const auto& bytes :
       {zip("pc.npy", 0, plain, size, crc_of(plain)), zip("pc.npy", 8, deflated, size, crc_of(plain))}) {
    EXPECT_EQ(load("a.npz", bytes)->positions[1], (Point{4, 5, 6}));
  }
  const unsigned crc = crc_of(plain);
  plain.back() ^= 1;
  for (const auto& bytes : {zip("pc.npy", 0, plain, size, crc), zip("pc.npy", 8, deflated, size, crc + 1)}) {
    try {
      static_cast<void>(load("b.npz", bytes));
      ADD_FAILURE() << "a file with a wrong checksum must be refused";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("pc.npy is damaged: its checksum (CRC) differs"));
    }
  }
}

TEST_F(Readers, NoteBytesAfterTheLastPoint) {
  const std::string xyz = "property float x\nproperty float y\nproperty float z\nend_header\n";
  const std::string pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\n";
  const std::string one(12, '\0'), array = npy("<f4", "(1, 3)", one + "more");
  const auto size = static_cast<unsigned>(array.size());
  const std::vector<std::pair<std::string, std::string>> files{
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\n" + xyz + "1 2 3\n 1 2\n"},
      {"b.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 1\n" + xyz + one + "abc"},
      {"a.pcd", pcd + "DATA ascii\n1 2 3\n7 8\n"},
      {"b.pcd", pcd + "DATA binary\n" + one + "abc"},
      {"c.pcd", pcd + "DATA binary_compressed\n" + std::string("\x0D\0\0\0\x0C\0\0\0\x0B", 9) + one + "abc"},
      {"a.npy", npy("<f4", "(1, 3)", one + "abc")},
      {"b.npz", zip("pc.npy", 0, array, size, crc_of(array))}};
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    EXPECT_THAT(
        load(name, bytes)->notes,
        testing::ElementsAre(testing::ContainsRegex("^[34] bytes after the last point were not read$")));
  }
  EXPECT_TRUE(load("padded.pcd", pcd + "DATA binary\n" + one + std::string(4000, '\0'))->notes.empty());
  const std::string faces = "element face 1\nproperty list uchar int v\n";
  EXPECT_TRUE(load("c.ply",
                   "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                   "property float z\n" +
                       faces + "end_header\n1 2 3\n3 0 0 0\n")
                  ->notes.empty());
  EXPECT_TRUE(
      load("d.ply", "ply\nformat ascii 1.0\nelement vertex 1\n" + xyz + "1 2 3\n\n \n")->notes.empty());
}

TEST_F(Readers, TextWithAByteOrderMarkAndWithLongLines) {
  const auto cloud = load("a.csv",
                          "\xEF\xBB\xBF"
                          "x,y,z\n1,2,3\n4,5,6,7\n8,9,10,\n");
  ASSERT_EQ(cloud->size(), 3);
  EXPECT_EQ(cloud->positions[0], (Point{1, 2, 3}));
  EXPECT_THAT(cloud->notes, testing::ElementsAre(HasSubstr("1 line has more than 3 values")));
  EXPECT_EQ(load("b.xyz",
                 "\xEF\xBB\xBF"
                 "1 2 3\n")
                ->size(),
            1);
}

TEST_F(Readers, LargeCoordinatesOfMapsAreAccepted) {
  EXPECT_EQ(load("a.xyz", "500000.5 5400000.25 100\n-20000000 2e7 0\n")->size(), 2);
}

TEST_F(Readers, WrittenScenesReadBackTheSame) {
  Job job;
  const auto street = generate_scene("street", 5000, 1, job);
  for (const char* name : {"a.ply", "a.csv"}) {
    write_scene(*street, folder / name);
    const auto back = load_scene(folder / name, {}, job);
    EXPECT_EQ(back->positions, street->positions) << name;
    EXPECT_EQ(back->intensity, street->intensity) << name;
    EXPECT_EQ(back->label, street->label) << name;
  }
}

TEST_F(Readers, FramesAreInNaturalOrder) {
  for (const char* name : {"f10.bin", "f2.bin", "f1.bin", "f1.label", "notes.md"})
    folder.write(name, "x");
  const auto frames = list_frames(folder.path());
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].filename(), "f1.bin");
  EXPECT_EQ(frames[2].filename(), "f10.bin");
  const TempFolder empty;
  EXPECT_THROW(static_cast<void>(list_frames(empty.path())), Error);
}

TEST(Generators, AreSeededAndHaveTheirDocumentedProperties) {
  Job job;
  for (const auto& facts : generators()) {
    const auto a = generate_scene(facts.id, 4000, 7, job), b = generate_scene(facts.id, 4000, 7, job),
               c = generate_scene(facts.id, 4000, 8, job);
    EXPECT_EQ(a->positions, b->positions) << facts.id;
    EXPECT_NE(a->positions, c->positions) << facts.id;
    EXPECT_GT(a->size(), 3000) << facts.id;
    EXPECT_LT(a->size(), 5500) << facts.id;
  }
  EXPECT_FALSE(generate_scene("street", 2000, 1, job)->label.empty());
  EXPECT_FALSE(generate_scene("room", 2000, 1, job)->colour.empty());
  EXPECT_THROW(static_cast<void>(generate_scene("moon", 1, 1, job)), Error);
}

TEST(Generators, HaveTheNumberOfPointsThatTheStartPageShows) {
  Job job;
  for (const auto& facts : generators())
    EXPECT_EQ(built_in_scene(std::string(facts.id), job)->size(), facts.made) << facts.id;
}

TEST_F(Readers, InspectingALargeFileOfAnyKindCanBeCancelled) {
  const auto file = folder.write("large.kind", "");
  std::filesystem::resize_file(file, 40ULL << 20U);
  const auto kind_of = [&](Job& job, const auto& look) {
    try {
      look(job);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  const auto require = [&](Job& job) { require_scene(file, job); };
  const auto pick = [&](Job& job) { static_cast<void>(pick_frames({file}, job)); };
  Job patient;
  EXPECT_NE(kind_of(patient, require), ErrorKind::cancelled);
  std::stop_source stop;
  stop.request_stop();
  Job stopped(stop.get_token());
  EXPECT_EQ(kind_of(stopped, require), ErrorKind::cancelled);
  EXPECT_EQ(kind_of(stopped, pick), ErrorKind::cancelled)
      << "a cancelled file must not be skipped as unreadable";
}

}  // namespace
}  // namespace spira::test
