#include "engine/tune/tuner.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/scene/batch.hpp"
#include "engine/tune/tune_estimate.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/features.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <thread>

namespace spira {
namespace {

using test::small_tune_request;
using test::tuned_profile;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<int> thresholds_of(const TuningProfile& profile, const LayerShape& shape) {
  std::vector<int> all;
  for (const FeatureRecord& record : profile.features) {
    if (record.scene == 0 && record.shape == shape) all.push_back(record.setting.threshold);
  }
  return all;
}

TEST(Tuner, MeasuresEveryThresholdOfEachShapeOnce) {
  Job job;
  const TuningProfile profile = tune(small_tune_request(), {}, job);
  EXPECT_THAT(thresholds_of(profile, {3, 1, 1, 4, 8}), ElementsAre(0, 1, 2, 3, 4))
      << "layer stem must be measured at each threshold";
  EXPECT_THAT(thresholds_of(profile, {2, 1, 2, 8, 8}), ElementsAre(0, 4))
      << "a strided layer must be measured at both ends only";
  EXPECT_THAT(thresholds_of(profile, {2, 2, 1, 16, 8}), IsEmpty())
      << "a transposed layer must not be measured";
  EXPECT_THAT(thresholds_of(profile, {1, 1, 1, 16, 8}), ElementsAre(0, 1));
  for (const FeatureRecord& record : profile.features)
    EXPECT_TRUE(record.output.ok) << record.shape.text(profile.levels);
  EXPECT_EQ(profile.stopped, "");
  EXPECT_THAT(profile.undecided, IsEmpty());
  std::size_t layers = 0;
  for (const TunedShape& tuned : profile.choices)
    layers += tuned.layers.size();
  EXPECT_EQ(layers, test::little_unet().layers.size());
}

TEST(Tuner, NativeLayersHaveOneSettingAndTwoSearches) {
  TuneRequest request = small_tune_request();
  Network network = *request.network;
  set_neighbourhood(network, {NeighbourShape::ball});
  request.network = std::make_shared<const Network>(network);
  request.algorithms = {MapAlgorithm::binary_search, MapAlgorithm::z_delta, MapAlgorithm::hash};
  Job job;
  const TuningProfile profile = tune(request, {}, job);
  KernelShape ball(3);
  ball.neighbourhood.shape = NeighbourShape::ball;
  EXPECT_THAT(thresholds_of(profile, {ball, 1, 1, 4, 8}), ElementsAre(0));
  std::set<MapAlgorithm> searches;
  for (const MapRecord& record : profile.maps) {
    if (record.map.kernel == ball) searches.insert(record.algorithm);
  }
  EXPECT_EQ(searches, (std::set{MapAlgorithm::z_delta, MapAlgorithm::hash}));
  for (const TunedShape& tuned : profile.choices) {
    if (tuned.shape.kernel != ball) continue;
    EXPECT_EQ(tuned.choice.why, ChoiceReason::only_setting);
  }
  EXPECT_THAT(profile.undecided, IsEmpty());
  TuneRequest on_grid = request;
  on_grid.scenes[0].grid.positions = PositionKind::grid;
  const TuningProfile both = tune(on_grid, profile, job);
  ASSERT_EQ(both.scenes.size(), 2U) << "samples with other positions must not be mixed";
  EXPECT_EQ(both.scenes[0].positions, PositionKind::nearest);
  EXPECT_EQ(both.scenes[1].positions, PositionKind::grid);
  EXPECT_EQ(both.features[0].ms, profile.features[0].ms);
  request.algorithms = {MapAlgorithm::binary_search};
  EXPECT_THROW(static_cast<void>(tune(request, {}, job)), Error);
}

TEST(Tuner, CostsTheMapOfSeveralLayersOnce) {
  Job job;
  const TuningProfile profile = tune(small_tune_request(), {}, job);
  int stem_maps = 0;
  for (const MapRecord& record : profile.maps)
    stem_maps += record.map == MapKey{3, 1, 1} ? 1 : 0;
  EXPECT_EQ(stem_maps, 5) << "the layers stem, join.conv and last must share the map of each t";
}

TEST(Tuner, ComparesPackingsAlgorithmsAndScenes) {
  const TuningProfile& profile = tuned_profile();
  ASSERT_EQ(profile.scenes.size(), 2U);
  EXPECT_NE(profile.scenes[0].fingerprint, profile.scenes[1].fingerprint);
  ASSERT_EQ(profile.indexing.size(), 6U);
  EXPECT_THAT(profile.indexing[2].why_not, HasSubstr("does not fit"));
  EXPECT_TRUE(profile.packing.pack);
  EXPECT_NE(profile.packing.pack, (PackSpec{3, 3, 3}));
  ASSERT_EQ(profile.regret.size(), 3U);
  for (const std::size_t scene : {0, 1}) {
    EXPECT_EQ(profile.regret[scene][scene]->share, 0.0)
        << "the pick of a scene must have no regret on that scene";
    EXPECT_EQ(profile.regret[scene][scene]->tied, false)
        << "the regret of a scene's own pick must not be called tied";
  }
  for (const TunedShape& tuned : profile.choices) {
    EXPECT_EQ(tuned.scene_settings.size(), 2U);
    EXPECT_THAT(tuned.rows_low, Gt(0));
    EXPECT_LE(tuned.rows_low, tuned.rows_high);
  }
}

/// Returns the threshold that the tuner selects for `layers` equal layers of one map, if the row order of the
/// map takes 60 ms, and the features 0.2 ms with t = max but 12 ms with t = 0. The differences are so large
/// that other work on the machine does not change the choice.
int threshold_with_slow_order(int layers) {
  using namespace std::chrono_literals;
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  backend->make_order = [] { std::this_thread::sleep_for(60ms); };
  backend->output_stationary_work = [] { std::this_thread::sleep_for(200us); };
  backend->weight_stationary_work = [] { std::this_thread::sleep_for(12ms); };
  TuneRequest request = small_tune_request({1}, backend);
  std::string json;
  for (int at = 0; at < layers; ++at)
    json += std::string(at == 0 ? "" : ", ") + R"({"out_channels": 4, "name": "layer)" + std::to_string(at) +
            "\"}";
  const Network network = parse_network(R"({"name": "equal", "layers": [)" + json + "]}", "equal.json");
  request.network = std::make_shared<const Network>(network);
  request.weights = std::make_shared<const NetworkWeights>(seeded_weights(network, 1));
  request.thresholds = {0};
  request.protocol.min_samples = request.protocol.max_samples = 9;
  Job job;
  const TuningProfile profile = tune(request, {}, job);
  EXPECT_EQ(profile.choices.size(), 1U);
  return profile.choices.front().choice.setting.threshold;
}

TEST(Tuner, Trap19CountsTheRowOrderOfAMapOnce) {
  EXPECT_EQ(threshold_with_slow_order(1), 0) << "one layer does not save 60 ms";
  EXPECT_EQ(threshold_with_slow_order(20), 4) << "twenty layers share one row order";
}

TEST(Tuner, MeasuresDataflowsThatTheLayersCanRun) {
  TuneRequest request = small_tune_request();
  request.thresholds = {0};
  request.dataflows = {"unsorted", "mask-sorted:2", "mask-sorted:8", "gather"};
  Job job;
  TuningProfile profile = tune(request, {}, job);
  const auto names = [&](const LayerShape& shape) {
    std::vector<std::string> all;
    for (const FeatureRecord& record : profile.features) {
      if (record.shape != shape) continue;
      all.push_back(dataflow_text(record.setting, KernelOffsets(shape.kernel, 1).max_threshold()));
      EXPECT_TRUE(record.output.ok) << all.back();
    }
    return all;
  };
  EXPECT_THAT(names({3, 1, 1, 4, 8}),
              UnorderedElementsAre("os", "ws", "unsorted", "mask-sorted:2", "gather"));
  // The eight columns of K = 2 can be divided into eight splits, one column each.
  EXPECT_THAT(names({2, 1, 2, 8, 8}),
              UnorderedElementsAre("os", "ws", "unsorted", "mask-sorted:2", "mask-sorted:8", "gather"));
  EXPECT_THAT(names({2, 2, 1, 16, 8}), IsEmpty()) << "a transposed layer has one setting";
  std::set<std::string> maps;
  for (const MapRecord& record : profile.maps) {
    EXPECT_EQ(record.setting, record.setting.of_map());
    if (record.map.kernel == KernelShape(3) && record.map.stride_out == 1)
      maps.insert(dataflow_text(record.setting, 4));
  }
  EXPECT_THAT(maps, ElementsAre("mask-sorted:2", "os", "unsorted", "ws"))
      << "gather must read the pair lists of ws";

  // Make gather the fastest, so that the plan uses it.
  for (FeatureRecord& record : profile.features)
    record.ms.assign(9, record.setting.method == FeatureMethod::by_layout ? 9.0 : 1.0);
  for (MapRecord& record : profile.maps)
    record.ms.assign(9, 1.0);
  decide(profile, *request.network);
  const Plan plan = plan_of(profile, *request.network);
  EXPECT_EQ(dataflow_text(request.network->layers[0], plan.layers[0]), "gather");
  EXPECT_EQ(parse_profile(profile_json(profile), "p.json").choices.front().choice.setting,
            profile.choices.front().choice.setting);
  EXPECT_THAT(test::shipped_schema("tune").faults(nlohmann::json::parse(profile_json(profile))), IsEmpty());
}

TEST(Tuner, AskedForFewThresholdsKeepsTMax) {
  TuneRequest request = small_tune_request();
  request.thresholds = {2};
  Job job;
  EXPECT_THAT(thresholds_of(tune(request, {}, job), {3, 1, 1, 4, 8}), ElementsAre(2, 4));
}

TEST(Tuner, AddsOnlyWhatAProfileLacks) {
  Job job;
  TuneRequest request = small_tune_request();
  const TuningProfile first = tune(request, {}, job);
  TuningProfile again = tune(request, first, job);
  ASSERT_EQ(again.features.size(), first.features.size());
  for (std::size_t at = 0; at < first.features.size(); ++at)
    EXPECT_EQ(again.features[at].ms, first.features[at].ms) << "known settings must not be measured again";
  request.algorithms = {MapAlgorithm::z_delta, MapAlgorithm::hash};
  again = tune(request, first, job);
  EXPECT_EQ(again.features.size(), first.features.size());
  EXPECT_EQ(again.maps.size(), 2 * first.maps.size());
  EXPECT_EQ(again.maps[0].ms, first.maps[0].ms);
  again = tune(small_tune_request({2}), first, job);
  EXPECT_EQ(again.scenes.size(), 2U) << "the second scene must be added";
  EXPECT_EQ(again.features.size(), 2 * first.features.size());
  EXPECT_EQ(again.features[0].ms, first.features[0].ms);
}

TEST(Tuner, KnowsTheSettingsOfABatchByItsFrames) {
  Job job;
  const auto batch = [](std::vector<std::uint64_t> seeds) {
    TuneRequest request = small_tune_request({1});
    std::vector<std::shared_ptr<const PointCloud>> frames;
    for (const std::uint64_t seed : seeds)
      frames.push_back(request.scenes[0].cloud = test::small_room(2000, seed));
    request.scenes[0].cloud = batch_of(frames);
    request.scenes[0].pack = PackSpec{10, 10, 8}.with_batch(static_cast<int>(seeds.size()));
    request.packings = {{10, 10, 8}, {12, 12, 7}};
    return request;
  };
  const TuningProfile first = parse_profile(profile_json(tune(batch({1, 2}), {}, job)), "batch.tune.json");
  ASSERT_EQ(first.scenes.size(), 1U);
  EXPECT_EQ(first.scenes[0].batch, 2);
  const TuningProfile again = tune(batch({1, 2}), first, job);
  ASSERT_EQ(again.maps.size(), first.maps.size()) << "the packings of records must not depend on the batch";
  for (std::size_t at = 0; at < first.maps.size(); ++at)
    EXPECT_EQ(again.maps[at].ms, first.maps[at].ms) << "known settings must not be measured again";
  for (const IndexingRecord& record : again.indexing)
    EXPECT_THAT(record.why_not, IsEmpty());
  const TuningProfile other = tune(batch({2, 1}), first, job);
  ASSERT_EQ(other.scenes.size(), 2U) << "the order of the frames is part of the scene";
  EXPECT_NE(other.scenes[0].fingerprint, other.scenes[1].fingerprint);
}

TEST(Tuner, ChecksOfAnotherPlanAreNotKept) {
  TuningProfile known = tuned_profile();
  known.checks[0].scene = 1;
  for (TunedShape& tuned : known.choices) {
    tuned.choice.setting = 0;
    tuned.choice.why = ChoiceReason::fastest;
  }
  Job job;
  TuneRequest request = small_tune_request();
  const TuningProfile again = tune(request, known, job);
  ASSERT_EQ(again.checks.size(), 1U) << "the check of an outdated plan must be dropped";
  EXPECT_EQ(again.checks[0].scene, 0);
  known = again;
  known.checks.push_back(tuned_profile().checks[0]);
  known.checks[1].scene = 1;
  EXPECT_EQ(tune(request, known, job).checks.size(), 2U) << "the check of an unchanged plan must be kept";
}

TEST(Tuner, RefusesAProfileOfAnotherNetworkDeviceOrVersion) {
  Job job;
  const TuneRequest request = small_tune_request();
  const auto fault = [&](TuningProfile known) {
    try {
      static_cast<void>(tune(request, std::move(known), job));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  TuningProfile known = tuned_profile();
  known.network_fingerprint ^= 1U;
  EXPECT_THAT(fault(known), HasSubstr("it was tuned for network "));
  known = tuned_profile();
  known.device.name = "A far GPU";
  EXPECT_THAT(fault(known), HasSubstr("the device differs (A far GPU in the profile"));
  known = tuned_profile();
  known.tool_version = "9.9";
  EXPECT_THAT(fault(known), HasSubstr("the program version differs"));
  known = tuned_profile();
  known.precision = Precision::fp16;
  EXPECT_THAT(fault(known), HasSubstr("the precision differs"));
}

TEST(Tuner, NoBudgetLeavesEveryLayerUndecided) {
  TuneRequest request = small_tune_request();
  request.budget_ms = 1e-6;
  Job job;
  const TuningProfile profile = tune(request, {}, job);
  EXPECT_EQ(profile.stopped, "budget");
  EXPECT_THAT(profile.choices, IsEmpty());
  EXPECT_THAT(profile.features, IsEmpty());
  EXPECT_EQ(profile.undecided.size(), test::little_unet().layers.size());
  EXPECT_EQ(plan_of(profile, test::little_unet()).layers, default_plan(test::little_unet()).layers);
}

TEST(Tuner, UndecidedChoicesAreNotPartOfThePlan) {
  TuningProfile profile = test::settled_profile(small_tune_request());
  const Network network = test::little_unet();
  EXPECT_EQ(plan_of(profile, network).layers[0].threshold, 0);
  ASSERT_EQ(profile.choices[0].layers, std::vector<std::string>{"stem"});
  profile.choices[0].choice.why = ChoiceReason::few_samples;
  EXPECT_EQ(plan_of(profile, network).layers[0], default_plan(network).layers[0]);
  EXPECT_EQ(plan_of(profile, network).layers[2].threshold, 0) << "decided layers must use their choices";
}

TEST(Tuner, ReportsAnEstimateFirstAndThenTheResultsOfEachStep) {
  TuneRequest request = small_tune_request();
  request.protocol.min_samples = request.protocol.max_samples = 5;
  std::vector<TuneStep> steps;
  std::vector<TuneSoFar> results;
  request.on_estimate = [&](const TuneEstimate& estimate) {
    EXPECT_THAT(results, IsEmpty());
    EXPECT_EQ(estimate.layers, 7);
    EXPECT_THAT(estimate.all_ms, Gt(0.0));
    EXPECT_EQ(estimate.covered(request.budget_ms).size(), 7U);
    steps = estimate.scenes.at(0).steps;
  };
  request.on_step = [&](TuneSoFar so_far) { results.push_back(std::move(so_far)); };
  Job job;
  const TuningProfile profile = tune(request, {}, job);
  ASSERT_EQ(steps.size(), 6U) << "each shape except the transposed one must have a step";
  ASSERT_EQ(results.size(), steps.size());
  int decided = 0;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    decided += static_cast<int>(steps[at].layers.size());
    EXPECT_EQ(results[at].layers_decided, decided) << "step " << at;
    EXPECT_EQ(results[at].layers, 7);
    EXPECT_EQ(results[at].profile.undecided.size(), static_cast<std::size_t>(7 - decided));
  }
  EXPECT_EQ(results.back().profile.features.size(), profile.features.size());
}

TEST(Tuner, AStopKeepsTheBestSoFar) {
  auto altered = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  std::stop_source stop;
  altered->before_convolve = [&] {
    // The first run of the network has 7 convolutions.
    if (altered->convolutions == 40) stop.request_stop();
  };
  TuneRequest request = small_tune_request({1}, altered);
  request.protocol.min_samples = request.protocol.max_samples = 100;
  Job job(stop.get_token());
  const TuningProfile profile = tune(request, {}, job);
  EXPECT_EQ(profile.stopped, "interrupted");
  EXPECT_FALSE(profile.choices.empty());
  EXPECT_THAT(profile.checks, IsEmpty());
}

TEST(Tuner, AStopBeforeTheFirstSampleIsThrown) {
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  try {
    static_cast<void>(tune(small_tune_request(), {}, job));
    FAIL() << "the cancelled search must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

TEST(Tuner, ASettingWithAnotherOutputIsLeftOut) {
  auto altered = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  const auto network = test::little_unet();
  // Remove all pairs from pair lists.
  altered->alter_map = [](KernelMap& map) {
    for (auto& part : map.parts) {
      if (part.layout != MapLayout::pair_lists) continue;
      for (auto& count : std::span(static_cast<std::int32_t*>(part.counts.data()), part.columns.size()))
        count = 0;
    }
  };
  Job job;
  const TuningProfile profile = tune(small_tune_request({1}, altered), {}, job);
  int wrong = 0;
  for (const FeatureRecord& record : profile.features)
    wrong += record.output.ok ? 0 : 1;
  EXPECT_THAT(wrong, Gt(0));
  for (const TunedShape& tuned : profile.choices) {
    if (tuned.shape == LayerShape{3, 1, 1, 4, 8}) {
      EXPECT_EQ(tuned.choice.setting, 4);
    }
  }
}

TEST(Tuner, OnAGpuItSaysWhyThePlanIsNotOneGraph) {
  auto altered = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  altered->facts_instead = altered->facts();
  altered->facts_instead->kind = BackendKind::cuda;
  altered->compile_instead = [] { return CompiledNetwork{nullptr, "down: t = 0 runs layer by layer"}; };
  Job job;
  const TuneRequest request = small_tune_request({1}, altered);
  const TuningProfile profile = tune(request, test::settled_profile(request), job);
  ASSERT_EQ(profile.checks.size(), 1U);
  EXPECT_EQ(profile.checks[0].not_compiled, "down: t = 0 runs layer by layer");
  EXPECT_TRUE(profile.checks[0].output.ok);
  EXPECT_EQ(profile.checks[0].tuned.ms.size(), 2U);
}

TEST(OutputDifference, OfKnownValues) {
  const auto features = [](const std::vector<float>& values) {
    return test::features_of(values, static_cast<int>(values.size()), Precision::fp32);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const OutputDifference some = output_difference(features({1.0F, -8.0F}), features({1.0F, -8.0004F}));
  EXPECT_NEAR(some.max_abs, 4e-4, 1e-6);
  EXPECT_NEAR(some.max_rel, 5e-5, 1e-7);
  EXPECT_TRUE(some.ok);
  EXPECT_FALSE(output_difference(features({1.0F}), features({1.001F})).ok);
  EXPECT_TRUE(output_difference(features({nan, inf}), features({nan, inf})).ok);
  EXPECT_FALSE(output_difference(features({nan}), features({1.0F})).ok);
  EXPECT_FALSE(output_difference(features({inf}), features({-inf})).ok);
  EXPECT_EQ(output_difference(features({nan, inf, 1.0F}), features({nan, inf, 1.0F})).non_finite, 2);
  EXPECT_EQ(output_difference(features({1.0F, 2.0F}), features({1.0F, inf})).non_finite, 1);
  EXPECT_TRUE(output_difference(features({0.0F}), features({0.0F})).ok);
  EXPECT_THROW(static_cast<void>(output_difference(features({1.0F}), features({1.0F, 2.0F}))), Error);
}

}  // namespace
}  // namespace spira
