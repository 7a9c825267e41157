// Checks that a trace file meets all conditions that trace viewers require to draw all of its events.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spira::test {

/// Converts microseconds to whole nanoseconds.
inline std::int64_t trace_ns(const nlohmann::json& us) {
  return std::llround(us.get<double>() * 1e3);
}

/// Checks the X events (complete events) of one thread. Each event must be inside the events before it or
/// after them.
class TraceThread {
 public:
  void add(const nlohmann::json& event) {
    const std::int64_t begin = trace_ns(event.at("ts")), end = begin + trace_ns(event.at("dur"));
    EXPECT_GE(begin, last_begin_) << event;
    EXPECT_GE(end, begin) << event;
    all_.emplace_back(begin, end);
    while (!open_.empty() && open_.back().second <= begin && end > open_.back().second)
      open_.pop_back();
    if (!open_.empty()) {
      EXPECT_LE(end, open_.back().second) << "event ends after its parent: " << event;
      EXPECT_FALSE(end > begin && begin == open_.back().first)
          << "event begins at the same time as its parent: " << event;
    }
    open_.emplace_back(begin, end);
    last_begin_ = begin;
  }
  [[nodiscard]] bool holds(std::int64_t at) const {
    return std::any_of(all_.begin(), all_.end(),
                       [at](const auto& one) { return one.first <= at && at <= one.second; });
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> open_, all_;
  std::int64_t last_begin_ = 0;
};

/// Expects that both ends of each arrow are inside a slice, and that the second end is not before the first
/// end.
inline void expect_arrows(const std::vector<nlohmann::json>& ends,
                          const std::map<std::pair<int, int>, TraceThread>& threads) {
  std::map<int, std::vector<const nlohmann::json*>> arrows;
  for (const nlohmann::json& end : ends) {
    const auto thread = threads.find({end.at("pid"), end.at("tid")});
    EXPECT_TRUE(thread != threads.end() && thread->second.holds(trace_ns(end.at("ts")))) << end;
    arrows[end.at("id")].push_back(&end);
  }
  for (const auto& [id, both] : arrows) {
    ASSERT_EQ(both.size(), 2U) << id;
    EXPECT_EQ(both[0]->at("ph"), "s");
    EXPECT_EQ(both[1]->at("ph"), "f");
    EXPECT_EQ(both[1]->at("bp"), "e");
    EXPECT_LE(trace_ns(both[0]->at("ts")), trace_ns(both[1]->at("ts"))) << *both[0];
  }
}

/// Expects the medians in one thread of process 3, recorded work in processes 1 and 2, arrows that connect
/// slices, and counters that are never negative. Returns the number of X events of stages. Stores the number
/// of recorded X events in `recorded`.
inline std::size_t expect_trace(const std::string& text, std::size_t* recorded = nullptr) {
  const nlohmann::json trace = nlohmann::json::parse(text);
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  EXPECT_EQ(trace.at("otherData").at("layout"), "end to end: isolated stages, not a recorded timeline");
  const std::string id = trace.at("otherData").at("report");
  std::map<std::pair<int, int>, TraceThread> threads;
  std::map<std::string, std::size_t> events;
  std::vector<nlohmann::json> arrows;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "M") continue;
    if (phase == "s" || phase == "f") {
      arrows.push_back(event);
      continue;
    }
    if (phase == "C") {
      const bool clock = event.at("name").get<std::string>().starts_with("SM clock");
      EXPECT_EQ(event.at("pid") == 4, clock) << event;
      EXPECT_GE(event.at("args").at(clock ? "MHz" : "bytes").get<std::int64_t>(), 0);
      continue;
    }
    EXPECT_EQ(phase, "X");
    const int process = event.at("pid"), thread = event.at("tid");
    const std::string category = event.at("cat");
    const bool stage = category == "stage";
    EXPECT_EQ(process == 3, stage) << event;
    EXPECT_TRUE(!stage || thread == 1) << event;
    const nlohmann::json& args = event.at("args");
    EXPECT_EQ(args.at("report"), id);
    EXPECT_FALSE(args.at("phase").get<std::string>().empty());
    threads[{process, thread}].add(event);
    ++events[category];
  }
  expect_arrows(arrows, threads);
  if (recorded != nullptr) *recorded = events["timeline"];
  return events["stage"];
}

/// Expects that every time in the trace has digits, a decimal point and exactly three decimals.
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
