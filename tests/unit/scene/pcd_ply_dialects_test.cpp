// Tests PCD and PLY files in the variants that other programs write. The tests build each file byte by byte.
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <sstream>

namespace spira::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<const PointCloud> load(const std::string& name, const std::string& bytes) {
  const TempFolder folder;
  Job job;
  return load_scene(folder.write(name, bytes), {}, job);
}

std::string with_returns(std::string text) {
  for (char& c : text)
    c = c == '\n' ? '\r' : c;
  return text;
}

const std::string identity = "VIEWPOINT 0 0 0 1 0 0 0\n";

TEST(PcdDialects, LettersBlanksAndSeparatorsDoNotMatter) {
  const std::string rows = "1 2 3 7\n4 5 6 8\n";
  for (const std::string& bytes : std::initializer_list<std::string>{
           "# .PCD v.7\nVERSION .7\nFIELDS x y z i\nSIZE 4 4 4 4\nTYPE f f f f\nCOUNT 1 1 1 1\nWIDTH "
           "2\nHEIGHT 1\n" +
               identity + "POINTS 2\nDATA ascii\n" + rows,
           "version 0.7 \nfields X Y Z Intensity \nsize 8 8 8 2 \ntype F F F u\nwidth 2\nheight 1 \npoints "
           "2\ndata ASCII \n" +
               rows,
           "FIELDS x y z reflectance\nSIZE 4 4 4 4\nTYPE F F F F\nPOINTS 2\nDATA ascii\n1,2,3,7\n4,5,6,8\n",
           "VERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nWIDTH 2\nDATA ascii\n1, 2, 3, "
           "7\n4, 5, 6, 8\n",
           with_returns(
               "VERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nPOINTS 2\nDATA ascii\n" +
               rows),
           "# made by hand\n\nVERSION\t0.7\nCOLUMNS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nPOINTS "
           "2\nDATA ascii\n1\t2 3 7 \n"
           " 4 5 6 8\t\n"}) {
    const auto cloud = load("a.pcd", bytes);
    EXPECT_EQ(cloud->positions, (std::vector<Point>{{1, 2, 3}, {4, 5, 6}})) << bytes;
    EXPECT_THAT(cloud->intensity, ElementsAre(7.0F, 8.0F)) << bytes;
    EXPECT_THAT(cloud->notes, IsEmpty()) << bytes;
  }
}

TEST(PcdDialects, CarriageReturnsBeforeBinaryData) {
  std::string data;
  // The first byte of the first value is also the code of "
  // ".
  for (const float value : {std::bit_cast<float>(0x3F80000AU), 2.0F, 3.0F})
    put(data, value);
  const std::string header = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA binary\n";
  EXPECT_EQ(load("a.pcd", with_returns(header) + data)->positions.at(0)[1], 2.0);
  const std::string ply =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
      "float "
      "z\nend_header\n";
  EXPECT_EQ(load("a.ply", with_returns(ply) + data)->positions.at(0)[1], 2.0);
}

TEST(PcdDialects, FieldsOfManyKinds) {
  // These points are stored as PCL stores them: with padding, a field of several values and a packed colour.
  std::string data;
  for (int at = 0; at < 2; ++at) {
    for (const float value : {1.0F, 2.0F, 3.0F})
      put(data, value + static_cast<float>(at));
    data += "pad!";
    for (const float value : {9.0F, 9.0F, 9.0F})
      put(data, value);
    put(data, std::bit_cast<float>(0x00FF6400U));
  }
  const auto packed =
      load("a.pcd",
           "VERSION 0.7\nFIELDS x y z _ normals rgb\nSIZE 4 4 4 1 4 4\nTYPE F F F U F F\nCOUNT 1 1 1 4 3 "
           "1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA binary\n" +
               data);
  EXPECT_EQ(packed->positions.at(1), (Point{2, 3, 4}));
  EXPECT_EQ(packed->colour.at(1), (Colour{255, 100, 0}));
  EXPECT_THAT(packed->skipped, ElementsAre("normals")) << "padding must not be listed as skipped";
  const std::string head = "VERSION 0.7\nFIELDS x y z ";
  for (const auto& [fields, row] : std::initializer_list<std::pair<std::string, std::string>>{
           {"rgb\nSIZE 4 4 4 4\nTYPE F F F U\n", "1 2 3 16737280"},
           {"rgba\nSIZE 4 4 4 4\nTYPE F F F U\n", "1 2 3 4294927360"},
           {"rgba\nSIZE 4 4 4 4\nTYPE F F F I\n", "1 2 3 -39936"},
           {"rgb\nSIZE 4 4 4 4\nTYPE F F F F\n", "1 2 3 2.3453925e-38"},
           {"r g b\nSIZE 4 4 4 1 1 1\nTYPE F F F U U U\n", "1 2 3 255 100 0"},
           {"Red Green Blue\nSIZE 4 4 4 2 2 2\nTYPE F F F U U U\n", "1 2 3 65280 25600 0"},
           {"red green blue\nSIZE 4 4 4 8 8 8\nTYPE F F F F F F\n", "1 2 3 1.0 0.3921569 0.0"}}) {
    const auto cloud = load("a.pcd", head + fields + "POINTS 1\nDATA ascii\n" + row + "\n");
    ASSERT_EQ(cloud->colour.size(), 1U) << fields;
    EXPECT_EQ(cloud->colour.at(0), (Colour{255, 100, 0})) << fields << row;
  }
}

