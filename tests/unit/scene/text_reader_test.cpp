// Tests which columns the text reader finds in a file. Also tests which files it refuses because their
// columns or numbers are ambiguous.
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/sequence.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<const PointCloud> load(const std::string& name, const std::string& bytes) {
  const TempFolder folder;
  Job job;
  return load_scene(folder.write(name, bytes), {}, job);
}

struct Good {
  const char* what;
  const char* name;
  std::string bytes;
  std::vector<Point> positions;
  std::string reads;  ///< Expected value of PointCloud::reading.
};
void PrintTo(const Good& good, std::ostream* out) {
  *out << good.what;
}
class TextColumns : public testing::TestWithParam<Good> {};

TEST_P(TextColumns, AreThoseOfTheCoordinates) {
  const auto cloud = load(GetParam().name, GetParam().bytes);
  EXPECT_EQ(cloud->format, "text");
  EXPECT_EQ(cloud->positions, GetParam().positions);
  EXPECT_THAT(cloud->reading, HasSubstr(GetParam().reads));
}

const std::vector<Point> two{{1.5, 2.25, 3.5}, {-4, 5.5, 6}};

INSTANTIATE_TEST_SUITE_P(
    Names, TextColumns,
    testing::Values(
        Good{"row numbers without a name", "a.csv", ",x,y,z,intensity\n0,1.5,2.25,3.5,7\n1,-4,5.5,6,8\n", two,
             "x, y, z, intensity (not used: column 1)"},
        Good{"row numbers without a name, tabs", "a.txt", "\tx\ty\tz\n0\t1.5\t2.25\t3.5\n1\t-4\t5.5\t6\n",
             two, "x, y, z (not used: column 1)"},
        Good{"row numbers without a name, semicolons", "a.csv", ";X;Y;Z\n0;1.5;2.25;3.5\n1;-4;5.5;6\n", two,
             "x, y, z"},
        Good{"row names as R writes them",
             "a.txt",
             "\"x\" \"y\" \"z\"\n\"1\" 1.5 2.25 3.5\n\"2\" -4 5.5 6\n\"3\" 1 1 1\n",
             {two[0], two[1], {1, 1, 1}},
             "x, y, z (not used: column 1)"},
        Good{"names with blanks", "a.csv", "Point ID,X,Y,Z,Return Number\n0,1.5,2.25,3.5,1\n1,-4,5.5,6,1\n",
             two, "x, y, z (not used: Point ID, Return Number)"},
        Good{"names with blanks between tabs", "a.txt",
             "Point ID\tX\tY\tZ\n0\t1.5\t2.25\t3.5\n1\t-4\t5.5\t6\n", two, "x, y, z (not used: Point ID)"},
        Good{"names with units", "a.txt", "x (m) y (m) z (m)\n1.5 2.25 3.5\n-4 5.5 6\n", two, "x, y, z"},
        Good{"names with units between commas", "a.csv", "X [m], Y [m], Z [m]\n1.5,2.25,3.5\n-4,5.5,6\n", two,
             "x, y, z"},
        Good{"names between other separators than the rows", "a.csv", "x,y,z\n1.5;2.25;3.5\n-4;5.5;6\n", two,
             "x, y, z"},
        Good{"a separator at line ends", "a.csv", "x,y,z,\n1.5,2.25,3.5,\n-4,5.5,6,\n", two, "x, y, z"},
        Good{"a table written by PDAL", "a.csv",
             "\"X\",\"Y\",\"Z\",\"Intensity\",\"Classification\",\"GpsTime\"\n"
             "1.5,2.25,3.5,7.000,2.000,1.5\n-4,5.5,6,9.000,5.000,2.5\n",
             two, "x, y, z, intensity (Intensity), label (Classification) (not used: GpsTime)"},
        Good{"a table written by CloudCompare", "a.asc",
             "//X Y Z R G B Intensity Nx Ny Nz\n2\n1.5 2.25 3.5 255 100 0 7.5 0 0 1\n-4 5.5 6 255 100 0 8 0 "
             "0 1\n",
             two, "x, y, z, r, g, b, intensity (Intensity) (not used: Nx, Ny, Nz)"},
        Good{"columns in another order", "a.csv", "time,z,y,x\n9.5,3.5,2.25,1.5\n9.6,6,5.5,-4\n", two,
             "z, y, x (not used: time)"},
        Good{"a line for spreadsheets and a byte order mark", "a.csv",
             "\xEF\xBB\xBFsep=;\r\nX;Y;Z\r\n1,5;2,25;3,5\r\n-4;5,5;6\r\n", two, "x, y, z"},
        Good{"a line of units", "a.csv", "x,y,z,t\n[m],[m],[m],s\n1.5,2.25,3.5,1\n-4,5.5,6,2\n", two,
             "x, y, z"},
        Good{"a comment after the names", "a.txt", "x y z # names\n1.5 2.25 3.5\n-4 5.5 6\n", two, "x, y, z"},
        Good{"words in Latin-1", "a.txt", "1.5 2.25 3.5 gr\xFC\xDF\n-4 5.5 6 \xE4\xF6\n", two, "x, y, z"},
        Good{"column numbers as the first line", "a.csv", "0,1,2\n1.5,2.25,3.5\n-4,5.5,6\n", two, "x, y, z"},
        Good{"one point", "a.xyz", "1e-310 2 3", {{1e-310, 2, 3}}, "1 point"},
        Good{"a value too small for a double", "a.xyz", "1e-400 2 3\n", {{0, 2, 3}}, "1 point"}),
    test::PrintedName{});

