#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/relation/triples.hpp"
#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <deque>
#include <fstream>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace spira {
namespace {

constexpr std::uint64_t max_file_bytes = std::uint64_t{16} << 30U;

std::string_view name_of(TripleFormat format) {
  constexpr std::array<std::string_view, 3> names{"TSV", "CSV", "N-Triples"};
  return names.at(static_cast<std::size_t>(format));
}

/// Numbers names in the order in which they first occur. The texts must outlive it.
class Names {
 public:
  /// Returns the number of a name. Returns an empty optional if the name is unknown and `fixed` is true.
  std::optional<std::int32_t> number_of(std::string_view name, bool fixed) {
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    if (fixed) return std::nullopt;
    const auto number = static_cast<std::int32_t>(names_.size());
    numbers_.emplace(name, number);
    names_.push_back(name);
    return number;
  }
  [[nodiscard]] std::int64_t size() const { return std::ssize(names_); }
  [[nodiscard]] std::vector<std::string> texts() const { return {names_.begin(), names_.end()}; }

 private:
  std::unordered_map<std::string_view, std::int32_t> numbers_;
  std::vector<std::string_view> names_;
};

/// Head, relation and tail of a line.
using Cells = std::array<std::string_view, 3>;
constexpr std::array cell_names{"head", "relation", "tail"};

/// Splits the lines of a file into cells. Throws `Error(input)` with the line number.
class TripleLines {
 public:
  TripleLines(TripleFormat format, const std::string& file_name) : format_(format), file_name_(file_name) {}

  [[nodiscard]] Error fault(std::size_t line, const std::string& text) const {
    return Error(ErrorKind::input, file_name_ + ": line " + std::to_string(line) + ": " + printable(text));
  }

  /// Returns an empty optional for a line without a triple.
  std::optional<Cells> split_line(std::string_view line, std::size_t number) {
    if (text_bytes(line) == 0) return std::nullopt;
    if (format_ == TripleFormat::n_triples) return split_statement(line, number);
    Cells cells;
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
      const std::string_view cell = take_cell(line, more, number);
      if (count < cells.size()) cells[count] = cell;
    }
    if (count != cells.size())
      throw fault(number, counted_text(static_cast<std::int64_t>(count), "column", "columns") +
                              ", expected 3 (head, relation, tail) separated by " +
                              (format_ == TripleFormat::csv ? "commas" : "tabs"));
    for (std::size_t at = 0; at < cells.size(); ++at) {
      if (cells[at].empty()) throw fault(number, std::string("the ") + cell_names.at(at) + " is empty");
    }
    const bool header = number == 1 && std::equal(cells.begin(), cells.end(), cell_names.begin());
    return header ? std::nullopt : std::optional(cells);
  }

 private:
  /// Removes the first cell of `line` and its separator. Sets `more` to false for the last cell.
  std::string_view take_cell(std::string_view& line, bool& more, std::size_t number) {
    const bool csv = format_ == TripleFormat::csv;
    if (csv && line.starts_with('"')) return take_quoted(line, more, number);
    const std::size_t end = line.find(csv ? ',' : '\t');
    more = end != std::string_view::npos;
    const std::string_view cell = line.substr(0, end);
    line = more ? line.substr(end + 1) : std::string_view{};
    return cell;
  }

  std::string_view take_quoted(std::string_view& line, bool& more, std::size_t number) {
    std::size_t end = 1;
    bool escaped = false;
    for (; end < line.size(); ++end) {
      if (line[end] != '"') continue;
      if (end + 1 == line.size() || line[end + 1] != '"') break;
      escaped = true;
      ++end;
    }
    if (end >= line.size()) throw fault(number, "a quote is not closed");
    const std::string_view cell = line.substr(1, end - 1), rest = line.substr(end + 1);
    if (!rest.empty() && rest.front() != ',') throw fault(number, "text after a closing quote");
    more = !rest.empty();
    line = more ? rest.substr(1) : rest;
    if (!escaped) return cell;
    std::string& plain = unescaped_.emplace_back();
    for (std::size_t at = 0; at < cell.size(); ++at) {
      plain += cell[at];
      if (cell[at] == '"') ++at;
    }
    return plain;
  }