TEST(PcdDialects, AttributesOfAsciiRowsMayBeMissing) {
  const auto cloud =
      load("a.pcd",
           "VERSION 0.7\nFIELDS x y z intensity kind\nSIZE 4 4 4 4 4\nTYPE F F F F U\nPOINTS 2\nDATA "
           "ascii\n1,2,3,,tree\n4,5,6,nan,road\n");
  EXPECT_EQ(cloud->size(), 2);
  EXPECT_THAT(cloud->notes, ElementsAre(HasSubstr("2 intensities are not finite")));
}

TEST(PcdDialects, APoseThatIsNotAppliedIsNoted) {
  const std::string head = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\n";
  for (const char* pose : {"100 200 5 1 0 0 0", "0 0 0 0.7071068 0 0 0.7071068", "1e2 0 0 1 0 0 0"}) {
    const auto cloud = load("a.pcd", head + "VIEWPOINT " + pose + " \nDATA ascii\n1 2 3\n");
    EXPECT_THAT(cloud->notes, ElementsAre("VIEWPOINT " + std::string(pose) +
                                          " is not applied; the coordinates are used as stored in the file"));
  }
  for (const char* pose : {"0 0 0 1 0 0 0", "0.0 0.0 0.0 1.0 0.0 0.0 0.0", "-0 0 0 -1 0 0 0"})
    EXPECT_THAT(load("a.pcd", head + "VIEWPOINT " + pose + "\nDATA ascii\n1 2 3\n")->notes, IsEmpty())
        << pose;
}

TEST(PcdDialects, TheDataDecidesIfPointsAndWidthDiffer) {
  const std::string head = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n";
  const std::string ascii = "DATA ascii\n1 2 3\n4 5 6\n";
  std::string binary = "DATA binary\n";
  for (int at = 0; at < 6; ++at)
    put(binary, 1.0F);
  for (const std::string& data : {ascii, binary}) {
    for (const char* counts : {"WIDTH 2\nHEIGHT 1\nPOINTS 3\n", "WIDTH 3\nHEIGHT 2\nPOINTS 2\n",
                               "WIDTH 0\nHEIGHT 0\nPOINTS 2\n"}) {
      const auto cloud = load("a.pcd", head + counts + data);
      EXPECT_EQ(cloud->size(), 2) << counts;
      EXPECT_THAT(cloud->notes, ElementsAre(HasSubstr("the number of points in the data is used"))) << counts;
    }
    EXPECT_THROW(static_cast<void>(load("a.pcd", head + "WIDTH 5\nHEIGHT 1\nPOINTS 4\n" + data)), Error);
  }
}

TEST(PcdDialects, DecimalCommasAreRefused) {
  const std::string head = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n";
  for (const auto& [row, says] : std::initializer_list<std::pair<std::string, std::string>>{
           {"1,5 2,25 3,125", "line 7: the values have decimal commas"},
           {"1,5,2,25,3,125", "line 7: 6 values, expected 3; are the commas decimal marks?"}}) {
    try {
      static_cast<void>(load("a.pcd", head + row + "\n"));
      ADD_FAILURE() << row;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(says));
    }
  }
}

