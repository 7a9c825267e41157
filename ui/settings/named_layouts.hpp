// Window layouts that the user saved under a name. They are stored in the state folder.
#pragma once

#include "ui/settings/json_file.hpp"

#include <QByteArray>
#include <QString>

#include <functional>
#include <vector>

namespace spira::ui {

struct NamedLayout {
  QString name;
  QString base;      ///< The built-in layout from which this layout was made, such as "explore".
  QByteArray docks;  ///< State as saved by QMainWindow.
  int right_tab = 0, bottom_tab = 0;
};

class NamedLayouts {
 public:
  static constexpr std::size_t most = 50;

  /// If `state_folder` is empty, nothing is stored on disk.
  explicit NamedLayouts(const QString& state_folder);
  /// Returns the layouts, sorted by name.
  [[nodiscard]] const std::vector<NamedLayout>& all() const noexcept { return layouts_; }
  [[nodiscard]] const NamedLayout* find(const QString& name) const;
  /// Returns why a layout cannot have this name, such as "this is the name of a built-in layout". Returns an
  /// empty string if the name is allowed. The name of another saved layout is allowed.
  [[nodiscard]] static QString nameFault(const QString& name);
  // These functions write the file immediately. They keep layouts that another window wrote since the last
  // read.
  void save(const NamedLayout& layout);  ///< Replaces a layout of the same name.
  void rename(const QString& from, const QString& to);
  void remove(const QString& name);
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 private:
  void take(const QJsonObject& object);
  void change(const std::function<void()>& change);

  JsonFile file_;
  std::vector<NamedLayout> layouts_;
};

}  // namespace spira::ui
