#include "engine/scene/columns.hpp"

#include "engine/scene/point_sink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace spira {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Attribute> attributes_of(std::initializer_list<const char*> names) {
  std::vector<Column> columns;
  for (const char* name : names)
    columns.push_back({name});
  assign_by_name(columns);
  std::vector<Attribute> attributes;
  for (const Column& column : columns)
    attributes.push_back(column.attribute);
  return attributes;
}

TEST(ColumnNames, AreKnownInAnySpelling) {
  using enum Attribute;
  struct Case {
    const char* name;
    Attribute attribute;
  };
  for (const Case& one : std::initializer_list<Case>{{"x", x},
                                                     {"X", x},
                                                     {"//X", x},
                                                     {"\"Y (m)\"", y},
                                                     {" z [m]", z},
                                                     {"Intensity", intensity},
                                                     {"scalar_Intensity", intensity},
                                                     {"Scalar_Reflectance", intensity},
                                                     {"i", intensity},
                                                     {"Diffuse_Red", red},
                                                     {"G", green},
                                                     {"scalar_Label", label},
                                                     {"Classification", label},
                                                     {"rgb", packed_rgb},
                                                     {"NormalX", normal_x},
                                                     {"f_dc_2", harmonic_blue},
                                                     {"", none},
                                                     {"Point ID", none},
                                                     {"gps_time", none},
                                                     {"Return Number", none}}) {
    EXPECT_EQ(attribute_of(one.name), one.attribute) << one.name;
  }
}

TEST(ColumnsByValue, ColoursNeedTheirRangeAndAreReported) {
  using enum Attribute;
  struct Case {
    const char* what;
    bool integral;
    /// For each row, the values that follow x, y and z.
    std::vector<std::vector<double>> rows;
    std::vector<Attribute> attributes;
    const char* note;
  };
  const char* rgb_note = "columns 4 to 6 have no names; their values look like r, g, b";
  for (const Case& one : std::initializer_list<Case>{
           {"8-bit levels", true, {{200, 10, 30}, {5, 190, 180}}, {red, green, blue}, rgb_note},
           {"a colour without blue", false, {{255, 100, 0}, {255, 100, 0}}, {red, green, blue}, rgb_note},
           {"fractions", false, {{0.2, 0.1, 0.9}, {0.5, 0.9, 0.8}}, {red, green, blue}, rgb_note},
           {"16-bit levels", false, {{60000, 100, 9000}, {5, 19000, 18000}}, {red, green, blue}, rgb_note},
           {"small counts", false, {{1, 2, 3}, {8, 8, 5}}, {intensity, none, none}, ""},
           {"intensity, ring, flag", false, {{99, 31, 0}, {20, 0, 2}}, {intensity, none, none}, ""},
           {"colour and label",
            false,
            {{200, 180, 190, 3}, {5, 9, 8, 12}},
            {red, green, blue, label},
            "columns 4 to 7 have no names; their values look like r, g, b, label"},
           {"intensity and colour, or colour and label",
            false,
            {{200, 180, 190, 250}, {5, 9, 8, 12}},
            {none, none, none, none},
            ""}}) {
    SCOPED_TRACE(one.what);
    const auto columns =
        columns_by_value(std::ssize(one.rows), one.rows[0].size() + 3, one.integral,
                         [&](std::int64_t row, std::size_t column) {
                           return column < 3 ? 1.5 : one.rows[static_cast<std::size_t>(row)][column - 3];
                         });
    for (std::size_t at = 0; at < one.attributes.size(); ++at)
      EXPECT_EQ(columns[at + 3].attribute, one.attributes[at]) << at;
    EXPECT_EQ(note_on_guessed(columns), one.note);
  }
}

TEST(ColumnNames, TheMoreUsualNameWinsAndPartsCountOnlyTogether) {
  using enum Attribute;
  EXPECT_THAT(attributes_of({"x", "y", "z", "reflectance", "Intensity"}),
              ElementsAre(x, y, z, none, intensity));
  EXPECT_THAT(attributes_of({"", "x", "y", "z"}), ElementsAre(none, x, y, z));
  EXPECT_THAT(attributes_of({"x", "y", "z", "r", "g"}), ElementsAre(x, y, z, none, none))
      << "without blue, red and green must not be a colour";
  EXPECT_THAT(attributes_of({"x", "y", "z", "rgb", "r", "g", "b"}),
              ElementsAre(x, y, z, none, red, green, blue));
  EXPECT_THAT(attributes_of({"x", "y", "z", "nx", "ny"}), ElementsAre(x, y, z, none, none));
  EXPECT_THAT(attributes_of({"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2"}),
              ElementsAre(x, y, z, harmonic_red, harmonic_green, harmonic_blue));
}