INSTANTIATE_TEST_SUITE_P(
    Comments, TextColumns,
    testing::Values(
        Good{"a word before the names", "a.txt",
             "# Columns: x y z intensity\n1.5 2.25 3.5 7 1\n-4 5.5 6 8 2\n", two,
             "x, y, z, intensity (not used: column 5)"},
        Good{"a word without a colon", "a.txt", "# columns x y z i\n1.5 2.25 3.5 7 1\n-4 5.5 6 8 2\n", two,
             "x, y, z, intensity"},
        Good{"names that match", "a.txt", "# z y x\n3.5 2.25 1.5\n6 5.5 -4\n", two, "z, y, x"},
        Good{"names that match after a word", "a.txt", "% JsonFields: id x y z\n7 1.5 2.25 3.5\n9 -4 5.5 6\n",
             two, "x, y, z (not used: id)"},
        Good{"time before x", "a.txt", "# timestamp x y z\n0.5 1.5 2.25 3.5\n0.6 -4 5.5 6\n", two,
             "x, y, z (not used: timestamp)"},
        Good{"names between commas", "a.txt", "#id, x, y, z\n7 1.5 2.25 3.5\n9 -4 5.5 6\n", two,
             "x, y, z (not used: id)"},
        Good{"a sentence", "a.txt", "# each row of this file has x y z in metres\n1.5 2.25 3.5\n-4 5.5 6\n",
             two, "x, y, z"},
        Good{"a sentence of few words", "a.txt",
             "# point cloud with x y z coordinates\n1.5 2.25 3.5 7\n-4 5.5 6 8\n", two, "x, y, z, intensity"},
        Good{"a sentence that matches", "a.txt",
             "# exported from x y z scanner\n1.5 2.25 3.5 7 1 1\n-4 5.5 6 8 1 1\n", two,
             "x, y, z, intensity"},
        Good{"comments at the end of lines", "a.txt", "1.5 2.25 3.5 # first\n-4 5.5 6 // second\n", two,
             "x, y, z"},
        Good{"comments between the rows", "a.txt", "1.5 2.25 3.5\n# x y z\n// note\n-4 5.5 6\n", two,
             "x, y, z"}),
    test::PrintedName{});

