#include "ui/settings/settings.hpp"

#include <QDir>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

constexpr SettingChoice themes[] = {{"system", QT_TRANSLATE_NOOP("Setting", "System")},
                                    {"light", QT_TRANSLATE_NOOP("Setting", "Light")},
                                    {"dark", QT_TRANSLATE_NOOP("Setting", "Dark")},
                                    {"contrast", QT_TRANSLATE_NOOP("Setting", "High contrast")}};
constexpr SettingChoice voxel_styles[] = {
    {"automatic", QT_TRANSLATE_NOOP("Setting", "Automatic (cubes or points)")},
    {"points", QT_TRANSLATE_NOOP("Setting", "Points")},
    {"cubes", QT_TRANSLATE_NOOP("Setting", "Cubes")},
    {"outlined", QT_TRANSLATE_NOOP("Setting", "Cubes with edges")}};
constexpr SettingChoice colour_maps[] = {
    {"viridis", QT_TRANSLATE_NOOP("Setting", "Viridis")},
    {"cividis", QT_TRANSLATE_NOOP("Setting", "Cividis")},
    {"bands", QT_TRANSLATE_NOOP("Setting", "Seven bands, for projectors")}};
constexpr SettingChoice devices[] = {{"auto", QT_TRANSLATE_NOOP("Setting", "Automatic")},
                                     {"cpu", QT_TRANSLATE_NOOP("Setting", "CPU")},
                                     {"cuda", QT_TRANSLATE_NOOP("Setting", "CUDA")},
                                     {"reference", QT_TRANSLATE_NOOP("Setting", "Reference (slow)")}};

