#include "ui/model/tables/compare_model.hpp"

#include "engine/base/text.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <QApplication>
#include <QPalette>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

QString number(double ms) {
  return onScreen(ms, 'f', ms < 1 ? 4 : ms < 100 ? 3 : 1);
}

/// Returns the change in percent without a % sign, because the column heading has one.
QString signedChange(double ratio) {
  const double change = 100 * (ratio - 1);
  return QString("%1%2").arg(change > 0 ? "+" : "", onScreen(change, 'f', 1));
}

QString text(const ComparedRow& row, int column) {
  const auto& ratio = row.ratio;
  switch (column) {
    case CompareModel::layer:
      return layerText(row);
    case CompareModel::stage:
      return stageText(row);
    case CompareModel::baseline:
      return number(row.baseline_ms.median);
    case CompareModel::current:
      return number(row.current_ms.median);
    case CompareModel::change:
      return ratio ? signedChange(ratio->ratio()) : QString();
    case CompareModel::interval:
      return ratio ? CompareModel::tr("%1 to %2").arg(signedChange(ratio->low), signedChange(ratio->high))
                   : QString();
    case CompareModel::verdict:
      return QString::fromUtf8(verdict_text(row).data());
    case CompareModel::n:
      return row.baseline_ms.n == row.current_ms.n
                 ? QString::number(row.current_ms.n)
                 : QString("%1, %2").arg(row.baseline_ms.n).arg(row.current_ms.n);
    default:
      return QString::fromStdString(row.why);
  }
}

/// Returns the sort key of the verdict column. Slower rows come first, sorted by lost time, followed by
/// undecided, unchanged, faster and not comparable rows.
double severity(const ComparedRow& row) {
  constexpr double apart = 1e9;  // In ms; larger than the time of any row.
  const double lost_ms = row.current_ms.median - row.baseline_ms.median;
  if (!row.verdict) return -2 * apart;
  switch (*row.verdict) {
    case Verdict::slower:
      return apart + lost_ms;
    case Verdict::undecided:
      return lost_ms;
    case Verdict::same:
      return -apart / 2;
    case Verdict::faster:
      return -apart + lost_ms;
  }
  return 0;
}

QVariant sortKey(const ComparedRow& row, int at, int column) {
  switch (column) {
    case CompareModel::layer:
      return at;  // Sorts the rows in network order.
    case CompareModel::baseline:
      return row.baseline_ms.median;
    case CompareModel::current:
      return row.current_ms.median;
    case CompareModel::change:
      return row.ratio ? row.ratio->ratio() : 0.0;
    case CompareModel::interval:
      return row.ratio ? row.ratio->high - row.ratio->low : 0.0;
    case CompareModel::verdict:
      return severity(row);
    case CompareModel::n:
      return static_cast<qlonglong>(std::min(row.baseline_ms.n, row.current_ms.n));
    default:
      return text(row, column);
  }
}