TEST(PlyDialects, LineEndsLettersAndCommentsDoNotMatter) {
  const std::string plain =
      "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 2\nproperty float x\nproperty float "
      "y\nobj_info a b\n"
      "property float z\nproperty float intensity\nend_header\n1 2 3 7\n4 5 6 8\n";
  std::string blanks, tabs, both;
  for (const char c : plain) {
    blanks += c == '\n' ? " \n" : std::string(1, c);
    tabs += c == ' ' ? '\t' : c;
    both += c == '\n' ? "\r\n" : std::string(1, c);
  }
  const std::string upper =
      "PLY\nFORMAT ASCII 1.0\nELEMENT vertex 2\nPROPERTY FLOAT32 X\nPROPERTY Float Y\nproperty float "
      "Z\nproperty ushort "
      "Scalar_Reflectance\nEND_HEADER\n1 2 3 7\n4 5 6 8\n";
  const std::string vertices =
      "ply\nformat ascii 1.0\nelement camera 1\nproperty float fov\nelement vertices 2\nproperty list uchar "
      "int "
      "indices\nproperty float x\nproperty float y\nproperty float z\nproperty int64 i\nend_header\n60\n2 8 "
      "9 1 2 3 7\n0 4 "
      "5 6 8\n";
  for (const std::string& bytes : {plain, blanks, tabs, both, with_returns(plain), upper, vertices}) {
    const auto cloud = load("a.ply", bytes);
    EXPECT_EQ(cloud->positions, (std::vector<Point>{{1, 2, 3}, {4, 5, 6}})) << bytes;
    EXPECT_THAT(cloud->intensity, ElementsAre(7.0F, 8.0F)) << bytes;
    EXPECT_THAT(cloud->notes, IsEmpty()) << bytes;
  }
}

TEST(PlyDialects, ColoursFollowTheirRange) {
  for (const auto& [type, row] :
       std::initializer_list<std::pair<std::string, std::string>>{{"uchar", "255 100 0"},
                                                                  {"ushort", "65280 25600 0"},
                                                                  {"float", "255 100 0"},
                                                                  {"float", "1 0.3921569 0"},
                                                                  {"double", "255.0 100.0 0.0"}}) {
    for (const char* name : {"red green blue", "diffuse_red diffuse_green diffuse_blue", "r g b"}) {
      std::string header =
          "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
      std::istringstream names(name);
      for (std::string one; names >> one;)
        header += "property " + type + " " + one + "\n";
      const auto cloud = load("a.ply", header + "end_header\n1 2 3 " + row + "\n");
      EXPECT_EQ(cloud->colour.at(0), (Colour{255, 100, 0})) << type << " " << name;
    }
  }
}

TEST(PlyDialects, NormalsAndSplatsAreRecognised) {
  std::string header = "ply\nformat ascii 1.0\nelement vertex 1\n", row;
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"}) {
    header += "property float " + std::string(name) + "\n";
    row += "1 ";
  }
  for (int at = 0; at < 45; ++at) {
    header += "property float f_rest_" + std::to_string(at) + "\n";
    row += "0 ";
  }
  const auto cloud = load("a.ply", header + "end_header\n" + row + "\n");
  EXPECT_EQ(cloud->colour.at(0), (Colour{199, 199, 199}))
      << "the colour must be 0.5 + 0.282 times the coefficient, scaled to 255";
  EXPECT_EQ(cloud->attributes.size(), 6U);
  EXPECT_EQ(cloud->attributes.at(0).name, "normal x");
  EXPECT_LT(cloud->reading.size(), 250U);
}

struct Written {
  const char* program;
  const char* name;
  std::string bytes;
  bool intensity, colour, label;
};
void PrintTo(const Written& written, std::ostream* out) {
  *out << written.program << " " << written.name;
}
class OtherPrograms : public testing::TestWithParam<Written> {};

TEST_P(OtherPrograms, WriteFilesThatOpen) {
  const Written& written = GetParam();
  const auto cloud = load(written.name, written.bytes);
  EXPECT_EQ(cloud->positions, (std::vector<Point>{{627287.655, 4841947.311, 118.8}}));
  ASSERT_EQ(cloud->intensity.size(), written.intensity ? 1U : 0U);
  ASSERT_EQ(cloud->label.size(), written.label ? 1U : 0U);
  ASSERT_EQ(cloud->colour.size(), written.colour ? 1U : 0U);
  if (written.intensity) {
    EXPECT_EQ(cloud->intensity[0], 7.0F);
  }
  if (written.label) {
    EXPECT_EQ(cloud->label[0], 2U);
  }
  if (written.colour) {
    EXPECT_EQ(cloud->colour[0], (Colour{255, 100, 0}));
  }
  EXPECT_THAT(cloud->notes, IsEmpty());
}

