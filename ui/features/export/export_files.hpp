// Asks for the names of exported files and writes the files. The status bar and the log report each written
// file, and the banner shows errors.
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
  /// Returns a file name that contains the open scene and network, for example "scan-resn21.report.pdf".
  [[nodiscard]] QString nameFor(const QString& content) const;
  /// Asks the user for a file name. Returns an empty string if the user cancels.
  [[nodiscard]] QString ask(const QString& title, const QString& name, const QString& filter);
  /// Asks the user for a file name. The writer thread then calls `bytes` and writes the result to the file.
  void saveAs(const QString& title, const QString& name, const QString& filter,
              std::function<std::string()> bytes);

 private:
  FeatureContext context_;
  FileWriter writer_;
};

}  // namespace spira::ui
