#include "ui/jobs/file_writer.hpp"

#include "engine/base/current_error.hpp"
#include "engine/base/file.hpp"

#include <optional>
#include <utility>

namespace spira::ui {

FileWriter::FileWriter(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

FileWriter::~FileWriter() {
  pool_.waitForDone();
}

void FileWriter::write(const QString& file, std::function<std::string()> bytes) {
  writeAll(file,
           [bytes = std::move(bytes)](const std::filesystem::path& name) { write_file(name, bytes()); });
}

void FileWriter::writeAll(const QString& file, std::function<void(const std::filesystem::path& file)> make) {
  ++on_their_way_;
  emit started(file);
  pool_.start([this, file, make = std::move(make)] {
    std::optional<Error> fault;
    try {
      make(file.toStdString());
    } catch (...) {
      fault = current_error();
    }
    QMetaObject::invokeMethod(
        this,
        [this, file, fault] {
          --on_their_way_;
          emit finished();
          if (fault) {
            emit failed(*fault);
          } else {
            emit written(file);
          }
        },
        Qt::QueuedConnection);
  });
}

}  // namespace spira::ui
