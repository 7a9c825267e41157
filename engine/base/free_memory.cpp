#include "engine/base/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace spira {

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
