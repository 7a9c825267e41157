// A message across the window that stays until it is dismissed: what went wrong, where, and a way out.
#pragma once

#include "engine/base/error.hpp"

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;

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
  void showError(const Error& error, const std::vector<WayOut>& ways_out);
  [[nodiscard]] QString text() const;

 private:
  void retheme();

  Theme* theme_;
  QLabel* text_;
  QHBoxLayout* buttons_;
};

}  // namespace spira::ui
