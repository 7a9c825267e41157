// Tests training steps: compares the gradients of whole networks with central differences and between back
// ends. Also tests loss scales, the measurement of steps, and the refusal of networks that cannot be trained.
#include "engine/run/backward.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/file.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/report/compare/compare.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/reproduce.hpp"
#include "engine/report/validate.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/scene/formats/npy_header.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spira {
namespace {

const Grid coarse_grid{{0.4, 0.4, 0.4}, {}};

/// A network with joined inputs, two readers of one output, a residual, an output that is only a residual,
/// and a layer that no other layer reads.
Network every_connection() {
  Network network = test::little_unet();
  Layer only_residual = network.layers.front(), reader = network.layers.back(),
        unread = network.layers.front();
  only_residual.name = "only_residual";
  only_residual.inputs = {"stem"};
  only_residual.in_channels = 8;
  reader.name = "end";
  reader.inputs = {"last"};
  reader.residual = "only_residual";
  unread.name = "unread";
  unread.inputs = {"last"};
  unread.in_channels = 8;
  network.layers.push_back(only_residual);
  network.layers.push_back(unread);
  network.layers.push_back(reader);
  network.outputs = {"end"};
  return network;
}

/// A session with a small scene. Each step of a test makes one, because weights of a session do not change.
struct Step {
  Job job;
  std::shared_ptr<Backend> backend;
  std::shared_ptr<const Network> network;
  Plan plan;
  Session session;

  Step(const std::string& name, const Network& wanted, const NetworkWeights& weights,
       Precision precision = Precision::fp32)
      : backend(app::make_registry().make(name)),
        network(std::make_shared<const Network>(wanted)),
        plan(default_plan(wanted)),
        session(backend, network, std::make_shared<const NetworkWeights>(weights)) {
    plan.precision = precision;
    static_cast<void>(session.load(test::small_room(500), coarse_grid, PackSpec::bits32(), precision, job));
  }
  [[nodiscard]] std::vector<double> output() {
    const int index = output_layers(*network).front();
    const Features& y = *session.run_layer(index, plan, job)->features;
    std::vector<double> values;
    for (std::int64_t row = 0; row < y.rows; ++row) {
      for (int channel = 0; channel < y.channels; ++channel)
        values.push_back(static_cast<double>(feature_at(y, row, channel)));
    }
    return values;
  }
  [[nodiscard]] BackwardResult gradients(const TrainingRequest& request) {
    session.prepare_training(request);
    return session.execute_training_step(plan, job);
  }
};

std::vector<float> floats_of(const Buffer& buffer) {
  const auto values = buffer.host_span<float>();
  return {values.begin(), values.end()};
}

std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(random.normal());
  return values;
}

