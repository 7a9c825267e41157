// Fits the columns of the Compare table to its width.
#pragma once

class QTableView;

namespace spira::ui {

class CompareModel;

/// Chooses the columns so that all numbers are visible without scrolling. A narrow table omits the reasons
/// first, then shortens the layer names, then omits the intervals. The tooltip of a row shows all of them.
void fit_compare_columns(QTableView& table, CompareModel& model);

}  // namespace spira::ui
