// Manages the docks around the 3D view: scenes and network on the left, and tab groups on the right and at
// the bottom. Arranges the docks in layouts, and saves and restores their state.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QSize>
#include <QString>

#include <functional>
#include <map>
#include <optional>
#include <vector>

class QDockWidget;
class QMainWindow;
class QTabWidget;

namespace spira::ui {

class LeftSide;
class Theme;
class Workspace;

/// Version of the saved dock state. States of other versions are not restored.
inline constexpr int docks_version = 1;

class DockLayout : public QObject {
  Q_OBJECT
 public:
  enum class Side { right, bottom };
  struct State {
    QByteArray docks;
    QString layout;
    int right_tab = 0, bottom_tab = 0;
    /// True if the user chose the height of the bottom dock. It then keeps its height when tabs change.
    bool own_height = true;
    /// True if the right dock is hidden only because a graph is open.
    bool hidden_for_graph = false;
  };

  struct Tab {
    Side side;
    QString name;  ///< Identifies the tab, for example "summary".
    QWidget* panel;
    QString title;
    /// Returns true if the panel has something to show. The tab is hidden until this happens or until the tab
    /// is selected. A tab without this function is always visible.
    std::function<bool()> has_content = {};
    /// Returns by how many pixels the panel must grow to be useful. While its tab is selected, the dock grows
    /// at the expense of the centre, unless the user chose its height. If the value is negative, a dock that
    /// has grown shrinks again.
    std::function<int()> missing_height = {};
  };

  DockLayout(QMainWindow& window, const Workspace& workspace, Theme& theme, QWidget* scenes, QWidget* network,
             const std::vector<Tab>& tabs);
  /// Returns the window size for the first start, without the window frame. The window and its frame fit on
  /// the screen.
  [[nodiscard]] static QSize firstSize(const QSize& available, const QSize& frame);

  void addTab(const Tab& tab);
  void show(const QString& name);  ///< Selects the tab, even if its dock is hidden.
  /// Shows the dock of the tab, selects the tab and gives it the keyboard focus.
  void enter(const QString& name);
  [[nodiscard]] bool shows(const QString& name) const;  ///< Returns true if this tab is selected.
  /// Shows the tabs of all panels that have content. Hides no tabs: a tab that has appeared stays.
  void showTabsWithContent();
  [[nodiscard]] QTabWidget& tabs(Side side) const {
    return side == Side::right ? *right_tabs_ : *bottom_tabs_;
  }
  [[nodiscard]] QDockWidget& dock(Side side) const { return side == Side::right ? *right_ : *bottom_; }
  [[nodiscard]] QDockWidget& leftDock() const { return *left_dock_; }
  [[nodiscard]] LeftSide& left() const { return *left_; }

  /// Returns the name of the layout: "profile", "explore", "compare" or "learn".
  [[nodiscard]] const QString& name() const noexcept { return name_; }
  /// Arranges the docks. Uses the "profile" layout if the name is unknown.
  void arrange(const QString& layout);
  /// Shows the docks with results. Arranges them as in the "compare" layout if this is the current layout,
  /// otherwise as in the "profile" layout. Does not change the name of the layout.
  void makeRoomForResults();
  void hideAll();
  void restoreDefault();
  [[nodiscard]] State state() const;
  /// Restores the docks and tabs. If a different version of the program saved them, restores only the tabs
  /// and returns false.
  bool restore(const State& state);
  /// Hides the right dock while a graph is open, because a graph has no voxels and no offsets. Must be called
  /// after another scene or report was opened.
  void followGraph();
  void followWidth();  ///< Must be called after the window width changed.
  /// Must be called after the result of Tab::missing_height changed.
  void fitHeight();

 signals:
  /// Emitted when a layout is arranged. `beside` is true if the layout shows the compared scene next to the
  /// open scene.
  void sideBySideRequested(bool beside);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void explore();
  void profile();
  void compare();
  void learn();
  void followMinimumWidth(QTabWidget& group);
  [[nodiscard]] int leftWidthNow() const;
  void fitLeft();
  void fitHeightNow();
  void fitTabs();
  [[nodiscard]] bool graphOpen() const;
  /// Heights of the bottom dock, in pixels.
  struct BottomHeight {
    int before_growth = 0, after_growth = 0;  ///< Of the growth for the selected tab. 0 if it did not grow.
    bool own = false;                         ///< See State::own_height.
    /// The height when the user pressed the mouse button on the edge of a dock.
    std::optional<int> pressed;
  };
  [[nodiscard]] int sideWidth() const;  ///< Returns the width of a dock next to the view, in pixels.

  QMainWindow& window_;
  const Workspace& workspace_;
  LeftSide* left_;
  bool hidden_for_graph_ = false;  // See State::hidden_for_graph.
  bool squeezed_ = false;          // True while the left dock is narrower because of a wide tab.
  QTabWidget *right_tabs_, *bottom_tabs_;
  int tab_padding_ = 0;  // Of the bottom tabs, in pixels. 0 until fitTabs() has run.
  QDockWidget *left_dock_, *right_, *bottom_;
  std::map<QString, Tab> by_name_;
  QString name_ = "profile";
  BottomHeight bottom_height_;
};

}  // namespace spira::ui
