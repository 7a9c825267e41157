// Tests `spira blocks` on points whose blocks were counted by hand, on folders, and with wrong options.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class BlocksCli : public Cli {
 protected:
  /// Writes three points in an area of 64 x 32 cells of 1 m: in the first cell, in cell (9, 9), and above the
  /// range of z.
  void make_points(const std::string& name = "three.csv") const {
    write(name, "x,y,z\n0.5,0.5,0\n9.5,9.5,0.5\n40.5,20.5,5\n");
  }
  [[nodiscard]] Finished blocks(const std::vector<std::string>& more,
                                const std::string& scene = "three.csv") const {
    std::vector<std::string> words{"blocks", scene, "--cell", "1", "--crop", "0,0,0,64,32,1"};
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  }
};

TEST_F(BlocksCli, CountsBlocksByHandCheckedNumbers) {
  make_points();
  const Finished run = blocks({"--cores", "4,8", "--strides", "1,2", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json found = json::parse(run.out);
  EXPECT_EQ(found.at("mask"), "occupied");
  const json& frame = found.at("frames").at(0);
  EXPECT_EQ(frame.at("cells"), json::array({64, 32}));
  ASSERT_EQ(frame.at("rows").size(), 4U);
  // Cell (9, 9) is in the core from 8 to 11 and not within one cell of another one.
  EXPECT_EQ(frame.at("rows").at(0).at("blocks"), 2);
  EXPECT_EQ(frame.at("rows").at(0).at("mask"), 2.0 / 2048);
  EXPECT_EQ(frame.at("rows").at(0).at("computed"), 2 * 16.0 / 2048);
  EXPECT_EQ(frame.at("rows").at(0).at("read"), 2 * 36.0 / 2048);
  EXPECT_EQ(frame.at("rows").at(0).at("covered"), 1);
  // At stride 2, it is the cell (4, 4), which four cores reach. One of them contains the other point.
  EXPECT_EQ(frame.at("rows").at(2).at("blocks"), 4);
  EXPECT_EQ(frame.at("rows").at(3).at("blocks"), 1);
  EXPECT_NEAR(frame.at("rows").at(3).at("break_even_fused"), 0.83, 0.005);
}

TEST_F(BlocksCli, PrintsATableWithTheModel) {
  make_points();
  const Finished run = blocks({"--cores", "8", "--strides", "1,2"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("mask occupied, 64 x 32 cells of 1 m, x 0 to 64, y 0 to 32 m"));
  EXPECT_THAT(run.out, HasSubstr("stride"));
  EXPECT_THAT(run.out, HasSubstr("pays off ("));
  EXPECT_THAT(run.err, HasSubstr("33.3 % of the points in the area are outside z = -3 to 1 m"));
  EXPECT_THAT(blocks({"--mask", "all", "--cores", "8", "--strides", "1"}).out, HasSubstr("dense"));
  EXPECT_THAT(blocks({"--z", "-3,9"}).err, Not(HasSubstr("outside z")));
}

TEST_F(BlocksCli, ReportsCellsThatNoBlockContains) {
  make_points();
  const Finished run = blocks({"--min-cells", "2", "--cores", "8", "--strides", "1", "--mask", "occupied:1"});
  EXPECT_THAT(run.out, HasSubstr("covered"));
  EXPECT_THAT(run.out, HasSubstr("the blocks contain only 0.0 % of the mask or more"));
  EXPECT_THAT(blocks({}).out, Not(HasSubstr("covered")));
}

TEST_F(BlocksCli, SaysThatTheAreaWasEnlarged) {
  make_points();
  const Finished run = spira({"blocks", "three.csv", "--cell", "1", "--crop", "0,0,0,50,20,1"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("three.csv: area enlarged from 50 x 20 to 64 x 32 cells, multiples of the stride "
                        "16"));
}

TEST_F(BlocksCli, WritesAMaskThatItReadsAgain) {
  make_points();
  ASSERT_EQ(blocks({"--mask", "occupied+1", "-o", "mask.npy"}).code, 0);
  const Finished first = blocks({"--mask", "occupied+1", "--csv"}),
                 again = blocks({"--mask", "file:mask.npy", "--csv"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, first.out);
  EXPECT_THAT(first.out,
              HasSubstr("frame,stride,core,mask,blocks,computed,read,covered,break_even_gathered"));
  const Finished other =
      spira({"blocks", "three.csv", "--cell", "2", "--crop", "0,0,0,64,32,1", "--mask", "file:mask.npy"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err,
              HasSubstr("mask.npy: the mask has the shape 64 x 32, but the area has 32 x 16 cells"));
}

TEST_F(BlocksCli, ListsTheFramesOfAFolder) {
  std::filesystem::create_directory(folder() / "frames");
  make_points("frames/a.csv");
  make_points("frames/b.csv");
  write("frames/c.csv", "x,y,z\n");
  const Finished run = blocks({}, "frames");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("median of 2 frames (smallest to largest)"));
  EXPECT_THAT(run.out, HasSubstr("0.1 % (0.1 % to 0.1 %)"));
  EXPECT_THAT(run.out, HasSubstr("c.csv: "));
  EXPECT_EQ(json::parse(blocks({"--json"}, "frames").out).at("frames").size(), 3U);
  EXPECT_THAT(blocks({"--csv"}, "frames").out, HasSubstr("\r\nc.csv,,"));
  const Finished mask = blocks({"-o", "mask.npy"}, "frames");
  EXPECT_EQ(mask.code, 2);
  EXPECT_THAT(mask.err, HasSubstr("-o mask.npy: each frame of a folder has its own mask; name one scene"));
}

TEST_F(BlocksCli, ExplainsWrongOptions) {
  make_points();
  const auto expect = [&](const std::vector<std::string>& more, int code, const std::string& why) {
    std::vector<std::string> words{"--quiet", "blocks", "three.csv"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished run = spira(words);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_EQ(run.out, "");
  };
  expect({"--mask", "road"}, 2, "mask 'road': unknown source 'road'");
  expect({"--mask", "label:40"}, 3, "three.csv: the scene has no labels");
  expect({"--mask", "selection"}, 2, "only the window has a selection");
  expect({"--mask", "file:none.npy"}, 3, "none.npy");
  expect({"--z", "1,-3"}, 2, "z range '1,-3'");
  expect({"--z", "50,60"}, 3, "three.csv: no points between z = 50 and 60 m");
  expect({"--crop", "0,0,0"}, 2, "crop '0,0,0'");
  expect({"--cores", "5"}, 2, "--cores");
  expect({"--strides", "3"}, 2, "--strides");
  expect({"--cell", "0"}, 2, "--cell");
  expect({"--min-cells", "0"}, 2, "--min-cells");
  expect({"--crop", "0,0,0,100000,100000,1"}, 2, "has more than 2^31 cells");
  expect({"-o", "three.csv"}, 2, "three.csv");
  expect({"-o", "-"}, 2, "-o -: a mask is a binary file; name a file");
}

}  // namespace
}  // namespace spira::test