const std::string xyz = "627287.655 4841947.311 118.8";

INSTANTIATE_TEST_SUITE_P(
    Files, OtherPrograms,
    testing::Values(
        Written{
            "PDAL", "a.pcd",
            "VERSION 0.7\nFIELDS X Y Z Intensity Classification GpsTime Red Green Blue\nSIZE 8 8 8 2 1 8 2 2 "
            "2\nTYPE F F "
            "F U U F U U U\nCOUNT 1 1 1 1 1 1 1 1 1\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 0.0 0.0 0.0 1.0 0.0 0.0 "
            "0.0\nPOINTS 1\nDATA ascii\n" +
                xyz + " 7 2 1.5 65280 25600 0\n",
            true, true, true},
        Written{"PCL", "a.pcd",
                "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb intensity "
                "label\nSIZE 8 8 8 4 4 "
                "4\nTYPE F F F F F U\nCOUNT 1 1 1 1 1 1\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS "
                "1\nDATA "
                "ascii\n" +
                    xyz + " 2.3453925e-38 7 2\n",
                true, true, true},
        Written{"CloudCompare", "a.pcd",
                "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS x y z rgb Intensity "
                "Classification\nSIZE 8 8 8 4 "
                "4 4\nTYPE F F F U F F\nCOUNT 1 1 1 1 1 1\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 "
                "0\nPOINTS 1\nDATA "
                "ascii\n" +
                    xyz + " 16737280 7 2\n",
                true, true, true},
        Written{"CloudCompare", "a.ply",
                "ply\nformat ascii 1.0\ncomment Created by CloudCompare\nobj_info Generated by "
                "CloudCompare!\nelement vertex "
                "1\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nproperty "
                "uchar green\nproperty "
                "uchar blue\nproperty float nx\nproperty float ny\nproperty float nz\nproperty float "
                "scalar_Intensity\nproperty float scalar_Classification\nend_header\n" +
                    xyz + " 255 100 0 0 0 1 7 2\n",
                true, true, true},
        Written{"CloudCompare", "a.asc",
                "//X Y Z R G B Intensity Classification\n1\n" + xyz + " 255 100 0 7.000000 2.000000\n", true,
                true, true},
        Written{"Open3D", "a.pcd",
                "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z normal_x normal_y "
                "normal_z rgb\nSIZE 8 8 "
                "8 4 4 4 4\nTYPE F F F F F F F\nCOUNT 1 1 1 1 1 1 1\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 "
                "0 0\nPOINTS "
                "1\nDATA ascii\n" +
                    xyz + " 0 0 1 2.3453925e-38\n",
                false, true, false},
        Written{"Open3D", "a.ply",
                "ply\nformat ascii 1.0\ncomment Created by Open3D\nelement vertex 1\nproperty double "
                "x\nproperty double "
                "y\nproperty double z\nproperty double nx\nproperty double ny\nproperty double nz\nproperty "
                "uchar red\nproperty "
                "uchar green\nproperty uchar blue\nend_header\n" +
                    xyz + " 0 0 1 255 100 0\n",
                false, true, false},
        Written{"PDAL", "a.csv",
                "\"X\",\"Y\",\"Z\",\"Intensity\",\"ReturnNumber\",\"Classification\",\"GpsTime\",\"Red\","
                "\"Green\",\"Blue\"\n"
                "627287.655,4841947.311,118.800,7.000,1.000,2.000,1.500,65280.000,25600.000,0.000\n",
                true, true, true},
        Written{"las2txt", "a.txt", xyz + " 7\n", true, false, false}),
    test::PrintedName{});

TEST(PlyDialects, LongLinesAreNoted) {
  const auto cloud =
      load("a.ply",
           "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float "
           "z\nend_header\n1 2 3 4\n5 6 7\n");
  EXPECT_THAT(cloud->notes, ElementsAre(HasSubstr("1 line has more values than the header names")));
}

}  // namespace
}  // namespace spira::test
