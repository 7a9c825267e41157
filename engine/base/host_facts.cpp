#include "engine/base/host_facts.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace spira {
namespace {

namespace fs = std::filesystem;

/// Finds the first line that starts with `begin` and returns the rest of this line. Returns an empty string
/// if no such line exists.
std::string rest_of_line(const fs::path& file, std::string_view begin) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(begin)) return line.substr(begin.size());
  }
  return {};
}

std::string os_name(const fs::path& root) {
  std::string name = rest_of_line(root / "etc/os-release", "PRETTY_NAME=");
  if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
  return name.empty() ? "unknown" : name;
}

std::string cpu_name(const fs::path& root) {
  const std::string rest = rest_of_line(root / "proc/cpuinfo", "model name");
  const auto begin = rest.find(": ");
  return begin == std::string::npos ? "unknown" : rest.substr(begin + 2);
}

std::string governor_of(const fs::path& root) {
  std::ifstream in(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string name;
  return in >> name ? name : "unknown";
}

bool in_container(const fs::path& root) {
  std::error_code none;
  for (const char* mark : {".dockerenv", "run/.containerenv"}) {
    if (fs::exists(root / mark, none)) return true;
  }
  std::ifstream in(root / "proc/1/cgroup");
  for (std::string line; std::getline(in, line);) {
    for (const char* name : {"docker", "kubepods", "lxc", "containerd"}) {
      if (line.find(name) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

HostFacts host_facts(const fs::path& root) {
  HostFacts facts;
  facts.os = os_name(root);
  utsname system{};
  facts.kernel = uname(&system) == 0 ? std::string(static_cast<const char*>(system.sysname)) + " " +
                                           static_cast<const char*>(system.release)
                                     : "unknown";
  facts.cpu = cpu_name(root);
  facts.cores = static_cast<int>(std::thread::hardware_concurrency());
  facts.ram_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  facts.governor = governor_of(root);
  facts.container = in_container(root);
  return facts;
}

std::optional<std::uint64_t> free_memory_bytes(std::optional<std::uint64_t> most) {
  std::optional<std::uint64_t> free;
  std::ifstream facts("/proc/meminfo");
  std::string word;
  while (facts >> word) {
    std::uint64_t kib = 0;
    if (word == "MemAvailable:" && facts >> kib) {
      free = kib * 1024;
      break;
    }
    facts.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::uint64_t taken = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t left = limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, taken);
    free = std::min(free.value_or(left), left);
  }
  return most ? std::min(free.value_or(*most), *most) : free;
}

}  // namespace spira
