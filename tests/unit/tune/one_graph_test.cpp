#include "app/common/backends.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/tuner.hpp"
#include "engine/tune/tuning_profile.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::tuned_profile;
using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

const LayerShape stem_shape{3, 1, 1, 4, 8};

/// A profile that selects t = 0 for every layer on two scenes. A network with these settings cannot be
/// compiled into one graph.
class OneGraph : public testing::Test {
 protected:
  OneGraph() {
    for (TunedShape& tuned : profile_.choices) {
      if (tuned.choice.why != ChoiceReason::only_setting)
        choose_instead(tuned.choice, 0, ChoiceReason::fastest);
    }
    PlanCheck check = profile_.checks.at(0);
    check.tuned.ms = {2.0, 2.1, 2.0, 2.1, 2.0, 2.1};
    check.all_output_stationary.ms = check.all_weight_stationary.ms = {3.0, 3.1, 3.0, 3.1, 3.0, 3.1};
    check.one_graph.ms = fast_;
    profile_.checks = {check, check};
    profile_.checks[1].scene = 1;
  }

  const std::vector<double> fast_{1.0, 1.1, 1.0, 1.1, 1.0, 1.1};
  TuningProfile profile_ = tuned_profile();
};

TEST_F(OneGraph, WinsOverPicksThatPreventOneGraph) {
  const std::vector<double> picks = profile_.checks[0].tuned.ms;
  ASSERT_TRUE(prefer_one_graph(profile_));
  const Network network = test::little_unet();
  EXPECT_EQ(plan_of(profile_, network).layers, default_plan(network).layers);
  for (const TunedShape& tuned : profile_.choices) {
    if (tuned.choice.why == ChoiceReason::only_setting) continue;
    EXPECT_EQ(tuned.choice.why, ChoiceReason::one_graph);
    EXPECT_EQ(choice_note(tuned), "required for one CUDA graph");
    EXPECT_FALSE(margin_ms(tuned).has_value()) << "a choice made for the graph must have no margin";
    EXPECT_EQ(cost_of_max(tuned)->extra_ms, 0) << "costs must be relative to the chosen setting";
  }
  for (const PlanCheck& check : profile_.checks) {
    EXPECT_THAT(check.tuned.ms, IsEmpty()) << "the plan must not be timed against itself";
    EXPECT_EQ(check.layer_picks.ms, picks);
  }
  EXPECT_THAT(profile_.regret.back(), Each(testing::Eq(std::nullopt)));
  EXPECT_FALSE(expected_gain(profile_, &PlanCheck::all_output_stationary).has_value());
  const TuningProfile read = parse_profile(profile_json(profile_), "x.tune.json");
  EXPECT_EQ(profile_json(read), profile_json(profile_));
  EXPECT_EQ(read.checks[0].layer_picks.ms, picks);
}

TEST_F(OneGraph, LosesIfItIsNotFasterOnEveryScene) {
  const std::string before = profile_json(profile_);
  profile_.checks[1].one_graph.ms = {2.0, 2.1, 2.0, 2.1, 2.0, 2.1};
  EXPECT_FALSE(prefer_one_graph(profile_)) << "an undecided scene must prevent the choice of one graph";
  profile_.checks[1].one_graph.ms = {1.0, 1.1};
  EXPECT_FALSE(prefer_one_graph(profile_)) << "too few samples must prevent the choice of one graph";
  profile_.checks[1].one_graph.ms = fast_;
  EXPECT_EQ(profile_json(profile_), before) << "a refused choice must not change the profile";
  profile_.checks[1].not_compiled.clear();
  EXPECT_FALSE(prefer_one_graph(profile_)) << "picks that already run as one graph must be kept";
  profile_.checks.clear();
  EXPECT_FALSE(prefer_one_graph(profile_));
}

/// A compiled network that does no work.
class NoWork : public NetworkRun {
 public:
  explicit NoWork(int& runs) : runs_(runs) {}
  [[nodiscard]] const NetworkRunFacts& facts() const noexcept override { return facts_; }
  void set_points(const PointCloud&) override {}
  void run() override { ++runs_; }
  Timeline timeline(int, Job&) override { return {}; }
  CoordSet level(int) override { return {}; }
  Features output(int) override { return {}; }

 private:
  int& runs_;
  NetworkRunFacts facts_;
};

TEST(Tuner, OnAGpuTheGraphOfTMaxIsTimedBesideThePicks) {
  auto altered = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  altered->facts_instead = altered->facts();
  altered->facts_instead->kind = BackendKind::cuda;
  int asked = 0, runs = 0;
  altered->compile_instead = [&] {
    return ++asked == 1 ? CompiledNetwork{nullptr, "down: t = 0 runs layer by layer"}
                        : CompiledNetwork{std::make_unique<NoWork>(runs), {}};
  };
  Job job;
  const TuneRequest request = test::small_tune_request({1}, altered);
  const TuningProfile settled = test::settled_profile(request);
  asked = 0;
  const TuningProfile profile = tune(request, settled, job);
  ASSERT_THAT(profile.checks, SizeIs(1));
  EXPECT_THAT(profile.checks[0].one_graph.ms, SizeIs(2));
  EXPECT_GE(runs, 2);
  EXPECT_THAT(profile.checks[0].tuned.ms, SizeIs(2)) << "the graph must not win with two samples";
  EXPECT_THAT(profile.checks[0].layer_picks.ms, IsEmpty());
}

}  // namespace
}  // namespace spira
