// Tests read_to_end(), which reads an open descriptor until its end. Tests complete reads, reads beyond a
// limit, and cancellation while the writer pauses.
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace spira {
namespace {

class PipeTest : public testing::Test {
 protected:
  PipeTest() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ADD_FAILURE() << "cannot create a pipe";
  }
  ~PipeTest() override {
    close(ends_[0]);
    close_writer();
  }
  PipeTest(const PipeTest&) = delete;
  PipeTest& operator=(const PipeTest&) = delete;

  void close_writer() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  void write(std::string_view bytes) const {
    ASSERT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] std::vector<std::byte> read_all(std::optional<std::uint64_t> free_bytes = {},
                                                std::uint64_t max_bytes = 1000) {
    Job job;
    return read_to_end(ends_[0], "the pipe", max_bytes, free_bytes, job);
  }
  [[nodiscard]] int reader() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST_F(PipeTest, PiecesFromAWriterAreJoined) {
  std::thread writer([this] {
    write("1 2 3\n");
    write("4 5 6\n");
    close_writer();
  });
  const auto bytes = read_all();
  writer.join();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "1 2 3\n4 5 6\n");
}

TEST_F(PipeTest, MoreThanTheLimitIsRefusedBeforeTheEnd) {
  // The write end of the pipe stays open, so the reader must not wait for the end of the data.
  write(std::string(101, 'x'));
  try {
    static_cast<void>(read_all({}, 100));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(std::string(error.what()).find("the pipe: is longer than the limit of 100"), 0U)
        << error.what();
  }
}

TEST_F(PipeTest, MoreThanTheMemoryHoldsIsRefusedBeforeTheEnd) {
  write(std::string(101, 'x'));
  try {
    static_cast<void>(read_all(100));
    FAIL();
  } catch (const NotEnoughMemory& error) {
    // The length of a stream is not known, so the error cannot suggest a value for `every`.
    EXPECT_EQ(error.every(), 0);
    EXPECT_EQ(std::string(error.what()).find("the pipe: is longer than the free memory of 100"), 0U)
        << error.what();
  }
}

TEST_F(PipeTest, EmptyInputIsAnError) {
  close_writer();
  EXPECT_THROW(static_cast<void>(read_all()), Error);
}

TEST_F(PipeTest, AnIdleWriterDoesNotDelayACancel) {
  std::stop_source stop;
  Job job(stop.get_token());
  std::thread canceller([&] { stop.request_stop(); });
  try {
    static_cast<void>(read_to_end(reader(), "the pipe", 1000, {}, job));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
  canceller.join();
}

TEST(StandardInput, BlocksAreJoinedInOrder) {
  const test::TempFolder folder;
  std::string text(std::size_t{10} << 20U, '\0');
  for (std::size_t at = 0; at < text.size(); ++at)
    text[at] = static_cast<char>((at * 2654435761U) >> 13U);
  const int file = open(folder.write("long", text).c_str(), O_RDONLY | O_CLOEXEC);
  Job job;
  const auto bytes = read_to_end(file, "the file", text.size(), {}, job);
  close(file);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), reinterpret_cast<const std::byte*>(text.data()),
                         reinterpret_cast<const std::byte*>(text.data()) + text.size()));
}

TEST(StandardInput, OnlyTheBareDashMeansIt) {
  EXPECT_TRUE(is_standard_input("-"));
  EXPECT_FALSE(is_standard_input("./-"));
  EXPECT_FALSE(is_standard_input(""));
}

}  // namespace
}  // namespace spira