INSTANTIATE_TEST_SUITE_P(
    Cells, TextColumns,
    testing::Values(
        Good{"words and dates", "a.csv",
             "day,x,y,z,kind\n2020-01-01,1.5,2.25,3.5,\"a, b\"\n2020-01-02,-4,5.5,6,road\n", two,
             "x, y, z (not used: day, kind)"},
        Good{"words without names", "a.txt", "1.5 2.25 3.5 floor\n-4 5.5 6 wall\n", two,
             "x, y, z (not used: column 4)"},
        Good{"empty cells in a column that is not used", "a.csv", "x,y,z,time\n1.5,2.25,3.5,\n-4,5.5,6,1\n",
             two, "x, y, z (not used: time)"},
        Good{"a named column that is empty", "a.csv", "x;y;z;label;note\n1.5;2.25;3.5;1;\n-4;5.5;6;2;\n", two,
             "x, y, z, label (not used: note)"},
        Good{"quoted numbers", "a.csv",
             "\"x\",\"y\",\"z\"\n\"1.5\",\"2.25\",\" 3.5\"\n\"-4\",\"5.5\",\"6\"\n", two, "x, y, z"},
        Good{"decimal commas and semicolons", "a.csv", "x;y;z\n1,5;2,25;3,5\n-4;5,5;6\n", two, "x, y, z"},
        Good{"decimal commas and tabs", "a.txt", "1,5\t2,25\t3,5\n-4\t5,5\t6\n", two, "x, y, z"},
        Good{"decimal commas and blanks", "a.txt", "1,5 2,25 3,5\n-4 5,5 6\n", two, "x, y, z"},
        Good{"quoted decimal commas", "a.csv",
             "\"x\",\"y\",\"z\"\n\"1,5\",\"2,25\",\"3,5\"\n\"-4\",\"5,5\",\"6\"\n", two, "x, y, z"},
        Good{"commas with blanks around them", "a.csv", "x,y,z\n1.5 , 2.25,3.5\n -4 ,5.5 , 6\n", two,
             "x, y, z"},
        Good{"several separators in the same order", "a.txt", "1.5,2.25,3.5 7\n-4,5.5,6 8\n", two,
             "x, y, z, intensity"},
        Good{"whole numbers between commas",
             "a.csv",
             "1,5,2\n25,3,12\n",
             {{1, 5, 2}, {25, 3, 12}},
             "x, y, z"}),
    test::PrintedName{});

TEST(TextReader, CountsRowsInAColumnWithoutAName) {
  const auto cloud = load("a.txt", "0 1.5 2.5 3.5\n1 4.5 5.5 6.5\n2 7.5 8.5 9.5\n3 1 2 3\n");
  EXPECT_EQ(cloud->positions.at(1), (Point{4.5, 5.5, 6.5}));
  EXPECT_THAT(cloud->notes, ElementsAre("column 1 looks like a row number and is not used"));
  const auto whole = load("a.txt", "5 1.5 2.5 3.5\n5 4.5 5.5 6.5\n7 7.5 8.5 9.5\n");
  EXPECT_EQ(whole->positions.at(1), (Point{5, 4.5, 5.5}));
  EXPECT_THAT(whole->notes, Contains(HasSubstr("column 1 contains only whole numbers and is read as x")));
}

TEST(TextReader, LinesWithTheNumberOfPoints) {
  const auto pts = load("a.pts", "2\n1 2 3 -2048 255 100 0\n4 5 6 100 255 100 0\n");
  EXPECT_THAT(pts->intensity, ElementsAre(-2048.0F, 100.0F));
  EXPECT_EQ(pts->colour.at(1), (Colour{255, 100, 0}));
  EXPECT_THAT(pts->notes, IsEmpty());
  const auto positive = load("a.pts", "2\n1 2 3 12 255 100 0\n4 5 6 100 255 100 0\n");
  EXPECT_EQ(positive->colour.at(0), (Colour{255, 100, 0}))
      << "colours must be recognised even if the intensities look like a colour";
  const auto short_one =
      load("a.asc", "//X Y Z R G B Scalar_field\n3\n1 2 3 255 100 0 0\n4 5 6 255 100 0 1\n");
  EXPECT_EQ(short_one->colour.at(1), (Colour{255, 100, 0}));
  EXPECT_THAT(short_one->notes, ElementsAre("the file states 3 points, but holds 2"));
}