/// Returns right alignment for columns of numbers and their headings.
QVariant alignment(int column) {
  const bool figures = column >= CompareModel::change && column <= CompareModel::n;
  return QVariant((figures ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QString tip(const ComparedRow& row) {
  const auto side = [](const Statistics& s) {
    return CompareModel::tr("%1, median of %2, IQR %3, min %4")
        .arg(onScreen(ms_text(s.median)))
        .arg(ui::counted(s.n, CompareModel::tr("1 sample"), CompareModel::tr("%1 samples")))
        .arg(onScreen(ms_text(s.iqr())), onScreen(ms_text(s.min)));
  };
  QString result = CompareModel::tr("%1\nbaseline %2\ncurrent %3")
                       .arg(QString::fromStdString(row.name()), side(row.baseline_ms), side(row.current_ms));
  if (row.ratio)
    result += CompareModel::tr("\nchange %1 %, 95 % interval %2 to %3 %")
                  .arg(signedChange(row.ratio->ratio()), signedChange(row.ratio->low),
                       signedChange(row.ratio->high));
  if (!row.why.empty()) result += "\n" + QString::fromStdString(row.why);
  return result;
}

}  // namespace

QString layerText(const ComparedRow& row) {
  if (!row.layer.empty()) return QString::fromStdString(row.layer);
  if (row.stage != StageKey()) return CompareModel::tr("indexing");
  return row.partial ? CompareModel::tr("layers that run") : CompareModel::tr("whole network");
}

QString stageText(const ComparedRow& row) {
  if (row.pass != Pass::stages) return QString::fromUtf8(text_of(row.pass).data());
  StageKey shown = row.stage;
  if (shown.subject == row.layer) shown.subject.clear();
  return QString::fromStdString(shown.text());
}

void CompareModel::setComparison(std::shared_ptr<const Comparison> comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  short_names_.clear();
  for (int at = 0; at < rowCount(); ++at)
    short_names_[QString::fromStdString(row(at).layer)] = {};
  QStringList names;
  for (const auto& [name, brief] : short_names_)
    names += name;
  const QStringList brief = shortLayerNames(names);
  for (qsizetype at = 0; at < names.size(); ++at)
    short_names_[names[at]] = brief[at];
  endResetModel();
}

bool CompareModel::hasReasons() const {
  return comparison_ && std::any_of(comparison_->rows.begin(), comparison_->rows.end(),
                                    [](const ComparedRow& one) { return !one.why.empty(); });
}

int CompareModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !comparison_ ? 0 : static_cast<int>(comparison_->rows.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ComparedRow& here = row(index.row());
  if (role == Qt::DisplayRole && index.column() == layer && !here.layer.empty())
    return short_names_.at(QString::fromStdString(here.layer));
  if (role == Qt::DisplayRole) return text(here, index.column());
  if (role == sort_role) return sortKey(here, index.row(), index.column());
  if (role == layer_role) return QString::fromStdString(here.layer);
  if (role == Qt::ToolTipRole) return tip(here);
  if (role == Qt::ForegroundRole && !here.verdict)
    return QApplication::palette().color(QPalette::Disabled, QPalette::Text);
  if (role == Qt::TextAlignmentRole) return alignment(index.column());
  return {};
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return alignment(section);
  const auto at = static_cast<std::size_t>(section);
  if (role == Qt::ToolTipRole) {
    const std::array<QString, column_count> tips{
        tr("Layer"),
        tr("Stage of the layer"),
        tr("Verdict, based on the 95 % interval of the ratio of the medians"),
        tr("Change of the median, in percent of the baseline median"),
        tr("95 % confidence interval (CI) of the change, in percent"),
        tr("Median of the baseline, in ms"),
        tr("Median of the current run, in ms"),
        tr("Number of samples per run; two numbers if the runs differ"),
        tr("Reason why the row cannot be compared")};
    return tips.at(at);
  }
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles{tr("Layer"),     tr("Stage"),   tr("Verdict"),
                                                 tr("Change, %"), tr("95 % CI"), tr("Base, ms"),
                                                 tr("Now, ms"),   tr("n"),       tr("Reason")};
  return titles.at(at);
}

CompareProxy::CompareProxy(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(CompareModel::sort_role);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

void CompareProxy::setFilter(CompareFilter filter, const QString& words) {
  filter_ = filter;
  words_ = words.split(' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

bool CompareProxy::filterAcceptsRow(int row, const QModelIndex&) const {
  const ComparedRow& here = static_cast<const CompareModel*>(sourceModel())->row(row);
  const auto is = [&](Verdict wanted) { return here.verdict == wanted; };
  const bool shown = filter_ == CompareFilter::all ||
                     (filter_ == CompareFilter::changed && (is(Verdict::faster) || is(Verdict::slower))) ||
                     (filter_ == CompareFilter::slower && is(Verdict::slower)) ||
                     (filter_ == CompareFilter::faster && is(Verdict::faster)) ||
                     (filter_ == CompareFilter::undecided && is(Verdict::undecided));
  const QString name = text(here, CompareModel::layer) + " " + text(here, CompareModel::stage);
  return shown && std::all_of(words_.begin(), words_.end(),
                              [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
}

}  // namespace spira::ui