  /// Splits a statement of N-Triples, such as: <a> <b> "text"@en . # comment
  std::optional<Cells> split_statement(std::string_view line, std::size_t number) {
    std::string_view rest = without_blanks(line);
    if (rest.starts_with('#')) return std::nullopt;
    Cells cells;
    struct Part {
      const char *name, *expected;
    };
    constexpr std::array<Part, 3> parts{
        {{"subject", "an IRI in <> or a blank node _:NAME"},
         {"predicate", "an IRI in <>"},
         {"object", "an IRI in <>, a blank node _:NAME or a literal in quotes"}}};
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const std::size_t length = term_length(rest, at);
      if (length == 0)
        throw fault(number,
                    std::string("the ") + parts[at].name +
                        (rest.empty() || rest.front() == '.' ? " is missing"
                                                             : std::string(" is not ") + parts[at].expected));
      cells[at] = rest.substr(0, length);
      rest = without_blanks(rest.substr(length));
    }
    if (!rest.starts_with('.')) throw fault(number, "the statement does not end with a full stop");
    rest = without_blanks(rest.substr(1));
    if (!rest.empty() && rest.front() != '#') throw fault(number, "text after the full stop");
    return cells;
  }

  static std::string_view without_blanks(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  }

  /// Returns the length of the term at the start of `text`, or 0 if the text does not start with a term that
  /// is allowed at this position (position 0 is the subject).
  static std::size_t term_length(std::string_view text, std::size_t position) {
    constexpr std::size_t predicate = 1, object = 2;
    if (text.starts_with('<')) return iri_length(text);
    if (text.starts_with("_:") && position != predicate) {
      const std::size_t end = without_full_stop(text, std::min(text.find_first_of(" \t<\""), text.size()));
      return end > 2 ? end : 0;
    }
    if (!text.starts_with('"') || position != object) return 0;
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"')
      end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return 0;
    ++end;
    if (text.substr(end).starts_with("^^<")) {
      const std::size_t type = iri_length(text.substr(end + 2));
      return type == 0 ? 0 : end + 2 + type;
    }
    if (text.substr(end).starts_with('@'))
      return without_full_stop(text, std::min(text.find_first_of(" \t", end), text.size()));
    return end;
  }

  /// Returns `end` without the full stop of the statement, which can follow a label or a language directly.
  static std::size_t without_full_stop(std::string_view text, std::size_t end) {
    return text.substr(0, end).ends_with('.') ? end - 1 : end;
  }

  static std::size_t iri_length(std::string_view text) {
    const std::size_t end = text.find_first_of("> \t\"");
    return end == std::string_view::npos || text[end] != '>' || end < 2 ? 0 : end + 1;
  }

  TripleFormat format_;
  const std::string& file_name_;
  std::deque<std::string> unescaped_;  // A deque, because the cells refer to its strings.
};

std::string_view without_mark(std::string_view text) {
  return text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
}

void require_narrow(std::string_view text, const std::string& file_name) {
  if (const auto encoding = wide_encoding(std::as_bytes(std::span(text))); !encoding.empty())
    throw Error(ErrorKind::input,
                file_name + ": the text is " + std::string(encoding) + "; convert it to UTF-8");
}

/// Reads the names of all nodes, one per line.
std::vector<std::string> read_node_list(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, max_file_bytes);
  require_narrow(text, file.string());
  std::unordered_map<std::string, std::size_t> lines;
  std::vector<std::string> nodes;
  Lines all(without_mark(text));
  while (const auto line = all.next()) {
    if (line->empty()) continue;
    if (const auto [first, added] = lines.emplace(*line, all.number()); !added)
      throw Error(ErrorKind::input, file.string() + ": line " + std::to_string(all.number()) + ": node '" +
                                        printable(shortened(std::string(*line))) + "' is also in line " +
                                        std::to_string(first->second));
    nodes.emplace_back(*line);
  }
  if (nodes.empty()) throw Error(ErrorKind::input, file.string() + ": contains no names of nodes");
  require_countable(std::ssize(nodes), file.string(), "nodes");
  return nodes;
}

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

TripleFormat format_of(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".nt"    ? TripleFormat::n_triples
         : extension == ".csv" ? TripleFormat::csv
                               : TripleFormat::tsv;
}