TEST(TextReader, AttributesMayBeMissing) {
  for (const char* missing : {"", "nan", "NaN", "inf", "null", "N/A", "-", "1.#QNAN"}) {
    const auto cloud = load("a.csv", "x,y,z,intensity\n1,2,3," + std::string(missing) + "\n4,5,6,7\n");
    EXPECT_THAT(cloud->intensity, ElementsAre(0.0F, 7.0F)) << missing;
    EXPECT_THAT(cloud->notes, Contains(HasSubstr("1 intensity is not finite"))) << missing;
  }
  const auto label = load("a.csv", "x,y,z,label\n1,2,3,4\n1,2,3,\n");
  EXPECT_THAT(label->label, ElementsAre(4U, 0U));
  EXPECT_THAT(label->notes, Contains(HasSubstr("1 label value is not finite")));
  const auto dropped = load("a.csv", "x,y,z\n1,NaN,3\n4,5,6\n");
  EXPECT_EQ(dropped->dropped_non_finite, 1);
  const auto words = load("a.csv", "x,y,z,class\n1,2,3,floor\n4,5,6,wall\n");
  EXPECT_TRUE(words->label.empty());
  EXPECT_THAT(words->notes, ElementsAre("column 'class' does not contain numbers and is ignored"));
}

struct Doubtful {
  const char* bytes;
  const char* says;
};
void PrintTo(const Doubtful& doubtful, std::ostream* out) {
  *out << doubtful.says << ": " << doubtful.bytes;
}
class DoubtfulText : public testing::TestWithParam<Doubtful> {};

