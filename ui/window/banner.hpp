// A message across the top of the window. It shows an error with suggested fixes, a notice, or a question,
// and stays until the user closes it.
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
  /// `title` replaces the usual title for this kind of error.
  void showError(const Error& error, const std::vector<WayOut>& ways_out, const QString& title = {});
  /// Shows a message that is not an error.
  void showNotice(const QString& title, const QString& text);
  /// Shows a question, which hideMessage() does not hide. If the user closes the banner without an answer,
  /// `refused` is called. It is not called if another message replaces the question.
  void ask(const QString& title, const QString& text, const std::vector<WayOut>& ways_out,
           std::function<void()> refused);
  void focusButtons();  ///< Gives the keyboard focus to the first button.
  void hideMessage();
  void hideError();  ///< Hides an error; a notice or a question stays visible.
  [[nodiscard]] QString text() const;

 signals:
  /// Emitted for each shown error, so that automated runs can detect it.
  void refused(const spira::Error& error);

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
  std::function<void()> refused_;  // Callback of the shown question; empty if the banner shows no question.
};

}  // namespace spira::ui
