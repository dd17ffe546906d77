// What the rules of the lists beside exit cost: one line a measurement, "name rules instructions". Runs in a lab guest
// (lab/measure-lists), where one nanosecond is one executed instruction. Loads its own rules over netlink, since auditctl
// 3.0.9 has no io_uring list, and takes each away again.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PREPEND = 0x10, EQUAL = 0x40000000, USER_MESSAGE = 1107, IO_URING_LIST = 7 };

struct rule {
    unsigned list, action;
    unsigned count, field[3], value[3];
    int mask_bit;      // -1: every bit
    const char *text;  // of the last field
};

static int netlink;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Sends the rule and reads the answer; prepended, so that the kernel takes equal rules and the last one stays last.
static void change(unsigned type, const struct rule *r) {
    static struct {
        struct nlmsghdr head;
        struct audit_rule_data data;
        char text[256];
    } message;
    memset(&message, 0, sizeof message);
    struct audit_rule_data *d = &message.data;
    const unsigned length = r->text ? (unsigned)strlen(r->text) : 0;
    message.head = (struct nlmsghdr){NLMSG_LENGTH(sizeof *d + length), (unsigned short)type, NLM_F_REQUEST | NLM_F_ACK, 1, 0};
    d->flags = r->list | (type == AUDIT_ADD_RULE ? PREPEND : 0);
    d->action = r->action;
    d->field_count = r->count;
    if (r->mask_bit < 0)
        memset(d->mask, 0xFF, sizeof d->mask);
    else
        d->mask[r->mask_bit / 32] = 1U << (r->mask_bit % 32);
    for (unsigned i = 0; i < r->count; ++i) {
        d->fields[i] = r->field[i];
        d->values[i] = r->value[i];
        d->fieldflags[i] = EQUAL;
    }
    if (length) {
        d->values[r->count - 1] = length;
        d->buflen = length;
        memcpy(d->buf, r->text, length);
    }
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(netlink, &message, message.head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) fail("sendto");
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[9000];
    } answer;
    do {
        if (recv(netlink, &answer, sizeof answer, 0) < 0) fail("recv");
    } while (answer.head.nlmsg_type != NLMSG_ERROR);
    if (answer.error.error) {
        fprintf(stderr, "list %u, field %u: %s\n", r->list, r->field[0], strerror(-answer.error.error));
        exit(1);
    }
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

// ---- what is measured -------------------------------------------------------------------------------------------

static void user_message(void) {
    static struct {
        struct nlmsghdr head;
        char text[16];
    } message = {{NLMSG_LENGTH(16), USER_MESSAGE, NLM_F_REQUEST, 2, 0}, "lab"};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(netlink, &message, message.head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) fail("sendto");
}

static void look_up(void) {
    struct stat st;
    if (stat("/lab/auditctl", &st)) fail("stat");
}

// A task that is made as far as its audit context and then refused: its number, 1, is in use. Nothing runs, nothing is
// waited for, so that the figure is the same each time.
static void make_task(void) {
    static const pid_t taken = 1;
    struct clone_args how = {0};
    how.flags = CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    how.set_tid = (uint64_t)(uintptr_t)&taken;
    how.set_tid_size = 1;
    if (syscall(SYS_clone3, &how, sizeof how) != -1 || errno != EEXIST) fail("clone3");
}

static void get_ppid(void) { syscall(SYS_getppid); }