double largest_of(const std::vector<float>& values) {
  double largest = 0;
  for (const float value : values)
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

/// Expects that no gradient differs by more than `share` of the largest value of its layer.
void expect_close(const BackwardResult& found, const BackwardResult& expected, double share,
                  const std::string& what) {
  ASSERT_EQ(found.layers.size(), expected.layers.size());
  for (std::size_t at = 0; at < found.layers.size(); ++at) {
    for (const auto member : {&MasterWeights::weight, &MasterWeights::bias}) {
      const auto ours = floats_of(found.layers[at].weights.*member),
                 theirs = floats_of(expected.layers[at].weights.*member);
      ASSERT_EQ(ours.size(), theirs.size()) << what;
      const double limit = share * largest_of(theirs);
      for (std::size_t value = 0; value < ours.size(); ++value)
        ASSERT_NEAR(static_cast<double>(ours[value]), static_cast<double>(theirs[value]), limit)
            << what << ", layer " << at;
    }
  }
}

class Backward : public testing::TestWithParam<std::string> {};

TEST_P(Backward, Trap24_GradientsOfANetworkEqualCentralDifferences) {
  const Network network = every_connection();
  NetworkWeights weights = seeded_weights(network, 3);
  TrainingRequest request;
  const auto loss = [&] {
    double sum = 0;
    const auto y = Step(GetParam(), network, weights).output();
    if (request.first_gradient.empty()) request.first_gradient = random_values(y.size(), 4);
    for (std::size_t at = 0; at < y.size(); ++at)
      sum += y[at] * static_cast<double>(request.first_gradient[at]);
    return sum;
  };
  EXPECT_NE(loss(), 0);
  const BackwardResult found = Step(GetParam(), network, weights).gradients(request);
  Random random(5);
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    const LayerGradients& gradients = found.layers[layer];
    if (network.layers[layer].name == "unread") {
      EXPECT_TRUE(gradients.wgrad.empty() && gradients.dgrad.empty());
      EXPECT_EQ(gradients.weights.weight.bytes(), 0U);
      continue;
    }
    EXPECT_EQ(gradients.dgrad.empty(), network.layers[layer].name == "stem");
    EXPECT_FALSE(gradients.wgrad.empty());
    const auto check = [&](std::vector<float>& values, const std::vector<float>& gradient) {
      ASSERT_EQ(values.size(), gradient.size());
      const double largest = largest_of(gradient);
      EXPECT_GT(largest, 0.01);
      for (int entry = 0; entry < 3; ++entry) {
        constexpr float step = 1e-3F;
        const auto at = random.below(values.size());
        const float before = values[at];
        values[at] = before + step;
        const double above = loss(), over = static_cast<double>(values[at]);
        values[at] = before - step;
        const double below = loss(), under = static_cast<double>(values[at]);
        values[at] = before;
        EXPECT_NEAR(static_cast<double>(gradient[at]), (above - below) / (over - under), 0.02 * largest)
            << network.layers[layer].name << " " << at;
      }
    };
    check(weights.layers[layer].weight, floats_of(gradients.weights.weight));
    check(weights.layers[layer].bias, floats_of(gradients.weights.bias));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Backward, testing::Values("reference", "cpu"),
                         [](const auto& about) { return about.param; });

TEST(TrainingStep, Trap24_DescentFollowsTheReferenceAndTheLossFalls) {
  const Network network = every_connection();
  const NetworkWeights start = seeded_weights(network, 3);
  const auto losses_on = [&](const std::string& backend) {
    NetworkWeights weights = start;
    std::vector<double> losses;
    for (int step = 0; step < 20; ++step) {
      Step at(backend, network, weights);
      const auto y = at.output();
      const auto target = random_values(y.size(), 9);
      TrainingRequest request;
      double loss = 0;
      for (std::size_t value = 0; value < y.size(); ++value) {
        const double difference = y[value] - static_cast<double>(target[value]);
        loss += difference * difference / 2 / static_cast<double>(y.size());
        request.first_gradient.push_back(static_cast<float>(difference / static_cast<double>(y.size())));
      }
      losses.push_back(loss);
      const BackwardResult found = at.gradients(request);
      for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
        constexpr float rate = 0.1F;
        const auto descend = [](std::vector<float>& values, const std::vector<float>& gradient) {
          for (std::size_t value = 0; value < gradient.size(); ++value)
            values[value] -= rate * gradient[value];
        };
        descend(weights.layers[layer].weight, floats_of(found.layers[layer].weights.weight));
        descend(weights.layers[layer].bias, floats_of(found.layers[layer].weights.bias));
      }
    }
    return losses;
  };
  const auto ours = losses_on("cpu"), truth = losses_on("reference");
  for (std::size_t step = 0; step < truth.size(); ++step)
    EXPECT_NEAR(ours[step], truth[step], 1e-3 * truth[step]) << step;
  EXPECT_LT(ours.back(), 0.8 * ours.front());
}

