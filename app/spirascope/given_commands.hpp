// Runs the commands that are given on the command line, one after another. Each command starts when the
// window has finished all work.
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
  /// Throws Error(usage) if an id is not the name of a command.
  GivenCommands(ui::Application* app, const std::vector<std::string>& ids, QObject* parent);
  void start();
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

 signals:
  /// Emitted if a command cannot run now. The error contains the reason.
  void refused(const spira::Error& error);

 private:
  void poll();

  ui::Application* app_;
  Rest rest_;
  std::deque<std::string> left_;
};

}  // namespace spira::app
