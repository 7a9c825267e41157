// A JSON file with data of the user and a version number. Writing either replaces the whole file or changes
// nothing. An invalid file is renamed and never overwritten.
#pragma once

#include <QJsonObject>
#include <QString>

#include <functional>

namespace spira::ui {

class JsonFile {
 public:
  /// Creates an object without a file. read() then returns an empty object, and nothing is written.
  JsonFile() = default;
  /// `schema` is a name such as "spirascope.settings". `version` is the newest version that this program
  /// understands.
  JsonFile(QString path, QString schema, int version);

  /// Returns the stored object, or an empty object if the file does not exist. If the content is invalid or
  /// has a later version, renames the file to NAME.bak and returns an empty object. In this case, notice()
  /// returns a message.
  [[nodiscard]] QJsonObject read();
  /// Reads the file again, applies `change` to its object and writes the object. A lock excludes other
  /// windows of the user during this time, so that no window overwrites the changes of another window. If the
  /// file does not contain a valid object, `change` is applied to `otherwise`.
  bool change(const QJsonObject& otherwise, const std::function<void(QJsonObject&)>& change);
  /// Writes the object together with its schema and version. Returns false on failure, and notice() then
  /// returns the reason. If the file exists but could not be read, does not change it.
  bool write(QJsonObject object);
  /// Returns a one-line message for the user about a problem. Returns an empty string if there is no problem.
  [[nodiscard]] const QString& notice() const noexcept { return notice_; }
  [[nodiscard]] const QString& path() const noexcept { return path_; }

 private:
  void putAside(const QString& why);

  QString path_, schema_, notice_;
  int version_ = 1;
  bool unread_ = false;  // True if the file exists but could not be read.
};

}  // namespace spira::ui
