#include "ui/settings/named_layouts.hpp"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui::NamedLayouts", text);
}

NamedLayout layout_from(const QJsonObject& entry) {
  return {entry["name"].toString(), entry["base"].toString(),
          QByteArray::fromBase64(entry["docks"].toString().toLatin1()), entry["right_tab"].toInt(),
          entry["bottom_tab"].toInt()};
}

QJsonObject json_of(const NamedLayout& layout) {
  return {{"name", layout.name},
          {"base", layout.base},
          {"docks", QString::fromLatin1(layout.docks.toBase64())},
          {"right_tab", layout.right_tab},
          {"bottom_tab", layout.bottom_tab}};
}

}  // namespace

NamedLayouts::NamedLayouts(const QString& state_folder)
    : file_(state_folder.isEmpty() ? QString() : state_folder + "/layouts.json", "spirascope.layouts", 1) {
  take(file_.read());
}

void NamedLayouts::take(const QJsonObject& object) {
  layouts_.clear();
  const QJsonArray entries = object["layouts"].toArray();
  for (const auto& value : entries) {
    const NamedLayout layout = layout_from(value.toObject());
    if (nameFault(layout.name).isEmpty() && find(layout.name) == nullptr) layouts_.push_back(layout);
  }
}

const NamedLayout* NamedLayouts::find(const QString& name) const {
  const auto found = std::find_if(layouts_.begin(), layouts_.end(),
                                  [&](const NamedLayout& layout) { return layout.name == name; });
  return found == layouts_.end() ? nullptr : &*found;
}

QString NamedLayouts::nameFault(const QString& name) {
  constexpr int longest = 60;
  if (name.trimmed().isEmpty()) return tr("enter a name");
  if (name != name.trimmed()) return tr("a name must not start or end with a space");
  if (name.size() > longest) return tr("a name can have at most %1 characters").arg(longest);
  for (const char* built_in : {"explore", "profile", "compare", "learn"}) {
    if (name.compare(QLatin1String(built_in), Qt::CaseInsensitive) == 0)
      return tr("this is the name of a built-in layout");
  }
  return {};
}

void NamedLayouts::change(const std::function<void()>& change) {
  const auto make = [&] {
    change();
    if (layouts_.size() > most) layouts_.resize(most);
    std::sort(layouts_.begin(), layouts_.end(), [](const NamedLayout& a, const NamedLayout& b) {
      return QString::localeAwareCompare(a.name, b.name) < 0;
    });
  };
  if (file_.path().isEmpty()) return make();
  file_.change({}, [&](QJsonObject& object) {
    take(object);
    make();
    QJsonArray entries;
    for (const NamedLayout& layout : layouts_)
      entries.append(json_of(layout));
    object["layouts"] = entries;
  });
}

void NamedLayouts::save(const NamedLayout& layout) {
  change([&] {
    std::erase_if(layouts_, [&](const NamedLayout& other) { return other.name == layout.name; });
    layouts_.insert(layouts_.begin(), layout);
  });
}

void NamedLayouts::rename(const QString& from, const QString& to) {
  if (from == to) return;
  change([&] {
    if (find(from) == nullptr) return;
    std::erase_if(layouts_, [&](const NamedLayout& other) { return other.name == to; });
    for (NamedLayout& layout : layouts_) {
      if (layout.name == from) layout.name = to;
    }
  });
}

void NamedLayouts::remove(const QString& name) {
  change([&] { std::erase_if(layouts_, [&](const NamedLayout& layout) { return layout.name == name; }); });
}

}  // namespace spira::ui
