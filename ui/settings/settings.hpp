// Settings of the user for all scenes: one table of settings, kept in one file of the config folder.
#pragma once

#include "ui/settings/json_file.hpp"

#include <QJsonValue>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <map>
#include <span>

namespace spira::ui {

enum class SettingKind { truth, whole, choice };

struct SettingChoice {
  const char* value;
  const char* text;  ///< text in the dialog
};

struct SettingFacts {
  const char* id;  ///< such as "look.theme"
  SettingKind kind;
  const char* group;  ///< heading in the dialog
  const char* title;
  const char* tip;
  const char* initial;  ///< "true", "100", or the value of one of the choices
  std::span<const SettingChoice> choices = {};
  int min = 0, max = 0;   ///< range of an integer setting
  const char* unit = "";  ///< unit of an integer setting
};
/// Returns the only table of settings, in the order of the dialog.
[[nodiscard]] std::span<const SettingFacts> setting_facts() noexcept;

class Settings : public QObject {
  Q_OBJECT
 public:
  /// If the folder is empty, no settings are kept.
  explicit Settings(const QString& config_folder, QObject* parent = nullptr);

  [[nodiscard]] QJsonValue value(const QString& id) const;  ///< the chosen value, else the initial value
  [[nodiscard]] bool truth(const QString& id) const { return value(id).toBool(); }
  [[nodiscard]] int whole(const QString& id) const { return value(id).toInt(); }
  [[nodiscard]] QString text(const QString& id) const { return value(id).toString(); }
  [[nodiscard]] bool isInitial(const QString& id) const;
  /// Writes the setting immediately. Returns false and changes nothing if the table does not allow the value.
  bool set(const QString& id, const QJsonValue& value);
  void reset(const QString& id);
  void resetAll();  ///< resets all settings except the keys

  /// Keys of commands by command id, for commands whose keys differ from the command table.
  [[nodiscard]] std::map<QString, QString> keys() const;
  void setKeys(const std::map<QString, QString>& keys);

  /// Returns a description of a problem with the file; empty if there is none.
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 signals:
  void changed(const QString& id);
  void writeFailed(const QString& why);

 private:
  void write(const std::function<void(QJsonObject&)>& change);

  JsonFile file_;
  QJsonObject kept_;  // contents of the file, including entries of later program versions
};

/// Folders for files of the user, as defined by the XDG base directories. Choices of the user are stored in
/// config, records of past use in state.
[[nodiscard]] QString config_folder();  ///< settings and keys: XDG_CONFIG_HOME, else ~/.config
[[nodiscard]] QString
state_folder();  ///< recent files, window, recovery: XDG_STATE_HOME, else ~/.local/state

}  // namespace spira::ui
