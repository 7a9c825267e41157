// A scroll area that shows only whole lines of text and whole rows of tables at its lower edge.
#pragma once

#include <QScrollArea>

namespace spira::ui {

class WholeRowScroll : public QScrollArea {
  Q_OBJECT
 public:
  explicit WholeRowScroll(QWidget* parent = nullptr);
  /// Sets the content. Texts, tables and buttons in it are not cut at the lower edge.
  void setContent(QWidget* content);
  /// Keeps a heading together with the first `pixels` below it. Without them, the heading is not shown.
  static void keepWithNext(QWidget& heading, int pixels);
  /// Returns the height of the hidden part at the lower edge, in pixels.
  [[nodiscard]] int hiddenHeight() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();
  void fitLater();

  QWidget* cover_;  // Hides the part of a row that does not fit.
  bool waits_ = false;
};

}  // namespace spira::ui
