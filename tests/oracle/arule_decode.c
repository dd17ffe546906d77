/*
 * arule_decode.c - print struct audit_rule_data blobs.
 *
 *   arule_decode [-1] [FILE]   decode every "ADD_RULE <hex>" / "DEL_RULE <hex>" /
 *                              "SET <hex>" ... / bare hex line (others are echoed)
 *                              -1: one line per rule
 *   arule_decode --kernel [FILE]  apply ADD_RULE/DEL_RULE lines to an empty rule
 *                              table and print it in AUDIT_LIST_RULES order
 */
#include <inttypes.h>
#include <linux/audit.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned v;
    const char* n;
} fld[] = {
    {0, "pid"},           {1, "uid"},          {2, "euid"},
    {3, "suid"},          {4, "fsuid"},        {5, "gid"},
    {6, "egid"},          {7, "sgid"},         {8, "fsgid"},
    {9, "auid"},          {10, "pers"},        {11, "arch"},
    {12, "msgtype"},      {13, "subj_user"},   {14, "subj_role"},
    {15, "subj_type"},    {16, "subj_sen"},    {17, "subj_clr"},
    {18, "ppid"},         {19, "obj_user"},    {20, "obj_role"},
    {21, "obj_type"},     {22, "obj_lev_low"}, {23, "obj_lev_high"},
    {24, "loginuid_set"}, {25, "sessionid"},   {26, "fstype"},
    {100, "devmajor"},    {101, "devminor"},   {102, "inode"},
    {103, "exit"},        {104, "success"},    {105, "path"},
    {106, "perm"},        {107, "dir"},        {108, "filetype"},
    {109, "obj_uid"},     {110, "obj_gid"},    {111, "field_compare"},
    {112, "exe"},         {113, "saddr_fam"},  {200, "a0"},
    {201, "a1"},          {202, "a2"},         {203, "a3"},
    {210, "key"},
};

static const char* fname(unsigned v) {
    static char b[16];
    size_t i;
    for (i = 0; i < sizeof(fld) / sizeof(fld[0]); i++)
        if (fld[i].v == v) return fld[i].n;
    snprintf(b, sizeof(b), "f%u", v);
    return b;
}

static const char* opname(unsigned o) {
    static char b[16];
    switch (o) {
        case AUDIT_EQUAL:
            return "=";
        case AUDIT_NOT_EQUAL:
            return "!=";
        case AUDIT_LESS_THAN:
            return "<";
        case AUDIT_GREATER_THAN:
            return ">";
        case AUDIT_LESS_THAN_OR_EQUAL:
            return "<=";
        case AUDIT_GREATER_THAN_OR_EQUAL:
            return ">=";
        case AUDIT_BIT_MASK:
            return "&";
        case AUDIT_BIT_TEST:
            return "&=";
    }
    snprintf(b, sizeof(b), "op0x%x", o);
    return b;
}

static int is_str(unsigned f) {
    return (f >= 13 && f <= 17) || (f >= 19 && f <= 23) || f == 105 || f == 107 || f == 112 || f == 210;
}

static void pstr(const unsigned char* s, size_t n) {
    putchar('"');
    while (n--) {
        if (*s < 32 || *s == 127 || *s == '"' || *s == '\\')
            printf("\\x%02x", *s);
        else
            putchar(*s);
        s++;
    }
    putchar('"');
}

static void decode(const char* tag, const unsigned char* b, size_t n, int one) {
    static const char* const lists[] = {"user", "task", "entry", "watch", "exit", "exclude", "filesystem", "io_uring"};
    const char* nl = one ? " " : "\n  ";
    struct audit_rule_data r;
    const unsigned char* buf = b + sizeof(r);
    unsigned i, all = 1, none = 1, all63 = 1, off = 0;

    if (n < sizeof(r)) {
        printf("%s %zu bytes (too short for a rule)\n", tag, n);
        return;
    }
    memcpy(&r, b, sizeof(r));
    for (i = 0; i < AUDIT_BITMASK_SIZE; i++) {
        if (r.mask[i] != 0xffffffffu) {
            all = 0;
            if (i < AUDIT_BITMASK_SIZE - 1) all63 = 0;
        }
        if (r.mask[i]) none = 0;
    }
    printf("%s flags=0x%x(%s%s) action=%u(%s) field_count=%u buflen=%u size=%zu%s", tag, r.flags, lists[r.flags & 7],
           r.flags & 0x10 ? ",prepend" : "", r.action,
           r.action == 2   ? "always"
           : r.action == 1 ? "possible"
           : r.action == 0 ? "never"
                           : "?",
           r.field_count, r.buflen, n, nl);
    if (all)
        printf("mask=all64");
    else if (none)
        printf("mask=none");
    else if (all63)
        printf("mask=all63,w63=0x%08x", r.mask[63]);
    else {
        printf("mask=");
        int c = 0;
        for (i = 0; i < AUDIT_BITMASK_SIZE; i++)
            if (r.mask[i]) printf("%sw%u:0x%08x", c++ ? "," : "", i, r.mask[i]);
        printf("%ssyscalls=", nl);
        c = 0;
        for (i = 0; i < AUDIT_BITMASK_SIZE * 32; i++)
            if (r.mask[i / 32] & (1u << (i % 32))) printf("%s%u", c++ ? "," : "", i);
    }
    for (i = 0; i < r.field_count && i < AUDIT_MAX_FIELDS; i++) {
        printf("%s[%u] %s(%u) %s(0x%x) ", nl, i, fname(r.fields[i]), r.fields[i], opname(r.fieldflags[i]),
               r.fieldflags[i]);
        if (is_str(r.fields[i])) {
            printf("len=%u ", r.values[i]);
            if (off + r.values[i] <= r.buflen && sizeof(r) + off + r.values[i] <= n)
                pstr(buf + off, r.values[i]);
            else
                printf("<out of range>");
            off += r.values[i];
        } else
            printf("%u(0x%x)", r.values[i], r.values[i]);
    }
    for (; i < AUDIT_MAX_FIELDS; i++)
        if (r.fields[i] || r.values[i] || r.fieldflags[i])
            printf("%s[%u] UNUSED SLOT NOT ZERO: %u %u 0x%x", nl, i, r.fields[i], r.values[i], r.fieldflags[i]);
    if (off != r.buflen) printf("%sNOTE: strings cover %u of %u buf bytes", nl, off, r.buflen);
    putchar('\n');
}

