// Tests that rows of numbers in all common text formats are detected as text, even if the bytes could also
// be binary rows.
#include "engine/scene/reader.hpp"
#include "engine/scene/text/lines.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace spira::test {
namespace {

struct Form {
  const char* number;
  const char* separator;
  const char* end;
  int columns;
};

std::string text_of_number(const char* number, double value) {
  std::array<char, 64> out{};
  // The formats are not literals in this function, but all of them are literals in the table below.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(out.data(), out.size(), number, value);
#pragma GCC diagnostic pop
  return out.data();
}

/// Appends rows in the format `form` to `bytes`. Returns the points that strtod() reads from these rows.
std::vector<Point> append_rows(const Form& form, int rows, std::string& bytes) {
  std::vector<Point> points;
  for (int row = 0; row < rows; ++row) {
    Point point{};
    for (int column = 0; column < form.columns; ++column) {
      const double value = std::sin((row * 7.3) + column) * (column < 2 ? 25.0 : 4.0);
      const std::string cell = text_of_number(form.number, value);
      if (column < 3) point.at(static_cast<std::size_t>(column)) = std::strtod(cell.c_str(), nullptr);
      bytes += (column == 0 ? "" : form.separator) + cell;
    }
    bytes += form.end;
    points.push_back(point);
  }
  return points;
}

TEST(TextFormats, AreNeverReadAsBinary) {
  const TempFolder folder;
  Job job;
  int forms = 0;
  for (const char* number : {"%f", "%.3f", "%7.3f", "%8.3f", "%9.4f", "%+.2f", "%-10.4f", "%010.3f", "% .5f",
                             "%e", "%.3e", "%E", "%g", "%G", "%.9g", "%.17g"}) {
    for (const char* separator : {",", " ", "\t", ";", ", ", " , ", "; ", "  "}) {
      for (const char* end : {"\n", "\r\n", "\r", " \n"}) {
        for (const int columns : {3, 4, 6}) {
          std::string bytes = forms % 5 == 0 ? "\xEF\xBB\xBF" : "";
          const auto points = append_rows({number, separator, end, columns}, 20, bytes);
          const auto cloud = load_scene(folder.write(forms % 2 == 0 ? "a.bin" : "a.csv", bytes), {}, job);
          ASSERT_EQ(cloud->format, "text") << number << "|" << separator << "|" << columns;
          ASSERT_EQ(cloud->positions, points) << number << "|" << separator << "|" << columns;
          ++forms;
        }
      }
    }
  }
  EXPECT_EQ(forms, 16 * 8 * 4 * 3);
}

TEST(TextFormats, ASeparatorMayEndEachLine) {
  const TempFolder folder;
  Job job;
  for (const char* separator : {",", ";", "\t", " "}) {
    std::string bytes;
    const auto points =
        append_rows({"%.3f", separator, (std::string(separator) + "\n").c_str(), 4}, 30, bytes);
    EXPECT_EQ(load_scene(folder.write("a.txt", bytes), {}, job)->positions, points) << separator;
  }
}

TEST(TextFormats, BinaryRowsAreNotText) {
  const std::string rows = float_rows(400, [](int) { return std::vector<float>{0.5F}; });
  EXPECT_FALSE(is_mostly_text(std::as_bytes(std::span(rows))));
  for (const std::string text : {"1 2 3 gr\xC3\xBC\xC3\x9F\n", "1 2 3 gr\xFC\n", "1 2 \x01\n"})
    EXPECT_TRUE(is_mostly_text(std::as_bytes(std::span(text)))) << text;
  std::string large(3'000'000, '1');
  EXPECT_TRUE(is_mostly_text(std::as_bytes(std::span(large))));
  large.resize(large.size() + 3'000'000, '\1');
  EXPECT_FALSE(is_mostly_text(std::as_bytes(std::span(large))))
      << "the sample must include bytes from the whole file";
}

TEST(TextFormats, ValuesAsProgramsWriteThem) {
  EXPECT_EQ(parse_value("+1.5"), 1.5);
  EXPECT_EQ(parse_value(".5"), 0.5);
  EXPECT_EQ(parse_value("5."), 5.0);
  EXPECT_EQ(parse_value("-1.5D+03"), -1500.0);
  EXPECT_EQ(parse_value("1e-400"), 0.0);
  EXPECT_EQ(parse_value("5e-324"), 5e-324);
  EXPECT_TRUE(std::isinf(*parse_value("1e400")));
  EXPECT_TRUE(std::isnan(*parse_value("-nan")));
  EXPECT_TRUE(std::isnan(*parse_value("1.#QNAN")));
  for (const char* word : {"", "+", "+-1", "x", "1.5x", "0x10", "1,5", "1 2"})
    EXPECT_FALSE(parse_value(word)) << word;
}

TEST(TextFormats, LinesEndInThreeWays) {
  Lines lines("a\nb\r\nc\rd\r\r\ne");
  std::string all;
  while (const auto line = lines.next())
    all += std::to_string(lines.number()) + std::string(*line) + " ";
  EXPECT_EQ(all, "1a 2b 3c 4d 5 6e ");
}

}  // namespace
}  // namespace spira::test
