// Opens files that are dropped on the window. With Ctrl, appends them to the open frames.
#pragma once

#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QStringList>
#include <QWidget>

class QDropEvent;

namespace spira::ui {

class DropOverlay;
class EngineJobs;
class Opening;
class Theme;

class DropTarget : public QObject {
  Q_OBJECT
 public:
  DropTarget(const FeatureContext& context, EngineJobs& jobs, Opening& opening);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow(QDropEvent* event);
  void drop(QDropEvent* event);

  EngineJobs& jobs_;
  Opening& opening_;
  DropOverlay* overlay_;
};

/// An overlay that is shown while files are dragged over the window. It explains what happens when they are
/// dropped.
class DropOverlay : public QWidget {
  Q_OBJECT
 public:
  /// Covers `window` while visible. Mouse events pass through the overlay.
  DropOverlay(Theme* theme, QWidget* window);
  /// Shows what a drop of `files` does. If `can_add` is true, the text explains that Ctrl adds the files to
  /// the open frames. `add` is true while Ctrl is held.
  void showFor(const QStringList& files, bool can_add, bool add);
  [[nodiscard]] const QString& text() const noexcept { return text_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Theme* theme_;
  // `text_` describes the effect of a drop now, `other_` the effect after Ctrl is pressed or released.
  QString text_, other_;
};

}  // namespace spira::ui
