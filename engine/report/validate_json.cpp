#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/schema_json.hpp"
#include "engine/base/shipped_schemas.hpp"
#include "engine/report/validate.hpp"

#include <algorithm>
#include <array>

namespace spira {
namespace {

struct Kind {
  std::string_view id;      ///< member "schema" of a document
  std::string_view schema;  ///< of shipped_schemas()
  const char* root;         ///< in it
  const char* noun;
};
constexpr std::array kinds{Kind{"spira.report", "report", "", "report"},
                           Kind{"spira.tune", "tune", "", "tuning profile"},
                           Kind{"spirascope.session", "session", "", "session"},
                           Kind{"spira.lesson", "spira.lesson", "", "lesson"},
                           Kind{"spira.network 1", "network", "", "network"},
                           Kind{"spira.compare", "compare", "", "comparison"},
                           Kind{"spira.survey", "survey", "", "survey"},
                           Kind{"spira.table", "table", "", "origin of a table"},
                           Kind{"spira.bench", "bench", "", "bench"},
                           Kind{"spira.sweep 1", "report", "/$defs/sweep", "sweep"}};

const Kind& kind_of(const nlohmann::json& document, const Fields& fields) {
  // Networks need not say what they are.
  const bool bare = !document.contains("schema") && document.contains("layers");
  const std::string id = bare ? "spira.network 1" : fields.text("schema");
  const auto* const found =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& one) { return one.id == id; });
  if (found != kinds.end()) return *found;
  std::string known;
  for (const Kind& one : kinds)
    known += (known.empty() ? "" : ", ") + std::string(one.id);
  fields.fail("schema", "\"" + id + "\"; there are schemas for: " + known);
}

JsonSchema schema_of(const Kind& kind) {
  for (const ShippedSchema& one : shipped_schemas()) {
    if (one.name == kind.schema) return JsonSchema(nlohmann::json::parse(one.content), kind.root);
  }
  throw Error(ErrorKind::internal, "no schema " + std::string(kind.schema));
}

}  // namespace

Validation validate_document(std::string_view json, const std::string& file_name) {
  const nlohmann::json document = parse_json_object(json, file_name);
  const Fields fields(document, file_name, "");
  const Kind& kind = kind_of(document, fields);
  Validation found{kind.noun, "", schema_of(kind).faults(document)};
  const auto version = document.find("schema_version");
  if (version == document.end() || !version->is_string()) return found;
  found.version = version->get<std::string>();
  // A schema is of one major version, and its type says nothing of that.
  if (!found.version.starts_with("1."))
    found.faults.insert(found.faults.begin(), "schema_version: \"" + found.version + "\"; expected 1.x");
  return found;
}

Validation validate_file(const std::filesystem::path& file) {
  constexpr std::uint64_t most_bytes = 128ULL << 20U;
  return validate_document(read_text_file(file, most_bytes), file.string());
}

}  // namespace spira
