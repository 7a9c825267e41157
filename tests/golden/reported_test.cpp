// Tests small files that reproduce public bug reports. For each file, the result must be the points, voxels,
// map entries and attributes that an independent program counted, or an error message that names the reason.
#include "engine/backend/host_read.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace spira {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct Range {
  double low, high;
};

/// One row of the table in the README of the folder that contains the reported files.
struct Reported {
  const char* file;
  std::int64_t points;
  std::array<Range, 3> box;  ///< Bounding box in metres, rounded to 3 decimals.
  double grid;
  /// `map_entries` is the number of entries of the submanifold kernel map with K = 3.
  std::int64_t voxels, map_entries;
  std::optional<Range> intensity{};
  /// The colour of every point. The conversion from 16 to 8 bits may differ by one level.
  std::optional<Colour> colour{};
  /// The labels of the points. All labels have the same number of points.
  std::vector<std::uint32_t> labels{};
  const char* note = nullptr;  ///< A text that one of the notes must contain.
};

constexpr std::array<Range, 3> sweep{{{-13.567, 13.567}, {-14.770, 10.391}, {-1.687, 3.844}}};
constexpr std::array<Range, 3> room{{{-2.994, 3.000}, {-1.988, 2.000}, {-1.200, 1.288}}};
constexpr std::array<Range, 3> utm_room{
    {{627282.006, 627288.000}, {4841946.012, 4841950.000}, {118.800, 121.288}}};
constexpr Colour orange{255, 100, 0};
constexpr Range counted{0, 239};