TEST(TrainingStep, AllDataflowsGiveTheSameGradients) {
  const Network network = every_connection();
  const NetworkWeights weights = seeded_weights(network, 3);
  Step reference("reference", network, weights);
  const BackwardResult expected = reference.gradients({});
  for (const char* dataflow : {"os", "ws", "hybrid:1", "unsorted", "mask-sorted:2", "gather"}) {
    Step step("cpu", network, weights);
    for (std::size_t at = 0; at < network.layers.size(); ++at) {
      const Layer& layer = network.layers[at];
      const auto possible = dataflows_of(layer);
      if (std::find(possible.begin(), possible.end(), dataflow) != possible.end())
        step.plan.layers[at] = with_dataflow(layer, step.plan.layers[at], dataflow);
    }
    const BackwardResult found = step.gradients({});
    expect_close(found, expected, 1e-4, dataflow);
    // The results must name the dataflows that ran (trap 16 in docs/architecture.md). Strided layers need
    // pair lists for their dgrad.
    EXPECT_EQ(found.layers[2].dgrad, dataflow);
    EXPECT_EQ(found.layers[2].wgrad, std::string(dataflow) == "gather" ? "ws" : dataflow);
    EXPECT_EQ(found.layers[1].dgrad, std::string(dataflow) == "gather" ? "gather" : "ws");
  }
}

LayerPlan plan_with(const std::string& dataflow) {
  LayerPlan plan;
  plan.set(setting_of(dataflow, 4).value());
  return plan;
}

std::vector<BackwardPlan> default_plans(const Plan& plan, const Network& network) {
  const Levels levels = levels_of(network);
  std::vector<BackwardPlan> plans;
  for (std::size_t at = 0; at < network.layers.size(); ++at)
    plans.push_back(backward_of(plan, network, levels, at));
  return plans;
}

TEST(TrainingStep, APlanCanHaveSettingsOfItsOwnForEachPass) {
  const Network network = every_connection();
  const NetworkWeights weights = seeded_weights(network, 3);
  Step reference("reference", network, weights);
  const BackwardResult expected = reference.gradients({});
  Step step("cpu", network, weights);
  step.plan.backward = default_plans(step.plan, network);
  const auto down = static_cast<std::size_t>(network.index_of("down")),
             deep = static_cast<std::size_t>(network.index_of("deep")),
             up = static_cast<std::size_t>(network.index_of("up"));
  step.plan.backward[down] = {plan_with("gather"), plan_with("unsorted")};
  step.plan.backward[deep] = {plan_with("mask-sorted:3"), plan_with("hybrid:2")};
  step.plan.backward[up].dgrad = plan_with("unsorted");
  const BackwardResult found = step.gradients({});
  expect_close(found, expected, 1e-4, "settings for each pass");
  EXPECT_EQ(found.layers[down].dgrad, "gather");
  EXPECT_EQ(found.layers[down].wgrad, "unsorted");
  EXPECT_EQ(found.layers[deep].dgrad, "mask-sorted:3");
  EXPECT_EQ(found.layers[deep].wgrad, "hybrid:2");
  EXPECT_EQ(found.layers[up].dgrad, "unsorted") << "dgrad of a transposed layer is a strided convolution";
  EXPECT_EQ(found.layers[up].wgrad, "ws");
  EXPECT_LT(forecast_training(*step.backend, *step.session.scene(), network, default_plan(network), 0),
            forecast_training(*step.backend, *step.session.scene(), network, step.plan, 0))
      << "the forecast must contain the additional maps";
}

TEST(TrainingStep, RefusesSettingsThatAPassCannotHave) {
  const Network network = every_connection();
  const Levels levels = levels_of(network);
  const auto why = [&](const char* name, LayerPass pass, const char* dataflow) {
    const auto at = static_cast<std::size_t>(network.index_of(name));
    const int most = KernelOffsets(network.layers[at].kernel(), 1).max_threshold();
    return why_not_pass(network.layers[at], levels.layers[at], pass, setting_of(dataflow, most).value());
  };
  EXPECT_EQ(why("down", LayerPass::dgrad, "os"), "only pair lists (t = 0) can exchange inputs and outputs");
  EXPECT_EQ(why("down", LayerPass::dgrad, "gather"), "");
  EXPECT_EQ(why("down", LayerPass::wgrad, "os"), "");
  EXPECT_EQ(why("deep", LayerPass::dgrad, "os"), "");
  EXPECT_EQ(why("deep", LayerPass::wgrad, "gather"), "wgrad does not support gather-GEMM-scatter");
  EXPECT_EQ(why("up", LayerPass::dgrad, "mask-sorted:2"), "");
  EXPECT_NE(why("up", LayerPass::forward, "mask-sorted:2"), "");
  const auto up = static_cast<std::size_t>(network.index_of("up"));
  EXPECT_EQ(feasible_thresholds(network.layers[up], levels.layers[up], LayerPass::dgrad),
            (std::vector<int>{0, 4}));
  EXPECT_EQ(feasible_thresholds(network.layers[up], levels.layers[up], LayerPass::forward),
            std::vector<int>{0});
  Step step("cpu", network, seeded_weights(network, 3));
  step.plan.backward = default_plans(step.plan, network);
  step.plan.backward[static_cast<std::size_t>(network.index_of("down"))].dgrad = step.plan.layers[1];
  try {
    static_cast<void>(step.gradients({}));
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "down: dgrad: only pair lists (t = 0) can exchange inputs and outputs");
  }
}

