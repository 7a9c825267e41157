// Tests command-line runs of the window. The program executes or refuses each request and then exits.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <thread>

namespace spira::test {
namespace {

using testing::HasSubstr;

/// Returns the pixel data of a PNG without its metadata, which contains the time.
std::string pixels_of(const std::string& png) {
  // Sizes in bytes: the signature of the file; and the length, type and checksum of a chunk.
  constexpr std::size_t head = 8, frame = 12;
  std::string pixels;
  for (std::size_t at = head; at + frame <= png.size();) {
    std::size_t length = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      length = (length << 8U) + static_cast<unsigned char>(png[at + byte]);
    if (png.compare(at + 4, 4, "IDAT") == 0) pixels += png.substr(at + 8, length);
    at += frame + length;
  }
  return pixels;
}

/// Returns width and height of a PNG, such as "1100x700".
std::string size_of_png(const std::string& png) {
  constexpr std::size_t first = 16;  // bytes before the width
  const auto number = [&png](std::size_t from) {
    std::size_t value = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      value = (value << 8U) + static_cast<unsigned char>(png.at(from + byte));
    return std::to_string(value);
  };
  return number(first) + "x" + number(first + 4);
}

class ScriptedRuns : public Cli {
 protected:
  [[nodiscard]] Finished spirascope(const std::vector<std::string>& arguments) const {
    return Program(SPIRASCOPE_PROGRAM, arguments, folder()).finish();
  }
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& text) const {
    const Finished run = spirascope(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr("spirascope: "));
    EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_EQ(run.out, "") << "a failed run must print nothing to stdout";
  }
};

TEST_F(ScriptedRuns, AFileThatCannotBeOpenedEndsTheRun) {
  write("bad.spirasession", "{\"schema\": \"spirascope.session\"}");
  write("bad.tune.json", "{\"schema\": \"spira.tune\", \"schema_version\": \"1.0\"}");
  write("bad.bin", "abc");
  for (const char* file : {"bad.spirasession", "bad.tune.json", "bad.bin"}) {
    SCOPED_TRACE(file);
    expect_refused({file, "--picture", "x.png"}, 3, file);
    expect_refused({file, "--screenshots", "shots"}, 3, file);
  }
}

TEST_F(ScriptedRuns, TooLittleMemoryNamesTheOptionThatHelps) {
  ASSERT_EQ(spira({"generate", "street", "--points", "100000", "-o", "large.ply"}).code, 0);
  for (const char* wanted : {"--picture", "--screenshots"})
    expect_refused({"large.ply", "--memory-limit", "1M", wanted, "x.png"}, 5, "(--every ");
}

TEST_F(ScriptedRuns, ScreenshotsOfAReportContainTheRooflineAndTheMatrix) {
  const Finished made = spira(
      {"run", "street", "--network", "resn21", "--grid", "1", "--repeat", "2", "--sweeps", "-o", "r.json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Finished run = spirascope({"r.json", "--screenshots", "shots", "--scale", "1", "--size", "1024x640"});
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* picture : {"roofline.png", "matrix.png"})
    EXPECT_TRUE(std::filesystem::exists(folder() / "shots" / picture)) << picture << "\n" << run.out;
}

TEST_F(ScriptedRuns, ATuningProfileIsDrawn) {
  const Finished tuned = spira({"tune", "street", "--network", "resn21", "--grid", "1", "--budget", "2s",
                                "--min-samples", "5", "-o", "x.tune.json"});
  if (!std::filesystem::exists(folder() / "x.tune.json"))
    GTEST_SKIP() << "the tuner saved no profile: " << tuned.err;
  const Finished run = spirascope({"x.tune.json", "--command", "layout.explore", "--picture", "x.png"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(folder() / "x.png"));
}

TEST_F(ScriptedRuns, ThePictureOfTheWindowHasTheRequestedScale) {
  const auto size_with = [this](std::vector<std::string> more) {
    std::vector<std::string> words{"street", "--grid", "1", "--size", "1100x700", "--picture", "x.png"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished run = spirascope(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return size_of_png(read("x.png"));
  };
  EXPECT_EQ(size_with({"--scale", "1"}), "1100x700");
  EXPECT_EQ(size_with({}), "2200x1400") << "the default scale is 2";
}

TEST_F(ScriptedRuns, BuiltInScenesAcceptASeed) {
  const Finished run = spirascope({"street:7", "--grid", "1", "--picture", "x.png"});
  EXPECT_EQ(run.code, 0) << run.err;
  expect_refused({"street:x", "--picture", "y.png"}, 2, "the seed after the colon");
}

TEST_F(ScriptedRuns, ALessonFileIsRefusedWithItsMenuCommand) {
  write("lesson.json", R"({"schema": "spira.lesson", "schema_version": "1.0"})");
  expect_refused({"lesson.json", "--picture", "y.png"}, 3, "Learn > Open lesson file...");
}

/// The tested command is available only in a lesson.
TEST_F(ScriptedRuns, ALessonStartsAfterAReportIsOpen) {
  const Finished made =
      spira({"run", "street", "--network", "resn21", "--grid", "1", "--repeat", "2", "-o", "r.json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Finished run =
      spirascope({"r.json", "--lesson", "density", "--command", "lesson.leave", "--picture", "x.png"});
  EXPECT_EQ(run.code, 0) << run.err;
  expect_refused({"r.json", "--command", "lesson.leave", "--picture", "y.png"}, 2,
                 "--command lesson.leave: ");
}

TEST_F(ScriptedRuns, ACommandThatCannotRunIsAnError) {
  expect_refused({"street", "--command", "frame.next", "--picture", "x.png"}, 2, "--command frame.next: ");
  expect_refused({"street", "--command", "no.such", "--picture", "x.png"}, 2, "no.such: unknown command");
}

TEST_F(ScriptedRuns, InvalidOptionsAreReportedBeforeAnythingOpens) {
  expect_refused({"street", "--picture", "x.jpg"}, 2, "must end in .png");
  expect_refused({"street", "--pdf", "x.txt"}, 2, "must end in .pdf");
  expect_refused({"street", "--picture", "no/x.png"}, 3, "no/x.png: cannot be written");
  expect_refused({"street", "--size", "10x10", "--picture", "x.png"}, 2, "200 or more");
}

TEST_F(ScriptedRuns, AnInputIsNotOverwritten) {
  ASSERT_EQ(spira({"generate", "street", "--points", "5000", "-o", "scene.ply"}).code, 0);
  const std::string before = read("scene.ply");
  std::filesystem::create_symlink("scene.ply", folder() / "x.png");
  expect_refused({"scene.ply", "--picture", "x.png"}, 2, "x.png: this file is an input (scene)");
  expect_refused({"scene.ply", "--chart", "densities=x.png"}, 2, "x.png: this file is an input (scene)");
  EXPECT_EQ(read("scene.ply"), before);
}

TEST_F(ScriptedRuns, ADisplayThatCannotBeOpenedPrintsOneLine) {
  for (const char* command :
       {"unset WAYLAND_DISPLAY; DISPLAY=:4711 QT_QPA_PLATFORM= ", "QT_QPA_PLATFORM=no-such-platform "}) {
    const Finished run =
        Program("/bin/sh", {"-c", std::string(command) + SPIRASCOPE_PROGRAM " street"}, folder()).finish();
    EXPECT_EQ(run.code, 5) << run.err;
    EXPECT_THAT(run.err, HasSubstr("spirascope: the display cannot be opened"));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST_F(ScriptedRuns, ADisplayThatClosesPrintsOneLine) {
  const Finished run =
      Program("/bin/sh",
              {"-c",
               "Xvfb -displayfd 3 -noreset 3>number >xvfb.log 2>&1 & server=$!\n"
               "for try in 1 2 3 4 5 6 7 8 9 10; do [ -s number ] && break; sleep 0.5; done\n"
               "[ -s number ] || exit 77\n"
               "DISPLAY=:$(cat number) QT_QPA_PLATFORM=xcb " SPIRASCOPE_PROGRAM
               " street --no-config 2>window.log & window=$!\n"
               "sleep 4; kill -9 $server; wait $window"},
              folder())
          .finish();
  if (run.code == 77) GTEST_SKIP() << "Xvfb is not installed";
  EXPECT_EQ(run.code, 5) << read("window.log");
  // On a slow machine, the program may not have opened the display after four seconds.
  EXPECT_THAT(read("window.log"),
              testing::AnyOf(HasSubstr("spirascope: the connection to the display was lost\n"),
                             HasSubstr("spirascope: the display cannot be opened")));
}

TEST_F(ScriptedRuns, TooLittleAddressSpacePrintsOneLine) {
  for (const char* limit : {"ulimit -v 1200000; ", "ulimit -v 700000; "}) {
    const Finished run =
        Program("/bin/sh", {"-c", std::string(limit) + SPIRASCOPE_PROGRAM " street"}, folder()).finish();
    EXPECT_EQ(run.code, 5) << run.err;
    EXPECT_THAT(run.err, HasSubstr("spirascope: the limit of the address space (ulimit -v) is "));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST_F(ScriptedRuns, SignalsCloseTheWindowAndLeaveNoRecoveryCopy) {
  const auto state = folder() / "state";
  std::filesystem::create_directories(state / "spirascope");
  write("state/spirascope/settings.json",
        R"({"schema":"spirascope.settings","version":1,"values":{"recovery.seconds":1}})");
  const auto recovery_copies = [&] {
    std::error_code missing;
    std::ptrdiff_t copies = 0;
    for (std::filesystem::recursive_directory_iterator entry(state, missing), end; entry != end; ++entry)
      copies += entry->path().extension() == ".spirasession" ? 1 : 0;
    return copies;
  };
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    Program program(
        "/bin/sh",
        {"-c", "export XDG_STATE_HOME='" + state.string() +
                   "'; XDG_CONFIG_HOME=$XDG_STATE_HOME exec " SPIRASCOPE_PROGRAM " street --grid 1"},
        folder());
    for (int tenths = 0; tenths < 600 && recovery_copies() == 0; ++tenths)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_EQ(recovery_copies(), 1) << "an open scene must have one recovery copy";
    program.send(signal);
    const Finished run = program.finish();
    EXPECT_EQ(run.code, 128 + signal) << run.err;
    EXPECT_EQ(recovery_copies(), 0);
  }
}

TEST_F(ScriptedRuns, CommandsWaitForThePrecedingSurvey) {
  for (const char* frame : {"1.ply", "2.ply", "3.ply"})
    ASSERT_EQ(spira({"generate", "street", "--points", "150000", "-o", frame}).code, 0);
  expect_refused({".", "--command", "survey.run", "--command", "survey.stop", "--picture", "x.png"}, 2,
                 "no survey is running");
}

TEST_F(ScriptedRuns, TheStartPageIsDrawnAfterEverythingIsClosed) {
  const Finished run = spirascope({"street", "--grid", "1", "--command", "file.close", "--picture", "x.png"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(folder() / "x.png"));
}

TEST_F(ScriptedRuns, CameraCommandsWaitForTheMesh) {
  // The mesh of this scene takes longer to build than its maps.
  const Finished made = spira({"generate", "street", "--points", "400000", "--seed", "3", "-o", "large.ply"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto picture = [this](std::vector<std::string> words, const std::string& file) {
    words.insert(words.end(), {"--grid", "0.1", "--picture", file, "--view-only"});
    const Finished run = spirascope(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return pixels_of(read(file));
  };
  const std::string front = picture({"large.ply"}, "plain.png");
  const std::string above = picture({"large.ply", "--command", "view.top"}, "top.png");
  EXPECT_FALSE(front.empty());
  EXPECT_TRUE(front == picture({"large.ply", "--command", "view.reset"}, "again.png"));
  EXPECT_FALSE(front == above) << "the camera command must not be overwritten when the mesh arrives";
}

}  // namespace
}  // namespace spira::test
