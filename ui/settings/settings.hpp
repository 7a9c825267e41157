// Settings of the user that apply to all scenes. One table defines them, and one file in the config folder
// stores their values.
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
  const char* text;
};

struct SettingFacts {
  const char* id;  ///< Example: "look.theme".
  SettingKind kind;
  const char* group;  ///< Heading in the dialog; empty if the dialog does not show the setting.
  const char* title;
  const char* tip;
  const char* initial;  ///< Initial value: "true", "100", or the value of one of the choices.
  std::span<const SettingChoice> choices = {};
  int min = 0, max = 0;   ///< Range of an integer setting.
  const char* unit = "";  ///< Unit of an integer setting.
};
/// Returns the table of all settings, in the order of the dialog.
[[nodiscard]] std::span<const SettingFacts> setting_facts() noexcept;

class Settings : public QObject {
  Q_OBJECT
 public:
  /// If `config_folder` is empty, no settings are stored.
  explicit Settings(const QString& config_folder, QObject* parent = nullptr);

  /// Returns the value that the user set, or the initial value if the user did not set one.
  [[nodiscard]] QJsonValue value(const QString& id) const;
  [[nodiscard]] bool truth(const QString& id) const { return value(id).toBool(); }
  [[nodiscard]] int whole(const QString& id) const { return value(id).toInt(); }
  [[nodiscard]] QString text(const QString& id) const { return value(id).toString(); }
  [[nodiscard]] bool isInitial(const QString& id) const;
  /// Writes the setting to the file immediately. Returns false and changes nothing if `value` is not allowed
  /// for this setting.
  bool set(const QString& id, const QJsonValue& value);
  void reset(const QString& id);
  void resetAll();  ///< Resets all settings except the keyboard shortcuts.

  /// Returns the keyboard shortcuts by command id. Commands with the default shortcuts of the command table
  /// are not included.
  [[nodiscard]] std::map<QString, QString> keys() const;
  void setKeys(const std::map<QString, QString>& keys);

  /// Returns a message about a problem with the settings file. Returns an empty string if there is no
  /// problem.
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 signals:
  void changed(const QString& id);
  void writeFailed(const QString& why);

 private:
  void write(const std::function<void(QJsonObject&)>& change);

  JsonFile file_;
  QJsonObject kept_;  // Contents of the file, including entries that only later program versions use.
};

/// Returns the folder for settings and keyboard shortcuts: `spirascope` in XDG_CONFIG_HOME, or in ~/.config
/// if this variable is not set (XDG base directory specification).
[[nodiscard]] QString config_folder();
/// Returns the folder for recent files, the window state and recovery copies: `spirascope` in XDG_STATE_HOME,
/// or in ~/.local/state if this variable is not set.
[[nodiscard]] QString state_folder();

}  // namespace spira::ui
