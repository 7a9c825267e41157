// The commands of the command line: one after another, each when the window is at rest.
#pragma once

#include "app/spirascope/scripted.hpp"

#include <QObject>

#include <deque>
#include <string>
#include <vector>

namespace spira::app {

class GivenCommands : public QObject {
  Q_OBJECT
 public:
  /// Throws Error(usage) for what names no command.
  GivenCommands(ui::MainWindow* window, const std::vector<std::string>& ids, QObject* parent);
  void start();
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

 signals:
  void refused(const spira::Error& error);  ///< a command that cannot run now, and why

 private:
  void poll();

  ui::MainWindow* window_;
  Rest rest_;
  std::deque<std::string> left_;
};

}  // namespace spira::app
