#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/schema_json.hpp"
#include "engine/base/text.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/validate.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

namespace spira {
namespace {

struct Kind {
  DocumentKind kind;
  std::string_view id;      ///< The value of the member "schema".
  std::string_view schema;  ///< Its name in shipped_schemas().
  const char* root;         ///< JSON pointer to the part of the schema that describes this kind.
  std::string_view noun;
};
constexpr std::array kinds{Kind{DocumentKind::report, "spira.report", "report", "", "report"},
                           Kind{DocumentKind::tuning_profile, "spira.tune", "tune", "", "tuning profile"},
                           Kind{DocumentKind::session, "spirascope.session", "session", "", "session"},
                           Kind{DocumentKind::lesson, "spira.lesson", "spira.lesson", "", "lesson"},
                           Kind{DocumentKind::network, "spira.network 1", "network", "", "network"},
                           Kind{DocumentKind::comparison, "spira.compare", "compare", "", "comparison"},
                           Kind{DocumentKind::survey, "spira.survey", "survey", "", "survey"},
                           Kind{DocumentKind::table_origin, "spira.table", "table", "", "origin of a table"},
                           Kind{DocumentKind::bench, "spira.bench", "bench", "", "bench"},
                           Kind{DocumentKind::sweep, "spira.sweep 1", "report", "/$defs/sweep", "sweep"},
                           // The entries above have the order of DocumentKind. Entries for further versions
                           // follow.
                           Kind{DocumentKind::network, "spira.network 2", "network-2", "", "network"}};

const Kind& kind_of(const JsonOutline& outline, const std::string& file_name) {
  const auto fault = [&](const std::string& what) {
    return Error(ErrorKind::input, file_name + ": " + what);
  };
  if (!outline.is_object) throw fault("JSON, but not an object; expected a document of SpiraScope");
  if (!outline.keys.contains("schema") && !outline.keys.contains("layers"))
    throw fault(
        "JSON, but not a document of SpiraScope: the key \"schema\" is missing (a network may omit it, but "
        "then it needs \"layers\")");
  if (outline.keys.contains("schema") && !outline.schema) throw fault("schema: expected a string");
  // Networks may have no "schema".
  const std::string id = outline.schema.value_or("spira.network 1");
  const auto* const found =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& one) { return one.id == id; });
  if (found != kinds.end()) return *found;
  std::string known;
  for (const Kind& one : kinds)
    known += (known.empty() ? "" : ", ") + std::string(one.id);
  throw fault("schema: \"" + shortened(id) + "\"; known schemas: " + known);
}

JsonSchema schema_named(std::string_view name, const char* root) {
  for (const ShippedSchema& one : shipped_schemas()) {
    if (one.name == name) return JsonSchema(nlohmann::json::parse(one.content), root);
  }
  throw Error(ErrorKind::internal, "no schema " + std::string(name));
}

/// Returns true if the first line of the text is a line of a manifest of `spira infer`.
bool is_manifest(std::string_view text) {
  const JsonOutline first = json_outline(text.substr(0, text.find('\n')));
  return first.fault.empty() && first.schema == "spira.frame";
}

/// Validates each line of a manifest. The number of the line is the first part of a fault.
Validation validate_manifest(std::string_view text) {
  const JsonSchema schema = schema_named("frame", "");
  Validation found{"manifest", "1.0", {}};
  for (int number = 1; !text.empty(); ++number) {
    const std::string line = "line " + std::to_string(number);
    const std::size_t end = text.find('\n');
    try {
      for (const std::string& fault : schema.faults(parse_json_object(text.substr(0, end), line)))
        found.faults.push_back(line + ": " + fault);
      if (end == std::string_view::npos) found.faults.push_back(line + ": the end of the line is missing");
    } catch (const Error& error) {
      found.faults.emplace_back(error.what());
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return found;
}

/// Parses the document with the reader of its kind, and throws its errors.
void read_as(DocumentKind kind, std::string_view json, const std::string& file_name) {
  if (kind == DocumentKind::report) static_cast<void>(parse_report(json, file_name));
  if (kind == DocumentKind::tuning_profile) static_cast<void>(parse_profile(json, file_name));
  if (kind == DocumentKind::session) static_cast<void>(check_session(json, file_name));
  if (kind == DocumentKind::network) static_cast<void>(parse_network(json, file_name));
}

}  // namespace

std::string_view text_of(DocumentKind kind) noexcept {
  return kinds.at(static_cast<std::size_t>(kind)).noun;
}

DocumentKind document_kind(std::string_view json, const std::string& file_name) {
  const JsonOutline outline = json_outline(json);
  if (outline.ends_too_early && outline.schema == "spira.report") return DocumentKind::report;
  if (!outline.fault.empty()) throw Error(ErrorKind::input, file_name + ": " + outline.fault);
  return kind_of(outline, file_name).kind;
}

bool begins_as(const std::filesystem::path& file, DocumentKind kind) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::array<char, 512> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), std::ssize(bytes));
  const std::string_view head(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  const std::string schema = '"' + std::string(kinds.at(static_cast<std::size_t>(kind)).id) + '"';
  return first != std::string_view::npos && head[first] == '{' && head.find(schema) != std::string_view::npos;
}

Validation validate_document(std::string_view json, const std::string& file_name) {
  if (is_manifest(json)) return validate_manifest(json);
  const nlohmann::json document = parse_json_object(json, file_name);
  const Kind& kind = kind_of(json_outline(json), file_name);
  Validation found{std::string(kind.noun), "", schema_named(kind.schema, kind.root).faults(document)};
  const auto version = document.find("schema_version");
  if (version != document.end() && version->is_string()) {
    found.version = version->get<std::string>();
    // Each schema is for one major version, but it does not check the version of the document.
    if (!found.version.starts_with("1."))
      found.faults.insert(found.faults.begin(),
                          "schema_version: \"" + shortened(found.version) + "\"; expected 1.x");
  }
  if (!found.faults.empty()) return found;
  try {
    read_as(kind.kind, json, file_name);
  } catch (const Error& error) {
    const std::string fault = error.what(), place = file_name + ": ";
    found.faults.push_back(fault.starts_with(place) ? fault.substr(place.size()) : fault);
  }
  return found;
}

Validation validate_file(const std::filesystem::path& file) {
  constexpr std::uint64_t max_bytes = 128ULL << 20U;
  return validate_document(read_text_file(file, max_bytes), file.string());
}

}  // namespace spira
