#include "engine/backend/device_facts.hpp"

namespace spira {

std::string_view text_of(BackendKind kind) noexcept {
  if (kind == BackendKind::reference) return "reference";
  return kind == BackendKind::cuda ? "cuda" : "cpu";
}

}  // namespace spira