// clang-format off
const std::vector<Reported>& rows() {
  static const std::vector<Reported> all{
      {"bin_nuscenes_cut_8192_bytes.pcd.bin", 409, {{{-13.567, 13.567}, {-14.770, 10.391}, {-1.687, 2.834}}}, 0.2, 409, 471, {}, {}, {}, "12 bytes"},
      {"bin_float64_5_columns.bin", 480, sweep, 0.2, 480, 564},
      {"bin_radar_7_columns.bin", 200, {{{1.039, 59.757}, {-24.946, 24.971}, {-1.983, 2.963}}}, 0.5, 200, 216},
      {"bin_waymo_6_columns.bin", 480, sweep, 0.2, 480, 564},
      {"bin_intensity_past_fp16.bin", 480, sweep, 0.2, 480, 564, Range{0, 90'000}, {}, {}, "2 intensities are not finite"},
      {"csv_row_numbers_without_name.csv", 240, room, 0.1, 235, 341, Range{0, 99}},
      {"txt_comment_mentions_x_y_z.txt", 240, room, 0.1, 235, 341},
      {"csv_names_with_blanks.csv", 240, room, 0.1, 235, 341},
      {"csv_text_column.csv", 240, room, 0.1, 235, 341},
      {"csv_empty_cells_in_other_column.csv", 240, room, 0.1, 235, 341},
      {"csv_quoted_numbers.csv", 240, room, 0.1, 235, 341},
      {"pts_count_line.pts", 240, room, 0.1, 235, 341, Range{-2048, 2033}, orange},
      {"asc_names_and_count.asc", 240, room, 0.1, 235, 341, {}, orange},
      {"txt_colours_with_decimals.txt", 240, room, 0.1, 235, 341, {}, orange},
      {"pcd_lower_case_type.pcd", 200, {{{-13.550, 13.550}, {-14.716, 10.378}, {-1.687, -0.479}}}, 0.2, 200, 208},
      {"pcd_upper_case_names.pcd", 240, utm_room, 0.1, 235, 341, counted, orange, {2, 3, 4}},
      {"pcd_ascii_with_commas.pcd", 240, utm_room, 0.1, 235, 341},
      {"pcd_viewpoint.pcd", 240, room, 0.1, 235, 339, {}, {}, {}, "VIEWPOINT"},
      {"pcd_red_green_blue_fields.pcd", 240, room, 0.1, 235, 339, {}, orange},
      {"ply_colour_float_to_255.ply", 240, room, 0.1, 235, 339, {}, orange},
      {"ply_gaussian_splat.ply", 72, {{{-2.865, 2.998}, {-1.932, 1.941}, {-1.200, -1.200}}}, 0.1, 71, 95, {}, orange},
      {"ply_scalar_Label_utm.ply", 240, utm_room, 0.1, 235, 341, counted, Colour{10, 200, 30}, {1, 2, 3}},
      {"ply_blank_after_first_word.ply", 240, room, 0.1, 235, 341},
      {"ply_carriage_returns.ply", 240, room, 0.1, 235, 341},
      {"npy_named_fields.npy", 240, room, 0.1, 235, 339, {}, orange},
      {"npz_points_with_named_fields.npz", 240, room, 0.1, 235, 339, {}, orange},
      {"npy_float16.npy", 240, room, 0.1, 235, 339},
      {"npy_int32_voxel_indices.npy", 235, {{{-30, 30}, {-20, 20}, {-12, 12}}}, 1.0, 235, 341},
      {"npy_xyzrgb_label_7_columns.npy", 240, room, 0.1, 235, 339, {}, orange, {3, 4, 5}},
      {"npy_waymo_6_columns.npy", 480, sweep, 0.2, 480, 564},
      {"npy_image_of_points_12_20_3.npy", 240, room, 0.1, 235, 339},
      {"npz_boxes_before_lidar.npz", 240, {{{-13.567, 13.567}, {-14.770, 10.391}, {-1.687, -0.160}}}, 0.2, 240, 252},
      {"scene0000_00", 240, room, 0.1, 235, 339, {}, orange, {3, 4, 5}},
      {"npy_one_stray_100_km_away.npy", 481, {{{-13.567, 100'000}, {-14.770, 10.391}, {-1.687, 3.844}}}, 0.2, 481, 565},
      {"npy_cube_on_voxel_borders.npy", 1'331, {{{0, 1}, {0, 1}, {0, 1}}}, 0.1, 729, 9'261},
  };
  return all;
}
// clang-format on

const std::map<std::string, const char*>& refused() {
  static const std::map<std::string, const char*> all{{"txt_control_character_line_123.txt", "line 123"},
                                                      {"bin_planar_4_rows.bin", "4 columns of f32, planar"}};
  return all;
}

std::filesystem::path reported_folder() {
  return test::data_folder() / "reported";
}

#define SPIRA_NEED_REPORTED() \
  if (!std::filesystem::exists(reported_folder())) GTEST_SKIP() << "no folder " << reported_folder()

class ReportedInput : public testing::TestWithParam<Reported> {};

void check_attributes(const PointCloud& cloud, const Reported& row) {
  if (row.intensity) {
    const auto facts = std::find_if(cloud.attributes.begin(), cloud.attributes.end(),
                                    [](const AttributeFacts& one) { return one.name == "intensity"; });
    ASSERT_NE(facts, cloud.attributes.end()) << cloud.reading;
    EXPECT_EQ(facts->low, row.intensity->low);
    EXPECT_EQ(facts->high, row.intensity->high);
  }
  if (row.colour) {
    ASSERT_EQ(std::ssize(cloud.colour), row.points) << cloud.reading;
    for (const Colour& colour : cloud.colour) {
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_NEAR(colour.at(c), row.colour->at(c), 1) << "channel " << c;
    }
  } else {
    EXPECT_TRUE(cloud.colour.empty()) << cloud.reading;
  }
  if (!row.labels.empty()) {
    std::map<std::uint32_t, std::int64_t> counts, wanted;
    for (const std::uint32_t label : cloud.label)
      ++counts[label];
    for (const std::uint32_t label : row.labels)
      wanted[label] = row.points / std::ssize(row.labels);
    EXPECT_EQ(counts, wanted);
  }
}

TEST_P(ReportedInput, IsReadAsAnIndependentProgramReadsIt) {
  SPIRA_NEED_REPORTED();
  const Reported& row = GetParam();
  Job job;
  const auto cloud = load_scene(reported_folder() / row.file, {}, job);
  ASSERT_EQ(cloud->size(), row.points) << cloud->reading;
  const Bounds box = bounds(*cloud);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(box.low[axis], row.box.at(axis).low, 5.1e-4) << "axis " << axis;
    EXPECT_NEAR(box.high[axis], row.box.at(axis).high, 5.1e-4) << "axis " << axis;
  }
  check_attributes(*cloud, row);
  if (row.note != nullptr) {
    EXPECT_THAT(cloud->notes, Contains(HasSubstr(row.note)));
  }

  const auto backend = test::make_subject();
  const Grid grid{{row.grid, row.grid, row.grid}, {}};
  const auto packs = packings_that_fit(voxel_range(*cloud, grid, job).extent(16), {3, 16});
  ASSERT_FALSE(packs.empty());
  const auto scene = voxelize_scene(*backend, cloud, grid, packs.front(), {3, 16}, job);
  EXPECT_EQ(size_of(scene->level(1)), row.voxels);
  EXPECT_EQ(densities(*map_of_scene(*backend, *scene, {3, 1, 1}, job)).pairs, row.map_entries);
}

INSTANTIATE_TEST_SUITE_P(All, ReportedInput, testing::ValuesIn(rows()), [](const auto& row) {
  std::string name = row.param.file;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(ReportedInputs, DamagedOnesAreRefusedWithTheReason) {
  SPIRA_NEED_REPORTED();
  for (const auto& [file, reason] : refused()) {
    Job job;
    try {
      static_cast<void>(load_scene(reported_folder() / file, {}, job));
      ADD_FAILURE() << file << " must be refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr(file));
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  }
}

TEST(ReportedInputs, AreAllInTheTable) {
  SPIRA_NEED_REPORTED();
  std::set<std::string> known{"README.md", "programs"};
  for (const Reported& row : rows())
    known.insert(row.file);
  for (const auto& [file, reason] : refused())
    known.insert(file);
  for (const auto& entry : std::filesystem::directory_iterator(reported_folder()))
    EXPECT_TRUE(known.contains(entry.path().filename().string())) << entry.path();
}

}  // namespace
}  // namespace spira