TEST(TrainingStep, TheLayersThatHaveGradientsAreThoseOnWhichAnOutputDepends) {
  const Network network = every_connection();
  const std::vector<bool> trained = trained_layers(network);
  const BackwardResult found = Step("cpu", network, seeded_weights(network, 3)).gradients({});
  for (std::size_t at = 0; at < network.layers.size(); ++at)
    EXPECT_EQ(trained[at], !found.layers[at].wgrad.empty()) << network.layers[at].name;
}

TEST(TrainingStep, Trap21_RepeatsBitForBit) {
  const Network network = every_connection();
  Step step("cpu", network, seeded_weights(network, 3), Precision::fp16);
  const BackwardResult one = step.gradients({1024}),
                       two = step.session.execute_training_step(step.plan, step.job);
  expect_close(one, two, 0, "twice");
}

TEST(TrainingStep, CanBeCancelled) {
  const Network network = every_connection();
  Step step("cpu", network, seeded_weights(network, 3));
  static_cast<void>(step.gradients({}));
  std::stop_source stop;
  stop.request_stop();
  Job cancelled(stop.get_token());
  try {
    static_cast<void>(step.session.execute_training_step(step.plan, cancelled));
    FAIL() << "the step was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
  // The next step is complete.
  expect_close(step.session.execute_training_step(step.plan, step.job), step.gradients({}), 0,
               "after cancelling");
}

TEST(TrainingStep, Trap25_LossScales) {
  const Network network = every_connection();
  const NetworkWeights weights = seeded_weights(network, 3);
  Step step("cpu", network, weights, Precision::fp16);
  TrainingRequest request;
  request.first_gradient.assign(step.output().size(), 1e-8F);
  for (const LayerGradients& layer : step.gradients(request).layers)
    EXPECT_EQ(largest_of(floats_of(layer.weights.weight)), 0);
  request.loss_scale = 1 << 20;
  const BackwardResult scaled = step.gradients(request);
  EXPECT_FALSE(overflows(*step.backend, scaled));
  // A loss scale is exact: the result is that of a gradient that was multiplied by the same power of two.
  TrainingRequest larger;
  larger.first_gradient.assign(request.first_gradient.size(), 1e-8F * 0x1p20F);
  const BackwardResult multiplied = step.gradients(larger);
  const BackwardResult wide = Step("cpu", network, weights).gradients({1, request.first_gradient});
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const auto values = floats_of(scaled.layers[at].weights.weight),
               as = floats_of(multiplied.layers[at].weights.weight),
               near = floats_of(wide.layers[at].weights.weight);
    double square = 0, difference = 0;
    for (std::size_t value = 0; value < values.size(); ++value) {
      EXPECT_EQ(values[value], as[value] * 0x1p-20F);
      square += std::pow(static_cast<double>(near[value]), 2);
      difference += std::pow(static_cast<double>(values[value]) - static_cast<double>(near[value]), 2);
    }
    // The ReLU of single values can differ between fp16 and fp32.
    EXPECT_LE(difference, 0.01 * square) << network.layers[at].name;
  }
  request.first_gradient.assign(request.first_gradient.size(), 1.0F);
  EXPECT_TRUE(overflows(*step.backend, step.gradients(request)));
}

