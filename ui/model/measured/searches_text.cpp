#include "ui/model/measured/searches_text.hpp"

#include "engine/base/text.hpp"

#include <QCoreApplication>

namespace spira::ui {

QString searchesText(const SearchCounters& counters) {
  const auto number = [](const std::string& digits) { return QString::fromStdString(digits); };
  const CountedSearches all = counters.whole();
  QString text =
      QCoreApplication::translate("spira::ui",
                                  "%1 comparisons and %2 sectors per query with z-delta, %3 and %4 with "
                                  "binary search, %5 and %6 with hash; replayed for %7 of %8 queries");
  for (const MapAlgorithm algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash}) {
    const auto at = static_cast<std::size_t>(algorithm);
    text =
        text.arg(number(fixed(all.comparisons.at(at).value, 2)), number(fixed(all.sectors.at(at).value, 2)));
  }
  return text.arg(number(count_text(all.sampled_queries)), number(count_text(all.queries)));
}

}  // namespace spira::ui
