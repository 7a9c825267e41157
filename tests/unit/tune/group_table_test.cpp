// Tests the table of groups. Compares its times with a search over all assignments of settings.
#include "engine/tune/group_table.hpp"

#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace spira {
namespace {

using test::little_unet;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const MapKey fine{3, 1, 1};
const LayerShape stem{3, 1, 1, 4, 8}, join{3, 1, 1, 16, 8}, last{3, 1, 1, 8, 8};
const LayerSetting unsorted{4, MapLayout::output_major, 0, FeatureMethod::by_layout},
    sorted{4, MapLayout::mask_sorted, 2, FeatureMethod::by_layout},
    gather{0, MapLayout::z_runs, 0, FeatureMethod::gather_gemm_scatter};

SceneSamples steady(double ms) {
  return {std::vector<double>(5, ms)};
}

/// Returns a group with random times of 1 to 9 ms. Some settings are not usable, and one layer can have a
/// single setting.
GroupTimes random_group(Random& random) {
  const std::vector<LayerSetting> settings{0, 2, 4, unsorted, sorted, gather};
  const auto ms = [&] { return steady(1.0 + static_cast<double>(random.below(9))); };
  GroupTimes group;
  for (const LayerSetting& setting : settings) {
    if (setting == setting.of_map()) group.maps.push_back({setting, MapAlgorithm::z_delta, ms()});
  }
  for (int shape = 0; shape < 3; ++shape) {
    ShapeTimes times{1 + static_cast<int>(random.below(3)), 4, {}};
    for (const LayerSetting& setting : settings)
      times.settings.push_back({setting, ms(), random.below(8) != 0});
    times.settings[2].usable = true;
    group.shapes.push_back(std::move(times));
  }
  if (random.below(2) == 0) group.shapes.push_back({2, 4, {{0, {}, true}}});
  return group;
}

/// Returns the time of a group, or an empty value if a setting is not usable.
std::optional<double> time_of(const GroupTimes& group, const std::vector<LayerSetting>& settings) {
  double ms = 0;
  std::set<LayerSetting> maps;
  for (std::size_t shape = 0; shape < settings.size(); ++shape) {
    for (const FeatureSetting& one : group.shapes[shape].settings) {
      if (one.setting != settings[shape]) continue;
      if (!one.usable) return std::nullopt;
      if (!one.ms.empty()) ms += group.shapes[shape].layers * one.ms[0][0];
    }
    maps.insert(settings[shape].of_map());
  }
  for (const MapSetting& map : group.maps)
    ms += maps.contains(map.setting) ? map.ms[0][0] : 0;
  return ms;
}

/// Returns the smallest time over all assignments of settings for which `allowed` returns true.
double smallest_time(const GroupTimes& group,
                     const std::function<bool(const std::vector<LayerSetting>&)>& allowed) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<LayerSetting> settings(group.shapes.size());
  const std::function<void(std::size_t)> assign = [&](std::size_t shape) {
    if (shape == settings.size()) {
      const auto ms = allowed(settings) ? time_of(group, settings) : std::nullopt;
      best = std::min(best, ms.value_or(best));
      return;
    }
    for (const FeatureSetting& one : group.shapes[shape].settings) {
      settings[shape] = one.setting;
      assign(shape + 1);
    }
  };
  assign(0);
  return best;
}

TEST(GroupTable, TheChoiceAndTheSingleSettingsAreThoseOfASearchOverAllAssignments) {
  Random random(7);
  for (int repetition = 0; repetition < 60; ++repetition) {
    const GroupTimes group = random_group(random);
    EXPECT_DOUBLE_EQ(choose(group, {1.0})->cost_ms, smallest_time(group, [](const auto&) { return true; }));
    const std::vector<OneSetting> all = one_setting_for_all(group, {1.0});
    EXPECT_FALSE(all.empty());
    double best = std::numeric_limits<double>::infinity();
    for (const OneSetting& one : all) {
      EXPECT_DOUBLE_EQ(one.cost_ms, time_of(group, one.settings).value_or(-1));
      EXPECT_EQ(one.n, 5);
      best = std::min(best, one.cost_ms);
    }
    const auto alike = [&](const std::vector<LayerSetting>& settings) {
      return settings[0] == settings[1] && settings[1] == settings[2];
    };
    EXPECT_DOUBLE_EQ(best, smallest_time(group, alike)) << repetition;
  }
}