static int ring;
static struct io_uring_sqe *entries;
static unsigned *tail, *head_done, *tail_done, *array, ring_mask;
static unsigned char operation;
enum { BATCH = 16 };
static void set_up_ring(void) {
    struct io_uring_params p = {0};
    ring = (int)syscall(SYS_io_uring_setup, BATCH, &p);
    if (ring < 0) fail("io_uring_setup");
    char *rings = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
    entries = mmap(NULL, BATCH * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
    if (rings == MAP_FAILED || entries == MAP_FAILED) fail("mmap");
    tail = (unsigned *)(rings + p.sq_off.tail);
    array = (unsigned *)(rings + p.sq_off.array);
    ring_mask = *(unsigned *)(rings + p.sq_off.ring_mask);
    head_done = (unsigned *)(rings + p.cq_off.head);
    tail_done = (unsigned *)(rings + p.cq_off.tail);
}
// One call that runs `count` operations: closing no file is judged by the filters and done within the call, NOP is not judged.
static void submit(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        const unsigned at = (*tail + i) & ring_mask;
        memset(&entries[at], 0, sizeof *entries);
        entries[at].opcode = operation;
        entries[at].fd = -1;
        array[at] = at;
    }
    __atomic_store_n(tail, *tail + count, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, count, 0, 0, NULL, 0) != (long)count) fail("io_uring_enter");
    __atomic_store_n(head_done, __atomic_load_n(tail_done, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}
static void submit_one(void) { submit(1); }
static void submit_batch(void) { submit(BATCH); }

// The least of many rounds, each shorter than the 4 ms between two timer interrupts.
static double measure(void (*work)(void)) {
    const int calls = work == make_task ? 8 : 100, rounds = work == make_task ? 150 : 12;
    uint64_t best = ~0ULL;
    for (int round = 0; round < rounds; ++round) {
        const uint64_t start = now();
        for (int i = 0; i < calls; ++i) work();
        const uint64_t took = now() - start;
        if (took < best) best = took;
    }
    return (double)best / calls;
}

static void series(const char *name, const struct rule *rule, void (*work)(void)) {
    static const int steps[] = {0, 1, 10, 50};
    int loaded = 0;
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; ++i) {
        for (; loaded < steps[i]; ++loaded) change(AUDIT_ADD_RULE, rule);
        printf("%s %d %.1f\n", name, loaded, measure(work));
    }
    for (; loaded > 0; --loaded) change(AUDIT_DEL_RULE, rule);
}

