#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/relation/triples.hpp"
#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

namespace spira {
namespace {

struct Part {
  char letter;
  const char* file;
};
constexpr std::array<Part, 4> parts{
    {{'n', "data.noun"}, {'v', "data.verb"}, {'a', "data.adj"}, {'r', "data.adv"}}};

struct Pointer {
  std::string_view symbol, name;
};
/// The pointers that WordNet 3.0 documents in wninput(5WN).
constexpr std::array<Pointer, 26> pointers_by_symbol{{{"!", "antonym"},
                                                      {"@", "hypernym"},
                                                      {"@i", "instance hypernym"},
                                                      {"~", "hyponym"},
                                                      {"~i", "instance hyponym"},
                                                      {"#m", "member holonym"},
                                                      {"#s", "substance holonym"},
                                                      {"#p", "part holonym"},
                                                      {"%m", "member meronym"},
                                                      {"%s", "substance meronym"},
                                                      {"%p", "part meronym"},
                                                      {"=", "attribute"},
                                                      {"+", "derived form"},
                                                      {";c", "topic domain"},
                                                      {"-c", "topic member"},
                                                      {";r", "region domain"},
                                                      {"-r", "region member"},
                                                      {";u", "usage domain"},
                                                      {"-u", "usage member"},
                                                      {"*", "entailment"},
                                                      {">", "cause"},
                                                      {"^", "also see"},
                                                      {"$", "verb group"},
                                                      {"&", "similar to"},
                                                      {"<", "participle"},
                                                      {"\\", "pertainym"}}};

/// Returns the name of a pointer. A symbol that is not documented is its own name.
std::string pointer_name(const std::string& symbol) {
  const auto* const found = std::find_if(pointers_by_symbol.begin(), pointers_by_symbol.end(),
                                         [&](const Pointer& pointer) { return pointer.symbol == symbol; });
  return found == pointers_by_symbol.end() ? symbol : std::string(found->name);
}

/// Returns the name of a synset, such as "n00001740". The offsets are unique in each file only. Satellite
/// adjectives ('s') are in the same file as other adjectives.
std::string synset_name(std::string_view part_of_speech, std::string_view offset) {
  return std::string(part_of_speech == "s" ? "a" : part_of_speech) + std::string(offset);
}

/// Reads the words of one line, and fails with its number.
class SynsetLine {
 public:
  SynsetLine(std::string_view line, std::string where) : rest_(line), where_(std::move(where)) {}

  [[nodiscard]] std::string_view word() {
    const std::string_view word = take_word(rest_, " ");
    if (word.empty()) fail("the line ends too early");
    return word;
  }
  /// Reads a count. `base` is 16 for the number of words, and 10 for the number of pointers.
  [[nodiscard]] int count(int base) {
    const std::string_view text = word();
    int value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (fault != std::errc() || end != text.data() + text.size() || value < 0)
      fail("'" + printable(shortened(std::string(text))) + "' is not a count");
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const { throw Error(ErrorKind::input, where_ + what); }

 private:
  std::string_view rest_;
  std::string where_;
};

class WordNet {
 public:
  explicit WordNet(const std::filesystem::path& folder) {
    for (std::size_t at = 0; at < parts.size(); ++at) {
      constexpr std::uint64_t max_bytes = 1U << 30U;
      files_[at] = folder / parts[at].file;
      texts_[at] = read_text_file(files_[at], max_bytes);
    }
  }

  [[nodiscard]] Triples read(Job& job) {
    for (std::size_t at = 0; at < parts.size(); ++at)
      each_synset(at, job, [&](SynsetLine& line) {
        const std::string name = synset_name(std::string(1, parts[at].letter), line.word());
        if (!numbers_.emplace(name, static_cast<std::int32_t>(result_.nodes.size())).second)
          line.fail("synset " + printable(name) + " occurs twice");
        result_.nodes.push_back(name);
      });
    for (std::size_t at = 0; at < parts.size(); ++at)
      each_synset(at, job, [&](SynsetLine& line) { add_pointers(line, parts[at].letter); });
    result_.format = "WordNet";
    if (result_.triples.empty()) throw Error(ErrorKind::input, files_[0].string() + ": contains no pointers");
    sort_and_merge(result_);
    return std::move(result_);
  }

 private:
  /// Calls `use` for each line of a file, except the licence at its start, whose lines begin with blanks.
  template <class Use> void each_synset(std::size_t part, Job& job, const Use& use) {
    Lines lines(texts_[part]);
    constexpr std::size_t lines_between_checks = 4096;
    while (const auto line = lines.next()) {
      if (lines.number() % lines_between_checks == 0)
        job.checkpoint(
            {"reading WordNet", static_cast<std::int64_t>(lines.offset()), std::ssize(texts_[part])});
      if (line->empty() || line->starts_with(' ')) continue;
      SynsetLine words(*line, files_[part].string() + ": line " + std::to_string(lines.number()) + ": ");
      use(words);
    }
  }

  /// Reads: offset file type words {word id} pointers {symbol offset type source/target}.
  void add_pointers(SynsetLine& line, char letter) {
    const std::string name = synset_name(std::string(1, letter), line.word());
    constexpr int hexadecimal = 16, decimal = 10;
    static_cast<void>(line.word());
    static_cast<void>(line.word());
    const int words = line.count(hexadecimal);
    constexpr int most_words = 255;  // The file stores the count as two hexadecimal digits.
    if (words > most_words) line.fail("more than 255 words");
    for (int word = 0; word < 2 * words; ++word)
      static_cast<void>(line.word());
    const int pointers = line.count(decimal);
    for (int pointer = 0; pointer < pointers; ++pointer) {
      const std::string symbol(line.word());
      const std::string_view offset = line.word();
      const std::string target = synset_name(line.word(), offset);
      static_cast<void>(line.word());
      const auto found = numbers_.find(target);
      if (found == numbers_.end())
        line.fail("points to " + printable(shortened(target)) + ", which is unknown");
      result_.triples.push_back({relation(symbol), found->second, numbers_.at(name)});
    }
    require_countable(std::ssize(result_.triples), files_[0].parent_path().string());
  }

  std::int32_t relation(const std::string& symbol) {
    const auto [found, added] =
        relations_.emplace(symbol, static_cast<std::int32_t>(result_.relations.size()));
    if (added) result_.relations.push_back(pointer_name(symbol));
    return found->second;
  }

  std::array<std::filesystem::path, parts.size()> files_;
  std::array<std::string, parts.size()> texts_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::map<std::string, std::int32_t> relations_;
  Triples result_;
};

}  // namespace

Triples read_wordnet(const std::filesystem::path& folder, Job& job) {
  for (const Part& part : parts) {
    if (!std::filesystem::exists(folder / part.file))
      throw Error(ErrorKind::input, folder.string() + ": a folder without " + part.file +
                                        "; expected a file of triples or the data files of WordNet");
  }
  return WordNet(folder).read(job);
}

}  // namespace spira
