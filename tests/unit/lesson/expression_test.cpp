#include "engine/lesson/expression.hpp"

#include "engine/base/error.hpp"
#include "engine/lesson/lesson.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace spira {
namespace {

using testing::HasSubstr;

class Formulas : public testing::Test {
 protected:
  [[nodiscard]] std::optional<Estimate> evaluate(std::string_view text) const {
    return Expression(text).evaluate([this](const std::string& name) {
      const auto found = facts.find(name);
      return found == facts.end() ? nullptr : &found->second;
    });
  }
  [[nodiscard]] double value(std::string_view text) const { return evaluate(text).value().value; }
  static std::string fault(std::string_view text) {
    try {
      Expression{text};
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  std::map<std::string, Fact> facts{{"voxels.count", {"voxels.count", 200, 0, "", 0, 0}},
                                    {"density.l1.2", {"density.l1.2", 0.25, 0.01, "", 100, 1000}},
                                    {"noise", {"noise", 3, 0.4, "", 1, 2}}};
};

TEST_F(Formulas, FollowTheUsualPrecedence) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("8 - 3 - 2"), 3);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
  EXPECT_EQ(value("-2 * -3"), 6);
  EXPECT_EQ(value("1 + 1 < 3 and 2 >= 2"), 1);
  EXPECT_EQ(value("1 > 2 or 1 == 1"), 1);
  EXPECT_EQ(value("1 != 1"), 0);
}

TEST_F(Formulas, KnowFactsAndFunctions) {
  EXPECT_EQ(value("voxels.count / 4"), 50);
  EXPECT_EQ(value("percent(density.l1.2)"), 25);
  EXPECT_EQ(value("round(2.6)"), 3);
  EXPECT_EQ(value("min(voxels.count, 7) + max(1, 2) + abs(-3)"), 12);
  EXPECT_THAT(Expression("a.b + c * a.b").names(), testing::ElementsAre("a.b", "c"));
}

TEST_F(Formulas, HaveNoValueWithoutTheirFactsOrIfNotANumber) {
  EXPECT_FALSE(evaluate("voxels.size").has_value());
  EXPECT_FALSE(evaluate("1 / 0").has_value());
  const auto lookup = [](const std::string&) -> const Fact* { return nullptr; };
  EXPECT_FALSE(Expression("x == 0").holds(lookup));
}

TEST_F(Formulas, CarryTheErrorOfSampledFacts) {
  EXPECT_NEAR(evaluate("percent(density.l1.2)")->error, 1.0, 1e-12);
  EXPECT_EQ(evaluate("voxels.count")->error, 0);
  EXPECT_NEAR(evaluate("noise + 100 * density.l1.2")->error, std::hypot(0.4, 1.0), 1e-12);
}

TEST_F(Formulas, AreRefusedWithTheColumn) {
  EXPECT_THAT(fault("1 +"), HasSubstr("column 4: expected a number, a name or a bracket"));
  EXPECT_THAT(fault("(1 + 2"), HasSubstr("column 7: expected ')'"));
  EXPECT_THAT(fault("1 2"), HasSubstr("column 3: expected an operator or the end of the expression"));
  EXPECT_THAT(fault("sqrt(2)"), HasSubstr("unknown function 'sqrt'; expected percent"));
  EXPECT_THAT(fault("1.2.3"), HasSubstr("expected a number"));
  EXPECT_THAT(fault(std::string(1000, '(')), HasSubstr("the expression is nested too deeply"));
  EXPECT_THAT(fault(""), HasSubstr("column 1"));
}

TEST_F(Formulas, AreFoundInText) {
  const TemplateText parts = parse_template("kept {{voxels.count}} of {{1 + 1}}.");
  EXPECT_THAT(parts.texts, testing::ElementsAre("kept ", " of ", "."));
  ASSERT_EQ(parts.expressions.size(), 2U);
  EXPECT_EQ(parts.expressions[1].text(), "1 + 1");
  EXPECT_THROW(static_cast<void>(parse_template("a {{b")), Error);
  EXPECT_FALSE(parts.digits[0]);
  const TemplateText shares = parse_template("{{percent(a):1}} % of {{b:0}}");
  EXPECT_EQ(shares.expressions[0].text(), "percent(a)");
  EXPECT_THAT(shares.digits, testing::ElementsAre(1, 0));
  for (const char* wrong : {"{{a:}}", "{{a:x}}", "{{a:-1}}", "{{a:1.5}}", "{{a:10}}"})
    EXPECT_THROW(static_cast<void>(parse_template(wrong)), Error) << wrong;
}

TEST(OffsetsOf, AFormulaIsAboutTheOffsetsOfItsFacts) {
  const auto about = [](const char* text) {
    const auto found = offsets_of(Expression(text));
    return found ? found->text() : std::string();
  };
  EXPECT_EQ(about("percent(density.l1.2)"), "choose.l1 2");
  EXPECT_EQ(about("percent(shuffled.l1.12)"), "choose.l1 12");
  EXPECT_EQ(about("density.outputs * selection.axis.y"), "choose.offset 0 1 0");
  EXPECT_EQ(about("density.l1.1 / shuffled.l1.1"), "choose.l1 1");
  EXPECT_EQ(about("density.l1.1 / density.l1.6"), "")
      << "a formula about two norms has no single set of offsets";
  EXPECT_EQ(about("density.outputs"), "");
  EXPECT_EQ(about("2"), "");
}

}  // namespace
}  // namespace spira
