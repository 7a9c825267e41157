// Time of the features of a layer at some t: the best available number and its source.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QString>

#include <cstdint>
#include <optional>
#include <set>

namespace spira::ui {

struct ThresholdTime {
  enum class Source {
    run,      ///< From the measurement, else from the single run.
    trial,    ///< Measured for this t in isolated passes.
    sweep,    ///< Isolated pass of a sweep.
    modelled  ///< Estimated by the model, not measured.
  };
  int threshold = 0;
  Source source = Source::run;
  double features_ms = 0;  ///< Median, or the estimate of the model.
  std::int64_t n = 0;      ///< Number of samples; 0 if modelled.
  QString how;             ///< Basis of a modelled time: "from the rates of this layer in this run".
  [[nodiscard]] bool measured() const noexcept { return source != Source::modelled; }
  [[nodiscard]] QString text() const;  ///< "1.204 ms (median of 15)", "0.910 ms (modelled)"
};

/// Returns the best available time of the features of a layer at this t. Returns an empty value if the layer
/// was not run, or if it has only single runs and none of them used this t.
[[nodiscard]] std::optional<ThresholdTime> features_at(const Workspace& workspace, int layer, int threshold);
/// Returns the t that the layer was run with. Returns an empty value if it was not run.
[[nodiscard]] std::optional<int> threshold_of_run(const Workspace& workspace, int layer);
/// Returns the t that the user tries for the layer, else the t of the plan.
[[nodiscard]] int threshold_looked_at(const Workspace& workspace, const Selection& selection, int layer);

/// Considers the offsets under the pointer, or the chosen offsets if there are none, in the chosen layer.
/// With the t of the plan, offsets with an L1 norm below t are output-stationary, the others
/// weight-stationary. Returns an empty set if no offset is hovered or chosen.
[[nodiscard]] std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace,
                                                        const Selection& selection);

}  // namespace spira::ui
