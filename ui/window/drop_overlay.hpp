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
  void showFor(const QStringList& files);
  [[nodiscard]] const QString& text() const noexcept { return text_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Theme* theme_;
  QString text_;
};

}  // namespace spira::ui
