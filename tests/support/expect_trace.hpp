// What a trace must be, so that viewers draw all of it.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace spira::test {

/// Whole nanoseconds of a time in microseconds.
inline std::int64_t trace_ns(const nlohmann::json& us) {
  return std::llround(us.get<double>() * 1e3);
}

/// Only M and X events; X events of the one thread in order, each within or behind the ones before it. Gives
/// the number of X events.
inline std::size_t expect_trace(const std::string& text) {
  const nlohmann::json trace = nlohmann::json::parse(text);
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  EXPECT_EQ(trace.at("otherData").at("layout"), "laid end to end: isolated stages, not a recorded timeline");
  std::vector<std::int64_t> open_ends;
  std::int64_t last_begin = 0;
  std::size_t spans = 0;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") continue;
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_EQ(event.at("pid"), trace.at("traceEvents").at(0).at("pid"));
    EXPECT_EQ(event.at("tid"), 1);
    const std::int64_t begin = trace_ns(event.at("ts")), end = begin + trace_ns(event.at("dur"));
    EXPECT_GE(begin, last_begin) << event;
    EXPECT_GE(end, begin) << event;
    while (!open_ends.empty() && open_ends.back() <= begin && end > open_ends.back())
      open_ends.pop_back();
    if (!open_ends.empty()) {
      EXPECT_LE(end, open_ends.back()) << "overlaps: " << event;
    }
    open_ends.push_back(end);
    last_begin = begin;
    ++spans;
  }
  return spans;
}

/// All times are written as digits, a dot and three digits.
inline void expect_fixed_point(const std::string& text) {
  for (const std::string key : {"\"ts\":", "\"dur\":"}) {
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const std::string number = text.substr(at + key.size(), text.find(',', at) - at - key.size());
      EXPECT_EQ(number.find_first_not_of("0123456789."), std::string::npos) << number;
      EXPECT_EQ(number.find('.') + 4, number.size()) << number;
    }
  }
}

}  // namespace spira::test