/// Returns the cells of a line with columns separated by tabs.
std::vector<std::string_view> tsv_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0;;) {
    const auto tab = line.find('\t', begin);
    cells.push_back(line.substr(begin, tab == std::string_view::npos ? tab : tab - begin));
    if (tab == std::string_view::npos) return cells;
    begin = tab + 1;
  }
}

/// Returns true if all cells are numbers. Does not depend on the locale.
bool all_numbers(const std::vector<std::string_view>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
    if (cell.starts_with('+')) cell.remove_prefix(1);
    double value = 0;
    const auto [end, fault] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return fault == std::errc() && end == cell.data() + cell.size();
  });
}

}  // namespace

Triples parse_triples(std::string_view text, TripleFormat format, const std::string& file_name,
                      std::vector<std::string> nodes, Job& job) {
  require_narrow(text, file_name);
  Triples triples;
  triples.format = name_of(format);
  TripleLines cells_of(format, file_name);
  Names node_names, relation_names;
  const bool fixed = !nodes.empty();
  for (const std::string& node : nodes)
    static_cast<void>(node_names.number_of(node, false));
  const std::string_view body = without_mark(text);
  Lines lines(body);
  constexpr std::size_t lines_between_checks = 4096;
  while (const auto line = lines.next()) {
    if (lines.number() % lines_between_checks == 0)
      job.checkpoint({"reading triples", static_cast<std::int64_t>(lines.offset()), std::ssize(body)});
    const auto cells = cells_of.split_line(*line, lines.number());
    if (!cells) continue;
    const auto node = [&](std::size_t at) {
      const auto number = node_names.number_of((*cells)[at], fixed);
      if (!number)
        throw cells_of.fault(lines.number(), std::string("the ") + cell_names.at(at) + " '" +
                                                 shortened(std::string((*cells)[at])) +
                                                 "' is not in the list of nodes");
      return *number;
    };
    const std::int32_t head = node(0), tail = node(2);
    triples.triples.push_back({relation_names.number_of((*cells)[1], false).value_or(0), tail, head});
    require_countable(std::ssize(triples.triples), file_name);
    require_countable(node_names.size(), file_name, "nodes");
  }
  if (triples.triples.empty()) throw Error(ErrorKind::input, file_name + ": contains no triples");
  triples.nodes = fixed ? std::move(nodes) : node_names.texts();
  triples.relations = relation_names.texts();
  sort_and_merge(triples);
  return triples;
}

bool looks_like_triples(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return std::filesystem::exists(path / "data.noun", ignored) &&
           std::filesystem::exists(path / "data.verb", ignored);
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const std::string extension = extension_of(path);
  if (extension == ".nt") return true;
  if (extension != ".tsv") return false;
  // A file of numbers, possibly below one header line, contains points. If any other line contains text, the
  // file is read as triples. The reader of triples then reports a faulty line with its number.
  constexpr int lines = 20;
  std::ifstream file(path);
  std::string line;
  int found = 0, names = 0;
  while (found < lines && std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const auto cells = tsv_cells(line);
    if (found == 0 && cells.size() != cell_names.size()) return false;
    if (found == 0 && std::equal(cells.begin(), cells.end(), cell_names.begin())) return true;
    ++found;
    names += all_numbers(cells) ? 0 : 1;
  }
  const int of_header = found > 1 ? 1 : 0;
  return names > of_header;
}

Triples read_triples(const std::filesystem::path& path, const std::filesystem::path& node_list, Job& job) {
  Triples triples;
  if (std::filesystem::is_directory(path)) {
    if (!node_list.empty())
      throw Error(ErrorKind::usage, node_list.string() +
                                        ": a list of nodes cannot be used with WordNet, "
                                        "whose files contain all nodes");
    triples = read_wordnet(path, job);
  } else {
    std::vector<std::string> nodes;
    if (!node_list.empty()) nodes = read_node_list(node_list);
    triples = parse_triples(read_text_file(path, max_file_bytes), format_of(path), path.string(),
                            std::move(nodes), job);
  }
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  // The name of a directory with a trailing slash is that of its parent path.
  triples.name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  return triples;
}

}  // namespace spira