TEST(TrainingStep, Trap25_OverflowIsReported) {
  const Network network = every_connection();
  Step step("cpu", network, seeded_weights(network, 3), Precision::fp16);
  const SamplingProtocol once{0, 1, 1};
  auto measurement = std::make_shared<Measurement>(*step.session.measure(step.plan, once, step.job));
  measure_training(step.session, {1024}, once, *measurement, step.job);
  EXPECT_EQ(overflow_text(*measurement), "");
  measure_training(step.session, {1 << 30}, once, *measurement, step.job);
  EXPECT_EQ(overflow_text(*measurement), "overflow: loss scale 1073741824 is too large");
  measurement->layers[2].non_finite = 4;
  EXPECT_EQ(overflow_text(*measurement),
            "overflow: the output of deep has NaN or infinite values, so its gradients have such values too");
}

TEST(TrainingStep, Trap26_TheStagesAreComplete) {
  const Network network = every_connection();
  Step step("cpu", network, seeded_weights(network, 3));
  const SamplingProtocol three{0, 3, 3};
  auto measurement = std::make_shared<Measurement>(*step.session.measure(step.plan, three, step.job));
  EXPECT_FALSE(measurement->training || measurement->layers.front().backward);
  const std::size_t layers = measurement->layers.front().stages.nodes.size();
  measure_training(step.session, {}, three, *measurement, step.job);
  const TrainingMeasurement& training = measurement->training.value();
  EXPECT_EQ(training.wall.ms.size(), 3U);
  EXPECT_GT(training.peak_bytes, measurement->peak_bytes);
  EXPECT_EQ(measurement->layers.front().stages.nodes.size(), layers);
  const auto samples = [](const StageTree& tree, const StageKey& key) {
    const int node = tree.find(key);
    return node < 0 ? 0U : tree.nodes[static_cast<std::size_t>(node)].samples_ms.size();
  };
  EXPECT_EQ(samples(training.stages, "voxelize"), 3U);
  for (const LayerMeasurement& layer : measurement->layers) {
    EXPECT_EQ(samples(training.stages, {"repack", layer.name}), 3U) << layer.name;
    EXPECT_EQ(samples(training.stages, {"features", layer.name}), 3U) << layer.name;
    const bool runs = layer.name != "unread";
    EXPECT_EQ(samples(layer.backward->dgrad.stages, {"dgrad", layer.name}), runs ? 3U : 0U) << layer.name;
    EXPECT_EQ(samples(layer.backward->wgrad.stages, {"wgrad", layer.name}), runs ? 3U : 0U) << layer.name;
  }
  // The down-sampling layer runs output-stationary, so its dgrad needs pair lists, which the up-sampling
  // layer shares.
  for (const char* name : {"stem", "down", "deep", "join.shortcut"})
    EXPECT_EQ(samples(training.stages, {"map", name}), 3U) << name;
  EXPECT_EQ(samples(training.stages, {"map", "up"}), 0U);
}

