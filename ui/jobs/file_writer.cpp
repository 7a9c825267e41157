#include "ui/jobs/file_writer.hpp"

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
  ++on_their_way_;
  emit started(file);
  pool_.start([this, file, bytes = std::move(bytes)] {
    std::optional<Error> fault;
    try {
      write_file(file.toStdString(), bytes());
    } catch (const Error& error) {
      fault = error;
    } catch (const std::exception& error) {
      fault = Error(ErrorKind::internal, error.what());
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