constexpr auto table = std::to_array<SettingFacts>({
    {"look.theme", SettingKind::choice, QT_TRANSLATE_NOOP("Setting", "Look"),
     QT_TRANSLATE_NOOP("Setting", "Theme"), QT_TRANSLATE_NOOP("Setting", "Colours of the whole window"),
     "system", themes},
    {"look.text_percent",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Look"),
     QT_TRANSLATE_NOOP("Setting", "Text size"),
     QT_TRANSLATE_NOOP("Setting", "Size of all text in the window"),
     "100",
     {},
     80,
     200,
     " %"},
    {"look.reduced_motion", SettingKind::truth, QT_TRANSLATE_NOOP("Setting", "Look"),
     QT_TRANSLATE_NOOP("Setting", "Reduced motion"),
     QT_TRANSLATE_NOOP("Setting", "Turn off animations; sequences play at most 2 frames per second"),
     "false"},
    {"look.voxels", SettingKind::choice, QT_TRANSLATE_NOOP("Setting", "Look"),
     QT_TRANSLATE_NOOP("Setting", "Default voxel style"),
     QT_TRANSLATE_NOOP("Setting",
                       "Voxel style after the next start; the View menu changes the current style"),
     "automatic", voxel_styles},
    {"look.point_percent",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Look"),
     QT_TRANSLATE_NOOP("Setting", "Point size"),
     QT_TRANSLATE_NOOP("Setting",
                       "Size of voxels that are drawn as points; you can also set it in the Colour tab"),
     "100",
     {},
     50,
     400,
     " %"},
    {"look.colour_map", SettingKind::choice, QT_TRANSLATE_NOOP("Setting", "Look"),
     QT_TRANSLATE_NOOP("Setting", "Default colour map"),
     QT_TRANSLATE_NOOP("Setting",
                       "Colours of heights, densities and counts in new scenes; change them for the open "
                       "scene in the View menu"),
     "viridis", colour_maps},
    {"layers.full_names", SettingKind::truth, QT_TRANSLATE_NOOP("Setting", "Look"),
     QT_TRANSLATE_NOOP("Setting", "Full layer names"),
     QT_TRANSLATE_NOOP("Setting", "Do not shorten the names in the layer list"), "false"},
    // The header menu of the layer list sets this value. It has one bit for each column.
    {"layers.columns", SettingKind::whole, "", "", "", "0", {}, 0, 0x7FFF, ""},
    {"measure.device", SettingKind::choice, QT_TRANSLATE_NOOP("Setting", "Measuring"),
     QT_TRANSLATE_NOOP("Setting", "Device"),
     QT_TRANSLATE_NOOP("Setting", "Compute device; you can also choose it in the toolbar"), "auto", devices},
    {"measure.warmup",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Measuring"),
     QT_TRANSLATE_NOOP("Setting", "Warm-up"),
     QT_TRANSLATE_NOOP("Setting", "Warm-up repetitions before the first sample of a measurement or sweep"),
     "1",
     {},
     0,
     1000,
     ""},
    {"measure.min_samples",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Measuring"),
     QT_TRANSLATE_NOOP("Setting", "Minimum samples"),
     QT_TRANSLATE_NOOP("Setting", "With fewer than 5 samples, settings are not compared"),
     "5",
     {},
     1,
     10000,
     ""},
    {"measure.max_samples",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Measuring"),
     QT_TRANSLATE_NOOP("Setting", "Maximum samples"),
     QT_TRANSLATE_NOOP(
         "Setting",
         "Sampling stops after this number of samples. It must not be less than \"Minimum samples\"."),
     "15",
     {},
     1,
     10000,
     ""},
    {"measure.most_ms",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Measuring"),
     QT_TRANSLATE_NOOP("Setting", "Sampling time"),
     QT_TRANSLATE_NOOP("Setting",
                       "After the minimum number of samples, sampling stops when this time has passed. The "
                       "limit applies separately to the passes with and without timers."),
     "2500",
     {},
     100,
     600000,
     " ms"},
    {"measure.spread_permille",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Measuring"),
     QT_TRANSLATE_NOOP("Setting", "Target spread"),
     QT_TRANSLATE_NOOP("Setting",
                       "Sampling stops when IQR / median is below this value; 0 disables the check"),
     "20",
     {},
     0,
     500,
     " \u2030"},
    {"window.remember", SettingKind::truth, QT_TRANSLATE_NOOP("Setting", "Window"),
     QT_TRANSLATE_NOOP("Setting", "Remember size and layout"),
     QT_TRANSLATE_NOOP("Setting", "Restore the size and the layout of the window at the next start"), "true"},
    {"scenes.remember", SettingKind::truth, QT_TRANSLATE_NOOP("Setting", "Window"),
     QT_TRANSLATE_NOOP("Setting", "Restore view when reopening a scene"),
     QT_TRANSLATE_NOOP("Setting", "Restore camera, crop, voxel size and colours of the scene"), "true"},
    {"recovery.on", SettingKind::truth, QT_TRANSLATE_NOOP("Setting", "Recovery"),
     QT_TRANSLATE_NOOP("Setting", "Keep a copy for recovery"),
     QT_TRANSLATE_NOOP("Setting", "After a crash, the next start offers to restore the scene"), "true"},
    {"recovery.seconds",
     SettingKind::whole,
     QT_TRANSLATE_NOOP("Setting", "Recovery"),
     QT_TRANSLATE_NOOP("Setting", "Save interval"),
     QT_TRANSLATE_NOOP("Setting", "Maximum delay before a change is saved to the recovery copy"),
     "3",
     {},
     1,
     600,
     " s"},
});

const SettingFacts* facts_of(const QString& id) {
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const SettingFacts& facts) { return id == facts.id; });
  return found == table.end() ? nullptr : found;
}

QJsonValue initial_of(const SettingFacts& facts) {
  switch (facts.kind) {
    case SettingKind::truth:
      return QByteArray(facts.initial) == "true";
    case SettingKind::whole:
      return QByteArray(facts.initial).toInt();
    case SettingKind::choice:
      break;
  }
  return QString::fromLatin1(facts.initial);
}

