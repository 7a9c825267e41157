// A message across the window that stays until it is dismissed: what went wrong, where, and a way out;
// or what is offered.
#pragma once

#include "engine/base/error.hpp"

#include <QFrame>

#include <functional>
#include <vector>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace spira::ui {

class Theme;

class Banner : public QFrame {
  Q_OBJECT
 public:
  struct WayOut {
    QString text;
    std::function<void()> run;
  };
  Banner(Theme* theme, QWidget* parent);
  /// `title`: what is wrong, where that is more than its kind says.
  void showError(const Error& error, const std::vector<WayOut>& ways_out, const QString& title = {});
  /// Of something that is no fault.
  void showNotice(const QString& title, const QString& text);
  /// Waits for an answer: hideMessage() leaves it there. `refused`: its cross was the answer; another message
  /// in its place is none.
  void ask(const QString& title, const QString& text, const std::vector<WayOut>& ways_out,
           std::function<void()> refused);
  void focusButtons();  ///< gives the keyboard focus to the first button
  void hideMessage();
  void hideError();  ///< only that; a notice or a question stays
  [[nodiscard]] QString text() const;

 signals:
  void refused(const spira::Error& error);  ///< shown as a fault; for runs that nobody watches

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showText(const QString& title, const QString& text, const std::vector<WayOut>& ways_out);
  void retheme();

  Theme* theme_;
  QLabel* text_;
  QBoxLayout* body_ = nullptr;
  QHBoxLayout* buttons_;
  QToolButton* close_;
  bool fault_ = true;
  std::function<void()> refused_;  // of a question; empty: it is none
};

}  // namespace spira::ui
