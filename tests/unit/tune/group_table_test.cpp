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
    const std::vector<double> weights{1.0};
    const std::vector<OneSetting> all = one_setting_for_all(group, GroupCosts(group, weights));
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

/// Returns a group of two layers with all passes and random times. The first layer is submanifold. dgrad of
/// the second layer can read only pair lists, or, in a transposed layer, the forward pass.
GroupTimes random_passes(Random& random) {
  const std::vector<LayerSetting> all{0, 2, 4, unsorted, gather}, lists{0, gather}, maps{0, 2, 4, unsorted};
  const auto ms = [&] { return steady(1.0 + static_cast<double>(random.below(9))); };
  GroupTimes group;
  for (const LayerSetting& setting : maps)
    group.maps.push_back({setting, MapAlgorithm::z_delta, ms()});
  const auto add = [&](LayerPass pass, std::size_t shape, const std::vector<LayerSetting>& settings) {
    ShapeTimes times{1 + static_cast<int>(random.below(2)), 4, {}, pass, shape};
    for (const LayerSetting& setting : settings)
      times.settings.push_back({setting, ms(), setting == 0 || setting == 4 || random.below(8) != 0});
    if (settings.size() == 1) times.settings.front().ms.clear();
    group.shapes.push_back(std::move(times));
  };
  const bool transposed = random.below(2) == 0, first = random.below(3) == 0;
  add(LayerPass::forward, 0, all);
  if (!first) add(LayerPass::dgrad, 0, all);
  add(LayerPass::wgrad, 0, maps);
  add(LayerPass::forward, 1,
      transposed ? std::vector<LayerSetting>{0} : std::vector<LayerSetting>{0, 4, gather});
  add(LayerPass::dgrad, 1, transposed ? std::vector<LayerSetting>{0, 4, gather} : lists);
  add(LayerPass::wgrad, 1, {0, 4});
  return group;
}

/// Returns true if there is a setting that all entries have as far as they can: wgrad has its map, and
/// entries that read only pair lists keep t = 0 if they cannot have it.
bool can_be_alike(const GroupTimes& group, const std::vector<LayerSetting>& settings,
                  const std::vector<std::size_t>& entries) {
  for (const LayerSetting& wanted : {LayerSetting(0), LayerSetting(2), LayerSetting(4), unsorted, gather}) {
    const bool all = std::all_of(entries.begin(), entries.end(), [&](std::size_t entry) {
      const ShapeTimes& times = group.shapes[entry];
      LayerSetting expected = times.pass == LayerPass::wgrad ? wanted.of_map() : wanted;
      const bool has = std::any_of(times.settings.begin(), times.settings.end(),
                                   [&](const FeatureSetting& one) { return one.setting == expected; });
      const bool lists = std::all_of(times.settings.begin(), times.settings.end(), [](const auto& one) {
        return one.setting == LayerSetting(0) || one.setting == gather;
      });
      if (!has && lists) expected = 0;
      return settings[entry] == expected;
    });
    if (all) return true;
  }
  return entries.empty();
}

TEST(GroupTable, BindingsAreThoseOfASearchOverAllAssignments) {
  Random random(11);
  int different = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    const GroupTimes group = random_passes(random);
    const std::vector<double> weights{1.0};
    const GroupCosts costs(group, weights);
    std::vector<double> found;
    for (const Binding binding : all_bindings) {
      const auto allowed = [&](const std::vector<LayerSetting>& settings) {
        for (const std::size_t shape : {0U, 1U}) {
          std::vector<std::size_t> bound;
          for (std::size_t entry = 0; entry < group.shapes.size(); ++entry) {
            const LayerPass pass = group.shapes[entry].pass;
            const bool is = binding == Binding::all_alike ||
                            (binding == Binding::forward_dgrad && pass != LayerPass::wgrad) ||
                            (binding == Binding::dgrad_wgrad && pass != LayerPass::forward);
            if (is && group.shapes[entry].shape == shape) bound.push_back(entry);
          }
          if (!can_be_alike(group, settings, bound)) return false;
        }
        return true;
      };
      const SettingPicks settings = cheapest(group, costs, binding);
      ASSERT_TRUE(allowed(settings)) << text_of(binding);
      found.push_back(costs.cost(settings));
      EXPECT_DOUBLE_EQ(found.back(), time_of(group, settings).value_or(-1));
      EXPECT_DOUBLE_EQ(found.back(), smallest_time(group, allowed)) << text_of(binding) << repetition;
    }
    EXPECT_DOUBLE_EQ(found[3], choose(group, weights)->cost_ms) << "the free settings must equal the choice";
    EXPECT_GE(found[0], std::max(found[1], found[2]));
    EXPECT_GE(std::min(found[1], found[2]), found[3]);
    for (const OneSetting& one : one_setting_for_all(group, costs))
      EXPECT_GE(one.cost_ms, found[0]) << "one dataflow for the group has all passes alike";
    different += found[0] > found[1] && found[1] > found[3] && found[2] > found[3] ? 1 : 0;
  }
  EXPECT_GT(different, 10) << "the bindings must differ in many groups";
}