/// Sets the value of a key in one part of the object. An undefined value removes the key.
void put(QJsonObject& object, const QString& part, const QString& key, const QJsonValue& value) {
  QJsonObject values = object[part].toObject();
  values[key] = value;
  object[part] = values;
}

bool allowed(const SettingFacts& facts, const QJsonValue& value) {
  switch (facts.kind) {
    case SettingKind::truth:
      return value.isBool();
    case SettingKind::whole:
      return value.isDouble() && value.toInt(-1) == value.toDouble() && value.toInt() >= facts.min &&
             value.toInt() <= facts.max;
    case SettingKind::choice:
      break;
  }
  return value.isString() &&
         std::any_of(facts.choices.begin(), facts.choices.end(),
                     [&](const SettingChoice& one) { return value.toString() == one.value; });
}

}  // namespace

std::span<const SettingFacts> setting_facts() noexcept {
  return table;
}

Settings::Settings(const QString& config_folder, QObject* parent)
    : QObject(parent),
      file_(config_folder.isEmpty() ? QString() : config_folder + "/settings.json", "spirascope.settings", 1),
      kept_(file_.read()) {}

QJsonValue Settings::value(const QString& id) const {
  const SettingFacts* facts = facts_of(id);
  if (facts == nullptr) return {};
  const QJsonValue chosen = kept_["values"].toObject()[id];
  return allowed(*facts, chosen) ? chosen : initial_of(*facts);
}

bool Settings::isInitial(const QString& id) const {
  const SettingFacts* facts = facts_of(id);
  return facts == nullptr || value(id) == initial_of(*facts);
}

bool Settings::set(const QString& id, const QJsonValue& value) {
  const SettingFacts* facts = facts_of(id);
  if (facts == nullptr || !allowed(*facts, value)) return false;
  if (value == this->value(id)) return true;
  put(kept_, "values", id, value);
  write([&](QJsonObject& file) { put(file, "values", id, value); });
  emit changed(id);
  return true;
}

void Settings::reset(const QString& id) {
  if (const SettingFacts* facts = facts_of(id)) set(id, initial_of(*facts));
}

void Settings::resetAll() {
  for (const SettingFacts& facts : table)
    reset(facts.id);
}

std::map<QString, QString> Settings::keys() const {
  std::map<QString, QString> keys;
  const QJsonObject kept = kept_["keys"].toObject();
  for (auto at = kept.begin(); at != kept.end(); ++at)
    keys[at.key()] = at.value().toString();
  return keys;
}

void Settings::setKeys(const std::map<QString, QString>& keys) {
  const std::map<QString, QString> before = this->keys();
  // The changed shortcuts by command id. An undefined value removes the stored shortcut, so that the command
  // uses its default.
  std::map<QString, QJsonValue> other;
  for (const auto& [id, text] : before) {
    if (!keys.contains(id)) other[id] = QJsonValue::Undefined;
  }
  for (const auto& [id, text] : keys) {
    if (!before.contains(id) || before.at(id) != text) other[id] = text;
  }
  const auto apply = [&](QJsonObject& object) {
    for (const auto& [id, text] : other)
      put(object, "keys", id, text);
  };
  if (other.empty()) return;
  write(apply);
  apply(kept_);
}

/// Writes only the changed settings, because another window may have written other settings since the start.
void Settings::write(const std::function<void(QJsonObject&)>& change) {
  if (!file_.change(kept_, change)) emit writeFailed(file_.notice());
}

namespace {

/// Returns the folder that an XDG variable names. The XDG specification requires that a value is ignored
/// unless it is an absolute path.
QString folder(const char* variable, const char* otherwise) {
  const QString named = qEnvironmentVariable(variable);
  return (QDir::isAbsolutePath(named) ? named : QDir::homePath() + "/" + otherwise) + "/spirascope";
}

}  // namespace

QString config_folder() {
  return folder("XDG_CONFIG_HOME", ".config");
}

QString state_folder() {
  return folder("XDG_STATE_HOME", ".local/state");
}

}  // namespace spira::ui
