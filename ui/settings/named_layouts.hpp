// Arrangements of the window that a person has named, kept in the state folder.
#pragma once

#include "ui/settings/json_file.hpp"

#include <QByteArray>
#include <QString>

#include <functional>
#include <vector>

namespace spira::ui {

struct NamedLayout {
  QString name;
  QString base;      ///< the built-in arrangement that it was made from: "explore"
  QByteArray docks;  ///< as QMainWindow saves them
  int right_tab = 0, bottom_tab = 0;
};

class NamedLayouts {
 public:
  static constexpr std::size_t most = 50;

  explicit NamedLayouts(const QString& state_folder);  ///< empty: nothing is kept on disk
  [[nodiscard]] const std::vector<NamedLayout>& all() const noexcept { return layouts_; }  ///< by name
  [[nodiscard]] const NamedLayout* find(const QString& name) const;
  /// Why a layout cannot be called so ("this is the name of a built-in layout"); empty: it can. That another
  /// one has the name is no reason.
  [[nodiscard]] static QString whyNotName(const QString& name);
  // Each is written at once; another window may have written since, and its layouts stay.
  void save(const NamedLayout& layout);  ///< in the place of the one of that name
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
