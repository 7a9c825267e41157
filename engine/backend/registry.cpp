#include "engine/backend/registry.hpp"

#include "engine/backend/backend.hpp"

namespace spira {

std::vector<DeviceListing> Registry::devices() const {
  std::vector<DeviceListing> all;
  for (const Entry& entry : entries_) {
    for (auto& row : entry.list())
      all.push_back(std::move(row));
  }
  return all;
}

std::shared_ptr<Backend> Registry::make(std::string_view name, const BackendOptions& options) const {
  std::string choices = "auto";
  for (const Entry& entry : entries_) {
    choices += ", " + std::string(text_of(entry.kind));
    if (name != text_of(entry.kind)) continue;
    for (const auto& row : entry.list()) {
      if (row.usable) return entry.make(options);
    }
    const auto rows = entry.list();
    throw Error(ErrorKind::device, "back end " + std::string(name) + " cannot run here: " +
                                       (rows.empty() ? std::string("no device") : rows.front().why_not));
  }
  if (name == "auto") {
    for (const Entry& entry : entries_) {
      if (entry.kind == BackendKind::reference) continue;
      for (const auto& row : entry.list()) {
        if (row.usable) return entry.make(options);
      }
    }
    throw Error(ErrorKind::device, "no back end can run on this machine");
  }
  if (name == "cuda")
    throw Error(ErrorKind::device, "back end cuda: not part of this build; use the cpu back end");
  throw Error(ErrorKind::usage, "back end '" + std::string(name) + "': expected " + choices);
}

}  // namespace spira
