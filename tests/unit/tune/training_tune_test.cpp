// Tests tuning for training steps: the records and choices of all passes, the profile, and the plan.
#include "engine/base/error.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/tune/apply_profile.hpp"
#include "engine/tune/map_groups.hpp"
#include "engine/tune/tune_estimate.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace spira {
namespace {

using nlohmann::json;
using test::little_unet;
using test::small_tune_request;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const LayerShape stem{3, 1, 1, 4, 8}, last{3, 1, 1, 8, 8};
const LayerSetting unsorted{4, MapLayout::output_major, 0, FeatureMethod::by_layout},
    gather{0, MapLayout::z_runs, 0, FeatureMethod::gather_gemm_scatter};

TuneRequest training_request() {
  TuneRequest request = small_tune_request();
  request.training = true;
  request.thresholds = {0, 4};
  request.dataflows = {"unsorted", "gather"};
  return request;
}

const TuningProfile& trained_profile() {
  static const TuningProfile made = [] {
    Job job;
    return tune(training_request(), {}, job);
  }();
  return made;
}

std::set<LayerSetting> settings_of(const TuningProfile& profile, const LayerShape& shape, LayerPass pass) {
  std::set<LayerSetting> all;
  for (const FeatureRecord& record : profile.features) {
    if (record.shape == shape && record.pass == pass) all.insert(record.setting);
  }
  return all;
}

const TunedShape& choice_of(const TuningProfile& profile, const std::string& layer) {
  return *std::find_if(profile.choices.begin(), profile.choices.end(), [&](const TunedShape& one) {
    return std::find(one.layers.begin(), one.layers.end(), layer) != one.layers.end();
  });
}

std::string fault_of(const json& document) {
  try {
    static_cast<void>(parse_profile(document.dump(), "p.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(TrainingTune, EachPassIsMeasuredWithTheSettingsThatItCanHave) {
  const TuningProfile& profile = trained_profile();
  EXPECT_TRUE(profile.training);
  EXPECT_EQ(settings_of(profile, last, LayerPass::forward), (std::set<LayerSetting>{0, 4, unsorted, gather}));
  EXPECT_EQ(settings_of(profile, last, LayerPass::dgrad), (std::set<LayerSetting>{0, 4, unsorted, gather}));
  EXPECT_EQ(settings_of(profile, last, LayerPass::wgrad), (std::set<LayerSetting>{0, 4, unsorted}));
  const LayerShape down{2, 1, 2, 8, 8}, up{2, 2, 1, 16, 8, true};
  EXPECT_EQ(settings_of(profile, down, LayerPass::dgrad), (std::set<LayerSetting>{0, gather}));
  EXPECT_EQ(settings_of(profile, down, LayerPass::wgrad), (std::set<LayerSetting>{0, 4, unsorted}));
  EXPECT_EQ(settings_of(profile, up, LayerPass::forward), std::set<LayerSetting>{})
      << "a transposed layer has only one setting";
  EXPECT_EQ(settings_of(profile, up, LayerPass::dgrad), (std::set<LayerSetting>{0, 4, unsorted, gather}));
  for (const FeatureRecord& record : profile.features) {
    EXPECT_EQ(record.ms.size(), 2U);
    EXPECT_TRUE(record.output.ok) << text_of(record.pass) << " " << record.output.max_rel;
  }
  ASSERT_EQ(profile.checks.size(), 1U);
  EXPECT_TRUE(profile.checks[0].output.ok);
}

TEST(TrainingTune, ChoicesContainThePassesThatExist) {
  const TuningProfile& profile = trained_profile();
  EXPECT_FALSE(choice_of(profile, "stem").dgrad) << "the input of the network needs no gradient";
  EXPECT_TRUE(choice_of(profile, "stem").wgrad);
  EXPECT_TRUE(choice_of(profile, "last").dgrad && choice_of(profile, "last").wgrad);
  EXPECT_TRUE(profile.undecided.empty());
  Job job;
  TuneRequest inference = training_request();
  inference.training = false;
  const TuningProfile forward = tune(inference, {}, job);
  EXPECT_FALSE(choice_of(forward, "last").dgrad || choice_of(forward, "last").wgrad);
  EXPECT_TRUE(plan_of(forward, *inference.network).backward.empty());
}

/// Gives all records constant times: 10 ms for all passes, but 20 ms for forward passes that read pair lists,
/// and 1 ms for all maps.
TuningProfile with_constant_times() {
  TuningProfile profile = trained_profile();
  for (FeatureRecord& record : profile.features)
    record.ms.assign(5, record.pass == LayerPass::forward && record.setting.of_map() == 0 ? 20.0 : 10.0);
  for (MapRecord& record : profile.maps)
    record.ms.assign(5, 1.0);
  return profile;
}

void set_times(TuningProfile& profile, const LayerShape& shape, LayerPass pass, const LayerSetting& setting,
               double ms) {
  for (FeatureRecord& record : profile.features) {
    if (record.shape == shape && record.pass == pass && record.setting == setting) record.ms.assign(5, ms);
  }
}

TEST(TrainingTune, AllPassesOfAGroupAreChosenTogether) {
  const Network network = little_unet();
  TuningProfile profile = with_constant_times();
  // The map of t = 0 takes 9 ms in addition. It saves 4 ms in two passes of the layer "last".
  for (MapRecord& record : profile.maps)
    if (record.setting == 0) record.ms.assign(5, 9.0);
  set_times(profile, last, LayerPass::dgrad, 0, 6);
  set_times(profile, last, LayerPass::wgrad, 0, 6);
  decide(profile, network);
  EXPECT_EQ(choice_of(profile, "last").dgrad->setting, 4) << "a map of 9 ms must not be built to save 8 ms";
  EXPECT_EQ(choice_of(profile, "last").wgrad->setting, 4);
  set_times(profile, last, LayerPass::wgrad, 0, 4);
  decide(profile, network);
  EXPECT_EQ(choice_of(profile, "last").choice.setting, 4);
  EXPECT_EQ(choice_of(profile, "last").dgrad->setting, 0) << "both passes together save 10 ms";
  EXPECT_EQ(choice_of(profile, "last").wgrad->setting, 0);
  profile.training = false;
  decide(profile, network);
  EXPECT_EQ(choice_of(profile, "last").choice.setting, 4);
  EXPECT_FALSE(choice_of(profile, "last").dgrad);
}

TEST(TrainingTune, ThePlanHasTheChoicesOfAllPasses) {
  const auto network = std::make_shared<const Network>(little_unet());
  TuningProfile profile = with_constant_times();
  const LayerShape up{2, 2, 1, 16, 8, true};
  set_times(profile, up, LayerPass::dgrad, unsorted, 2);
  set_times(profile, last, LayerPass::wgrad, 0, 2);
  decide(profile, *network);
  const Plan plan = plan_of(profile, *network);
  const auto at = [&](const char* name) { return static_cast<std::size_t>(network->index_of(name)); };
  ASSERT_EQ(plan.backward.size(), network->layers.size());
  EXPECT_EQ(plan.backward[at("up")].dgrad.dataflow(), unsorted);
  EXPECT_EQ(plan.backward[at("last")].wgrad.dataflow(), LayerSetting(0));
  EXPECT_EQ(plan.backward[at("last")].dgrad.dataflow(), LayerSetting(4));
  const TuneRequest request = training_request();
  Job job;
  Session session(request.backend, network, request.weights);
  static_cast<void>(session.load(request.scenes[0].cloud, request.scenes[0].grid, request.scenes[0].pack,
                                 Precision::fp32, job));
  session.prepare_training({});
  const BackwardResult result = session.execute_training_step(plan, job);
  EXPECT_EQ(result.layers[at("up")].dgrad, "unsorted");
  EXPECT_EQ(result.layers[at("last")].wgrad, "ws");
  ProfileUse use;
  use.network = network.get();
  const auto scene = session.scene();
  use.scene = scene.get();
  use.device = request.backend->facts();
  use.tool_version = test::tuned_by;
  const AppliedProfile applied = apply_profile(profile, use, default_plan(*network), "x");
  EXPECT_EQ(applied.plan.backward, plan.backward);
  for (TunedShape& tuned : profile.choices) {
    if (tuned.shape == LayerShape{2, 1, 2, 8, 8}) tuned.dgrad->setting = 4;
  }
  const AppliedProfile wrong = apply_profile(profile, use, default_plan(*network), "x");
  EXPECT_EQ(wrong.why_not, applied.why_not) << "the other passes of the layer can use the profile";
  ASSERT_EQ(wrong.passes_not_used.size(), 1U);
  EXPECT_EQ(wrong.passes_not_used[0].layer, at("down"));
  EXPECT_EQ(wrong.passes_not_used[0].pass, LayerPass::dgrad);
  EXPECT_THAT(wrong.lines(*network),
              testing::Contains("  not applied to dgrad of down: the profile has t = 4; only "
                                "pair lists (t = 0) can exchange inputs and outputs"));
  EXPECT_EQ(wrong.plan.layers, applied.plan.layers);
  EXPECT_EQ(wrong.plan.backward[at("down")].wgrad, applied.plan.backward[at("down")].wgrad);
  const Levels levels = levels_of(*network);
  const BackwardPlan plain =
      default_backward(network->layers[at("down")], levels.layers[at("down")], wrong.plan.layers[at("down")]);
  EXPECT_EQ(wrong.plan.backward[at("down")].dgrad, plain.dgrad);
  EXPECT_EQ(plan_of(profile, *network).backward[at("down")].dgrad, plain.dgrad);
}

TEST(TrainingTune, TheBackwardPassesFollowASettingOfTheUser) {
  const Network network = little_unet();
  TuningProfile profile = with_constant_times();
  set_times(profile, last, LayerPass::dgrad, unsorted, 2);
  decide(profile, network);
  EXPECT_EQ(choice_of(profile, "last").dgrad->setting, unsorted);
  Plan plan = plan_of(profile, network);
  const auto at = static_cast<std::size_t>(network.index_of("last"));
  note_threshold_source(plan, at, "profile:x");
  plan.layers[at].set_threshold(2);
  const TuningProfile by_hand = with_user_choices(profile, network, plan, "x");
  EXPECT_EQ(choice_of(by_hand, "last").choice.why, ChoiceReason::user);
  const BackwardPlan backward = plan_of(by_hand, network).backward[at];
  EXPECT_EQ(backward.dgrad.dataflow(), LayerSetting(2));
  EXPECT_EQ(backward.wgrad.dataflow(), LayerSetting(2));
}

TEST(TrainingTune, AProfileIsExtendedByThePassesButNotReduced) {
  Job job;
  TuneRequest request = training_request();
  request.training = false;
  TuningProfile forward = tune(request, {}, job);
  for (FeatureRecord& record : forward.features)
    record.ms.assign(3, 123.0);
  request.training = true;
  const TuningProfile both = tune(request, forward, job);
  for (const FeatureRecord& record : both.features)
    EXPECT_EQ(record.ms.front() == 123.0, record.pass == LayerPass::forward);
  EXPECT_GT(both.features.size(), forward.features.size());
  request.training = false;
  try {
    static_cast<void>(tune(request, both, job));
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("it was tuned for training steps"));
  }
}

TEST(TrainingTune, AProfileKeepsThePasses) {
  TuningProfile profile = with_constant_times();
  set_times(profile, last, LayerPass::dgrad, gather, 1);
  decide(profile, little_unet());
  const std::string text = profile_json(profile);
  const TuningProfile back = parse_profile(text, "p.json");
  EXPECT_EQ(profile_json(back), text);
  EXPECT_TRUE(back.training);
  EXPECT_EQ(choice_of(back, "last").dgrad->setting, gather);
  EXPECT_EQ(settings_of(back, last, LayerPass::wgrad), settings_of(profile, last, LayerPass::wgrad));
}

TEST(TrainingTune, OlderProfilesAreForForwardPasses) {
  json document = json::parse(profile_json(test::tuned_profile()));
  document["schema_version"] = "1.8";
  document.erase("training");
  for (json& record : document["features"])
    record.erase("pass");
  const TuningProfile old = parse_profile(document.dump(), "p.json");
  EXPECT_FALSE(old.training);
  EXPECT_EQ(profile_json(old), profile_json(test::tuned_profile()));
}

TEST(TrainingTune, FaultsOfPassesAreOneLine) {
  const json right = json::parse(profile_json(trained_profile()));
  json wrong = right;
  wrong["features"][0]["pass"] = "sideways";
  EXPECT_EQ(fault_of(wrong),
            "p.json: features[0].pass: \"sideways\"; expected one of: forward, dgrad, wgrad");
  wrong = right;
  wrong["features"][0].erase("pass");
  EXPECT_EQ(fault_of(wrong),
            "p.json: features[0].pass: is missing; a profile for training steps requires this key");
  wrong = right;
  wrong["features"].push_back(right["features"][0]);
  EXPECT_EQ(fault_of(wrong), "p.json: features[" + std::to_string(right["features"].size()) +
                                 "].key: a second record of the same scene, layer, pass and setting");
  wrong = right;
  wrong["features"][0]["pass"] = "wgrad";
  wrong["features"][0].erase("t");
  wrong["features"][0]["dataflow"] = "gather";
  EXPECT_EQ(fault_of(wrong), "p.json: features[0].dataflow: wgrad does not support gather-GEMM-scatter");
  wrong = right;
  wrong["training"] = 1;
  EXPECT_THAT(fault_of(wrong), AllOf(HasSubstr("p.json: training"), Not(HasSubstr("\n"))));
  wrong = right;
  for (json& choice : wrong["choices"])
    if (choice.contains("wgrad")) choice["wgrad"]["why"] = "mood";
  EXPECT_THAT(fault_of(wrong), AllOf(HasSubstr(".wgrad.why: \"mood\""), Not(HasSubstr("\n"))));
}

/// Returns the forecast for training steps with t = max.
MemoryForecast forecast_of(const TuneRequest& request) {
  Job job;
  Session session(request.backend, request.network, request.weights);
  const TuneScene& scene = request.scenes.front();
  static_cast<void>(session.load(scene.cloud, scene.grid, scene.pack, request.precision, job));
  Plan plan = default_plan(*request.network);
  plan.precision = request.precision;
  return training_forecast(session, plan);
}

TEST(TrainingTune, TheEstimateContainsTheMemoryOfAStep) {
  TuneRequest request = training_request();
  std::optional<TuneEstimate> estimate;
  request.on_estimate = [&](const TuneEstimate& one) { estimate = one; };
  Job job;
  static_cast<void>(tune(request, {}, job));
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->step_bytes, forecast_of(request).run());
  EXPECT_THAT(estimate->too_large, testing::IsEmpty());
  EXPECT_THAT(estimate->text(1000), HasSubstr("; a training step needs about "));
  request.training = false;
  static_cast<void>(tune(request, {}, job));
  EXPECT_EQ(estimate->step_bytes, 0U);
  EXPECT_THAT(estimate->text(1000), Not(HasSubstr("training step")));
}

/// Returns a back end whose device has just enough memory for training steps with t = max.
std::shared_ptr<test::AlteredBackend> full_device(const TuneRequest& request, std::size_t missing = 0) {
  auto backend = std::make_shared<test::AlteredBackend>(request.backend);
  DeviceFacts facts = backend->facts();
  // require_memory() tolerates a forecast of a quarter more than the memory.
  facts.memory_bytes = ((forecast_of(request).total() - missing) * 4 + 4) / 5;
  backend->facts_instead = facts;
  return backend;
}

TEST(TrainingTune, AStepThatNeedsTooMuchMemoryIsRefusedBeforeItRuns) {
  TuneRequest request = training_request();
  const auto backend = full_device(request, 1000);
  request.backend = backend;
  Job job;
  try {
    static_cast<void>(tune(request, {}, job));
    FAIL() << "the step does not fit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("the network needs about"), HasSubstr("use larger voxels")));
  }
  EXPECT_EQ(backend->convolutions, 0);
}

TEST(TrainingTune, SettingsThatNeedTooMuchMemoryAreSkipped) {
  TuneRequest request = training_request();
  request.backend = full_device(request);
  std::optional<TuneEstimate> estimate;
  request.on_estimate = [&](const TuneEstimate& one) { estimate = one; };
  Job job;
  const TuningProfile profile = tune(request, {}, job);
  ASSERT_TRUE(estimate);
  EXPECT_THAT(estimate->too_large, testing::Contains("stem, wgrad, unsorted"));
  EXPECT_THAT(estimate->text(1000),
              AllOf(HasSubstr(" settings skipped, because the device has too little memory for "),
                    HasSubstr(" and others")));
  EXPECT_THAT(settings_of(profile, stem, LayerPass::wgrad), Not(testing::Contains(unsorted)));
  EXPECT_THAT(settings_of(trained_profile(), stem, LayerPass::wgrad), testing::Contains(unsorted));
  EXPECT_THAT(settings_of(profile, stem, LayerPass::forward), testing::Contains(LayerSetting(4)));
  EXPECT_FALSE(profile.choices.empty());
}

TEST(TrainingTune, ANetworkWithoutGradientsIsRefused) {
  TuneRequest request = training_request();
  Network network = little_unet();
  network.layers.back().activation = Activation::sigmoid;
  request.network = std::make_shared<const Network>(network);
  Job job;
  EXPECT_THROW(static_cast<void>(tune(request, {}, job)), Error);
}

}  // namespace
}  // namespace spira