TEST(GroupTable, OnlyTheMapsWithTheSmallestTimesAreCombined) {
  GroupTimes group;
  ShapeTimes layer{1, 4, {}, LayerPass::forward, 0};
  for (int splits = 1; splits <= 20; ++splits) {
    const LayerSetting setting(4, MapLayout::mask_sorted, splits, FeatureMethod::by_layout);
    group.maps.push_back({setting, MapAlgorithm::z_delta, steady(1)});
    layer.settings.push_back({setting, steady(100 - splits), true});
  }
  group.shapes = {layer};
  const std::vector<double> weights{1.0};
  const GroupCosts costs(group, weights);
  for (const Binding binding : all_bindings)
    EXPECT_DOUBLE_EQ(costs.cost(cheapest(group, costs, binding)), 81) << text_of(binding);
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
              HasSubstr("3x3x3 1>1,3,1,1,stem join.conv last,,t = max,best,2,7,19,17,2,worse,,,,,,,,\r\n"));
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

TEST(GroupTable, ACellWithoutATimeHasAReason) {
  const Network network = little_unet();
  TuningProfile profile = coupled(1);
  for (FeatureRecord& record : profile.features) {
    if (record.shape == join && record.setting.threshold == 0) record.output.ok = false;
  }
  decide(profile, network);
  const GroupTable table = group_table(profile, network);
  const GroupRow& row = fine_row(table);
  EXPECT_EQ(row.cells[0].state, CellState::unusable);
  EXPECT_EQ(row.cells[0].ms, 0);
  EXPECT_EQ(row.cells[4].state, CellState::measured);
  const GroupRow& down = *std::find_if(table.rows.begin(), table.rows.end(), [](const GroupRow& one) {
    return one.map.stride_in != one.map.stride_out;
  });
  EXPECT_EQ(down.cells[0].state, CellState::not_measured) << "the map was not measured";
  EXPECT_EQ(down.cells[1].state, CellState::infeasible) << "strided layers cannot run t = 1";
}

TEST(GroupTable, TheTermsOfACellAddUpToItsTime) {
  const Network network = little_unet();
  const TuningProfile profile = coupled(1);
  const std::vector<GroupTerm> terms = group_terms(profile, network, fine, 0);
  ASSERT_EQ(terms.size(), 4U) << "a map and three shapes";
  EXPECT_THAT(terms[0].layers, IsEmpty());
  EXPECT_THAT(terms[0].ms, ElementsAre(std::vector<double>(7, 1.0)));
  EXPECT_THAT(terms[1].layers, ElementsAre("stem"));
  EXPECT_THAT(terms[1].ms, ElementsAre(std::vector<double>(7, 5.0)));
  EXPECT_THAT(terms[2].layers, ElementsAre("join.conv"));
  EXPECT_THAT(terms[3].ms, ElementsAre(std::vector<double>(7, 20.0)));
  EXPECT_THAT(group_terms(profile, network, {2, 1, 2}, 0), IsEmpty()) << "this map was not measured";
  EXPECT_THAT(group_terms(profile, network, {5, 1, 1}, 0), IsEmpty()) << "no layer has this map";
}