TEST(TrainingStep, ReportsKeepTheTrainingSteps) {
  const Network network = every_connection();
  Step step("cpu", network, seeded_weights(network, 3));
  const SamplingProtocol twice{0, 2, 2};
  Measurement measurement = *step.session.measure(step.plan, twice, step.job);
  measure_training(step.session, {64}, twice, measurement, step.job);
  const std::string json = report_json(make_report(step.session, measurement, {"spira", "run"}));
  const Validation valid = validate_document(json, "r.json");
  EXPECT_TRUE(valid.faults.empty()) << (valid.faults.empty() ? "" : valid.faults.front());
  const Report read = parse_report(json, "r.json");
  EXPECT_EQ(report_json(read), json);
  ASSERT_TRUE(read.measurement.training);
  EXPECT_EQ(read.measurement.training->loss_scale, 64);
  EXPECT_EQ(read.measurement.layers.at(1).backward->dgrad.dataflow, "ws");
  const auto fault_of = [&](std::string_view from, std::string_view to) {
    std::string damaged = json;
    const auto at = damaged.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    damaged.replace(at, from.size(), to);
    try {
      static_cast<void>(parse_report(damaged, "r.json"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault_of("\"loss_scale\": 64", "\"loss_scale\": 63"),
            "r.json: totals.training.loss_scale: expected a power of two");
  EXPECT_NE(fault_of("\"dgrad\": {\n     \"dataflow\": \"ws\"", "\"dgrad\": {\n     \"dataflow\": \"sw\"")
                .find("dataflow 'sw'"),
            std::string::npos);
}

TEST(TrainingStep, ExportsAndComparisonsContainTheTrainingSteps) {
  const Network network = every_connection();
  Step step("cpu", network, seeded_weights(network, 3));
  const SamplingProtocol five{0, 5, 5};
  Measurement measurement = *step.session.measure(step.plan, five, step.job);
  Report without = make_report(step.session, measurement, {"spira", "run", "room"});
  measure_training(step.session, {64}, five, measurement, step.job);
  Report report = make_report(step.session, measurement, {"spira", "run", "room"});
  const std::string csv = measurements_csv(report);
  for (const char* cells :
       {R"(,"deep","dgrad",training,)", R"(,"deep","wgrad",training,)", R"(,"deep","repack",training,)",
        R"(,"deep","features",training,)", R"(,"","training step",training,)", R"(,"dgrad[down]",)"})
    EXPECT_NE(csv.find(cells), std::string::npos) << cells;
  EXPECT_EQ(measurements_csv(without).find("training"), std::string::npos);
  const std::string line = step_text(measurement);
  EXPECT_EQ(line.find("step "), 0U);
  for (const char* part : {"(median of 5 samples, IQR ", "): forward ", " %, dgrad ", " %, wgrad ",
                           " %, maps ", " %, repack ", " %, voxels ", " %; loss scale 64, no overflow"})
    EXPECT_NE(line.find(part), std::string::npos) << line;
  EXPECT_NE(report_markdown(report).find("| training step |"), std::string::npos);
  const std::string command = shell_text(command_of_layer(measured_with(report), -1));
  EXPECT_NE(command.find(" --training --loss-scale 64"), std::string::npos) << command;
  EXPECT_EQ(command.find("--gradient"), std::string::npos);
  report.command.insert(report.command.end(), {"--gradient", "g.npy"});
  EXPECT_NE(shell_text(command_of_layer(measured_with(report), -1)).find(" --gradient g.npy"),
            std::string::npos);
  EXPECT_EQ(shell_text(command_of_layer(measured_with(without), -1)).find("--training"), std::string::npos);
  EXPECT_EQ(command.find("--layer-dgrad"), std::string::npos);
  report.measurement.layers.at(2).backward->dgrad.dataflow = "ws";
  report.measurement.layers.at(1).backward->wgrad.dataflow = "unsorted";
  EXPECT_NE(shell_text(command_of_layer(measured_with(report), -1))
                .find(" --layer-wgrad down=unsorted --layer-dgrad deep=ws"),
            std::string::npos);
  const Comparison both = compare(report, report);
  const auto count = [&](const std::string& phase) {
    return std::count_if(both.rows.begin(), both.rows.end(), [&](const ComparedRow& row) {
      return phase.empty() ? row.pass == Pass::training : row.stage.phase == phase && row.stage.step.empty();
    });
  };
  EXPECT_EQ(count(""), 1);
  EXPECT_EQ(count("wgrad"), std::ssize(network.layers) - 1);
  for (const ComparedRow& row : both.rows)
    EXPECT_FALSE(samples_of(measurement, row).empty()) << row.name();
  const Comparison one = compare(report, without);
  ASSERT_FALSE(one.unmatched.empty());
  EXPECT_EQ(one.unmatched.front().stage, "training step");
  EXPECT_EQ(one.unmatched.front().why, "only in the baseline");
}

std::string why_refused(const Network& network, const TrainingRequest& request = {}) {
  try {
    Step step("cpu", network, seeded_weights(network, 3));
    static_cast<void>(step.gradients(request));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(TrainingStep, RefusesNetworksWithTheNameOfTheLayer) {
  const auto changed = [](const std::function<void(Layer&)>& change) {
    Network network = test::little_unet();
    change(network.layers[2]);
    return network;
  };
  EXPECT_EQ(why_not_training(test::little_unet()), "");
  EXPECT_EQ(why_refused(changed([](Layer& layer) { layer.activation = Activation::silu; })),
            "training: deep: the activation silu has no gradient yet; use relu");
  EXPECT_EQ(why_not_training(changed([](Layer& layer) { layer.op = LayerOp::pool; })),
            "deep: the operation pool has no gradient yet");
  EXPECT_EQ(why_not_training(changed([](Layer& layer) { layer.op = LayerOp::to_points; })),
            "deep: the operation to_points has no gradient yet");
  EXPECT_EQ(
      why_not_training(changed([](Layer& layer) {
        layer.residual = "down";
        layer.order = {LayerStep::norm, LayerStep::activation, LayerStep::add};
      })),
      "deep: the ReLU of the layer comes before the residual; gradients of this order are not supported yet");
  EXPECT_EQ(why_not_training(changed([](Layer& layer) {
              layer.order = {LayerStep::activation, LayerStep::norm, LayerStep::add};
            })),
            "deep: the batch norm of the layer is not folded into the weights; such a batch norm has no "
            "gradient yet");
  Network partial = test::little_unet();
  partial.skipped.push_back({});
  partial.skipped.back().layer.name = "attention";
  partial.skipped.back().why = "is opaque";
  EXPECT_EQ(why_not_training(partial), "attention does not run (is opaque), so the network has no gradients");
  Network two = test::little_unet();
  two.outputs = {"deep", "last"};
  TrainingRequest request;
  EXPECT_EQ(why_refused(two, request), "");
  request.first_gradient = {1};
  EXPECT_EQ(why_refused(two, request),
            "network little has 2 outputs; a gradient is possible for one output only");
  EXPECT_NE(why_refused(test::little_unet(), request).find("different shapes"), std::string::npos);
}

TEST(TrainingStep, RefusesABackEndWithoutGradients) {
  test::AlteredBackend without(app::make_registry().make("cpu"));
  without.with_gradients = false;
  try {
    require_training(without, test::little_unet());
    FAIL() << "a back end without gradients was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_STREQ(error.what(), "the cpu back end cannot train networks yet; use --backend cpu");
  }
}

std::string npy(const std::string& type, const std::string& shape, bool fortran,
                const std::vector<float>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += std::string("\x01\x00\x76\x00", 4) + header;
  for (const float value : values)
    file.append(reinterpret_cast<const char*>(&value), sizeof value);
  return file;
}

TEST(ReadNpyMatrix, ReadsBothOrdersAndRefusesOtherShapes) {
  const test::TempFolder folder;
  const auto path = folder.path() / "g.npy";
  const auto fault = [&](const std::string& content) {
    write_file(path, content);
    try {
      static_cast<void>(read_npy_matrix(path, 2, 3, "the gradient of this output"));
    } catch (const Error& error) {
      return std::string(error.what()).substr(path.string().size());
    }
    return std::string();
  };
  write_file(path, npy("<f4", "(2, 3)", false, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read_npy_matrix(path, 2, 3, "the gradient of this output"),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  write_file(path, npy("<f4", "(2, 3)", true, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read_npy_matrix(path, 2, 3, "the gradient of this output"),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(fault(npy("<f4", "(3, 2)", false, {1, 2, 3, 4, 5, 6})),
            ": an array of shape 3 x 2; the gradient of this output must have the shape 2 x 3");
  EXPECT_EQ(fault(npy("<f4", "(6,)", false, {1, 2, 3, 4, 5, 6})),
            ": an array of shape 6; the gradient of this output must have the shape 2 x 3");
  EXPECT_EQ(fault(npy("<f4", "(2, 3)", false, {1, 2, 3, 4, 5})),
            ": the file ends before its last value; write it again");
  EXPECT_EQ(fault(npy("<f4", "(2, 3)", false, {1, 2, 3, 4, std::nanf(""), 6})),
            ": row 1, channel 1 is NaN or infinite");
  EXPECT_FALSE(fault("not an array").empty());
}

}  // namespace
}  // namespace spira
