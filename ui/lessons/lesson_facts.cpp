#include "ui/lessons/lesson_facts.hpp"

#include "engine/base/text.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/map/kernel_map.hpp"
#include "ui/lessons/lesson_runs.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

/// Returns true if the facts of the group depend only on the scene, and not on the selection.
bool is_of_scene(const std::string& group) {
  constexpr std::array<std::string_view, 9> groups{"scene",  "voxels",  "pack",     "overflow", "border",
                                                   "levels", "strides", "indexing", "positions"};
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

/// Returns true if the facts of the group depend only on measured times.
bool is_of_run(const std::string& group) {
  return group == "network" || group == "threshold";
}

using Facts = std::map<std::string, Fact>;

struct FactsArgs {
  std::string group;
  LessonInput input;
  std::shared_ptr<const ChosenRows> rows;
};

void find_facts(const FactsArgs& args, Job& job, const Send<Facts>& send) {
  LessonInput input = args.input;
  if (args.rows && args.rows->scene == input.scene) input.rows = rows_at(*args.rows, input.stride);
  Facts found;
  for (Fact& fact : compute_facts(args.group, input, job)) {
    const std::string name = fact.name;
    found.emplace(name, std::move(fact));
  }
  send(std::move(found));
}

}  // namespace

LessonFacts::LessonFacts(Tasks& tasks, Workspace* workspace, Selection* selection, QObject* parent)
    : QObject(parent), workspace_(workspace), selection_(selection), task_(tasks) {
  connect(&task_, &TaskSlot::failed, this, [this](const Error& error) {
    refused_.push_back(*computing_);
    emit failed(error);
  });
  connect(&task_, &TaskSlot::finished, this, &LessonFacts::followSoon);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &LessonFacts::followSoon);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &LessonFacts::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &LessonFacts::followSoon);
  connect(&workspace_->requested(), &RequestedSettings::sceneKernelChanged, this, &LessonFacts::followSoon);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &LessonFacts::followSoon);
  connect(selection_, &Selection::strideChanged, this, &LessonFacts::followSoon);
  connect(selection_, &Selection::layerChanged, this, &LessonFacts::followSoon);
  for (const auto signal : {&Selection::voxelChanged, &Selection::columnsChanged, &Selection::rowsChanged})
    connect(selection_, signal, this, &LessonFacts::followSoon);
}

void LessonFacts::setTimer(const std::string& group, LessonTimer* timer) {
  timers_[group] = timer;
  connect(timer, &LessonTimer::changed, this, &LessonFacts::followSoon);
}

bool LessonFacts::timing(const std::string& group) const {
  const auto timer = timers_.find(group);
  return timer != timers_.end() && timer->second->busy();
}

bool LessonFacts::busy() const {
  return task_.busy() || pending_ ||
         std::any_of(timers_.begin(), timers_.end(), [&](const auto& one) { return one.second->busy(); });
}

void LessonFacts::want(const std::vector<std::string>& names) {
  wanted_.clear();
  for (const std::string& name : names)
    wanted_.emplace(group_of_fact(name));
  for (const auto& [group, timer] : timers_)
    timer->setWanted(wanted_.contains(group));
  if (wanted_.empty()) {
    for (const auto& [group, timer] : timers_)
      timer->forget();
    task_.cancel();
    known_.clear();  // Release the scene, which the known facts keep in memory.
    refused_.clear();
  }
  followSoon();
}

void LessonFacts::setRun(std::shared_ptr<const LessonRun> run) {
  if (run == run_) return;
  run_ = std::move(run);
  followSoon();
}

void LessonFacts::setTrial(const LessonTrial& trial) {
  if (trial == trial_) return;
  trial_ = trial;
  followSoon();
}

void LessonFacts::setFirstVoxel(const std::array<double, 3>& voxel_m) {
  if (voxel_m == first_voxel_m_) return;
  first_voxel_m_ = voxel_m;
  followSoon();
}

void LessonFacts::setPointedAt(const std::optional<ChosenVoxel>& voxel) {
  if (voxel == pointed_at_) return;
  pointed_at_ = voxel;
  followSoon();
}

const std::optional<ChosenVoxel>& LessonFacts::voxel() const {
  return pointed_at_ ? pointed_at_ : selection_->voxel();
}

