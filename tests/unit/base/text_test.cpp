#include "engine/base/text.hpp"

#include "engine/base/error.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

TEST(Text, GroupsDigits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
}

TEST(Text, CountsUseTheSingularForOne) {
  EXPECT_EQ(counted_text(0, "point", "points"), "0 points");
  EXPECT_EQ(counted_text(1, "point", "points"), "1 point");
  EXPECT_EQ(counted_text(124'668, "point", "points"), "124,668 points");
}

TEST(Text, LongNamesAreShortenedBetweenCharacters) {
  EXPECT_EQ(shortened("conv1"), "conv1");
  EXPECT_EQ(shortened(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(shortened(std::string(2'000'000, 'a')), std::string(60, 'a') + "... (2,000,000 bytes)");
  std::string umlauts = "a";
  for (int at = 0; at < 100; ++at)
    umlauts += "\xC3\xA4";
  EXPECT_EQ(shortened(umlauts).substr(0, 62), umlauts.substr(0, 59) + "...");
}

TEST(Text, Units) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1'994'688), "2.0 MB");
  EXPECT_EQ(bytes_text(999'960), "1.0 MB");
  EXPECT_EQ(ms_text(0.41234), "0.412 ms");
  EXPECT_EQ(ms_text(12.34), "12.3 ms");
  EXPECT_EQ(ms_text(1234), "1.23 s");
  EXPECT_EQ(percent_text(0.2271), "22.7 %");
}

TEST(Text, ShortestIsReadableAndReadsBackTheSame) {
  EXPECT_EQ(shortest(0.0005), "0.0005");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-20), "-20");
  EXPECT_EQ(shortest(100'000), "100000");
  EXPECT_EQ(shortest(0), "0");
  EXPECT_EQ(shortest(2.5e-7), "2.5e-07");
  EXPECT_EQ(shortest(1e300), "1e+300");
  for (const double value : {1.0 / 3, 12345.6789, 0.00012345678901234567, 9007199254740993.0, -1e-300})
    EXPECT_EQ(std::stod(shortest(value)), value);
}

TEST(Text, ParsesWholeNumbersOnly) {
  EXPECT_EQ(parse_double("0.05"), 0.05);
  EXPECT_EQ(parse_double("+1e-3"), 1e-3);
  EXPECT_FALSE(parse_double("0.05m"));
  EXPECT_FALSE(parse_double(""));
  EXPECT_FALSE(parse_double("0,05"));
  EXPECT_EQ(parse_int("-12"), -12);
  EXPECT_FALSE(parse_int("1.5"));
  EXPECT_FALSE(parse_int("99999999999999999999"));
}

TEST(Text, CsvLinesQuoteOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_line({"a", "", "b,c", "say \"x\""}), "a,,\"b,c\",\"say \"\"x\"\"\"\r\n");
}

TEST(Errors, KindsHaveTheirExitCodes) {
  EXPECT_EQ(facts(ErrorKind::usage).exit_code, 2);
  EXPECT_EQ(facts(ErrorKind::input).exit_code, 3);
  EXPECT_EQ(facts(ErrorKind::does_not_fit).exit_code, 4);
  EXPECT_EQ(facts(ErrorKind::device).exit_code, 5);
  EXPECT_EQ(facts(ErrorKind::device_memory).exit_code, 5);
  EXPECT_EQ(facts(ErrorKind::cancelled).exit_code, 130);
}

TEST(Text, PrintableKeepsCharactersAndEscapesTheRest) {
  EXPECT_EQ(printable("plain, \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "plain, \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(printable("\x1b[31mred\r\n\x7f"), "\\x1b[31mred\\x0d\\x0a\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "1m"),
            "\\xc2\\x9b"
            "1m")
      << "a control character of two bytes must be escaped";
  EXPECT_EQ(printable("a\xFFz\xE2\x82"), "a\\xffz\\xe2\\x82");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a single surrogate must be escaped";
}

}  // namespace
}  // namespace spira
