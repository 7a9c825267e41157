// Tests readers on NumPy arrays of all types and shapes, archives of several arrays, and folders with the
// arrays of one scene.
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/sequence.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace spira::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Number> std::string numbers(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values)
    put(bytes, static_cast<Number>(value));
  return bytes;
}

/// Returns 40 points (i, 2 i, 3) in float32. The values are stored row by row.
std::string points_of_40() {
  std::string bytes;
  for (int at = 0; at < 40; ++at) {
    for (const int value : {at, 2 * at, 3})
      put(bytes, static_cast<float>(value));
  }
  return bytes;
}

/// Returns an uncompressed archive with several members.
std::string archive(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string all, directory;
  for (const auto& [name, data] : members) {
    const std::string one = zip(name, 0, data, static_cast<unsigned>(data.size()), crc_of(data));
    const std::size_t local = 30 + name.size() + data.size(), entry = 46 + name.size();
    std::string record = one.substr(local, entry), offset;
    put(offset, static_cast<unsigned>(all.size()));
    directory += record.replace(42, 4, offset);
    all += one.substr(0, local);
  }
  std::string end("PK\x05\x06\0\0\0\0", 8);
  for (int twice = 0; twice < 2; ++twice)
    put(end, static_cast<unsigned short>(members.size()));
  put(end, static_cast<unsigned>(directory.size()));
  put(end, static_cast<unsigned>(all.size()));
  return all + directory + end + std::string(2, '\0');
}

class Arrays : public testing::Test {
 protected:
  std::shared_ptr<const PointCloud> load(const std::string& name, const std::string& bytes,
                                         const std::string& format = {}) {
    Job job;
    return load_scene(folder.write(name, bytes), {format}, job);
  }
  std::string fault(const std::string& name, const std::string& bytes, const std::string& format = {}) {
    try {
      static_cast<void>(load(name, bytes, format));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return "no error";
  }
  TempFolder folder;
};

TEST_F(Arrays, AllNumbersAreRead) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const std::pair<const char*, std::string> cases[] = {
      {"|i1", numbers<signed char>(values)},
      {"|u1", numbers<unsigned char>(values)},
      {"|b1", numbers<unsigned char>(values)},
      {"<i2", numbers<short>(values)},
      {"<u2", numbers<unsigned short>(values)},
      {"<i4", numbers<int>(values)},
      {"<u4", numbers<unsigned>(values)},
      {"<i8", numbers<long>(values)},
      {"<u8", numbers<unsigned long>(values)},
      {"<f4", numbers<float>(values)},
      {"<f8", numbers<double>(values)},
      {"<f2", std::string("\x00\x3C\x00\x40\x00\x42\x00\x44\x00\x45\x00\x46", 12)}};
  for (const auto& [type, data] : cases)
    EXPECT_EQ(load("a.npy", npy(type, "(2, 3)", data))->positions[1], (Point{4, 5, 6})) << type;
  std::string big;
  for (const double value : values)
    put_big(big, value);
  EXPECT_EQ(load("a.npy", npy(">f8", "(2, 3)", big))->positions[1], (Point{4, 5, 6}));
}

TEST_F(Arrays, NamedFieldsGiveTheColumns) {
  std::string rows;
  for (int at = 0; at < 2; ++at) {
    for (const int value : {100 + at, 10 * at, 7})
      put(rows, static_cast<float>(value));
    // Each row has three bytes of colour and then two bytes of padding.
    rows += std::string("\xFF\x64\x00pp", 5);
    put_big(rows, static_cast<short>(at + 3));
  }
  const std::string fields =
      "[('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('rgb', '|u1', (3,)), ('', '|V2'), ('label', '>i2')]";
  const auto with_fields = [&](const std::string& type, const std::string& shape) {
    std::string header = "{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(245, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    put(bytes, static_cast<unsigned short>(header.size()));
    return bytes + header + rows;
  };
  const auto cloud = load("a.npy", with_fields(fields, "(2,)"));
  ASSERT_EQ(cloud->size(), 2);
  EXPECT_EQ(cloud->positions[1], (Point{101, 10, 7}));
  EXPECT_EQ(cloud->colour.at(1), (Colour{255, 100, 0}));
  EXPECT_THAT(cloud->label, ElementsAre(3U, 4U));
  const std::string nested = "[('position', [('x', '<f4'), ('y', '<f4'), ('z', '<f4')]), ('name', '|S7')]";
  EXPECT_EQ(load("a.npy", with_fields(nested, "(2,)"))->positions[1], (Point{101, 10, 7}));
  EXPECT_EQ(load("a.npy", with_fields(fields, "(2, 1)"))->size(), 2);
  EXPECT_THAT(fault("a.npy", with_fields("[('a', '<f4'), ('b', '|V13')]", "(2,)")),
              HasSubstr("do not include x, y and z"));
  EXPECT_THAT(fault("a.npy", with_fields("[('x', '|O')]", "(2,)")), HasSubstr("np.save(file, np.asarray"));
}

