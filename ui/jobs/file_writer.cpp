#include "ui/jobs/file_writer.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"

#include <optional>
#include <utility>

namespace spira::ui {

FileWriter::FileWriter(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

FileWriter::~FileWriter() {
  closing_.request_stop();
  pool_.waitForDone();
}

void FileWriter::write(const QString& file, std::function<std::string()> bytes) {
  writeAll(file, [bytes = std::move(bytes)](const std::filesystem::path& name, const std::stop_token& stop) {
    write_file(name, bytes(), stop);
  });
}

void FileWriter::writeAll(const QString& file, Make make) {
  ++on_their_way_;
  emit started(file);
  pool_.start([this, file, make = std::move(make), stop = closing_.get_token()] {
    std::optional<Error> fault;
    try {
      make(file.toStdString(), stop);
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
