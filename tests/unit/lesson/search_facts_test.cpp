// Tests the names of the facts of the search lesson. Also compares their values with an independent
// simulation of similar scenes; the values must be similar.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <map>

namespace spira {
namespace {

LessonInput input_of(std::string_view generator, double voxel_m, int kernel_size, std::int64_t points = 0) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  const auto cloud = generate_scene(generator, points, 1, job);
  const Grid grid{{voxel_m, voxel_m, voxel_m}, {}};
  const auto pack = packings_that_fit(voxel_range(*cloud, grid, job).extent(16), {5, 16}).at(0);
  LessonInput input;
  input.scene = voxelize_scene(*backend, cloud, grid, pack, {5, 16}, job);
  input.kernel_size = kernel_size;
  return input;
}

std::map<std::string, Fact> by_name(const std::vector<Fact>& facts) {
  std::map<std::string, Fact> named;
  for (const Fact& fact : facts)
    EXPECT_TRUE(named.emplace(fact.name, fact).second) << fact.name << " must be listed only once";
  return named;
}

TEST(SearchFacts, AllHaveNamesThatLessonsMayUse) {
  Job job;
  const auto names = fact_names();
  for (const int kernel_size : {2, 3, 7}) {
    const LessonInput input = input_of("room", 0.1, kernel_size, 3000);
    for (const char* group : {"search", "search_shuffled"}) {
      const auto facts = by_name(compute_facts(group, input, job));
      EXPECT_FALSE(facts.empty());
      for (const auto& [name, fact] : facts) {
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
        EXPECT_EQ(group_of_fact(name), group);
      }
      EXPECT_EQ(facts.contains(std::string(group) + ".scan.length.7"), kernel_size == 7);
    }
  }
}

/// Results of an independent simulation of similar scenes. They are comparisons and sectors per query for
/// binary search, z-delta and hash. The simulation counts two comparisons for each key that a local scan
/// reads.
struct Simulated {
  std::string_view generator;
  double voxel_m;
  int kernel_size;
  std::array<double, 3> comparisons, sectors;
};

TEST(SearchFacts, HaveTheSizesOfASimulationOnScenesLikeThese) {
  Job job;
  for (const Simulated& like :
       std::vector<Simulated>{{"street", 0.1, 3, {16.78, 6.92, 1.78}, {1.09, 0.45, 2.03}},
                              {"street", 0.1, 5, {16.78, 4.95, 1.85}, {1.04, 0.31, 1.99}},
                              {"random", 0.2, 5, {17.69, 5.14, 1.81}, {1.19, 0.36, 1.82}}}) {
    SCOPED_TRACE(std::string(like.generator) + " K = " + std::to_string(like.kernel_size));
    auto facts = by_name(search_facts(input_of(like.generator, like.voxel_m, like.kernel_size), job));
    std::size_t at = 0;
    for (const char* method : {"bsearch", "zdelta", "hash"}) {
      const double compared = facts["search." + std::string(method) + ".comparisons_per_query"].value;
      const double sectors = facts["search." + std::string(method) + ".sectors_per_query"].value;
      EXPECT_NEAR(compared / like.comparisons.at(at), 1, 0.4) << method;
      EXPECT_NEAR(sectors / like.sectors.at(at), 1, 0.4) << method;
      ++at;
    }
    EXPECT_NEAR(facts["search.hash.build_probes_per_voxel"].value, 1.35, 0.15);
    EXPECT_EQ(facts["search.three_key.pairs"].value, facts["search.three_key.side_by_side"].value);
  }
}

}  // namespace
}  // namespace spira
