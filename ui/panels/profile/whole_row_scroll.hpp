// Widgets that show only whole lines of text and whole rows of tables at their lower edge.
#pragma once

#include <QScrollArea>

class QTableView;

namespace spira::ui {

class WholeRowScroll : public QScrollArea {
  Q_OBJECT
 public:
  explicit WholeRowScroll(QWidget* parent = nullptr);
  /// Sets the content. Texts, tables and buttons in it are not cut at the lower edge.
  void setContent(QWidget* content);
  /// Keeps a heading together with the first `pixels` below it. If they are hidden, so is the heading.
  static void keepWithNext(QWidget& heading, int pixels);
  /// Keeps a widget whole, for example a small chart or a sentence. If it does not fit, it is not shown. The
  /// last `legend` pixels may be hidden alone.
  static void keepWhole(QWidget& widget, int legend = 0);
  /// Returns the height of the hidden part at the lower edge of a widget in the content, in pixels.
  [[nodiscard]] int hiddenHeight(const QWidget& widget) const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();
  void fitLater();

  QWidget* cover_;  // Hides the rows that do not fit. Its mask contains only these rows.
  bool waits_ = false;
};

/// Hides the row of a table that is cut at the lower edge. The table owns the cover.
class CutRowCover : public QWidget {
  Q_OBJECT
 public:
  explicit CutRowCover(QTableView* table);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();

  QTableView* table_;
};

}  // namespace spira::ui
