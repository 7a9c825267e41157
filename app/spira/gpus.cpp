#include "app/spira/gpus.hpp"

#include "engine/base/error.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace spira::app {
namespace {

constexpr const char* visible_gpus = "CUDA_VISIBLE_DEVICES";

/// A running process whose stdout is a pipe. The destructor waits for it.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) fail(errno);
    read_end_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    std::vector<std::string> words{"spira"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> values;
    for (std::string& word : words)
      values.push_back(word.data());
    values.push_back(nullptr);
    const int fault = posix_spawn(&id_, "/proc/self/exe", &actions, nullptr, values.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (fault == 0) return;
    close(read_end_);
    fail(fault);
  }
  ~ChildProcess() {
    if (id_ > 0) static_cast<void>(finish());
  }
  ChildProcess(ChildProcess&& other) noexcept
      : id_(std::exchange(other.id_, 0)), read_end_(std::exchange(other.read_end_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads the output until the process ends.
  [[nodiscard]] ProcessResult finish() {
    ProcessResult result;
    std::array<char, 4096> block{};
    for (ssize_t bytes = 0; (bytes = read(read_end_, block.data(), block.size())) != 0;) {
      if (bytes > 0) result.output.append(block.data(), static_cast<std::size_t>(bytes));
      if (bytes < 0 && errno != EINTR) break;
    }
    close(read_end_);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    constexpr int shells_add = 128;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : shells_add + WTERMSIG(status);
    return result;
  }

 private:
  [[noreturn]] static void fail(int fault) {
    throw Error(ErrorKind::device,
                std::string("a process for a GPU cannot be started: ") + std::strerror(fault));
  }
  pid_t id_ = 0;
  int read_end_ = -1;
};

}  // namespace

void use_only_gpu(int index) {
  std::string own = std::to_string(index);
  // If the user already hides some GPUs, the index counts the others.
  if (const char* visible = std::getenv(visible_gpus); visible != nullptr) {
    std::istringstream names(visible);
    std::string name;
    for (int at = 0; at <= index; ++at) {
      if (std::getline(names, name, ',')) continue;
      throw Error(ErrorKind::usage, "--device " + own + ": " + visible_gpus + " contains only " +
                                        std::to_string(at) + (at == 1 ? " GPU" : " GPUs"));
    }
    own = name;
  }
  setenv(visible_gpus, own.c_str(), 1);
}

std::vector<ProcessResult> run_processes(const std::vector<std::vector<std::string>>& arguments) {
  std::vector<ChildProcess> running;
  running.reserve(arguments.size());
  for (const auto& one : arguments)
    running.emplace_back(one);
  std::vector<ProcessResult> results;
  for (ChildProcess& process : running)
    results.push_back(process.finish());
  return results;
}

}  // namespace spira::app
