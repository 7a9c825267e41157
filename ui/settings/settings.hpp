// What a person has chosen for all scenes: one table of settings, kept in one file of the config folder.
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

struct SettingFacts {
  const char* id;  ///< "look.theme"
  SettingKind kind;
  const char* group;  ///< heading in the dialog
  const char* title;
  const char* tip;
  const char* initial;  ///< "true", "100", or the first of the choices that is meant
  const char* choices;  ///< of a choice: "system;light"; of a whole number: "80;200", lowest and highest
  const char* texts;    ///< of a choice: what stands on screen, as many; of a whole number: its unit
};
/// The one table; its order is that of the dialog.
[[nodiscard]] std::span<const SettingFacts> setting_facts() noexcept;

class Settings : public QObject {
  Q_OBJECT
 public:
  /// Empty folder: nothing is kept.
  explicit Settings(const QString& config_folder, QObject* parent = nullptr);

  [[nodiscard]] QJsonValue value(const QString& id) const;  ///< chosen, else initial
  [[nodiscard]] bool truth(const QString& id) const { return value(id).toBool(); }
  [[nodiscard]] int whole(const QString& id) const { return value(id).toInt(); }
  [[nodiscard]] QString text(const QString& id) const { return value(id).toString(); }
  [[nodiscard]] bool isInitial(const QString& id) const;
  /// Written at once. A value that the table does not allow is refused: false.
  bool set(const QString& id, const QJsonValue& value);
  void reset(const QString& id);
  void resetAll();  ///< all but the keys

  /// Keys of commands by id, where they are not those of the command table.
  [[nodiscard]] std::map<QString, QString> keys() const;
  void setKeys(const std::map<QString, QString>& keys);

  /// What went wrong with the file; empty: nothing.
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 signals:
  void changed(const QString& id);
  void writeFailed(const QString& why);

 private:
  void write(const std::function<void(QJsonObject&)>& change);

  JsonFile file_;
  QJsonObject kept_;  // as in the file, with what a later program wrote there
};

}  // namespace spira::ui
