// Runs a program as a shell does, with arguments and a working folder. Captures both outputs and the exit
// code.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace spira::test {

struct Finished {
  int code = -1;  ///< Exit code as in a shell. It is 128 + n if signal n ended the program.
  std::string out, err;
};

/// A running program. Its stdout goes to a file in `folder` (or to `out_file`), and its stderr goes to a
/// pipe.
class Program {
 public:
  Program(const std::string& path, const std::vector<std::string>& arguments,
          const std::filesystem::path& folder, std::filesystem::path out_file = {},
          const std::filesystem::path& in_file = "/dev/null")
      : out_file_(out_file.empty() ? folder / "stdout.txt" : std::move(out_file)) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) ADD_FAILURE() << "cannot create a pipe";
    read_end_ = ends[0];
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in_file.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::vector<std::string> words{path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    if (posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), environ) != 0) {
      ADD_FAILURE() << path << " cannot be started";
      pid_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }
  ~Program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(read_end_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Blocks until stderr contains `text`. Returns false if the program ends without printing this text.
  bool wait_for_message(const std::string& text) {
    while (err_.find(text) == std::string::npos) {
      if (!read_more()) return false;
    }
    return true;
  }
  void interrupt() const { send(SIGINT); }
  void send(int signal) const {
    if (pid_ > 0) kill(pid_, signal);
  }
  Finished finish() {
    while (read_more()) {
    }
    Finished result;
    if (pid_ > 0) {
      int status = 0;
      waitpid(pid_, &status, 0);
      pid_ = -1;
      result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (std::filesystem::is_regular_file(out_file_)) {
      std::ifstream file(out_file_, std::ios::binary);
      std::ostringstream text;
      text << file.rdbuf();
      result.out = text.str();
    }
    result.err = err_;
    return result;
  }

 private:
  bool read_more() {
    std::array<char, 4096> block{};
    const ssize_t got = read(read_end_, block.data(), block.size());
    if (got > 0) err_.append(block.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  std::filesystem::path out_file_;
  pid_t pid_ = -1;
  int read_end_ = -1;
  std::string err_;
};

}  // namespace spira::test
