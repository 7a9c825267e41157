// The page in the centre of the window while a recorded run is open. It shows the slowest layers and the
// stages, and explains why no voxels are drawn.
#pragma once

#include "ui/model/workspace.hpp"

#include <QFrame>
#include <QWidget>

class QBoxLayout;
class QLabel;
class QPushButton;

namespace spira::ui {

class ElidedLabel;
class RelationsView;
class RunOverview;
class WholeRowScroll;
class Theme;

class RecordedPage : public QWidget {
  Q_OBJECT
 public:
  RecordedPage(Workspace* workspace, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QString text() const;
  [[nodiscard]] RelationsView& relations() const noexcept { return *relations_; }
  [[nodiscard]] RunOverview& overview() const noexcept { return *overview_; }

 signals:
  void dialogRequested();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();
  void followSoon();
  void showGraph(bool graph);
  void followWidth();

  Workspace* workspace_;
  QLabel *title_, *text_, *details_;
  QPushButton* open_;
  RelationsView* relations_;
  RunOverview* overview_;
  WholeRowScroll* scroll_;
  int gap_;  // Distance between the layers and the stages if they are side by side, in pixels.
};

/// A bar across the window that shows where and when a recorded run was measured. It stays visible while the
/// report is open, so that users do not mistake its numbers for numbers of this machine.
class RecordedStrip : public QFrame {
  Q_OBJECT
 public:
  RecordedStrip(Workspace* workspace, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QString text() const;  ///< Returns an empty string if no report is open.

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void follow();
  void place();
  void retheme();

  Workspace* workspace_;
  Theme* theme_;
  ElidedLabel *where_, *note_;
  QBoxLayout* row_;
};

}  // namespace spira::ui
