#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace spira::test {

constexpr const char* measurements_heading =
    "report_id,device,driver,scene,layer,phase,mode,cache,t,word_bits,n,median_ms,q1_ms,q3_ms,min_ms,max_ms,"
    "iqr_rel,sm_clock_mhz,flags,stage,peak_bytes,p90_ms,p95_ms,p99_ms,dataflow";

/// Expects that `text` is a CSV table in the format of RFC 4180, without line breaks in cells. Every line
/// must end with CRLF, and all lines must have the same number of cells.
inline void expect_csv(const std::string& text, const std::string& heading) {
  ASSERT_TRUE(text.starts_with(heading + "\r\n")) << text.substr(0, 200);
  ASSERT_TRUE(text.ends_with("\r\n"));
  const auto fields = [](const std::string& line) {
    bool quoted = false;
    int commas = 0;
    for (const char letter : line) {
      quoted = quoted != (letter == '"');
      commas += !quoted && letter == ',' ? 1 : 0;
    }
    EXPECT_FALSE(quoted) << line;
    return commas + 1;
  };
  std::istringstream lines(text);
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    ASSERT_TRUE(line.ends_with('\r')) << line;
    EXPECT_EQ(fields(line), fields(heading)) << line;
  }
  EXPECT_GT(rows, 1);
}

}  // namespace spira::test
