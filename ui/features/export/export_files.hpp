// Asks for the names of exported files and writes them. The status bar and the log show each written file,
// and the banner shows errors.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/file_writer.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <span>
#include <string>

namespace spira::ui {

[[nodiscard]] std::span<const CommandFacts> export_commands() noexcept;

class ExportFiles : public QObject {
  Q_OBJECT
 public:
  explicit ExportFiles(const FeatureContext& context);

  [[nodiscard]] FileWriter& writer() noexcept { return writer_; }
  /// Returns a name for a file of the open scene and network, for example "scan-resn21.report.pdf".
  [[nodiscard]] QString nameFor(const QString& content) const;
  /// Asks for a file name. Returns an empty string if the user cancels.
  [[nodiscard]] QString ask(const QString& title, const QString& name, const QString& filter);
  /// Asks for a file name. Then `bytes` runs on the writer thread, which writes the file.
  void saveAs(const QString& title, const QString& name, const QString& filter,
              std::function<std::string()> bytes);

 private:
  FeatureContext context_;
  FileWriter writer_;
};

}  // namespace spira::ui
