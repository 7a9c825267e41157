// What a window says while something is dragged over it.
#pragma once

#include <QStringList>
#include <QWidget>

namespace spira::ui {

class Theme;

class DropOverlay : public QWidget {
  Q_OBJECT
 public:
  /// Covers `window` when shown; the mouse passes through.
  DropOverlay(Theme* theme, QWidget* window);
  /// `can_add`: Ctrl adds them to the frames that are open, and is offered; `add`: it is held.
  void showFor(const QStringList& files, bool can_add, bool add);
  [[nodiscard]] const QString& text() const noexcept { return text_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Theme* theme_;
  QString text_, other_;  // what a drop does, and what it does with Ctrl held or let go
};

}  // namespace spira::ui