TEST(GroupTable, TheTotalsContainOnlyCompleteGroups) {
  const Network network = little_unet();
  TuningProfile profile = coupled(1);
  std::erase_if(profile.features, [](const FeatureRecord& one) { return one.shape == join; });
  decide(profile, network);
  const GroupTable table = group_table(profile, network);
  const GroupRow& row = fine_row(table);
  const GroupTotals totals = totals_of(table);
  EXPECT_EQ(totals.groups, 1) << "the maps of the other groups were not measured";
  EXPECT_DOUBLE_EQ(totals.choice_ms, row.choice_ms.value_or(-1));
  EXPECT_DOUBLE_EQ(totals.one_dataflow_ms, totals.choice_ms + row.one_dataflow.value_or(ExtraTime{-99}).ms);
  EXPECT_FALSE(totals.bindings_ms.front()) << "the profile is not for training";
  EXPECT_THAT(totals.missing, testing::Contains("join.conv"));
}

TEST(GroupTable, ATableAndPlansForTrainingHaveTheBindings) {
  const Network network = little_unet();
  TuningProfile profile = coupled(1);
  profile.training = true;
  for (const LayerShape& shape : {stem, join, last}) {
    for (const LayerPass pass : {LayerPass::dgrad, LayerPass::wgrad}) {
      if (shape == stem && pass == LayerPass::dgrad) continue;
      for (const int t : {0, 4}) {
        const double ms = shape == last && pass == LayerPass::wgrad && t == 0 ? 2 : 6;
        profile.features.push_back({0, shape, t, std::vector<double>(7, ms), false, {0, 0, true}, pass});
      }
    }
  }
  decide(profile, network);
  const GroupTable table = group_table(profile, network);
  const GroupRow& row = fine_row(table);
  EXPECT_TRUE(table.training);
  // Forward: 5 ms for each layer. dgrad: 6 ms for two layers. wgrad: 6, 6 and 2 ms. Two maps of 1 ms.
  EXPECT_DOUBLE_EQ(row.choice_ms.value_or(0), 15 + 12 + 14 + 2);
  EXPECT_DOUBLE_EQ(row.one_dataflow->ms, (8 + 5 + 5 + 12 + 18 + 1) - 43) << "t = max for all passes";
  const auto extra = [&](Binding binding) {
    return row.bindings.at(static_cast<std::size_t>(binding)).value_or(ExtraTime{-1}).ms;
  };
  EXPECT_DOUBLE_EQ(extra(Binding::all_alike), 4) << "wgrad of last with t = 0 saves 4 ms but costs 15 ms";
  EXPECT_DOUBLE_EQ(extra(Binding::forward_dgrad), 0);
  EXPECT_DOUBLE_EQ(extra(Binding::dgrad_wgrad), 0) << "dgrad is equally fast with both settings";
  EXPECT_DOUBLE_EQ(extra(Binding::free), 0);
  EXPECT_DOUBLE_EQ(totals_of(table).bindings_ms.front().value_or(0), 43 + 4);
  EXPECT_EQ(row.cells.front().picked + row.cells.back().picked, 8)
      << "three layers, of which one has no dgrad";

  const auto at = static_cast<std::size_t>(network.index_of("last"));
  for (const Binding binding : all_bindings) {
    const Plan plan = plan_of(profile, network, binding);
    const int forward = plan.layers.at(at).threshold, dgrad = plan.backward.at(at).dgrad.threshold,
              wgrad = plan.backward.at(at).wgrad.threshold;
    EXPECT_EQ(wgrad, binding == Binding::all_alike ? 4 : 0) << text_of(binding);
    EXPECT_TRUE(forward == dgrad || binding == Binding::free || binding == Binding::dgrad_wgrad);
    EXPECT_TRUE(dgrad == wgrad || binding == Binding::free || binding == Binding::forward_dgrad);
  }
}

TEST(GroupTable, AProfileOfAnotherNetworkIsRefused) {
  Network other = little_unet();
  other.layers.front().out_channels = 16;
  EXPECT_THROW(static_cast<void>(group_table(coupled(1), other)), Error);
}

}  // namespace
}  // namespace spira
