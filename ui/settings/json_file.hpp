// A JSON object of the user on disk, with a version. The file is written completely or not at all. An invalid
// file is renamed and never overwritten.
#pragma once

#include <QJsonObject>
#include <QString>

#include <functional>

namespace spira::ui {

class JsonFile {
 public:
  JsonFile() = default;  ///< without a file: reads an empty object and writes nothing
  /// `schema` is a name such as "spirascope.settings". `version` is the newest version that this program
  /// understands.
  JsonFile(QString path, QString schema, int version);

  /// Returns the object, or an empty object if the file does not exist. Renames the file to NAME.bak if it
  /// does not contain such an object or has a later version; notice() reports this.
  [[nodiscard]] QJsonObject read();
  /// Reads the file again, changes the object and writes it. A lock excludes other windows of the user during
  /// this time, so that no window loses the changes of another. `otherwise` is used if the file does not
  /// contain a valid object.
  bool change(const QJsonObject& otherwise, const std::function<void(QJsonObject&)>& change);
  /// Writes the object together with schema and version. Returns false if this fails; notice() has the
  /// reason. A file that could not be read stays unchanged.
  bool write(QJsonObject object);
  /// Returns one line about a problem, for the user. Returns an empty string if there is no problem.
  [[nodiscard]] const QString& notice() const noexcept { return notice_; }
  [[nodiscard]] const QString& path() const noexcept { return path_; }

 private:
  void putAside(const QString& why);

  QString path_, schema_, notice_;
  int version_ = 1;
  bool unread_ = false;  // the file exists but could not be read
};

}  // namespace spira::ui