int main(void) {
    netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT);
    if (netlink < 0) fail("socket");
    // Armed: contexts are filled for every call. Nobody calls 2031.
    const struct rule arm = {AUDIT_FILTER_EXIT, AUDIT_NEVER, 0, {0}, {0}, 2031, NULL};
    change(AUDIT_ADD_RULE, &arm);

    // A message that a rule at the end drops: the lists user and exclude alone, no record.
    const struct rule drop_user = {AUDIT_FILTER_USER, AUDIT_NEVER, 1, {AUDIT_MSGTYPE}, {USER_MESSAGE}, -1, NULL};
    const struct rule drop_record = {AUDIT_FILTER_EXCLUDE, AUDIT_ALWAYS, 1, {AUDIT_MSGTYPE}, {USER_MESSAGE}, -1, NULL};
    static const struct {
        const char *name;
        unsigned count, field[3], value[3];
        const char *text;
    } tests[] = {
        {"pid", 1, {AUDIT_PID}, {99999}, NULL},
        {"uid", 1, {AUDIT_UID}, {99}, NULL},
        {"gid", 1, {AUDIT_GID}, {99}, NULL},
        {"auid", 1, {AUDIT_LOGINUID}, {99}, NULL},
        {"loginuid_set", 1, {AUDIT_LOGINUID_SET}, {1}, NULL},
        {"msgtype", 1, {AUDIT_MSGTYPE}, {1999}, NULL},
        {"exe", 1, {AUDIT_EXE}, {0}, "/lab/auditctl"},
        {"pid_pass", 2, {AUDIT_UID, AUDIT_MSGTYPE}, {0, 1999}, NULL},
        {"uid_pass", 3, {AUDIT_UID, AUDIT_UID, AUDIT_MSGTYPE}, {0, 0, 1999}, NULL},
        {"gid_pass", 3, {AUDIT_UID, AUDIT_GID, AUDIT_MSGTYPE}, {0, 0, 1999}, NULL},
        {"loginuid_set_pass", 3, {AUDIT_UID, AUDIT_LOGINUID_SET, AUDIT_MSGTYPE}, {0, 0, 1999}, NULL},
        {"msgtype_pass", 3, {AUDIT_UID, AUDIT_MSGTYPE, AUDIT_MSGTYPE}, {0, USER_MESSAGE, 1999}, NULL},
    };
    char name[64];
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; ++i) {
        struct rule r = {0, AUDIT_ALWAYS, tests[i].count, {tests[i].field[0], tests[i].field[1], tests[i].field[2]},
                         {tests[i].value[0], tests[i].value[1], tests[i].value[2]}, -1, tests[i].text};
        r.list = AUDIT_FILTER_USER;
        change(AUDIT_ADD_RULE, &drop_user);
        snprintf(name, sizeof name, "user.%s", tests[i].name);
        series(name, &r, user_message);
        change(AUDIT_DEL_RULE, &drop_user);
        r.list = AUDIT_FILTER_EXCLUDE;
        change(AUDIT_ADD_RULE, &drop_record);
        snprintf(name, sizeof name, "exclude.%s", tests[i].name);
        series(name, &r, user_message);
        change(AUDIT_DEL_RULE, &drop_record);
    }

    // Names: one a stat. TRACEFS_MAGIC is no file system of /lab.
    struct rule fs = {AUDIT_FILTER_FS, AUDIT_NEVER, 1, {AUDIT_FSTYPE}, {0x74726163}, -1, NULL};
    series("filesystem.fstype", &fs, look_up);
    const struct rule fs_key = {AUDIT_FILTER_FS, AUDIT_NEVER, 2, {AUDIT_FSTYPE, AUDIT_FILTERKEY}, {0x74726163}, -1, "key"};
    series("filesystem.fstype_key", &fs_key, look_up);
    fs.action = AUDIT_ALWAYS;
    series("filesystem.fstype_always", &fs, look_up);

    static const struct {
        const char *name;
        unsigned count, field[3], value[3];
        const char *text;
    } task_tests[] = {
        {"uid", 1, {AUDIT_UID}, {99}, NULL},          {"auid", 1, {AUDIT_LOGINUID}, {99}, NULL},
        {"loginuid_set", 1, {AUDIT_LOGINUID_SET}, {1}, NULL}, {"pid", 1, {AUDIT_PID}, {99999}, NULL},
        {"gid", 1, {AUDIT_GID}, {99}, NULL},          {"arch", 1, {AUDIT_ARCH}, {AUDIT_ARCH_X86_64}, NULL},
        {"exe", 1, {AUDIT_EXE}, {0}, "/lab/auditctl"}, {"uid_pass", 2, {AUDIT_UID, AUDIT_UID}, {0, 99}, NULL},
    };
    for (unsigned i = 0; i < sizeof task_tests / sizeof *task_tests; ++i) {
        struct rule r = {AUDIT_FILTER_TASK, AUDIT_NEVER, task_tests[i].count, {task_tests[i].field[0], task_tests[i].field[1]},
                         {task_tests[i].value[0], task_tests[i].value[1]}, -1, task_tests[i].text};
        snprintf(name, sizeof name, "task.%s", task_tests[i].name);
        series(name, &r, make_task);
        if (i == 0) {  // the list is none of a call's business
            series("task.uid_per_call", &r, get_ppid);
        }
    }

    // Operations: the lists io_uring and exit. The slope between one and a batch is an operation's own.
    set_up_ring();
    struct rule op = {IO_URING_LIST, AUDIT_NEVER, 1, {AUDIT_UID}, {99}, IORING_OP_OPENAT, NULL};
    static const struct {
        const char *name;
        unsigned char operation;
    } operations[] = {{"close", IORING_OP_CLOSE}, {"nop", IORING_OP_NOP}};
    for (unsigned i = 0; i < 2; ++i) {
        operation = operations[i].operation;
        op.list = IO_URING_LIST;
        op.mask_bit = IORING_OP_OPENAT;
        snprintf(name, sizeof name, "io_uring.%s_miss_1", operations[i].name);
        series(name, &op, submit_one);
        snprintf(name, sizeof name, "io_uring.%s_miss_16", operations[i].name);
        series(name, &op, submit_batch);
        op.mask_bit = operation;
        snprintf(name, sizeof name, "io_uring.%s_uid_1", operations[i].name);
        series(name, &op, submit_one);
        snprintf(name, sizeof name, "io_uring.%s_uid_16", operations[i].name);
        series(name, &op, submit_batch);
        op.list = AUDIT_FILTER_EXIT;
        op.mask_bit = 2030;
        snprintf(name, sizeof name, "exit.%s_miss_1", operations[i].name);
        series(name, &op, submit_one);
        snprintf(name, sizeof name, "exit.%s_miss_16", operations[i].name);
        series(name, &op, submit_batch);
        op.mask_bit = SYS_io_uring_enter;
        snprintf(name, sizeof name, "exit.%s_uid_1", operations[i].name);
        series(name, &op, submit_one);
        snprintf(name, sizeof name, "exit.%s_uid_16", operations[i].name);
        series(name, &op, submit_batch);
    }
    // Without an audit context: a child made under a task,never rule.
    const struct rule never = {AUDIT_FILTER_TASK, AUDIT_NEVER, 0, {0}, {0}, -1, NULL};
    change(AUDIT_ADD_RULE, &never);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        set_up_ring();
        for (unsigned i = 0; i < 2; ++i) {
            operation = operations[i].operation;
            printf("unaudited.%s_1 0 %.1f\n", operations[i].name, measure(submit_one));
            printf("unaudited.%s_16 0 %.1f\n", operations[i].name, measure(submit_batch));
        }
        exit(0);
    }
    if (waitpid(pid, NULL, 0) != pid) fail("waitpid");
    change(AUDIT_DEL_RULE, &never);
    return 0;
}
