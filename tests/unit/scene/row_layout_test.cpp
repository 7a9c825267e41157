// Tests find_row_layout() on rows of numbers without a header. The layout must be detected correctly, or the
// file must be refused. The tests fail if a wrong layout is found.
#include "engine/scene/rows/row_layout.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/fp16.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

namespace spira::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::span<const std::byte> as_bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(RowDescription, IsReadAndWrittenAsTheSameText) {
  for (const char* text : {"f32:x,y,z,intensity,ring,time", "f64:x,y,z", "f16:-,x,y,z,-:planar",
                           "u16:x,y,z:big", "i32:x,y,z,r,g,b:planar:big:skip=16"})
    EXPECT_EQ(text_of(parse_row_layout(text)), text);
  const RowLayout layout = parse_row_layout("i16:x,y,z,Reflectance,-:skip=4:big");
  EXPECT_EQ(layout.type, Scalar::i16);
  EXPECT_EQ(layout.order, ByteOrder::big);
  EXPECT_EQ(layout.skip_bytes, 4U);
  EXPECT_EQ(index_of(layout.columns, Attribute::intensity), 3);
}

TEST(RowDescription, FaultsNameTheExpectedValue) {
  const std::pair<const char*, const char*> cases[] = {
      {"f33:x,y,z", "type 'f33' is not one of"}, {"f32:x,y", "no column is named z"},
      {"f32:x,,y,z", "a column has no name"},    {"f32:x,y,z:upside", "'upside' is not one of planar, big"},
      {"f32:x,y,z:skip=-1", "skip=BYTES"},       {"", "type '' is not one of"}};
  for (const auto& [text, says] : cases) {
    try {
      static_cast<void>(parse_row_layout(text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr(says));
    }
  }
}

/// A generated file: its rows, their scalar type, and whether the values are stored column by column.
struct Made {
  std::vector<std::vector<double>> rows;
  Scalar type;
  bool planar;
};

std::string bytes_of(const Made& made) {
  std::string bytes;
  const auto add = [&](double value) {
    if (made.type == Scalar::f64) return put(bytes, value);
    if (made.type == Scalar::f32) return put(bytes, static_cast<float>(value));
    put(bytes, float_to_fp16(static_cast<float>(value)));
  };
  if (made.planar) {
    for (std::size_t column = 0; column < made.rows[0].size(); ++column) {
      for (const auto& row : made.rows)
        add(row[column]);
    }
    return bytes;
  }
  for (const auto& row : made.rows) {
    for (const double value : row)
      add(value);
  }
  return bytes;
}

/// Returns the values of additional columns that are typical of public data sets.
std::vector<double> further(std::size_t kind, std::size_t at, std::mt19937& random) {
  const auto any = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto whole = [&](double high) { return std::floor(any(0, high)); };
  const auto index = static_cast<double>(at);
  switch (kind) {
    case 0:
      return {};
    case 1:
      return {std::round(any(0, 1) * any(0, 1) * 99) / 100};  // Intensity from 0 to 1.
    case 2:
      return {whole(256), std::fmod(index, 32)};  // Intensity and ring.
    case 3:
      return {std::tanh(any(0, 0.5)), any(0, 1.5) * any(0, 1)};  // Intensity and elongation.
    case 4:
      return {whole(256), whole(200), whole(100)};  // Colour from 0 to 255.
    case 5:
      return {whole(256) / 255, whole(200) / 255, whole(100) / 255};  // Colour from 0 to 1.
    case 6:
      return {any(0, 1), any(0, 1), 1.55e15};  // Intensity, elongation and time stamp.
    case 7:
      return {any(-20, 20), any(-5, 5), any(-5, 5), 0};  // Radar data.
    case 8:
      return {whole(100), std::fmod(index, 64), index * 1e-6, -1, 0};  // Ring, time and flags.
    default:
      return {0, 0};
  }
}
constexpr std::size_t kinds = 10;

std::vector<PointCloud> clouds() {
  std::vector<PointCloud> all;
  Job job;
  for (const char* name : {"street", "room"})
    all.push_back(*generate_scene(name, 20'000, 1, job));
  if (!have_data()) return all;
  for (const char* file : {"kitti/object_000008_front.bin", "nuscenes/n015_1532402927647951.pcd.bin",
                           "indoor/sunrgbd_000001.npz", "objects/trim-star.off", "objects/bunny70k.ply",
                           "outdoor/car_cloud400.csv", "outdoor/gicp_251371071.pcd"}) {
    if (!unsupported(file)) all.push_back(*load_scene(data_folder() / file, {}, job));
  }
  return all;
}

struct Tally {
  int right = 0, refused = 0, wrong = 0, usual = 0, usual_refused = 0;
};

void count_one(Tally& tally, const Made& made, bool cut) {
  std::string bytes = bytes_of(made);
  constexpr std::size_t block = 4'096;
  if (cut) bytes.resize(bytes.size() * 7 / 10 / block * block);
  if (bytes.empty()) return;
  const RowVerdict verdict = find_row_layout(as_bytes_of(bytes), "a.bin");
  const std::size_t columns = made.rows[0].size();
  const bool usual = made.type == Scalar::f32 && !made.planar && columns >= 4 && columns <= 6;
  tally.usual += usual ? 1 : 0;
  if (!verdict.layout) {
    ++tally.refused;
    tally.usual_refused += usual ? 1 : 0;
    EXPECT_FALSE(verdict.why.empty());
    return;
  }
  const bool right = verdict.layout->type == made.type && verdict.layout->columns.size() == columns &&
                     verdict.layout->planar == made.planar;
  ++(right ? tally.right : tally.wrong);
  EXPECT_TRUE(right) << columns << " columns of " << text_of(made.type) << (made.planar ? ", planar" : "")
                     << ", " << made.rows.size() << " rows: read as " << text_of(*verdict.layout);
}

TEST(RowEvidence, NoFileOfALargeFamilyIsMisread) {
  Tally tally;
  std::mt19937 random(1);
  std::size_t made_files = 0;
  for (const PointCloud& cloud : clouds()) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (const std::size_t wanted : {100UL, 500UL, 4'000UL}) {
        const std::size_t count = std::min(wanted, cloud.positions.size());
        // Only some combinations are tested. The options change with different periods.
        const bool shuffled = made_files % 2 == 0, planar = made_files % 5 == 4, cut = made_files % 3 == 2;
        const Scalar type = std::array{Scalar::f32, Scalar::f32, Scalar::f64, Scalar::f16}.at(made_files % 4);
        ++made_files;
        if (kind == 6 && type == Scalar::f16) continue;  // A time stamp would be infinite in fp16.
        Made made{{}, type, planar};
        const std::size_t first = random() % (cloud.positions.size() - count + 1);
        for (std::size_t at = 0; at < count; ++at) {
          const Point& p = cloud.positions[shuffled ? random() % cloud.positions.size() : first + at];
          made.rows.push_back({p[0], p[1], p[2]});
          const auto more = further(kind, at, random);
          made.rows.back().insert(made.rows.back().end(), more.begin(), more.end());
        }
        count_one(tally, made, cut);
      }
    }
  }
  RecordProperty("right", tally.right);
  RecordProperty("refused", tally.refused);
  std::printf("right %d, refused %d, wrong %d; usual layouts refused %d of %d\n", tally.right, tally.refused,
              tally.wrong, tally.usual_refused, tally.usual);
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_GT(tally.right, static_cast<int>(made_files) / 3);
  EXPECT_LE(tally.usual_refused * 8, tally.usual);
}

TEST(RowEvidence, OtherBytesAreRefused) {
  std::mt19937 random(2);
  std::string noise, shorts, big, picture, sound;
  for (int at = 0; at < 30'000; ++at) {
    put(noise, static_cast<unsigned>(random()));
    put(shorts, static_cast<short>(static_cast<int>(random() % 8'000) - 4'000));
    put_big(big, static_cast<float>(std::sin(at * 0.01) * 20 + (at % 3)));
    picture += static_cast<char>(128 + (60 * std::sin(at * 0.001)) + static_cast<double>(random() % 20));
    put(sound, static_cast<float>(std::sin(at * 0.05)));
  }
  for (const std::string& bytes : {noise, shorts, big, picture, sound, std::string(4'096, '\0'),
                                   std::string(160, '\xFF'), std::string("abcdefghijklmnop")})
    EXPECT_EQ(guess_rows(as_bytes_of(bytes), "a.bin"), "")
        << bytes.size() << " " << static_cast<int>(bytes[0]);
}

TEST(RowEvidence, OnePointIsAValidFile) {
  std::string kitti;
  for (const float value : {12.5F, -3.0F, 1e-40F, 0.5F})
    put(kitti, value);
  EXPECT_EQ(guess_rows(as_bytes_of(kitti), "a.bin"), "kitti");
  std::string nuscenes = kitti;
  put(nuscenes, 7.0F);
  EXPECT_EQ(guess_rows(as_bytes_of(nuscenes), "a.pcd.bin"), "nuscenes");
}

std::string small_file(Scalar type, const std::vector<std::vector<double>>& rows, bool planar = false) {
  return bytes_of({rows, type, planar});
}

TEST(RowEvidence, WholeNumbersOfFloat64AreNotReadAsOtherTypes) {
  std::vector<std::vector<double>> rows;
  for (int at = 0; at < 33; ++at)
    rows.push_back({std::floor(at / 6.0), static_cast<double>(at % 6), static_cast<double>(at % 3)});
  const std::string bytes = small_file(Scalar::f64, rows);
  const RowVerdict verdict = find_row_layout(as_bytes_of(bytes), "a.bin");
  EXPECT_TRUE(!verdict.layout || verdict.layout->type == Scalar::f64);
}

TEST(RowEvidence, SmallFilesAreReadOnlyIfOneLayoutIsPossible) {
  using enum Scalar;
  const std::vector<double> point{12.53, -3.17, 1.34, 0.52}, next{11.71, 4.96, -1.62, 0.25};
  std::vector<std::vector<double>> many;
  for (int at = 0; at < 12; ++at)
    many.push_back({12.53 + (0.37 * at), -3.17 + (0.71 * at), 1.34 - (0.03 * at), 0.52 + (0.01 * at)});
  const std::vector<double> coloured{12.53, -3.17, 1.34, 200, 120, 60, 3, 17};
  const std::vector<double> normal{12.53, -3.17, 1.34, 0.6, 0.0, -0.8};
  struct Case {
    const char* what;
    std::string bytes;
    std::string_view id;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"one KITTI point", small_file(f32, {point}), "kitti"},
           {"two KITTI points", small_file(f32, {point, next}), "kitti"},
           {"eleven KITTI points", small_file(f32, {many.begin() + 1, many.end()}), "kitti"},
           {"eight columns", small_file(f32, {coloured}), ""},
           {"normals that look like points", small_file(f32, {normal, normal, normal}), ""},
           {"seven columns", small_file(f32, {{1.2, 2.3, 3.4, -0.5, 0.6, 0.7, 0.8}}), ""},
           {"three columns", small_file(f32, {{1.2, 2.3, 3.4}, {2.1, 2.2, 2.3}}), ""},
           {"float64", small_file(f64, {point, next}), ""},
           {"float16", small_file(f16, many), ""},
           {"planar", small_file(f32, many, true), ""}}) {
    EXPECT_EQ(guess_rows(as_bytes_of(one.bytes), "a.bin"), one.id) << one.what;
  }
}

TEST(RowEvidence, RealFilesHaveTheirFormat) {
  SPIRA_NEED_REAL_SCENES();
  const std::pair<const char*, const char*> cases[] = {{"kitti/semantickitti_00_000000.bin", "kitti"},
                                                       {"kitti/object_000001.bin", "kitti"},
                                                       {"kitti/sweep_000186.bin", "kitti"},
                                                       {"kitti/object_000008_front.bin", "kitti"},
                                                       {"nuscenes/n015_1532402927647951.pcd.bin", "nuscenes"},
                                                       {"nuscenes/n008_1533151603597909.pcd.bin", "nuscenes"},
                                                       {"indoor/sunrgbd_000017_6f.bin", "xyzrgb"}};
  for (const auto& [file, format] : cases) {
    const auto bytes = read_file(data_folder() / file, 1U << 30U);
    EXPECT_EQ(guess_rows(bytes, "a.bin"), format) << file;
  }
}

/// Returns lines of numbers. `number` is the printf format of a number.
std::string lines_of(const std::string& number, const std::string& between, const std::string& end,
                     int columns, int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line) {
    for (int column = 0; column < columns; ++column) {
      char out[64];
      const double value = (column == 2 ? -1.7 : 20.0 * std::sin(line * 0.37 + column)) + 0.001 * line;
      std::snprintf(out, sizeof out, number.c_str(), value);
      text += (column > 0 ? between : "") + out;
    }
    text += end;
  }
  return text;
}

TEST(RowEvidence, TextIsNeverReadAsBinaryRows) {
  int formats = 0;
  for (const char conversion : {'f', 'g', 'e'}) {
    for (int width = 0; width <= 12; width += 3) {
      for (int precision = 1; precision <= 8; ++precision) {
        const std::string number = "%" + std::to_string(width) + "." + std::to_string(precision) + conversion;
        for (const char* between : {" ", ",", ", ", ";", "\t"}) {
          for (const char* end : {"\n", "\r\n", "\r"}) {
            const int columns = 1 + (formats % 8), lines = std::array{5, 16, 64, 200}.at(formats % 4U);
            ++formats;
            const std::string text = lines_of(number, between, end, columns, lines);
            EXPECT_EQ(guess_rows(as_bytes_of(text), "a.bin"), "") << text.substr(0, 60);
            // Cut the text to a size that is also valid for binary rows.
            const std::string whole = text.substr(0, text.size() / 240 * 240);
            EXPECT_EQ(guess_rows(as_bytes_of(whole), "a.bin"), "") << text.substr(0, 60);
          }
        }
      }
    }
  }
  EXPECT_EQ(formats, 3 * 5 * 8 * 5 * 3);
}

class RowFiles : public testing::Test {
 protected:
  std::shared_ptr<const PointCloud> load(const std::string& bytes, const std::string& format = {}) {
    Job job;
    return load_scene(folder.write("a.bin", bytes), {format}, job);
  }
  static Made sweep(Scalar type, std::size_t columns, std::size_t rows = 480) {
    std::mt19937 random(3);
    Job job;
    const PointCloud cloud = *generate_scene("street", 20'000, 1, job);
    Made made{{}, type, false};
    for (std::size_t at = 0; at < rows; ++at) {
      const Point& p = cloud.positions[at * 7];
      made.rows.push_back({p[0], p[1], p[2]});
      while (made.rows.back().size() < columns)
        made.rows.back().push_back(made.rows.back().size() == 3 ? static_cast<double>(random() % 100)
                                                                : static_cast<double>(at % 32));
    }
    return made;
  }
  TempFolder folder;
};

TEST_F(RowFiles, ALayoutWithoutAFormatIsReadAndDescribed) {
  const Made made = sweep(Scalar::f64, 5);
  const auto cloud = load(bytes_of(made));
  ASSERT_EQ(cloud->size(), 480);
  EXPECT_EQ(cloud->positions[1][0], made.rows[1][0]);
  EXPECT_EQ(cloud->format, "rows:f64:x,y,z,intensity,-");
  // Reading the file again with the recorded format must give the same points.
  EXPECT_EQ(load(bytes_of(made), cloud->format)->positions, cloud->positions);
}

TEST_F(RowFiles, ACutFileSaysHowManyBytesWereNotRead) {
  std::string bytes = bytes_of(sweep(Scalar::f32, 5));
  bytes.resize(8'192);
  const auto cloud = load(bytes);
  EXPECT_EQ(cloud->size(), 409);
  EXPECT_THAT(cloud->notes, Contains(HasSubstr("12 bytes after the last whole row were not read")));
}

TEST_F(RowFiles, DescribedRowsOfAllTypesAreRead) {
  std::string shorts = "HEAD";
  for (const int value : {1, 2, 3, 40, -1, -2, -3, 50})
    put_big(shorts, static_cast<short>(value));
  const auto cloud = load(shorts, "rows:i16:x,y,z,intensity:big:skip=4");
  ASSERT_EQ(cloud->size(), 2);
  EXPECT_EQ(cloud->positions[1], (Point{-1, -2, -3}));
  EXPECT_EQ(cloud->intensity[0], 40.0F);
  std::string halves;
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F})
    put(halves, float_to_fp16(value));
  EXPECT_EQ(load(halves, "rows:f16:x,y,z:planar")->positions[1], (Point{2, 4, 6}));
  EXPECT_EQ(load(halves, "rows:f16:z,y,x")->positions[1], (Point{6, 5, 4}));
}

TEST_F(RowFiles, RefusalsListWhatWasConsidered) {
  Made made = sweep(Scalar::f32, 4);
  made.planar = true;
  try {
    static_cast<void>(load(bytes_of(made)));
    FAIL() << "the unclear file must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("considered: "));
    EXPECT_THAT(error.what(), HasSubstr("planar"));
    EXPECT_THAT(error.what(), HasSubstr("; describe the rows"));
    EXPECT_THAT(error.what(), Not(HasSubstr("--")))
        << "the error of the engine must not name command-line options";
    const auto* unclear = dynamic_cast<const UnclearFormat*>(&error);
    ASSERT_NE(unclear, nullptr);
    EXPECT_EQ(unclear->remedy(), FormatRemedy::describe_rows);
  }
  EXPECT_EQ(load(bytes_of(made), "rows:f32:x,y,z,intensity:planar")->positions[5][2],
            static_cast<double>(static_cast<float>(made.rows[5][2])));
}

}  // namespace
}  // namespace spira::test
