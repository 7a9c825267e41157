#include "engine/tune/bev_sweep.hpp"

#include "app/common/backends.hpp"
#include "engine/base/error.hpp"
#include "engine/network/weights.hpp"
#include "tests/unit/bev/made_masks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spira {
namespace {

using nlohmann::json;
using test::error_of;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

/// Returns a network with two units of one shape.
Network two_units() {
  Network network;
  network.name = "two-units";
  network.space = NetworkSpace::bev;
  network.in_channels = 5;
  const auto add = [&](const std::string& name, int kernel_size, int channels, const std::string& unit,
                       const std::string& residual) {
    Layer layer;
    layer.name = name;
    layer.inputs = {network.layers.empty() ? "input" : network.layers.back().name};
    layer.kernel_size = {kernel_size, kernel_size, 1};
    layer.stride = {1, 1, 1};
    layer.in_channels = network.layers.empty() ? network.in_channels : network.layers.back().out_channels;
    layer.out_channels = channels;
    layer.unit = unit;
    layer.residual = residual;
    network.layers.push_back(layer);
  };
  add("stem", 3, 8, "", "");
  for (const std::string unit : {"u1", "u2"}) {
    const std::string input = network.layers.back().name;
    add(unit + ".in", 1, 4, unit, "");
    add(unit + ".mid", 3, 4, unit, "");
    add(unit + ".out", 1, 8, unit, input);
  }
  return network;
}

class BevSweeps : public testing::Test {
 protected:
  BevSweeps() {
    auto cloud = std::make_shared<PointCloud>(test::cloud_of({{1, 2, 0}, {3, 3, 0}, {20, 5, 0}}));
    subject.cloud = cloud;
    subject.backend = app::make_registry().make("cpu");
    subject.network = std::make_shared<const Network>(two_units());
    subject.weights = std::make_shared<const NetworkWeights>(seeded_weights(*subject.network, 1));
    subject.settings.area = test::area_of_cells(24, 24);
    subject.settings.mask = parse_mask("top-left:0.1");
    how.warmup = 0;
    how.min_samples = how.max_samples = 5;
  }
  BevSubject subject;
  SamplingProtocol how;
  Job job;
};

TEST_F(BevSweeps, MeasureDenseAndEachMethodAndCore) {
  const BevSweep sweep = sweep_units(subject, std::array{4, 8, 32}, how, job);
  std::vector<std::string> names;
  for (const BevSweepSetting& setting : sweep.settings) {
    names.push_back(short_text(setting.plan));
    EXPECT_THAT(setting.wall.ms, SizeIs(5));
    EXPECT_GE(setting.stages.find("features[u2.out]"), 0);
  }
  // Core 32 is larger than the image.
  EXPECT_THAT(names, ElementsAre("dense", "fused 4", "fused 8", "gathered 4", "gathered 8"));
  ASSERT_THAT(sweep.shapes, SizeIs(2));
  const BevShape& units = sweep.shapes[1];
  EXPECT_EQ(units.name, "u1");
  EXPECT_THAT(units.units, ElementsAre(1U, 2U));
  ASSERT_THAT(units.rows, SizeIs(5));
  EXPECT_EQ(units.rows[0].shares.computed, 1);
  EXPECT_LT(units.rows[1].shares.computed, 1);
  for (const BevShape::Row& row : units.rows)
    EXPECT_THAT(row.times.ms, SizeIs(5));
  EXPECT_THAT(units.choice.verdicts, SizeIs(5));
}

TEST_F(BevSweeps, AreWrittenAsJsonAndCsv) {
  const BevSweep sweep = sweep_units(subject, std::array{8}, how, job);
  const json document = json::parse(bev_sweep_json(sweep));
  EXPECT_EQ(document.at("schema"), "spira.bev_sweep 1");
  EXPECT_EQ(document.at("bev").at("mask"), "top-left:0.1");
  ASSERT_EQ(document.at("settings").size(), 3U);
  EXPECT_EQ(document.at("settings")[1].at("core"), 8);
  EXPECT_EQ(document.at("shapes")[1].at("rows").size(), 3U);
  const std::string csv = bev_sweep_csv(sweep);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3);
}

TEST_F(BevSweeps, CoresThatFitNoImageAreRefused) {
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { return sweep_units(subject, std::array{32}, how, job); }),
              HasSubstr("core 32 is larger than the image"));
}

TEST_F(BevSweeps, LeadToAPlanWithTheMaskForWhichItWasMade) {
  const BevTuning tuning = tune_units(subject, std::array{4, 8}, how, job);
  ASSERT_THAT(tuning.plan.units, SizeIs(3));
  EXPECT_EQ(tuning.plan.units[1], tuning.plan.units[2]);
  ASSERT_TRUE(tuning.plan.tuned_mask);
  EXPECT_EQ(tuning.plan.tuned_mask->mask, "top-left:0.1");
  EXPECT_THAT(tuning.plan.tuned_mask->area, HasSubstr("24 x 24 cells"));
  BevSettings settings = subject.settings;
  settings.units = tuning.plan.units;
  const BevRun run(subject.backend, subject.cloud, subject.network, subject.weights, settings, job);
  EXPECT_NO_THROW(require_tuned_mask(tuning.plan, run.facts()));
  const bool measured_again = !tuning.dense_wall.ms.empty();
  EXPECT_EQ(measured_again, std::any_of(tuning.chosen.begin(), tuning.chosen.end(), in_blocks));
  const json document = json::parse(bev_tuning_json(tuning));
  EXPECT_EQ(document.at("plan").size(), 3U);
  EXPECT_EQ(document.contains("second_series"), measured_again);
}

}  // namespace
}  // namespace spira
