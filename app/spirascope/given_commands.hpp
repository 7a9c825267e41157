// Runs the commands of --command, one after another. Each command starts after the window has finished all
// work.
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
  /// Throws Error(usage) if a command id does not exist.
  GivenCommands(ui::Application* app, const std::vector<std::string>& ids, QObject* parent);
  void start();
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

 signals:
  /// Emitted if a command cannot run at the moment. The error contains the reason.
  void refused(const spira::Error& error);

 private:
  void poll();

  ui::Application* app_;
  Rest rest_;
  std::deque<std::string> left_;
};

}  // namespace spira::app
