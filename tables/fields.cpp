#include "tables/fields.hpp"

#include "tables/names.hpp"

namespace auopt {

namespace {
constexpr unsigned everywhere = on_exit | on_task | on_user | on_exclude | on_filesystem;
constexpr unsigned not_exclude = on_exit | on_task | on_user | on_filesystem;
}  // namespace

const std::vector<FieldRow>& field_rows() {
    using V = ValueClass;
    using O = FieldOps;
    static const std::vector<FieldRow> rows = {
        {"pid", 0, V::number, everywhere, O::all},
        {"uid", 1, V::user, everywhere, O::all},
        {"euid", 2, V::user, not_exclude, O::all},
        {"suid", 3, V::user, not_exclude, O::all},
        {"fsuid", 4, V::user, not_exclude, O::all},
        {"gid", 5, V::group, everywhere, O::all},
        {"egid", 6, V::group, not_exclude, O::all},
        {"sgid", 7, V::group, not_exclude, O::all},
        {"fsgid", 8, V::group, not_exclude, O::all},
        {"auid", 9, V::user, everywhere, O::all},
        {"loginuid", 9, V::user, everywhere, O::all},
        {"pers", 10, V::number, not_exclude, O::all},
        {"arch", 11, V::arch, not_exclude, O::equality},
        {"msgtype", 12, V::message_type, on_user | on_exclude, O::all},
        {"subj_user", 13, V::text, everywhere, O::all},
        {"subj_role", 14, V::text, everywhere, O::all},
        {"subj_type", 15, V::text, everywhere, O::all},
        {"subj_sen", 16, V::text, everywhere, O::all},
        {"subj_clr", 17, V::text, everywhere, O::all},
        {"ppid", 18, V::number, on_exit, O::all},
        {"obj_user", 19, V::text, on_exit, O::all},
        {"obj_role", 20, V::text, on_exit, O::all},
        {"obj_type", 21, V::text, on_exit, O::all},
        {"obj_lev_low", 22, V::text, on_exit, O::all},
        {"obj_lev_high", 23, V::text, on_exit, O::all},
        {"sessionid", 25, V::session, on_exit | on_user, O::all},
        {"fstype", 26, V::fs_type, on_filesystem, O::equality},
        {"devmajor", 100, V::number, on_exit, O::all},
        {"devminor", 101, V::number, on_exit, O::all},
        {"inode", 102, V::unsigned_number, on_exit, O::equality},
        {"exit", 103, V::exit_code, on_exit, O::all},
        {"success", 104, V::number, on_exit, O::all},
        {"path", 105, V::text, on_exit, O::all},
        {"perm", 106, V::permissions, on_exit, O::equal_only},
        {"dir", 107, V::text, on_exit, O::all},
        {"filetype", 108, V::file_type, on_exit, O::all},
        {"obj_uid", 109, V::user, not_exclude, O::all},
        {"obj_gid", 110, V::group, not_exclude, O::all},
        {"field_compare", 111, V::number, not_exclude, O::all},
        {"exe", 112, V::text, everywhere, O::equality},
        {"saddr_fam", 113, V::address_family, not_exclude, O::all},
        {"a0", 200, V::argument, not_exclude, O::all},
        {"a1", 201, V::argument, not_exclude, O::all},
        {"a2", 202, V::argument, not_exclude, O::all},
        {"a3", 203, V::argument, not_exclude, O::all},
        {"key", 210, V::text, not_exclude, O::all},
    };
    return rows;
}

const FieldRow* field_by_name(std::string_view name) {
    const std::string lower = ascii_lower(name);
    for (const auto& row : field_rows())
        if (row.name == lower) return &row;
    return nullptr;
}

const FieldRow* field_by_number(std::uint32_t number) {
    for (const auto& row : field_rows())
        if (row.number == number) return &row;
    return nullptr;
}

const std::vector<ComparisonRow>& comparison_rows() {
    static const std::vector<ComparisonRow> rows = {
        {"uid", "obj_uid", 1},   {"gid", "obj_gid", 2},  {"euid", "obj_uid", 3}, {"egid", "obj_gid", 4},
        {"auid", "obj_uid", 5},  {"suid", "obj_uid", 6}, {"sgid", "obj_gid", 7}, {"fsuid", "obj_uid", 8},
        {"fsgid", "obj_gid", 9}, {"uid", "auid", 10},    {"uid", "euid", 11},    {"uid", "fsuid", 12},
        {"uid", "suid", 13},     {"auid", "fsuid", 14},  {"auid", "suid", 15},   {"auid", "euid", 16},
        {"euid", "suid", 17},    {"euid", "fsuid", 18},  {"suid", "fsuid", 19},  {"gid", "egid", 20},
        {"gid", "fsgid", 21},    {"gid", "sgid", 22},    {"egid", "fsgid", 23},  {"egid", "sgid", 24},
        {"sgid", "fsgid", 25},
    };
    return rows;
}

}  // namespace auopt
