// The columns of Compare in the room that there is.
#pragma once

class QTableView;

namespace spira::ui {

class CompareModel;

/// No figure has to be scrolled to: a narrow table gives up reasons, then whole names of layers, then
/// intervals; the tip of a row has all of them.
void fit_compare_columns(QTableView& table, CompareModel& model);

}  // namespace spira::ui
