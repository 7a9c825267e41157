#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/relation/triples.hpp"

namespace spira {
namespace {

std::string tsv_line(const std::string& head, const std::string& relation, const std::string& tail) {
  return head + "\t" + relation + "\t" + tail + "\n";
}
std::string comma_line(const std::string& head, const std::string& relation, const std::string& tail) {
  return csv_line({head, relation, tail});
}
std::string statement_line(const std::string& head, const std::string& relation, const std::string& tail) {
  const auto iri = [](const std::string& name) { return "<urn:spira:" + name + ">"; };
  return iri(head) + " " + iri(relation) + " " + iri(tail) + " .\n";
}

using LineWriter = std::string (*)(const std::string& head, const std::string& relation,
                                   const std::string& tail);

LineWriter line_writer_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".tsv") return tsv_line;
  if (extension == ".csv") return comma_line;
  if (extension == ".nt") return statement_line;
  throw Error(ErrorKind::usage,
              path.string() + ": unsupported extension; triples are written as .tsv, .csv or .nt");
}

}  // namespace

void require_triples_format(const std::filesystem::path& path) {
  static_cast<void>(line_writer_of(path));
}

void write_triples(const Triples& triples, const std::filesystem::path& path, const std::stop_token& stop) {
  const LineWriter line = line_writer_of(path);
  std::string text;
  for (const Triple& triple : triples.triples)
    text += line(triples.nodes.at(static_cast<std::size_t>(triple.head)),
                 triples.relations.at(static_cast<std::size_t>(triple.relation)),
                 triples.nodes.at(static_cast<std::size_t>(triple.tail)));
  write_file(path, text, stop);
}

}  // namespace spira
