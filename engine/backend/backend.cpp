#include "engine/backend/backend.hpp"

namespace spira {
namespace {

template <class Copy> CoordSet copied(const CoordSet& coords, const Copy& copy) {
  return {coords.pack, coords.stride, coords.capacity, copy(coords.keys), copy(coords.count), coords.size};
}

template <class Copy> KernelMap copied(const KernelMap& map, const Copy& copy) {
  KernelMap result{map.offsets, map.outputs, map.inputs, map.half, map.submanifold, map.algorithm, {}};
  for (const auto& part : map.parts)
    result.parts.push_back(
        {part.layout, part.columns, copy(part.entries), copy(part.counts), part.word_bits, nullptr});
  return result;
}

template <class Copy> Features copied(const Features& features, const Copy& copy) {
  return {features.rows, features.channels, features.precision, copy(features.data)};
}

}  // namespace

CompiledNetwork Backend::compile(const NetworkRunRequest& /*request*/, Job& /*job*/) {
  return {nullptr, "this back end runs networks layer by layer"};
}

DeviceRates Backend::measure_rates(Precision /*precision*/, Job& /*job*/) {
  const std::string why = "this back end does not measure it";
  return {{{}, why, {}}, {{}, why, {}}};
}

DeviceState Backend::state() {
  return {};
}

CoordSet Backend::download(const CoordSet& coords) {
  return copied(coords, [this](const Buffer& buffer) { return to_host(buffer); });
}
KernelMap Backend::download(const KernelMap& map) {
  return copied(map, [this](const Buffer& buffer) { return to_host(buffer); });
}
Features Backend::download(const Features& features) {
  return copied(features, [this](const Buffer& buffer) { return to_host(buffer); });
}
CoordSet Backend::upload(const CoordSet& coords) {
  return copied(coords, [this](const Buffer& buffer) { return to_device(buffer); });
}
KernelMap Backend::upload(const KernelMap& map) {
  return copied(map, [this](const Buffer& buffer) { return to_device(buffer); });
}
Features Backend::upload(const Features& features) {
  return copied(features, [this](const Buffer& buffer) { return to_device(buffer); });
}

}  // namespace spira
