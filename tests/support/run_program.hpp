// Runs the real command line program and catches what it says.
#pragma once

#include "tests/support/temp_folder.hpp"

#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace spira::test {

struct Finished {
  int code = -1;
  std::string out, err;
};

class Program {
 public:
  Program(const std::string& executable, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), executable);
    std::vector<char*> argv;
    for (auto& argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, (folder_ / "out").c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, (folder_ / "err").c_str(), O_WRONLY | O_CREAT, 0600);
    if (posix_spawn(&process_, executable.c_str(), &actions, nullptr, argv.data(), environ) != 0)
      process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
  }
  void interrupt() const { kill(process_, SIGINT); }
  Finished wait() {
    Finished result;
    int status = 0;
    if (process_ > 0) waitpid(process_, &status, 0);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const auto text = [&](const char* name) {
      std::ifstream file(folder_ / name, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    result.out = text("out");
    result.err = text("err");
    return result;
  }

 private:
  TempFolder folder_;
  pid_t process_ = -1;
};

}  // namespace spira::test
