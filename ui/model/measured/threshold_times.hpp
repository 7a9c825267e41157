// Finds the best available feature time of a layer at a given threshold t, and the source of the time.
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
    run,      ///< Time from the measurement, or from a single run if there is no measurement.
    trial,    ///< Time measured for this t in isolated passes.
    sweep,    ///< Time from an isolated pass of a sweep.
    modelled  ///< Time estimated by the model, not measured.
  };
  int threshold = 0;
  Source source = Source::run;
  double features_ms = 0;  ///< Median time, or the estimate of the model.
  std::int64_t n = 0;      ///< Number of samples. 0 if the time is modelled.
  QString how;             ///< Basis of a modelled time, such as "from the rates of this layer in this run".
  [[nodiscard]] bool measured() const noexcept { return source != Source::modelled; }
  /// Returns a text such as "1.204 ms (median of 15)" or "0.910 ms (modelled)".
  [[nodiscard]] QString text() const;
};

/// Returns the best available feature time of the layer at this t. Returns an empty value if the layer was
/// not run, or if it has only single runs and none of them used this t.
[[nodiscard]] std::optional<ThresholdTime> features_at(const Workspace& workspace, int layer, int threshold);
/// Returns the t that the layer was run with. Returns an empty value if it was not run.
[[nodiscard]] std::optional<int> threshold_of_run(const Workspace& workspace, int layer);
/// Returns the t that the user tries for the layer by dragging its divider. Returns the t of the plan if the
/// user tries none.
[[nodiscard]] int threshold_looked_at(const Workspace& workspace, const Selection& selection, int layer);

/// Returns the dataflows of the hovered offsets, or of the selected offsets if none is hovered. Offsets with
/// an L1 norm below the planned t of the selected layer are output-stationary, all others weight-stationary.
/// Returns an empty set if no offset is hovered or selected, or if the layer was not run.
[[nodiscard]] std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace,
                                                        const Selection& selection);

}  // namespace spira::ui