/// Returns a profile of little_unet() in which the layer "stem" is fastest with t = 0, and the other two
/// layers of its map with t = max. A map takes 10 ms.
TuningProfile coupled(double map_ms) {
  TuningProfile profile;
  const Network network = little_unet();
  profile.network = network.name;
  profile.network_fingerprint = fingerprint_of(network);
  profile.scenes.resize(1);
  profile.scenes[0].pack = PackSpec::bits32();
  for (const int t : {0, 1, 2, 3, 4}) {
    profile.maps.push_back(
        {0, fine, PackSpec::bits32(), t, MapAlgorithm::z_delta, std::vector<double>(7, map_ms), false});
    for (const LayerShape& shape : {stem, join, last}) {
      const double ms = t == (shape == stem ? 0 : 4) ? 5 : t == 4 ? 8 : 20;
      profile.features.push_back({0, shape, t, std::vector<double>(7, ms), false, {0, 0, true}});
    }
  }
  decide(profile, network);
  return profile;
}

const GroupRow& fine_row(const GroupTable& table) {
  return *std::find_if(table.rows.begin(), table.rows.end(),
                       [](const GroupRow& row) { return row.map == fine; });
}

TEST(GroupTable, ARowComparesOneDataflowWithTheChoices) {
  const Network network = little_unet();
  const GroupTable table = group_table(coupled(1), network);
  const GroupRow& row = fine_row(table);
  EXPECT_EQ(table.map_text(row), "3x3x3 1>1");
  EXPECT_THAT(row.layers, ElementsAre("stem", "join.conv", "last"));
  EXPECT_THAT(row.missing, IsEmpty());
  ASSERT_EQ(table.columns.size(), 5U);
  EXPECT_EQ(table.columns[4].text(), "t = max");
  // With t = 0, stem takes 5 ms and the other layers 20 ms each. With t = max, stem takes 8 ms and the other
  // layers 5 ms each. The map takes 1 ms.
  EXPECT_DOUBLE_EQ(row.cells[0].ms, 5 + 20 + 20 + 1);
  EXPECT_DOUBLE_EQ(row.cells[4].ms, 8 + 5 + 5 + 1);
  EXPECT_EQ(row.cells[4].n, 7);
  EXPECT_EQ(row.cells[0].picked, 1);
  EXPECT_EQ(row.cells[4].picked, 2);
  EXPECT_EQ(row.best, 4);
  EXPECT_EQ(row.cells[4].verdict, SettingVerdict::best);
  EXPECT_EQ(row.cells[0].verdict, SettingVerdict::worse);
  ASSERT_TRUE(row.choice_ms && row.one_dataflow);
  EXPECT_DOUBLE_EQ(*row.choice_ms, 5 + 5 + 5 + 2);
  EXPECT_DOUBLE_EQ(row.one_dataflow->ms, 2);
  EXPECT_EQ(row.one_dataflow->verdict, SettingVerdict::worse);
  EXPECT_THAT(groups_csv(table),
              HasSubstr("3x3x3 1>1,3,1,1,stem join.conv last,,t = max,best,2,7,19,17,2,worse\r\n"));
}

TEST(GroupTable, OneDataflowCostsNothingIfTheChoicesAreAlike) {
  const GroupTable table = group_table(coupled(10), little_unet());
  const GroupRow& row = fine_row(table);
  EXPECT_EQ(row.cells[4].picked, 3);
  EXPECT_DOUBLE_EQ(row.one_dataflow->ms, 0);
  EXPECT_EQ(row.one_dataflow->verdict, SettingVerdict::none);
}

TEST(GroupTable, TheChoicesAreThoseOfTheCurrentPlan) {
  const Network network = little_unet();
  Plan plan = default_plan(network);
  plan.layers[static_cast<std::size_t>(network.index_of("last"))].set_threshold(0);
  const GroupTable table = group_table(coupled(1), network, plan);
  const GroupRow& row = fine_row(table);
  EXPECT_EQ(row.cells[0].picked, 1);
  EXPECT_DOUBLE_EQ(*row.choice_ms, 8 + 5 + 20 + 2);
  EXPECT_DOUBLE_EQ(row.one_dataflow->ms, 19 - 35) << "the choice of the user is slower";
  EXPECT_EQ(row.one_dataflow->verdict, SettingVerdict::best);
}

TEST(GroupTable, LayersWithoutSamplesAreNamed) {
  TuningProfile profile = coupled(1);
  std::erase_if(profile.features, [](const FeatureRecord& one) { return one.shape == join; });
  decide(profile, little_unet());
  const GroupTable table = group_table(profile, little_unet());
  const GroupRow& row = fine_row(table);
  EXPECT_THAT(row.missing, ElementsAre("join.conv"));
  EXPECT_DOUBLE_EQ(row.cells[0].ms, 5 + 20 + 2) << "join needs the map of t = max";
  for (const GroupRow& other : table.rows) {
    if (other.map == fine) continue;
    EXPECT_FALSE(other.choice_ms) << "the maps of the other groups were not measured";
    EXPECT_EQ(other.best, -1);
  }
}

TEST(GroupTable, AProfileOfAnotherNetworkIsRefused) {
  Network other = little_unet();
  other.layers.front().out_channels = 16;
  EXPECT_THROW(static_cast<void>(group_table(coupled(1), other)), Error);
}

}  // namespace
}  // namespace spira
