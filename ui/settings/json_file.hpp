// A JSON object of the user on disk: written whole or not at all, with a version; one that cannot be read is
// put aside, never overwritten.
#pragma once

#include <QJsonObject>
#include <QString>

#include <functional>

namespace spira::ui {

class JsonFile {
 public:
  JsonFile() = default;  ///< of nothing: reads empty, writes nothing
  /// `schema`: "spirascope.settings"; `version`: the newest that this program understands.
  JsonFile(QString path, QString schema, int version);

  /// The object, or an empty one where there is no file. One that is not such an object, or of a later
  /// version, is renamed to NAME.bak, and notice() says so.
  [[nodiscard]] QJsonObject read();
  /// Reads the file anew, changes what it holds and writes that, while no other window of the user does so:
  /// each keeps what the others wrote. `otherwise`: the object where there is no sound one any more.
  bool change(const QJsonObject& otherwise, const std::function<void(QJsonObject&)>& change);
  /// Adds schema and version. False: it could not be written, and notice() says why; one that could not be
  /// read is left as it is.
  bool write(QJsonObject object);
  /// One line for the user; empty: all is well.
  [[nodiscard]] const QString& notice() const noexcept { return notice_; }
  [[nodiscard]] const QString& path() const noexcept { return path_; }

 private:
  void putAside(const QString& why);

  QString path_, schema_, notice_;
  int version_ = 1;
  bool unread_ = false;  // it is there and could not be read
};

}  // namespace spira::ui