PointCloud cloud_of(std::vector<Column> columns, std::initializer_list<std::vector<double>> rows) {
  Job job;
  PointSink sink(std::move(columns), std::ssize(rows), "file", {}, job);
  for (const auto& row : rows)
    sink.add(row);
  return sink.take("file", "format", "Format");
}

std::vector<Column> coloured(bool integral) {
  using enum Attribute;
  return {{"x", x},
          {"y", y},
          {"z", z},
          {"red", red, integral},
          {"green", green, integral},
          {"blue", blue, integral}};
}

TEST(PointSink, ColoursFollowTheRangeOfTheirValues) {
  const Colour orange{255, 100, 0};
  EXPECT_EQ(cloud_of(coloured(true), {{0, 0, 0, 255, 100, 0}}).colour.at(0), orange)
      << "8-bit colours must be recognised";
  EXPECT_EQ(cloud_of(coloured(false), {{0, 0, 0, 255, 100, 0}}).colour.at(0), orange)
      << "8-bit colours in floats must be recognised";
  EXPECT_EQ(cloud_of(coloured(true), {{0, 0, 0, 65280, 25600, 0}}).colour.at(0), orange)
      << "16-bit colours must be recognised";
  EXPECT_EQ(cloud_of(coloured(true), {{0, 0, 0, 65535, 25700, 0}}).colour.at(0), orange)
      << "16-bit colours must be recognised";
  EXPECT_EQ(cloud_of(coloured(false), {{0, 0, 0, 1.0, 0.392, 0}}).colour.at(0), orange)
      << "colours from 0 to 1 must be recognised";
  EXPECT_EQ(cloud_of(coloured(true), {{0, 0, 0, 1, 0, 1}}).colour.at(0), (Colour{1, 0, 1}))
      << "very dark 8-bit colours must not be scaled";
  const PointCloud none = cloud_of(coloured(false), {{0, 0, 0, -1, 0.5, 0}});
  EXPECT_TRUE(none.colour.empty());
  EXPECT_THAT(none.notes, Contains(HasSubstr("the colours are ignored: their range is -1")));
}

TEST(PointSink, HarmonicsOfSplatsBecomeColours) {
  using enum Attribute;
  const auto harmonic = [](double level) { return ((level / 255.0) - 0.5) / 0.28209479; };
  const PointCloud cloud = cloud_of({{"x", x},
                                     {"y", y},
                                     {"z", z},
                                     {"f_dc_0", harmonic_red},
                                     {"f_dc_1", harmonic_green},
                                     {"f_dc_2", harmonic_blue}},
                                    {{0, 0, 0, harmonic(255), harmonic(100), harmonic(0)}});
  EXPECT_EQ(cloud.colour.at(0), (Colour{255, 100, 0}));
}

TEST(PointSink, RecordsRangesAndUnusedColumns) {
  using enum Attribute;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const PointCloud cloud =
      cloud_of({{"x", x}, {"y", y}, {"z", z}, {"Reflectance", intensity}, {"time"}, {"class", label}},
               {{0, 0, 0, -5, 7, 2}, {1, 0, 0, nan, 7, -1}, {2, 0, 0, 90'000, 7, 3}});
  EXPECT_EQ(cloud.reading,
            "read as Format: x, y, z, intensity (Reflectance), label (class) (not used: time); 3 points");
  ASSERT_EQ(cloud.attributes.size(), 2U);
  EXPECT_EQ(cloud.attributes[0].name, "intensity");
  EXPECT_EQ(cloud.attributes[0].column, "Reflectance");
  EXPECT_EQ(cloud.attributes[0].low, -5.0);
  EXPECT_EQ(cloud.attributes[0].high, 90'000.0);
  EXPECT_EQ(cloud.attributes[0].non_finite, 1);
  EXPECT_THAT(cloud.intensity, ElementsAre(-5.0F, 0.0F, 90'000.0F));
  EXPECT_THAT(cloud.label, ElementsAre(2U, 0U, 3U));
  EXPECT_THAT(cloud.skipped, ElementsAre("time"));
  EXPECT_THAT(cloud.notes, Contains(HasSubstr("1 intensity is not finite and was replaced by 0")));
  EXPECT_THAT(cloud.notes, Contains(HasSubstr("1 label is negative")));
}

TEST(PointSink, NamesOnlyAFewSkippedColumns) {
  using enum Attribute;
  std::vector<Column> columns{{"x", x}, {"y", y}, {"z", z}};
  for (int at = 0; at < 45; ++at)
    columns.push_back({"f_rest_" + std::to_string(at)});
  const PointCloud cloud = cloud_of(columns, {std::vector<double>(48, 1.0)});
  EXPECT_EQ(cloud.skipped.size(), 45U);
  EXPECT_THAT(cloud.reading, HasSubstr("f_rest_5 and 39 more)"));
}

}  // namespace
}  // namespace spira
