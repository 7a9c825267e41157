// Checks that widgets have enough space for their texts.
#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QTabWidget>
#include <QWidget>

#include <gtest/gtest.h>

#include <initializer_list>

namespace spira::ui {

/// Checks that each button, and each label that does not wrap, is wide enough for its text.
inline void expectWhole(QWidget& within, const char* where) {
  QApplication::processEvents();
  for (QWidget* widget : within.findChildren<QWidget*>()) {
    const auto* label = qobject_cast<QLabel*>(widget);
    const auto* button = qobject_cast<QAbstractButton*>(widget);
    QString text = label != nullptr ? label->text() : button != nullptr ? button->text() : QString();
    text.remove('&');  // The character & marks the shortcut key and is not displayed.
    if (text.isEmpty() || !widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
    const int needs = label == nullptr            ? widget->minimumSizeHint().width()
                      : label->wordWrap()         ? 0
                      : Qt::mightBeRichText(text) ? 0
                                                  : widget->fontMetrics().horizontalAdvance(text);
    EXPECT_GE(widget->width(), needs) << where << ": \"" << text.toStdString() << "\" is cut";
  }
}

inline void expectWholeInAllTabs(QWidget& window, std::initializer_list<QTabWidget*> all, const char* where) {
  for (QTabWidget* tabs : all) {
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      expectWhole(*tabs->widget(tab), where);
    }
  }
  expectWhole(window, where);
}

}  // namespace spira::ui
