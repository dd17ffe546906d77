// The value grammars, and the table of ids.
#include <gtest/gtest.h>

#include <set>

#include "grammar/ids.hpp"
#include "grammar/values.hpp"

namespace auopt {
namespace {

TEST(Values, Pairs) {
    const auto pair = parse_pair("exit,always");
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->first.text, "exit");
    EXPECT_EQ(pair->second.text, "always");
    EXPECT_EQ(pair->second.offset, 5U);
    EXPECT_TRUE(parse_pair(",b"));
    EXPECT_TRUE(parse_pair("a,"));
    EXPECT_FALSE(parse_pair("a"));
    EXPECT_FALSE(parse_pair("a,b,c"));
    EXPECT_FALSE(parse_pair(""));
}

TEST(Values, ListsSkipEmptyItems) {
    const WordList list = parse_list(",open,,close,");
    EXPECT_TRUE(list.has_comma);
    ASSERT_EQ(list.items.size(), 2U);
    EXPECT_EQ(list.items[1].offset, 7U);
    EXPECT_FALSE(parse_list("open").has_comma);
    EXPECT_TRUE(parse_list(",").items.empty());
}

struct Split {
    const char* text;
    const char* name;
    const char* op;
    const char* value;
};

TEST(Values, TheOperatorIsTheFirstKindAnywhere) {
    for (const Split& c : {Split{"uid=0", "uid", "=", "0"},
                           {"uid>=1000", "uid", ">=", "1000"},
                           {"a0&=1", "a0", "&=", "1"},
                           {"a0&1", "a0", "&", "1"},
                           {"uid==5", "uid", "=", "=5"},
                           {"uid=>5", "uid", "=", ">5"},
                           {"uid=!5", "uid", "=", "!5"},
                           {"path=/a=b", "path", "=", "/a=b"},
                           {"path=/a!=b", "path=/a", "!=", "b"},
                           {"path=/a>=b", "path=/a", ">=", "b"},
                           {"pid<5", "pid", "<", "5"},
                           {"=5", "", "=", "5"},
                           {"uid=", "uid", "=", ""}}) {
        const auto split = split_field(c.text);
        ASSERT_TRUE(split) << c.text;
        EXPECT_EQ(split->name.text, c.name) << c.text;
        EXPECT_EQ(operator_text(split->op), c.op) << c.text;
        EXPECT_EQ(split->value.text, c.value) << c.text;
    }
    EXPECT_FALSE(split_field("uid"));
    EXPECT_FALSE(split_comparison("uid<euid"));
    EXPECT_EQ(split_comparison("uid>=euid")->name.text, "uid>");
}

TEST(Values, Permissions) {
    EXPECT_EQ(parse_permissions("rwxa").bits, 15U);
    EXPECT_EQ(parse_permissions("WA").bits, 10U);
    EXPECT_EQ(parse_permissions("wwa").bits, 10U);
    EXPECT_FALSE(parse_permissions("rwxar").bits);
    EXPECT_EQ(parse_permissions("w\xC3").bad_offset, 1U);
    EXPECT_EQ(parse_permissions("").bits, 0U);
}

TEST(Values, NumbersAsStrtol) {
    EXPECT_EQ(parse_c_number("1000abc").as_signed(), 1000);
    EXPECT_EQ(parse_c_number("010").as_signed(), 8);
    EXPECT_EQ(parse_c_number("08").as_signed(), 0);
    EXPECT_EQ(parse_c_number("08").length, 1U);
    EXPECT_EQ(parse_c_number("0x1F").as_unsigned(), 31U);
    EXPECT_EQ(parse_c_number("0x").as_unsigned(), 0U);
    EXPECT_EQ(parse_c_number("-16").as_signed(), -16);
    EXPECT_EQ(static_cast<std::uint32_t>(parse_c_number("99999999999999999999").as_signed()), 0xFFFFFFFFU);
    EXPECT_TRUE(parse_c_number("99999999999999999999").overflow);
    EXPECT_EQ(parse_c_number("18446744073709551615").as_unsigned(), ~std::uint64_t{0});
    EXPECT_FALSE(parse_c_number("18446744073709551615").overflow);
    EXPECT_EQ(parse_c_number("-9223372036854775808").as_signed(), std::numeric_limits<std::int64_t>::min());
    EXPECT_FALSE(parse_c_number("\xFF"
                                "1")
                     .any_digits);
    EXPECT_FALSE(parse_c_number("").any_digits);
    EXPECT_EQ(parse_c_number("+5").as_unsigned(), 5U);
}

TEST(Ids, AreUniqueAscendingAndExplained) {
    std::string_view last;
    for (const auto& row : all_ids()) {
        EXPECT_LT(last, row.id);
        EXPECT_EQ(row.id.substr(0, 3), "AU0");
        EXPECT_FALSE(row.summary.empty());
        EXPECT_FALSE(row.explanation.empty());
        EXPECT_EQ(find_id(row.id), &row);
        last = row.id;
    }
    EXPECT_EQ(find_id("AU999"), nullptr);
}

}  // namespace
}  // namespace auopt