TEST_P(DoubtfulText, IsRefusedWithTheReason) {
  try {
    const auto cloud = load("a.csv", GetParam().bytes);
    ADD_FAILURE() << cloud->reading << " " << cloud->positions.front()[0];
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(TextReader, DoubtfulTextIsNotReadAsBinary) {
  // These bytes would also be plausible as binary rows of floats.
  std::string bytes;
  for (int row = 0; row < 60; ++row)
    bytes += "0,9" + std::to_string(row % 10) + ",2,5" + std::to_string(row % 7) + ",1,0" +
             std::to_string(row % 3) + "\n";
  for (const char* name : {"a.csv", "a.bin", "a"}) {
    try {
      ADD_FAILURE() << load(name, bytes)->reading;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("line 1: the commas can be decimal marks")) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, DoubtfulText,
    testing::Values(
        Doubtful{"x,y,z\n1,5,2,25,3,125\n4,5,5,5,6,5\n", "line 1: 3 column names, but line 2 has 6 values"},
        Doubtful{"1,5,2,25,3,125\n4,5,5,3,6\n7,1,2,2,9,1\n1,2,3\n1,2\n", "are the commas decimal marks?"},
        Doubtful{"1,05,2,25,3,125\n4,5,5,5,6,5\n", "line 1: the commas can be decimal marks"},
        Doubtful{"1,5, 2,25, 3,125\n4,5, 5,5, 6,5\n", "line 1: the commas can be decimal marks"},
        Doubtful{"x;y;z\n1,234.5;2,345.5;3,456.5\n", "line 2: '1,234.5' has thousands separators"},
        Doubtful{"x;y;z\n1.234,5;2.345,5;3.456,5\n", "line 2: '1.234,5' has thousands separators"},
        Doubtful{"\"1,234,567.5\",\"2\",\"3\"\n", "line 1: '1,234,567.5' has thousands separators"},
        Doubtful{"1 234,5;2;3\n", "line 1: '1 234,5' has thousands separators"},
        Doubtful{"x;y;z\n1,234;2,345;3,456\n",
                 "line 2: the comma can be a decimal mark or a thousands separator"},
        Doubtful{"1,5;2.5;3,5\n", "line 1: a number has a decimal comma, but others have decimal points"},
        Doubtful{"# what x y z\n0.5 1.5 2.5 3.5\n0.7 4.5 5.5 6.5\n",
                 "line 1: it is not clear whether 'what' names a column"},
        Doubtful{"# time x y z\n0.5 1.5 2.5 3.5 9\n0.7 4.5 5.5 6.5 9\n",
                 "line 1: the comment has 4 column names and line 2 has 5 values"},
        Doubtful{"# each line has time x y z and i\n0.5 1.5 2.5 3.5\n0.7 4.5 5.5 6.5\n",
                 "so the column of x is not clear"},
        Doubtful{"# x y z\n7 1.5 2.5 3.5\n3 4.5 5.5 6.5\n",
                 "line 1: the comment has 3 column names and line 2 has 4 values"},
        Doubtful{"Point ID X Y Z\n0 1.5 2.5 3.5\n1 4.5 5.5 6.5\n",
                 "line 1: 5 column names, but line 2 has 4 values"},
        Doubtful{"car 1.5 2.5 3.5\ncar 4.5 5.5 6.5\n", "line 1: column 1 does not contain numbers"},
        Doubtful{"x,y,z\n1,2,3\nx,y,z\n4,5,6\n", "line 3: the column names appear again"},
        Doubtful{"2\n1 2 3\n4 5 6\n1\n7 8 9\n", "line 4: a second line with a number of points"},
        Doubtful{"x,y,z\n1,2,3\n1,2\x10,3\n", "line 3: invalid byte \\x10 in the number '2\\x10'"},
        Doubtful{"lon,lat,alt\n1,2,3\n",
                 "line 1: expected at least three numbers, or column names that include x, y and z"},
        Doubtful{"x,y,z\n", "contains no points"}),
    test::PrintedName{});

TEST(TextReader, AFolderOfAscFilesIsASequence) {
  const TempFolder folder;
  for (const char* name : {"b10.asc", "b2.ASC", "b1.asc"})
    folder.write(name, "1 2 3\n");
  EXPECT_EQ(list_frames(folder.path()).size(), 3U);
}

TEST(TextReader, SuggestedFixesWork) {
  for (const auto& [refused, fixed] : std::initializer_list<std::pair<std::string, std::string>>{
           {"# what x y z\n0.5 1.5 2.25 3.5\n0.7 -4 5.5 6\n", "what x y z\n0.5 1.5 2.25 3.5\n0.7 -4 5.5 6\n"},
           {"# time x y z\n0.5 1.5 2.25 3.5 9\n0.7 -4 5.5 6 9\n",
            "time x y z k\n0.5 1.5 2.25 3.5 9\n0.7 -4 5.5 6 9\n"},
           {"car 1.5 2.25 3.5\ncar -4 5.5 6\n", "name x y z\ncar 1.5 2.25 3.5\ncar -4 5.5 6\n"},
           {"x,y,z\n1,5,2,25,3,5\n-4,0,5,5,6,0\n", "x;y;z\n1,5;2,25;3,5\n-4,0;5,5;6,0\n"},
           {"x;y;z\n1,5;2,25;3.5\n-4;5,5;6\n", "x;y;z\n1.5;2.25;3.5\n-4;5.5;6\n"}}) {
    EXPECT_THROW(static_cast<void>(load("a.txt", refused)), Error) << refused;
    EXPECT_EQ(load("a.txt", fixed)->positions, two) << fixed;
  }
}

TEST(TextReader, ADamagedByteIsReportedWithItsLineWhereverItIs) {
  std::string bytes;
  for (int line = 1; line <= 30'000; ++line)
    bytes += line == 29'990 ? "1.5 2.5 3\x01\n" : "1.5 2.5 3.5\n";
  for (const char* name : {"a.txt", "a.dat"}) {
    try {
      static_cast<void>(load(name, bytes));
      ADD_FAILURE() << "the file must be refused";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("line 29990: invalid byte \\x01 in the number '3\\x01'"));
    }
  }
}

TEST(TextReader, Utf16IsNamedAsTheReason) {
  for (const bool big : {false, true}) {
    std::string bytes = big ? "\xFE\xFF" : "\xFF\xFE";
    for (const char c : std::string("1.5 2.5 3.5\n4 5 6\n"))
      bytes += big ? std::string{'\0', c} : std::string{c, '\0'};
    try {
      static_cast<void>(load("a.txt", bytes));
      ADD_FAILURE() << "the file must be refused";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("is UTF-16 text, expected UTF-8"));
    }
  }
}

}  // namespace
}  // namespace spira::test
