#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace spira::app {
namespace {

/// The value "NAME=VALUE" of an option, divided into its parts.
struct Setting {
  std::string option, text;

  [[nodiscard]] Error fault(const std::string& why) const {
    return Error(ErrorKind::usage, option + " " + text + ": " + why);
  }
  [[nodiscard]] std::string value() const {
    const auto equals = text.rfind('=');
    return equals == std::string::npos ? std::string() : text.substr(equals + 1);
  }
  [[nodiscard]] std::size_t layer_of(const Network& network) const {
    const int layer = network.index_of(text.substr(0, text.rfind('=')));
    if (layer < 0) throw fault("network " + network.name + " has no such layer");
    return static_cast<std::size_t>(layer);
  }
};

void set_threshold_of_layer(Plan& plan, const Network& network, const Setting& setting) {
  const auto t = parse_int(setting.value());
  if (!t || *t < 0 || *t > 10) throw setting.fault("expected NAME=T, such as conv1=2");
  const std::size_t at = setting.layer_of(network);
  if (const auto why = why_not_threshold(network.layers[at], static_cast<int>(*t)); !why.empty())
    throw setting.fault(why);
  plan.layers.at(at).threshold = static_cast<int>(*t);
  note_threshold_source(plan, at, "user");
  plan.source = setting.option;
}

void set_map_of_layer(Plan& plan, const Network& network, const Setting& setting) {
  const std::size_t at = setting.layer_of(network);
  try {
    plan.layers.at(at).algorithm = parse_map_algorithm(setting.value());
  } catch (const Error& error) {
    throw setting.fault(error.what());
  }
}

void set_layout_of_layer(Plan& plan, const Network& network, const Setting& setting) {
  const std::size_t at = setting.layer_of(network);
  for (const auto layout : {MapLayout::output_major, MapLayout::offset_major, MapLayout::z_runs}) {
    if (setting.value() != text_of(layout)) continue;
    plan.layers.at(at).dense_layout = layout;
    return;
  }
  throw setting.fault("expected NAME=output-major, offset-major or z-runs");
}

}  // namespace

void LayerSettings::add(CLI::App& command) {
  const auto option = [&](const char* name, std::vector<std::string>& into, const char* about,
                          const char* value) {
    command.add_option(name, into, about)->type_name(value)->allow_extra_args(false);
  };
  option("--layer-threshold", thresholds, "Threshold t of one layer, after --threshold; may be repeated",
         "NAME=T");
  option("--layer-map", maps, "Mapping algorithm of one layer, after --map; may be repeated",
         "NAME=ALGORITHM");
  option("--layer-layout", layouts,
         "Map layout of the output-stationary offsets of one layer: output-major, offset-major or z-runs; "
         "may be repeated",
         "NAME=LAYOUT");
}

void LayerSettings::set_in(Plan& plan, const Network& network) const {
  for (const auto& text : thresholds)
    set_threshold_of_layer(plan, network, {"--layer-threshold", text});
  for (const auto& text : maps)
    set_map_of_layer(plan, network, {"--layer-map", text});
  for (const auto& text : layouts)
    set_layout_of_layer(plan, network, {"--layer-layout", text});
}

}  // namespace spira::app
