// What a trace must be, so that viewers draw all of it.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spira::test {

/// Whole nanoseconds of a time in microseconds.
inline std::int64_t trace_ns(const nlohmann::json& us) {
  return std::llround(us.get<double>() * 1e3);
}

/// X events of one thread, each within or behind the ones before it.
class TraceThread {
 public:
  void add(const nlohmann::json& event, bool apart) {
    const std::int64_t begin = trace_ns(event.at("ts")), end = begin + trace_ns(event.at("dur"));
    EXPECT_GE(begin, last_begin_) << event;
    EXPECT_GE(end, begin) << event;
    while (!open_.empty() && open_.back().second <= begin && end > open_.back().second)
      open_.pop_back();
    if (!open_.empty()) {
      EXPECT_LE(end, open_.back().second) << "overlaps: " << event;
      EXPECT_FALSE(apart && begin == open_.back().first) << "begins with its parent: " << event;
    }
    open_.emplace_back(begin, end);
    last_begin_ = begin;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> open_;
  std::int64_t last_begin_ = 0;
};

/// Only M and X events; those of stages in one thread, and recorded ones in threads of a process of their
/// own. Gives the number of X events of stages; `recorded`: of the others.
inline std::size_t expect_trace(const std::string& text, std::size_t* recorded = nullptr) {
  const nlohmann::json trace = nlohmann::json::parse(text);
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  EXPECT_EQ(trace.at("otherData").at("layout"), "laid end to end: isolated stages, not a recorded timeline");
  std::map<std::pair<int, int>, TraceThread> threads;
  std::map<std::string, std::size_t> events;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") continue;
    EXPECT_EQ(event.at("ph"), "X");
    const int process = event.at("pid"), thread = event.at("tid");
    const std::string category = event.at("cat");
    const bool stage = category == "stage";
    EXPECT_EQ(process == 3, !stage) << event;
    EXPECT_TRUE(!stage || (thread == 1 && process == trace.at("traceEvents").at(0).at("pid"))) << event;
    threads[{process, thread}].add(event, !stage);
    ++events[category];
  }
  if (recorded != nullptr) *recorded = events["timeline"];
  return events["stage"];
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
