// The Compare panel compares the current run with a baseline. Each row shows a stage of a layer and its
// verdict. The samples of the selected row are shown next to the table.
#pragma once

#include "ui/jobs/comparing.hpp"
#include "ui/panels/panel.hpp"

#include <optional>
#include <string>
#include <tuple>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace spira::ui {

class CompareModel;
class CompareProxy;
class ComparedPane;

class ComparePanel : public Panel {
  Q_OBJECT
 public:
  ComparePanel(Workspace* workspace, Selection* selection, Theme* theme, Comparing* comparing,
               QWidget* parent = nullptr);
  [[nodiscard]] QTableView* table() const noexcept { return table_; }
  [[nodiscard]] ComparedPane* pane() const noexcept { return pane_; }
  [[nodiscard]] QString headline() const;
  [[nodiscard]] QComboBox* filter() const noexcept { return filter_; }
  [[nodiscard]] QLineEdit* words() const noexcept { return words_; }
  /// Returns the export menu. NumberMenus adds actions to this menu.
  [[nodiscard]] QMenu* exportMenu() const noexcept { return export_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeTools(QVBoxLayout* layout);
  [[nodiscard]] QToolButton* makeExport();
  void makeMore();
  void makeTable();
  void follow() override;
  void showComparison();
  void followRow();
  void chooseLayer();
  void fillBaselines();
  void fillMore();
  void showNotes();
  void renameBaseline();
  [[nodiscard]] QString emptyText() const;

  // Many members: each widget above the table is one member.
  Comparing* comparing_;
  CompareModel* model_;
  CompareProxy* proxy_;
  QMenu* export_ = nullptr;
  QComboBox *baseline_, *filter_;
  QToolButton *rename_, *remove_, *more_;
  QLineEdit* words_;
  QCheckBox* ignore_devices_;
  QLabel* headline_;
  QTableView* table_;
  ComparedPane* pane_;
  std::shared_ptr<const Comparison> shown_;
  std::optional<std::tuple<std::string, StageKey, Pass>> chosen_row_;  ///< Layer, stage and pass.
  /// True while the program changes the current row, so that the change does not count as a selection by the
  /// user.
  bool filling_ = false;
};

}  // namespace spira::ui