struct kr {
    struct kr* next;
    unsigned list;
    char* hex;
};
static struct kr* tab[16];

static void kernel_apply(int add, char* hex) {
    unsigned fl, list;
    struct kr **p, *k;

    if (strlen(hex) < 2 * sizeof(struct audit_rule_data) || sscanf(hex, "%2x", &fl) != 1) return;
    list = fl & 7;
    hex = strdup(hex);
    hex[0] = '0'; /* PREPEND is consumed on insertion */
    hex[1] = "01234567"[list];
    /* the top 16 mask bits select syscall classes: the kernel always clears
     * them (the expansion itself, a no-op for "all", is not modelled) */
    memset(hex + 2 * (12 + 63 * 4 + 2), '0', 4);
    if (add) {
        k = calloc(1, sizeof(*k));
        k->hex = hex;
        if (fl & 0x10) {
            k->next = tab[list];
            tab[list] = k;
        } else {
            for (p = &tab[list]; *p; p = &(*p)->next)
                ;
            *p = k;
        }
    } else
        for (p = &tab[list]; *p; p = &(*p)->next)
            if (!strcmp((*p)->hex, hex)) {
                *p = (*p)->next;
                break;
            }
}

int main(int argc, char** argv) {
    int one = 0, kern = 0, i;
    FILE* in = stdin;
    char* l = NULL;
    size_t cap = 0;

    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-1"))
            one = 1;
        else if (!strcmp(argv[i], "--kernel"))
            kern = 1;
        else if (!(in = fopen(argv[i], "r"))) {
            perror(argv[i]);
            return 1;
        }
    }
    while (getline(&l, &cap, in) > 0) {
        char *sp, *hex, tag[32];
        unsigned char* b;
        size_t n = 0, hl;

        l[strcspn(l, "\n")] = 0;
        sp = strchr(l, ' ');
        hex = sp ? sp + 1 : l;
        snprintf(tag, sizeof(tag), "%.*s", sp ? (int)(sp - l) : 4, sp ? l : "RULE");
        hl = strlen(hex);
        if (hl < 8 || strspn(hex, "0123456789abcdef") != hl || hl % 2) {
            if (!kern) puts(l);
            continue;
        }
        if (kern) {
            if (!strcmp(tag, "ADD_RULE") || !strcmp(tag, "RULE"))
                kernel_apply(1, hex);
            else if (!strcmp(tag, "DEL_RULE"))
                kernel_apply(0, hex);
            continue;
        }
        b = malloc(hl / 2 + 1);
        for (; n < hl / 2; n++) {
            unsigned v;
            sscanf(hex + 2 * n, "%2x", &v);
            b[n] = v;
        }
        if (!strcmp(tag, "SET") && n >= 40) {
            uint32_t w[11];
            memset(w, 0, sizeof(w));
            memcpy(w, b, n < sizeof(w) ? n : sizeof(w));
            printf(
                "SET size=%zu mask=0x%x enabled=%u failure=%u pid=%u rate_limit=%u "
                "backlog_limit=%u lost=%u backlog=%u features=0x%x "
                "backlog_wait_time=%u bwt_actual=%u\n",
                n, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10]);
        } else if (!strcmp(tag, "ADD_RULE") || !strcmp(tag, "DEL_RULE") || !strcmp(tag, "RULE"))
            decode(tag, b, n, one);
        else
            puts(l);
        free(b);
    }
    if (kern)
        for (i = 0; i < 16; i++) {
            struct kr* k;
            for (k = tab[i]; k; k = k->next) printf("ADD_RULE %s\n", k->hex);
        }
    return 0;
}