TEST_F(Arrays, TheDimensionThatCountsPointsIsFound) {
  EXPECT_EQ(load("a.npy", npy("<f4", "(5, 8, 3)", points_of_40()))->size(), 40);
  EXPECT_EQ(load("a.npy", npy("<f4", "(1, 40, 3)", points_of_40()))->size(), 40);
  const auto columns = load("a.npy", npy("<f4", "(3, 40)", points_of_40(), "True"));
  ASSERT_EQ(columns->size(), 40);
  EXPECT_EQ(columns->positions[7], (Point{7, 14, 3}));
  EXPECT_THAT(columns->notes, Contains(HasSubstr("transposed")));
  // The expected value is the 41st value of the file.
  EXPECT_EQ(load("a.npy", npy("<f4", "(3, 40)", points_of_40()))->positions[0][1], 26.0);
  EXPECT_THAT(fault("a.npy", npy("<f4", "(20, 30)", numbers<float>(std::vector<double>(600, 1.5)))),
              HasSubstr("it is not clear which dimension contains the columns"));
  EXPECT_THAT(fault("a.npy", npy("|u1", "(10, 10, 3)", std::string(300, 'a'))), HasSubstr("an 8-bit image"));
  EXPECT_THAT(fault("a.npy", npy("<f4", "(12,)", std::string(48, '\0'))), HasSubstr("expected N x 3"));
}

TEST_F(Arrays, TheArrayOfPointsIsChosenAndTheOthersAreOffered) {
  const std::string boxes = npy("<f4", "(2, 7)", numbers<float>(std::vector<double>(14, 1.0)));
  const std::string lidar = npy("<f4", "(40, 3)", points_of_40());
  const std::string file = archive({{"boxes.npy", boxes}, {"lidar.npy", lidar}});
  const auto cloud = load("a.npz", file);
  EXPECT_EQ(cloud->size(), 40);
  EXPECT_THAT(cloud->notes,
              Contains(HasSubstr("points from lidar of the arrays boxes (2 x 7), lidar (40 x 3)")));
  const auto other = load("a.npz", file, "npz:boxes");
  EXPECT_EQ(other->size(), 2);
  EXPECT_EQ(other->format, "npz:boxes");
  EXPECT_THAT(fault("a.npz", file, "npz:radar"),
              HasSubstr("no array is named 'radar'; the file contains boxes (2 x 7)"));
  // If no array has a common name, the array with the most rows is read.
  EXPECT_EQ(load("a.npz", archive({{"a.npy", boxes}, {"b.npy", lidar}}))->size(), 40);
  // The points must be found even if the archive also contains an array of objects.
  EXPECT_EQ(load("a.npz", archive({{"info.npy", npy("|O", "(1,)", "x")}, {"b.npy", lidar}}))->size(), 40);
  EXPECT_THAT(fault("a.npz", archive({{"info.npy", npy("|O", "(1,)", "x")}})), HasSubstr("pickle"));
}

TEST_F(Arrays, ArraysOfOneCloudAreCombined) {
  const std::string lidar = npy("<f4", "(40, 3)", points_of_40());
  std::string colours, labels, xs, ys, zs;
  for (int at = 0; at < 40; ++at) {
    colours += std::string("\xFF\x64\x00", 3);
    put(labels, static_cast<long>(at % 3));
    put(xs, static_cast<double>(at)), put(ys, 2.0 * at), put(zs, 5.0);
  }
  const auto cloud = load("a.npz", archive({{"color.npy", npy("|u1", "(40, 3)", colours)},
                                            {"coord.npy", lidar},
                                            {"label.npy", npy("<i8", "(40, 1)", labels)}}));
  EXPECT_EQ(cloud->colour.at(39), (Colour{255, 100, 0}));
  EXPECT_EQ(cloud->label.at(4), 1U);
  EXPECT_THAT(cloud->notes, Contains("the arrays coord, color, label were combined"));
  const auto axes = load("a.npz", archive({{"x.npy", npy("<f8", "(40,)", xs)},
                                           {"y.npy", npy("<f8", "(40,)", ys)},
                                           {"z.npy", npy("<f8", "(40,)", zs)}}));
  EXPECT_EQ(axes->positions[4], (Point{4, 8, 5}));
}

TEST_F(Arrays, AFolderOfArraysIsOneScene) {
  std::string colours, labels;
  for (int at = 0; at < 40; ++at) {
    colours += std::string("\xFF\x64\x00", 3);
    put(labels, static_cast<short>(3 + (at % 3)));
  }
  const auto make = [&](const std::string& name) {
    std::filesystem::create_directory(folder / name);
    folder.write(name + "/coord.npy", npy("<f4", "(40, 3)", points_of_40()));
    folder.write(name + "/color.npy", npy("|u1", "(40, 3)", colours));
    folder.write(name + "/normal.npy", npy("<f4", "(40, 3)", points_of_40()));
    folder.write(name + "/segment20.npy", npy("<i2", "(40,)", labels));
    folder.write(name + "/instance.npy", npy("<i2", "(40,)", labels));
  };
  std::filesystem::create_directory(folder / "all");
  make("all/scene10"), make("all/scene2");
  Job job;
  const auto scene = folder / "all/scene2";
  EXPECT_TRUE(is_scene_folder(scene));
  const auto cloud = load_scene(scene, {}, job);
  EXPECT_EQ(cloud->size(), 40);
  EXPECT_EQ(cloud->name, "scene2");
  EXPECT_EQ(cloud->colour.at(0), (Colour{255, 100, 0}));
  EXPECT_EQ(cloud->label.at(1), 4U);
  EXPECT_THAT(cloud->notes, Contains(HasSubstr("unused arrays: instance (40)")));
  EXPECT_EQ(load_scene(scene, {cloud->format}, job)->size(), 40);
  EXPECT_THAT(list_frames(scene), ElementsAre(scene));
  EXPECT_THAT(list_frames(folder / "all"), ElementsAre(folder / "all/scene2", folder / "all/scene10"));
  EXPECT_FALSE(is_scene_folder(folder / "all"));
}

}  // namespace
}  // namespace spira::test
