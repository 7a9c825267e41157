// The Network panel lists the layers with their shapes, times and dataflows. The user can also show columns
// with their efficiency.
#pragma once

#include "ui/panels/panel.hpp"

#include <QFont>

class QLabel;
class QMenu;
class QTableView;

namespace spira::ui {

class LayerOrder;
class LayerTableModel;
class SamplesPane;
class Tuning;

class NetworkPanel : public Panel {
  Q_OBJECT
 public:
  NetworkPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QTableView* table() const noexcept { return table_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }
  /// Returns the layers and their results in the order of the network.
  [[nodiscard]] LayerTableModel* layers() const noexcept { return model_; }

  /// Until a layer is run, the list shows the times of the profile that is open in `tuning`.
  void followTuning(const Tuning* tuning);

  /// Shows the columns of LayerTableModel whose bits are set in `columns`. If it is 0, shows as many of the
  /// columns about shape, dataflow and time as fit the width of the panel. The name is always visible.
  void setColumns(int columns);
  /// If `full` is true, shows full layer names, even if the list then needs a scroll bar. If it is false,
  /// shortens all names as soon as the longest name does not fit.
  void setFullNames(bool full);
  /// Adds the entries of the header menu: full names, sets of columns, and each column.
  void fillHeaderMenu(QMenu& menu);

 signals:
  void columnsChosen(int columns);
  void fullNamesChosen(bool full);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow() override;
  [[nodiscard]] QString titleText() const;
  void measureNames();
  void setCompact(bool compact);
  [[nodiscard]] bool columnsFit();
  [[nodiscard]] QString columnsLink() const;
  void arrangeColumns();
  void showColumnsThatFit();
  [[nodiscard]] int widthOfNames() const;
  [[nodiscard]] int widthOf(int column) const;
  [[nodiscard]] int shownColumns() const;
  void makeTable();
  void showSamples(int layer);

  LayerTableModel* model_;
  LayerOrder* order_;
  QTableView* table_;
  QLabel* title_;
  QLabel* dataflows_;  // Spells out the abbreviations of the dataflow column.
  SamplesPane* samples_;
  int delegate_layer_ = -1;  // Layer under the pointer in any view. The delegate reads it.
  int bar_width_ = 40;       // Width of the bar next to the time, in pixels.
  // The widths of the longest names of a network, in pixels: full, short, and short in the compact form.
  struct {
    std::shared_ptr<const Network> of;
    QFont font;
    int full = 0, brief = 0, compact = 0;
  } names_;
  bool compact_ = false;  // True if the list is narrow, and therefore has a smaller font and shorter texts.
  int columns_ = 0;       // One bit for each column that the user selected; 0 if the user selected none.
  bool full_names_ = false;
};

}  // namespace spira::ui