LessonFacts::Basis LessonFacts::basisOf(const std::string& group) const {
  Basis basis;
  if (is_of_run(group)) {
    basis.run = run_;
    return basis;
  }
  basis.scene = workspace_->scene().voxels();
  if (group == "overflow" || group == "channels") basis.trial = trial_;
  if (group == "voxels") basis.first_voxel_m = first_voxel_m_;
  if (is_of_scene(group)) return basis;
  basis.kernel_size = workspace_->requested().sceneKernelSize();
  basis.stride = floor_stride(*selection_);
  basis.layer = workspace_->results().layer(selection_->layer());
  if (const auto timer = timers_.find(group); timer != timers_.end()) basis.timed = timer->second->run();
  if (group.starts_with("neighbour")) basis.map = nativeMap();
  if (group != "selection" && group != "traced" && group != "neighbour_row") return basis;
  basis.voxel = voxel();
  basis.columns = selection_->columns();
  if (group == "selection") basis.rows = selection_->rows();
  return basis;
}

std::shared_ptr<const KernelMap> LessonFacts::nativeMap() const {
  const auto map = workspace_->scene().map(floor_stride(*selection_)).map;
  const KernelShape kernel = scene_kernel(*workspace_);
  return map && kernel.native() && map->offsets->kernel() == kernel ? map : nullptr;
}

const LessonFacts::Known* LessonFacts::known(const std::string& group) const {
  if (timing(group)) return nullptr;
  const auto found = known_.find(group);
  return found != known_.end() && found->second.basis == basisOf(group) ? &found->second : nullptr;
}

const Fact* LessonFacts::fact(const std::string& name) const {
  const Known* group = known(std::string(group_of_fact(name)));
  if (group == nullptr) return nullptr;
  const auto found = group->facts.find(name);
  return found == group->facts.end() ? nullptr : &found->second;
}

bool LessonFacts::computing(const std::string& name) const {
  return busy() && known(std::string(group_of_fact(name))) == nullptr;
}

LessonInput LessonFacts::input() const {
  LessonInput input;
  input.scene = workspace_->scene().voxels();
  input.kernel_size = workspace_->requested().sceneKernelSize();
  input.stride = floor_stride(*selection_);
  input.layer = workspace_->results().layer(selection_->layer());
  input.run = run_;
  if (voxel() && voxel()->stride == input.stride) input.voxel = voxel()->voxel;
  input.columns = selection_->columns();
  input.trial = trial_;
  input.first_voxel_m = first_voxel_m_;
  input.map = nativeMap();
  return input;
}

/// Schedules a single update for all changes that are made before the event loop continues.
void LessonFacts::followSoon() {
  if (pending_) return;
  pending_ = true;
  QMetaObject::invokeMethod(
      this,
      [this] {
        pending_ = false;
        follow();
        emit changed();
      },
      Qt::QueuedConnection);
}

std::vector<LessonFacts::Asked> LessonFacts::missing() const {
  std::vector<Asked> missing;
  for (const std::string& group : wanted_) {
    if (timing(group)) continue;
    if (known(group) == nullptr) missing.push_back({group, basisOf(group)});
  }
  return missing;
}

/// Computes the groups of facts one after the other. When the selection changes, only the groups that depend
/// on the selection must be cancelled.
void LessonFacts::follow() {
  const auto& scene = workspace_->scene().voxels();
  // Remove entries of the previous scene, because they would keep this scene in memory.
  const auto stale = [&](const Basis& basis) { return basis.scene && basis.scene != scene; };
  std::erase_if(known_, [&](const auto& one) { return stale(one.second.basis); });
  std::erase_if(refused_, [&](const Asked& one) { return stale(one.basis); });
  std::vector<Asked> wanted;
  if (scene) wanted = missing();
  const bool still = computing_ && std::find(wanted.begin(), wanted.end(), *computing_) != wanted.end();
  if (task_.busy() && still) return;
  std::erase_if(wanted, [&](const Asked& one) {
    return std::find(refused_.begin(), refused_.end(), one) != refused_.end();
  });
  if (!wanted.empty()) return start(wanted.front());
  computing_.reset();
  task_.cancel();
}

void LessonFacts::start(const Asked& asked) {
  computing_ = asked;
  LessonInput with_run = input();
  if (timers_.contains(asked.group)) with_run.run = asked.basis.timed;
  task_.start(tr("Computing the numbers of the lesson"), find_facts,
              {asked.group, std::move(with_run), selection_->rows()}, [this, asked](Facts facts) {
                known_[asked.group] = {asked.basis, std::move(facts)};
              });
}

