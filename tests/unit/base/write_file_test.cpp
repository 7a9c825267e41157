// Tests write_file() for each kind of target: new, existing, linked and read-only files, devices, pipes, and
// a full disk.
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

namespace spira {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// All fsync() calls of this program call this function.
std::function<void()> on_fsync;

class WriteFile : public testing::Test {
 protected:
  [[nodiscard]] fs::path at(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string read(const std::string& name) const { return read_text_file(at(name), 1 << 20); }
  [[nodiscard]] std::string fault_of(const fs::path& file, bool before_work = false) const {
    try {
      before_work ? require_writable(file) : write_file(file, "new");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return "no fault";
  }
  [[nodiscard]] mode_t mode_of(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(lstat(at(name).c_str(), &status), 0);
    return status.st_mode;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      all.push_back(entry.path().filename());
    return all;
  }
  /// Creates a device file with the numbers of /dev/null (minor 3) or /dev/full (minor 7). Returns false on
  /// failure. Requires root.
  [[nodiscard]] bool make_device(const std::string& name, unsigned int minor) const {
    constexpr mode_t anyone = 0666;
    if (mknod(at(name).c_str(), S_IFCHR | anyone, makedev(1, minor)) != 0) return false;
    // On file systems that do not support devices, opening the file fails.
    const int opened = open(at(name).c_str(), O_WRONLY | O_CLOEXEC);
    if (opened >= 0) close(opened);
    return opened >= 0;
  }
  test::TempFolder folder_;
};

TEST_F(WriteFile, ANewFileIsWrittenAndNothingElseRemains) {
  write_file(at("a"), "one");
  EXPECT_EQ(read("a"), "one");
  write_file(at("a"), "");
  EXPECT_EQ(read("a"), "");
  EXPECT_THAT(names(), testing::ElementsAre("a"));
}

TEST_F(WriteFile, ANameOf255BytesIsWritten) {
  const std::string name(255, 'n');
  require_writable(at(name));
  write_file(at(name), "long");
  EXPECT_EQ(read(name), "long");
}

TEST_F(WriteFile, TheContentIsOnDiskBeforeItReplacesTheFile) {
  write_file(at("a"), "old");
  std::vector<std::string> content;
  on_fsync = [&] { content.push_back(read("a")); };
  write_file(at("a"), "new");
  on_fsync = nullptr;
  EXPECT_THAT(content, testing::ElementsAre("old", "new"))
      << "the new file must be flushed before it replaces the old one, and the folder afterwards";
}

TEST_F(WriteFile, ModesOfExistingFilesAreKept) {
  for (const mode_t mode : {0600U, 0640U, 0755U, 0666U}) {
    write_file(at("a"), "old");
    ASSERT_EQ(chmod(at("a").c_str(), mode), 0);
    write_file(at("a"), "new");
    EXPECT_EQ(mode_of("a") & 07777U, mode);
    EXPECT_EQ(read("a"), "new");
  }
}

TEST_F(WriteFile, ReadOnlyFilesAreRefusedForRootToo) {
  write_file(at("a"), "old");
  ASSERT_EQ(chmod(at("a").c_str(), 0444), 0);
  fs::create_symlink("a", at("link"));
  for (const char* name : {"a", "link"}) {
    for (const bool before_work : {true, false})
      EXPECT_THAT(fault_of(at(name), before_work), HasSubstr("cannot be written: it is read-only"));
  }
  EXPECT_EQ(read("a"), "old");
}

TEST_F(WriteFile, SymbolicLinksStayLinksAndTheirTargetIsWritten) {
  fs::create_directory(at("deep"));
  write_file(at("deep/target"), "old");
  fs::create_symlink("deep/target", at("link"));
  fs::create_symlink("link", at("link_to_link"));
  fs::create_symlink("deep/missing", at("dangling"));
  fs::create_symlink("../second", at("deep/up"));
  for (const auto& [name, target] :
       std::vector<std::pair<std::string, std::string>>{{"link", "deep/target"},
                                                        {"link_to_link", "deep/target"},
                                                        {"dangling", "deep/missing"},
                                                        {"deep/up", "second"}}) {
    SCOPED_TRACE(name);
    require_writable(at(name));
    write_file(at(name), name);
    EXPECT_TRUE(S_ISLNK(mode_of(name)));
    EXPECT_EQ(read(target), name);
  }
  fs::create_symlink("loop", at("loop"));
  EXPECT_THAT(fault_of(at("loop")), HasSubstr("loop: cannot be written: Too many levels"));
}

TEST_F(WriteFile, AllNamesOfAHardLinkedFileShowTheNewContent) {
  write_file(at("a"), "a longer old text");
  fs::create_hard_link(at("a"), at("b"));
  for (const std::string text : {"short", "a text that is longer than the old text was"}) {
    require_writable(at("b"));
    write_file(at("b"), text);
    EXPECT_EQ(read("a"), text);
    EXPECT_TRUE(same_file(at("a"), at("b")));
  }
}

TEST_F(WriteFile, PlacesThatCannotBeWrittenAreFoundBeforeTheWork) {
  write_file(at("file"), "x");
  for (const auto& [name, why] :
       std::vector<std::pair<std::string, std::string>>{{".", "it is a folder"},
                                                        {"missing/a", "No such file or directory"},
                                                        {"file/a", "Not a directory"}}) {
    for (const bool before_work : {true, false})
      EXPECT_THAT(fault_of(at(name), before_work),
                  HasSubstr(at(name).string() + ": cannot be written: " + why));
  }
  EXPECT_THAT(names(), testing::ElementsAre("file"));
}

TEST_F(WriteFile, DevicesStayDevices) {
  constexpr unsigned int null = 3, full = 7;
  if (!make_device("null", null) || !make_device("full", full)) GTEST_SKIP() << "cannot create device files";
  for (const char* name : {"null", "full"}) {
    EXPECT_TRUE(is_stream(at(name)));
    require_writable(at(name));
  }
  write_file(at("null"), "gone");
  EXPECT_THAT(fault_of(at("full")), HasSubstr("full: cannot be written: No space left on device"));
  for (const char* name : {"null", "full"})
    EXPECT_TRUE(S_ISCHR(mode_of(name)));
  fs::create_symlink("null", at("link"));
  write_file(at("link"), "gone");
  EXPECT_TRUE(S_ISLNK(mode_of("link")));
  EXPECT_THAT(names(), testing::UnorderedElementsAre("null", "full", "link"));
}

TEST_F(WriteFile, APipeIsWaitedForAndGetsAllBytes) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(is_stream(at("pipe")));
  // This call must not block.
  require_writable(at("pipe"));
  // This text is longer than the buffer of a pipe.
  const std::string much(300'000, 'm');
  std::string got;
  std::jthread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::ifstream stream(at("pipe"), std::ios::binary);
    got.assign(std::istreambuf_iterator<char>(stream), {});
  });
  write_file(at("pipe"), much);
  reader.join();
  EXPECT_EQ(got, much);
  EXPECT_TRUE(S_ISFIFO(mode_of("pipe")));
}

TEST_F(WriteFile, WaitingForAReaderEndsWithAStop) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  try {
    write_file(at("pipe"), "text", stop.get_token());
    FAIL() << "the write must stop, because no program reads from the pipe";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

TEST_F(WriteFile, OpenDescriptorsAreWrittenWhereTheyAre) {
  const int file = open(at("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, "before ", 7), 7);
  const std::string name = "/dev/fd/" + std::to_string(file);
  EXPECT_TRUE(is_stream(name));
  require_writable(name);
  write_file(name, "after");
  close(file);
  EXPECT_EQ(read("out"), "before after");
  EXPECT_THAT(fault_of(name), HasSubstr("Bad file descriptor"));
  const int only_read = open(at("out").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_THAT(fault_of("/proc/self/fd/" + std::to_string(only_read), true), HasSubstr("reading only"));
  close(only_read);
}

TEST_F(WriteFile, AFileSizeLimitLeavesTheOldFileAndNothingElse) {
  write_file(at("a"), "old");
  write_file(at("b"), "old");
  fs::create_hard_link(at("b"), at("c"));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string much(10'000, 'm');
  std::vector<std::string> faults;
  for (const char* name : {"a", "b", "new"}) {
    try {
      write_file(at(name), much);
      faults.emplace_back("no fault");
    } catch (const Error& error) {
      faults.emplace_back(error.what());
    }
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(faults, testing::Each(HasSubstr("cannot be written: File too large")));
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(read("c"), "old");
  EXPECT_THAT(names(), testing::UnorderedElementsAre("a", "b", "c"));
}

TEST_F(WriteFile, AFolderWithoutPermissionStillAllowsAnExistingFile) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write to any folder";
  write_file(at("a"), "old");
  ASSERT_EQ(chmod(folder_.path().c_str(), 0500), 0);
  require_writable(at("a"));
  write_file(at("a"), "new");
  EXPECT_THAT(fault_of(at("b"), true), HasSubstr("Permission denied"));
  chmod(folder_.path().c_str(), 0700);
  EXPECT_EQ(read("a"), "new");
}

TEST_F(WriteFile, AChangedFileIsNotReplaced) {
  const FileVersion none = version_of(at("a"));
  EXPECT_TRUE(write_file_if_unchanged(at("a"), none, "first"));
  EXPECT_FALSE(write_file_if_unchanged(at("a"), none, "second"));
  const FileVersion first = version_of(at("a"));
  write_file(at("a"), "other");
  EXPECT_FALSE(write_file_if_unchanged(at("a"), first, "third"));
  EXPECT_EQ(read("a"), "other");
  EXPECT_TRUE(write_file_if_unchanged(at("a"), version_of(at("a")), "fourth"));
  EXPECT_EQ(read("a"), "fourth");
}

}  // namespace
}  // namespace spira

/// Replaces fsync() of the C library in this program.
extern "C" int fsync(int descriptor) {
  if (spira::on_fsync) spira::on_fsync();
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
