// Merged profiles of shards must equal the profile of all scenes with the same records.
#include "engine/base/error.hpp"
#include "engine/tune/tuning_profile.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::HasSubstr;

template <class Record> void keep_scene(std::vector<Record>& records, int scene) {
  std::erase_if(records, [&](const Record& record) { return record.scene != scene; });
  for (Record& record : records)
    record.scene = 0;
}

class MergedProfiles : public testing::Test {
 protected:
  MergedProfiles() {
    whole_ = test::tuned_profile();
    whole_.checks.clear();
    // Give the scenes different favourites, so that the regret is not zero.
    for (FeatureRecord& record : whole_.features)
      record.ms.assign(5, (record.setting.threshold == 0) == (record.scene == 0) ? 10.0 : 30.0);
    for (MapRecord& record : whole_.maps)
      record.ms.assign(5, 0.1);
    decide(whole_, network_);
    for (int scene = 0; scene < 2; ++scene) {
      TuningProfile part = whole_;
      part.scenes = {whole_.scenes[static_cast<std::size_t>(scene)]};
      part.budget_ms = whole_.budget_ms / 2;
      keep_scene(part.features, scene);
      keep_scene(part.maps, scene);
      keep_scene(part.indexing, scene);
      decide(part, network_);
      part.shard = Shard{scene + 1, 2, 2, 77};
      parts_.push_back({"part" + std::to_string(scene + 1) + ".tune.json", std::move(part)});
    }
  }
  [[nodiscard]] std::string fault(const std::vector<ProfileFile>& parts) const {
    try {
      static_cast<void>(merge_profiles(parts, network_, false));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return {};
  }

  Network network_ = test::little_unet();
  TuningProfile whole_;
  std::vector<ProfileFile> parts_;
};

TEST_F(MergedProfiles, EqualTheProfileOfAllScenes) {
  ASSERT_GT(whole_.regret.at(0).at(1)->share, 0.1) << "the scenes must have different best settings";
  for (ProfileFile& part : parts_)
    part.profile = parse_profile(profile_json(part.profile), part.file);
  EXPECT_EQ(profile_json(merge_profiles(parts_, network_, false)), profile_json(whole_));
  std::swap(parts_[0], parts_[1]);
  EXPECT_EQ(profile_json(merge_profiles(parts_, network_, false)), profile_json(whole_));
}

TEST_F(MergedProfiles, RefuseOtherDevicesAndMissingShards) {
  EXPECT_THAT(fault({parts_[0]}), HasSubstr("missing shard 2/2"));
  EXPECT_THAT(fault({parts_[0], parts_[1], parts_[0]}), HasSubstr("shard 1/2 is also in part1.tune.json"));
  EXPECT_EQ(merge_profiles({parts_[0]}, network_, true).stopped, "interrupted");
  auto other = parts_;
  other[1].profile.device.name = "Another device";
  EXPECT_THAT(fault(other), HasSubstr("merge the profiles of each device alone"));
  other = parts_;
  other[1].profile.scenes = other[0].profile.scenes;
  EXPECT_THAT(fault(other), HasSubstr("a scene must occur only once"));
  other = parts_;
  other[1].profile.shard.reset();
  EXPECT_THAT(fault(other), HasSubstr("part2.tune.json: is not a shard"));
}

}  // namespace
}  // namespace spira
