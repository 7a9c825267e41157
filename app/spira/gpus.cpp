#include "app/spira/gpus.hpp"

#include "engine/base/error.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace spira::app {
namespace {

constexpr const char* visible_gpus = "CUDA_VISIBLE_DEVICES";

/// A running process whose stdout is a pipe. The destructor ends it.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
    read_end_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
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
    if (id_ <= 0) return;
    end();
    close(read_end_);
    waitpid(id_, nullptr, 0);
  }
  ChildProcess(ChildProcess&& other) noexcept
      : id_(std::exchange(other.id_, 0)),
        read_end_(std::exchange(other.read_end_, -1)),
        result_(std::move(other.result_)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] bool running() const noexcept { return id_ > 0; }
  [[nodiscard]] int read_end() const noexcept { return read_end_; }
  [[nodiscard]] const ProcessResult& result() const noexcept { return result_; }
  void end() const noexcept { kill(id_, SIGTERM); }
  /// Reads what the process has printed. If it has closed its stdout, waits until it ends.
  void read_output() {
    std::array<char, 4096> block{};
    const ssize_t bytes = read(read_end_, block.data(), block.size());
    if (bytes < 0 && errno == EINTR) return;
    if (bytes > 0) {
      result_.output.append(block.data(), static_cast<std::size_t>(bytes));
      return;
    }
    close(read_end_);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    constexpr int shells_add = 128;
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : shells_add + WTERMSIG(status);
  }

 private:
  [[noreturn]] static void fail(int fault) {
    throw Error(ErrorKind::device,
                std::string("a process for a GPU cannot be started: ") + std::strerror(fault));
  }
  pid_t id_ = 0;
  int read_end_ = -1;
  ProcessResult result_;
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

std::vector<std::string> process_arguments(const std::vector<std::string>& command_line,
                                           const std::vector<std::string>& added) {
  std::vector<std::string> words;
  bool values_only = false;  // Words after -- are not options.
  for (std::size_t at = 1; at < command_line.size(); ++at) {
    const std::string& word = command_line[at];
    if (word == "--" && !values_only) {
      words.insert(words.end(), added.begin(), added.end());
      values_only = true;
    }
    if (!values_only && (word == "--json" || word.starts_with("--devices="))) continue;
    if (!values_only && word == "--devices") {
      ++at;
    } else {
      words.push_back(word);
    }
  }
  if (!values_only) words.insert(words.end(), added.begin(), added.end());
  return words;
}

std::vector<ProcessResult> run_processes(const std::vector<std::vector<std::string>>& arguments,
                                         const std::stop_token& stop) {
  std::vector<ChildProcess> processes;
  processes.reserve(arguments.size());
  for (const auto& one : arguments)
    processes.emplace_back(one);
  bool ended = false;
  while (true) {
    std::vector<pollfd> waiting;
    std::vector<ChildProcess*> of;
    for (ChildProcess& process : processes) {
      if (!process.running()) continue;
      waiting.push_back({process.read_end(), POLLIN, 0});
      of.push_back(&process);
    }
    if (waiting.empty()) break;
    if (!ended && stop.stop_requested()) {
      ended = true;
      for (const ChildProcess* process : of)
        process->end();
    }
    constexpr int check_stop_ms = 50;
    if (poll(waiting.data(), waiting.size(), check_stop_ms) <= 0) continue;
    for (std::size_t at = 0; at < of.size(); ++at) {
      if (waiting[at].revents != 0) of[at]->read_output();
    }
  }
  std::vector<ProcessResult> results;
  for (const ChildProcess& process : processes)
    results.push_back(process.result());
  return results;
}

}  // namespace spira::app
