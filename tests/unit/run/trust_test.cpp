// Trust in a measurement: each thing that speaks against it, and which grade it leaves.
#include "engine/run/trust.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Steady, enough samples, stages that add up.
Measurement sound() {
  Measurement m;
  for (int at = 0; at < 40; ++at)
    m.wall.ms.push_back(at % 2 == 0 ? 10.0 : 10.02);
  m.indexing.nodes.push_back({"voxelize", -1, {10.0}});
  return m;
}
std::vector<std::string> codes(const Trust& trust) {
  std::vector<std::string> result;
  for (const TrustReason& reason : trust.reasons)
    result.push_back(reason.code);
  return result;
}

TEST(Trust, IsBWhereOnlyWhatNobodyKnowsSpeaksAgainstIt) {
  const Trust trust = trust_of(sound());
  EXPECT_EQ(trust.grade, TrustGrade::b);
  EXPECT_THAT(codes(trust), ElementsAre("clocks_not_locked", "others_unknown", "output_not_checked"));
  EXPECT_THAT(trust.text(), StartsWith("B: clocks not locked"));
}

TEST(Trust, IsCWithFewSamples) {
  Measurement m = sound();
  m.wall.ms.resize(29);
  const Trust trust = trust_of(m);
  EXPECT_EQ(trust.grade, TrustGrade::c);
  EXPECT_EQ(trust.text(), "C: 29 samples, 30 wanted")
      << "the reasons for this grade, not those for a better one";
}

TEST(Trust, LooksAtTheTimeAsOnePieceToo) {
  Measurement m = sound();
  m.compiled_wall.ms = {1.0, 1.1, 1.2};
  const Trust trust = trust_of(m);
  EXPECT_THAT(trust.text(), HasSubstr("3 samples, 30 wanted; IQR 9.1 % of the median, 1 % wanted"));
}

TEST(Trust, GradesTheSpread) {
  Measurement m = sound();
  const auto spread = [&](double step) {
    for (std::size_t at = 0; at < m.wall.ms.size(); ++at)
      m.wall.ms[at] = at % 2 == 0 ? 10.0 : 10.0 + step;
    return trust_of(m);
  };
  EXPECT_THAT(codes(spread(0.2)), testing::Contains("spread"));
  EXPECT_EQ(spread(0.2).grade, TrustGrade::b);
  EXPECT_EQ(spread(0.5).grade, TrustGrade::c);
}

TEST(Trust, IsCWhereStagesMissTheWallTime) {
  Measurement m = sound();
  m.indexing.nodes[0].samples_ms = {9.0};
  EXPECT_EQ(trust_of(m).text(), "C: stages add up to 90 % of the wall time");
}

TEST(Trust, TakesOffWhatMarksCostBeforeItLooksAtTheSumOfStages) {
  Measurement m = sound();
  m.indexing.nodes[0].samples_ms = {11.5};
  EXPECT_EQ(trust_of(m).text(), "C: stages add up to 115 % of the wall time")
      << "of a report that does not know";
  EXPECT_EQ(sum_of_stages_text(m), "11.5 ms");
  m.marks = 300;
  m.marked_ms.assign(40, 11.71);
  EXPECT_EQ(trust_of(m).grade, TrustGrade::b);
  EXPECT_EQ(sum_of_stages_text(m),
            "11.5 ms; without the 1.700 ms that 300 marks cost: 9.800 ms, 98 % of the wall time");
  m.indexing.nodes[0].samples_ms = {13.0};
  EXPECT_EQ(trust_of(m).text(),
            "C: stages add up to 130 % of the wall time, to 113 % without what 300 marks cost");
}

TEST(Trust, TakesNothingOffThatIsLessThanRunsDiffer) {
  Measurement m = sound();
  m.indexing.nodes[0].samples_ms = {11.0};
  m.marks = 300;
  for (int at = 0; at < 40; ++at)
    m.marked_ms.push_back(at % 2 == 0 ? 10.0 : 12.5);
  EXPECT_EQ(trust_of(m).text(), "C: stages add up to 110 % of the wall time");
  EXPECT_EQ(sum_of_stages_text(m), "11.0 ms; its 300 marks cost less than runs differ");
}

TEST(Trust, IsXWhereTheDeviceWasHeldBackThroughout) {
  Measurement m = sound();
  m.state_before.throttled_by = std::vector<std::string>{};
  m.state_after.throttled_by = std::vector<std::string>{"power cap"};
  EXPECT_EQ(trust_of(m).text(), "C: held back by power cap after");
  m.state_before.throttled_by = m.state_after.throttled_by;
  EXPECT_EQ(trust_of(m).text(), "X: held back by power cap before and after");
}

TEST(Trust, IsXWithoutSamples) {
  EXPECT_THAT(trust_of(Measurement{}).text(), StartsWith("X: nothing was measured"));
}

}  // namespace
}  // namespace spira