namespace {

QString words(const char* text) {
  return QCoreApplication::translate("spira::ui::LessonPanel", text);
}

}  // namespace

QString digits_text(double value, int digits) {
  if (digits == 0 && std::abs(value) < 1e15)
    return onScreen(count_text(static_cast<std::int64_t>(std::llround(value))));
  return onScreen(fixed(value, digits));
}

int bar_digits(const LessonBars& bars, const LessonFacts& facts) {
  double largest = 0, least = 0;
  for (const auto* formulas : {&bars.values, &bars.control}) {
    for (const Expression& formula : *formulas) {
      const auto found = formula.evaluate(lookup_in(facts));
      if (!found || found->value <= 0) continue;
      largest = std::max(largest, found->value);
      least = least > 0 ? std::min(least, found->value) : found->value;
    }
  }
  if (largest == 0) return 1;
  constexpr int most = 4, max_of_small = 2;
  const auto digits = [](double value, int wanted) {
    return wanted - 1 - static_cast<int>(std::floor(std::log10(value)));
  };
  return std::max(std::clamp(digits(largest, 3), 0, most), std::clamp(digits(least, 2), 0, max_of_small));
}

Expression::Lookup lookup_in(const LessonFacts& facts) {
  return [&facts](const std::string& name) { return facts.fact(name); };
}

bool is_coming(const Expression& value, const LessonFacts& facts) {
  return std::any_of(value.names().begin(), value.names().end(),
                     [&](const std::string& name) { return facts.computing(name); });
}

QString formula_text(const Expression& value, const LessonFacts& facts) {
  QStringList lines{QString::fromStdString(value.text())};
  for (const std::string& name : value.names()) {
    const Fact* fact = facts.fact(name);
    // If the formula consists of a single fact, the number of this fact is already displayed.
    if (fact == nullptr || value.text() == name) continue;
    const QString unit = fact->unit.empty() ? QString() : " " + QString::fromStdString(fact->unit);
    lines += QString::fromStdString(name + " = " + shortest(fact->value)) + unit;
  }
  return lines.join("\n");
}

QString number_text(const Expression& value, int digits, const QString& unit, const LessonFacts& facts) {
  const auto found = value.evaluate(lookup_in(facts));
  if (!found)
    return is_coming(value, facts) ? words(QT_TRANSLATE_NOOP("spira::ui::LessonPanel", "computing"))
                                   : QString("\u2013");
  QString text = digits_text(found->value, digits);
  if (found->error > 0) {
    const int decimals = std::max(1, digits);
    const double least = std::pow(10.0, -decimals) / 2;  // A smaller error would be rounded to 0.
    text += found->error < least ? QString(" \u00b1 < ") + digits_text(least, decimals + 1)
                                 : QString(" \u00b1 ") + digits_text(found->error, decimals);
  }
  return unit.isEmpty() ? text : text + " " + unit;
}

QString template_text(const TemplateText& text, const LessonFacts& facts) {
  QString all;
  for (std::size_t at = 0; at < text.texts.size(); ++at) {
    all += QString::fromStdString(text.texts[at]).toHtmlEscaped();
    if (at == text.expressions.size()) break;
    const auto found = text.expressions[at].evaluate(lookup_in(facts));
    const std::optional<int>& digits = text.digits[at];
    const bool whole = found && found->value == std::round(found->value);
    const QString number = found && !whole && !digits
                               ? onScreen(shortest(std::round(found->value * 1e4) / 1e4))
                               : number_text(text.expressions[at], digits.value_or(0), {}, facts);
    all += "<b>" + number + "</b>";
  }
  return all;
}

QString sample_text(const Expression& value, const LessonFacts& facts) {
  for (const std::string& name : value.names()) {
    const Fact* fact = facts.fact(name);
    if (fact != nullptr && !fact->source.empty()) return QString::fromStdString(fact->source);
    if (fact == nullptr || fact->of == 0) continue;
    return words(QT_TRANSLATE_NOOP("spira::ui::LessonPanel", "sample: %1 of %2"))
        .arg(onScreen(count_text(static_cast<std::int64_t>(fact->sampled))),
             onScreen(count_text(static_cast<std::int64_t>(fact->of))));
  }
  return {};
}

}  // namespace spira::ui
