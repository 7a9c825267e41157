// What the features of a layer take with some t, by the best figure that there is, and where it comes from.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QString>

#include <cstdint>
#include <optional>

namespace spira::ui {

struct ThresholdTime {
  enum class Source {
    run,      ///< of the measurement, or of the single run where there is none
    trial,    ///< isolated passes of its own
    sweep,    ///< the isolated pass of a sweep
    modelled  ///< not measured
  };
  int threshold = 0;
  Source source = Source::run;
  double features_ms = 0;  ///< median
  std::int64_t n = 0;      ///< samples; 0: modelled
  QString how;             ///< of a model: "from the rates of this layer in this run"
  [[nodiscard]] bool measured() const noexcept { return source != Source::modelled; }
  [[nodiscard]] QString text() const;  ///< "1.204 ms, median of 15", "0.910 ms, modelled"
};

/// Empty: the layer was not run, or has single runs only and was not run with this t.
[[nodiscard]] std::optional<ThresholdTime> features_at(const Workspace& workspace, int layer, int threshold);
/// The t that the layer was run with; empty: it was not run.
[[nodiscard]] std::optional<int> threshold_of_run(const Workspace& workspace, int layer);
/// The t that is tried for the layer now, else that of the plan.
[[nodiscard]] int threshold_looked_at(const Workspace& workspace, const Selection& selection, int layer);

}  // namespace spira::ui
