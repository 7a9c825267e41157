// Tests masks of a bird's-eye view: their text, their sources, dilation and strides.
#include "engine/bev/mask.hpp"

#include "engine/base/file.hpp"
#include "engine/base/named_arrays.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/bev/made_masks.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace spira {
namespace {

using test::area_of_cells;
using test::cloud_of;
using test::error_of;
using test::random_mask;
using testing::ElementsAre;
using testing::HasSubstr;

Mask made(const PointCloud& cloud, const Area& area, std::string_view text) {
  Job job;
  return make_mask(cloud, area, parse_mask(text), job);
}

/// Returns the rows of the set cells.
std::vector<std::int64_t> set_rows(const Mask& mask) {
  std::vector<std::int64_t> rows;
  for (std::size_t at = 0; at < mask.cells.size(); ++at) {
    EXPECT_LE(mask.cells[at], 1);
    if (mask.cells[at] != 0) rows.push_back(static_cast<std::int64_t>(at));
  }
  return rows;
}

class MaskTexts : public testing::TestWithParam<const char*> {};

TEST_P(MaskTexts, AreReadBack) {
  const MaskSpec spec = parse_mask(GetParam());
  EXPECT_EQ(text_of(spec), GetParam());
  EXPECT_EQ(parse_mask(text_of(spec)), spec);
}

INSTANTIATE_TEST_SUITE_P(Sources, MaskTexts,
                         testing::Values("all", "all+3", "occupied", "occupied:3", "occupied+1",
                                         "occupied:3+1000", "label:0", "label:40,48", "label:4294967295+2",
                                         "height:0.3,3", "height:-1,-0.5+1", "height:2,2", "selection",
                                         "selection+4", "file:road.npy", "file:road.npy+2",
                                         "file:/a b/c:d,e.npy", "file:a+b.npy", "file:a+1+0", "top-left:0",
                                         "top-left:0.1", "top-left:1+1", "blobs:0.1:8", "blobs:0.25:1000+1"),
                         [](const auto& info) { return test::case_name(info.index, info.param); });

TEST(MaskText, ReadsOtherForms) {
  EXPECT_EQ(text_of(parse_mask("blobs:0.1")), "blobs:0.1:8");
  EXPECT_EQ(text_of(parse_mask("occupied:1+0")), "occupied");
  EXPECT_EQ(text_of(parse_mask("label:48,40")), "label:40,48");
  EXPECT_EQ(text_of(parse_mask("top-left:1e-1")), "top-left:0.1");
  EXPECT_EQ(parse_mask("file:a+1").dilation, 1);
  EXPECT_EQ(parse_mask("file:a+1").file, "a");
  MaskSpec far;
  far.source = MaskSource::height;
  far.high_m = 1e20;
  EXPECT_EQ(parse_mask(text_of(far)), far) << "the exponent is not a dilation";
}

struct BadMask {
  const char* text;
  const char* says;
};
class BadMasks : public testing::TestWithParam<BadMask> {};

TEST_P(BadMasks, AreRefusedWithTheGrammar) {
  const std::string text = error_of(ErrorKind::usage, [] { return parse_mask(GetParam().text); });
  EXPECT_THAT(text, HasSubstr("mask '" + std::string(GetParam().text) + "': " + GetParam().says));
  EXPECT_THAT(text, HasSubstr("; expected all, occupied[:POINTS], label:A,B"));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadMasks,
    testing::Values(
        BadMask{"", "unknown source ''"}, BadMask{"road", "unknown source 'road'"},
        BadMask{"Occupied", "unknown source"}, BadMask{"+1", "unknown source ''"},
        BadMask{"occupied+", "unknown source 'occupied+'"},
        BadMask{"occupied+x", "unknown source 'occupied+x'"},
        BadMask{"occupied +1", "unknown source 'occupied '"},
        BadMask{"occupied+-1", "expected a dilation of 0 to 1,000 cells"},
        BadMask{"occupied+1001", "expected a dilation"}, BadMask{"all:1", "'all' has no argument"},
        BadMask{"all:", "'all' has no argument"}, BadMask{"selection:2", "'selection' has no argument"},
        BadMask{"occupied:", "expected a number of points, at least 1"},
        BadMask{"occupied:0", "expected a number of points"},
        BadMask{"occupied:-3", "expected a number of points"},
        BadMask{"occupied:2.5", "expected a number of points"}, BadMask{"label", "expected labels"},
        BadMask{"label:", "expected labels"}, BadMask{"label:40,", "expected labels"},
        BadMask{"label:-1", "expected labels"}, BadMask{"label:4294967296", "expected labels"},
        BadMask{"label:road", "expected labels"},
        BadMask{"height", "expected two heights in metres, low then high"},
        BadMask{"height:1", "expected two heights"}, BadMask{"height:3,0.3", "expected two heights"},
        BadMask{"height:0,nan", "expected two heights"}, BadMask{"height:0,1,2", "expected two heights"},
        BadMask{"file", "expected the name of an NPY file"}, BadMask{"file:", "expected the name"},
        BadMask{"file:+1", "expected the name"}, BadMask{"top-left", "expected a share from 0 to 1"},
        BadMask{"top-left:10%", "expected a share"}, BadMask{"top-left:1.1", "expected a share"},
        BadMask{"top-left:-0.1", "expected a share"}, BadMask{"top-left:nan", "expected a share"},
        BadMask{"top-left:0.1:2", "expected a share"}, BadMask{"blobs", "expected a share"},
        BadMask{"blobs:2", "expected a share"},
        BadMask{"blobs:0.1:", "expected a radius of 1 to 1,000 cells"},
        BadMask{"blobs:0.1:0", "expected a radius"}, BadMask{"blobs:0.1:8:8", "expected a radius"}),
    [](const auto& info) { return test::case_name(info.index, info.param.text); });

TEST(MaskText, OfManyBytesIsShortenedInTheMessage) {
  EXPECT_LT(error_of(ErrorKind::usage, [] { return parse_mask(std::string(10'000, 'x')); }).size(), 1'000U);
}

/// Sets the cells within `radius` of a set cell on both axes, cell by cell.
std::vector<std::uint8_t> naive_dilation(const Mask& mask, std::int64_t radius) {
  const std::int64_t rows = mask.area.rows(), columns = mask.area.columns();
  std::vector<std::uint8_t> cells(mask.cells.size());
  for (std::int64_t x = 0; x < rows; ++x) {
    for (std::int64_t y = 0; y < columns; ++y) {
      for (std::int64_t dx = -radius; dx <= radius; ++dx) {
        for (std::int64_t dy = -radius; dy <= radius; ++dy) {
          const std::int64_t u = x + dx, v = y + dy;
          if (u < 0 || v < 0 || u >= rows || v >= columns) continue;
          if (mask.cells[static_cast<std::size_t>(u * columns + v)] != 0)
            cells[static_cast<std::size_t>(x * columns + y)] = 1;
        }
      }
    }
  }
  return cells;
}

TEST(Dilation, EqualsThatCellByCell) {
  std::uint64_t seed = 0;
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{1, 1}, {1, 40}, {40, 1}, {33, 47}}) {
    for (const double density : {0.0, 0.02, 0.3, 1.0}) {
      const Mask mask = random_mask(rows, columns, density, ++seed);
      for (const int radius : {0, 1, 2, 5, 60}) {
        const Mask dilated = dilate(mask, radius);
        EXPECT_EQ(dilated.cells, naive_dilation(mask, radius)) << rows << " x " << columns << ", " << radius;
        EXPECT_EQ(dilated.area, mask.area);
      }
    }
  }
}

TEST(Dilation, IsPartOfTheMaskText) {
  const PointCloud cloud = cloud_of({{2.5, 2.5, 0}});
  const Mask mask = made(cloud, area_of_cells(5, 5), "occupied+1");
  EXPECT_THAT(set_rows(mask), ElementsAre(6, 7, 8, 11, 12, 13, 16, 17, 18));
  EXPECT_EQ(mask.text, "occupied+1");
}

TEST(CellsAtAStride, EqualTheClosedForm) {
  for (const double density : {0.0, 0.01, 0.2, 1.0}) {
    const Mask mask = random_mask(96, 160, density, 3);
    for (const int stride : {1, 2, 4, 8, 16, 32}) {
      const std::int64_t columns = mask.area.columns(stride);
      std::vector<std::uint8_t> expected(static_cast<std::size_t>(mask.area.size(stride)));
      for (std::int64_t row : set_rows(mask))
        expected[static_cast<std::size_t>(row / 160 / stride * columns + row % 160 / stride)] = 1;
      EXPECT_EQ(cells_at(mask, stride), expected) << stride;
      EXPECT_EQ(count_cells(expected), std::count(expected.begin(), expected.end(), 1));
    }
  }
}

TEST(CellsAtAStride, AreOneCellForTheWholeArea) {
  const Mask one = random_mask(16, 16, 0.1, 5);
  EXPECT_THAT(cells_at(one, 16), ElementsAre(1));
  EXPECT_THAT(cells_at(random_mask(16, 16, 0, 5), 16), ElementsAre(0));
}

TEST(OccupiedMask, CountsPointsInTheRangeOfZ) {
  const PointCloud cloud = cloud_of({{0.5, 0.5, -3},
                                     {0.5, 1.5, 0},
                                     {0.6, 1.6, 0.5},
                                     {2.5, 3.5, 0},
                                     {2.5, 3.6, 0.1},
                                     {2.5, 3.7, 0.2},
                                     {-0.5, 0.5, 0},
                                     {4.5, 0.5, 0},
                                     {0.5, 4.0, 0},
                                     {1.5, 1.5, 1},
                                     {1.5, 2.5, -3.5}});
  Area area = area_of_cells(4, 4);
  EXPECT_THAT(set_rows(made(cloud, area, "occupied")), ElementsAre(0, 1, 11));
  EXPECT_THAT(set_rows(made(cloud, area, "occupied:2")), ElementsAre(1, 11));
  EXPECT_THAT(set_rows(made(cloud, area, "occupied:3")), ElementsAre(11));
  EXPECT_THAT(set_rows(made(cloud, area, "occupied:4")), ElementsAre());
  EXPECT_THAT(set_rows(made(cloud_of({}), area, "occupied+2")), ElementsAre());
  area.z_m = {-10, 10};
  EXPECT_THAT(set_rows(made(cloud, area, "occupied")), ElementsAre(0, 1, 5, 6, 11));
}

TEST(LabelMask, NeedsLabelsAndTakesAnyOfThem) {
  PointCloud cloud = cloud_of({{0.5, 0.5, 0}, {1.5, 0.5, 0}, {2.5, 0.5, 0}, {3.5, 0.5, 0}, {3.5, 0.6, 0}});
  const Area area = area_of_cells(4, 1);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { return made(cloud, area, "label:40"); }),
            "made.ply: the scene has no labels, so a mask of labels is not possible");
  cloud.label = {40, 7, 48, 1, 40};
  EXPECT_THAT(set_rows(made(cloud, area, "label:48,40")), ElementsAre(0, 2, 3));
  EXPECT_THAT(set_rows(made(cloud, area, "label:9")), ElementsAre());
}

TEST(HeightMask, MeasuresFromTheLowestPointOfFiveByFiveCells) {
  const Area area = area_of_cells(1, 8);
  // The lowest point around cell 0 is in cell 2, and around cell 5 in cell 5.
  const PointCloud cloud =
      cloud_of({{0.5, 0.5, 1}, {0.5, 2.5, 0}, {0.5, 5.5, 10}, {0.5, 5.6, 10.25}, {0.5, 7.5, 12}});
  EXPECT_THAT(set_rows(made(cloud, area, "height:0.25,2")), ElementsAre(0, 5, 7));
  EXPECT_THAT(set_rows(made(cloud, area, "height:1,1")), ElementsAre(0)) << "both ends belong to the range";
  EXPECT_THAT(set_rows(made(cloud, area, "height:0,0")), ElementsAre(2, 5));
}

TEST(HeightMask, EqualsThatPointByPoint) {
  const Area area = area_of_cells(23, 31);
  Random random(7);
  PointCloud cloud = cloud_of({});
  for (int at = 0; at < 400; ++at)
    cloud.positions.push_back({random.uniform(-1, 24), random.uniform(-1, 32), random.uniform(-3, 3)});
  std::vector<std::uint8_t> expected(static_cast<std::size_t>(area.size()));
  for (const Point& p : cloud.positions) {
    if (area.row_of(p) < 0) continue;
    double lowest = p[2];
    for (const Point& q : cloud.positions) {
      const bool near = std::abs(std::floor(p[0]) - std::floor(q[0])) <= 2 &&
                        std::abs(std::floor(p[1]) - std::floor(q[1])) <= 2;
      if (area.row_of(q) >= 0 && near) lowest = std::min(lowest, q[2]);
    }
    if (p[2] - lowest >= 0.3 && p[2] - lowest <= 3) expected[static_cast<std::size_t>(area.row_of(p))] = 1;
  }
  EXPECT_EQ(made(cloud, area, "height:0.3,3").cells, expected);
}

TEST(AllMask, HasEveryCell) {
  EXPECT_EQ(set_rows(made(cloud_of({}), area_of_cells(3, 5), "all")).size(), 15U);
}

TEST(SelectionMask, IsOnlyForTheWindow) {
  EXPECT_THAT(error_of(ErrorKind::usage, [] { return made({}, area_of_cells(2, 2), "selection"); }),
              HasSubstr("mask 'selection': only the window has a selection"));
}

TEST(TopLeftMask, RoundsItsEdgesUp) {
  const auto size_of_mask = [](double density, int rows, int columns) {
    const Mask mask = made({}, area_of_cells(rows, columns), "top-left:" + std::to_string(density));
    return std::ssize(set_rows(mask));
  };
  EXPECT_EQ(size_of_mask(0.25, 8, 12), 4 * 6);
  EXPECT_EQ(size_of_mask(0.1, 704, 800), 223 * 253);
  EXPECT_EQ(size_of_mask(1, 7, 9), 63);
  EXPECT_EQ(size_of_mask(0, 7, 9), 0);
  const Mask mask = made({}, area_of_cells(4, 4), "top-left:0.25");
  EXPECT_THAT(set_rows(mask), ElementsAre(0, 1, 4, 5));
}

TEST(BlobsMask, ReachTheirDensityAndAreRepeatable) {
  for (const double density : {0.05, 0.5, 1.0}) {
    const std::string text = "blobs:" + std::to_string(density) + ":5";
    const Mask mask = made({}, area_of_cells(200, 300), text);
    const auto share = static_cast<double>(count_cells(mask.cells)) / 60'000;
    EXPECT_GE(share, density);
    EXPECT_LE(share, density + 81.0 / 60'000) << "at most one disk too many";
    EXPECT_EQ(made({}, area_of_cells(200, 300), text).cells, mask.cells);
  }
  EXPECT_EQ(count_cells(made({}, area_of_cells(9, 9), "blobs:0:3").cells), 0);
  // A single disk of radius 1 has a cell and its four neighbours.
  EXPECT_LE(count_cells(made({}, area_of_cells(50, 50), "blobs:0.0004:1").cells), 5);
}

TEST(MaskFiles, AreReadBack) {
  const test::TempFolder folder;
  const Mask mask = random_mask(13, 29, 0.3, 11);
  write_mask(mask, folder / "m.npy");
  const std::string source = "file:" + (folder / "m.npy").string();
  EXPECT_EQ(made({}, mask.area, source).cells, mask.cells);
  EXPECT_EQ(made({}, mask.area, source + "+1").cells, dilate(mask, 1).cells);
}

/// Writes an NPY file with the values 0, 1, 0, 2, ... and returns its mask source.
std::string npy(const test::TempFolder& folder, const std::string& type, const std::string& order,
                const std::string& shape, const std::string& data) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  header.resize(118 - 1, ' ');
  return "file:" +
         folder.write("m.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data).string();
}

TEST(MaskFiles, MayHaveOtherOrdersTypesAndValues) {
  const test::TempFolder folder;
  const std::string data("\0\1\0\2\xff\0", 6);
  const Area area = area_of_cells(2, 3);
  EXPECT_THAT(set_rows(made({}, area, npy(folder, "|u1", "False", "2, 3", data))), ElementsAre(1, 3, 4));
  EXPECT_THAT(set_rows(made({}, area, npy(folder, "|b1", "False", "2, 3", data))), ElementsAre(1, 3, 4));
  // Column by column: (0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2).
  EXPECT_THAT(set_rows(made({}, area, npy(folder, "|u1", "True", "2, 3", data))), ElementsAre(2, 3, 4));
}

TEST(MaskFiles, OfOtherShapesAndTypesAreRefused) {
  const test::TempFolder folder;
  const Area area = area_of_cells(2, 3);
  const auto fault = [&](const std::string& source) {
    return error_of(ErrorKind::input, [&] { return made({}, area, source); });
  };
  const std::string six(6, '\1');
  EXPECT_THAT(fault(npy(folder, "|u1", "False", "3, 2", six)),
              HasSubstr("m.npy: the mask has the shape 3 x 2, but the area has 2 x 3 cells; use the crop and "
                        "the cells of the mask"));
  EXPECT_THAT(fault(npy(folder, "|u1", "False", "6,", six)), HasSubstr("but the area has 2 x 3 cells"));
  EXPECT_THAT(fault(npy(folder, "|u1", "False", "2, 3, 1", six)), HasSubstr("but the area has 2 x 3 cells"));
  EXPECT_THAT(fault(npy(folder, "<f4", "False", "2, 3", std::string(24, '\0'))),
              HasSubstr("m.npy: expected a mask of bool or uint8"));
  EXPECT_THAT(fault(npy(folder, "|u1", "False", "2, 3", std::string(5, '\1'))),
              HasSubstr("m.npy: the file has 5 of 6 cells"));
  EXPECT_THAT(fault("file:" + folder.write("text.npy", "no mask").string()), HasSubstr("text.npy"));
  EXPECT_THAT(fault("file:" + (folder / "none.npy").string()), HasSubstr("none.npy"));
}

TEST(Mask, BlockTrap15OfAnotherAreaIsRefusedWithBothAreas) {
  const Area area = area_of_cells(16, 16);
  EXPECT_NO_THROW(require_same_area(area, area));
  Area moved = area;
  moved.first = {1, 0};
  EXPECT_EQ(error_of(ErrorKind::usage,
                     [&] {
                       require_same_area(area, moved);
                       return 0;
                     }),
            "the mask is of another area: the mask has 16 x 16 cells of 1 m, x 0 to 16, y 0 to 16 m, but the "
            "image has 16 x 16 cells of 1 m, x 1 to 17, y 0 to 16 m");
  Area finer = area;
  finer.cell_m = 0.5;
  EXPECT_THROW(require_same_area(area, finer), Error);
}

TEST(Mask, StopsOnRequest) {
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  EXPECT_EQ(
      error_of(ErrorKind::cancelled,
               [&] {
                 return make_mask(cloud_of({{0, 0, 0}}), area_of_cells(2, 2), parse_mask("occupied"), job);
               })
          .empty(),
      false);
}

}  // namespace
}  // namespace spira
