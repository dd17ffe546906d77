// Instructions per system call of a fixed list of probes, as one JSON object. Under qemu -icount shift=0 an executed
// instruction takes one nanosecond of guest time, so a timed loop counts instructions, the same in every run.
// Each figure is the least of several rounds: a round that a timer interrupt falls into is longer.
//
//   probe ROUNDS CALLS PATH_CALLS [PROBE...]
//
// PROBE is a name of the list below, call:NR (the system call of that number with arguments 0) or path:NR (with an
// existing file's path and a buffer); what these two return is not looked at.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char* const present = "/usr/bin/probe";
static const char* const absent = "/usr/bin/none";

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// One call with nothing around it: libc's wrapper would add instructions of its own. The no-ops make the loop as long
// as the one that the first measurements were taken with, so that all figures are comparable: 7 instructions a call.
static inline long call(long nr, long a, long b, long c, long d) {
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("nop\n\tnop\n\tnop\n\tsyscall"
                     : "=a"(result)
                     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

struct probe {
    const char* name;
    long nr, a, b, c, d;
    long expected;  // the result, or descriptor or anything
    int path;       // uses PATH_CALLS
};
enum { descriptor = -1000, anything = -1001 };  // a new descriptor, closed after the round; not looked at

static double measure(const struct probe* p, int rounds, int calls) {
    const long nr = p->nr, a = p->a, b = p->b, c = p->c, d = p->d;  // in registers during the loop
    long long least = -1;
    long results[1000];
    for (int round = 0; round < rounds; ++round) {
        long last = 0;
        // Lets what the last round freed after a grace period go back to its slab, and whatever else runs come to its end.
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        const long long start = now();
        if (p->expected == descriptor)
            for (int i = 0; i < calls; ++i) results[i] = call(nr, a, b, c, d);
        else
            for (int i = 0; i < calls; ++i) last = call(nr, a, b, c, d);
        const long long took = now() - start;
        if (p->expected == descriptor)
            for (int i = 0; i < calls; ++i) close((int)results[i]);
        else if (p->expected != anything && last != p->expected) {
            fprintf(stderr, "%s: returned %ld, not %ld\n", p->name, last, p->expected);
            exit(1);
        }
        if (least < 0 || took < least) least = took;
    }
    return (double)least / calls;
}

int main(int argc, char** argv) {
    static struct stat status;
    char byte = 0;
    if (argc < 4) return 2;
    const int rounds = atoi(argv[1]), calls = atoi(argv[2]), path_calls = atoi(argv[3]);
    if (rounds < 1 || calls < 1 || path_calls < 1 || path_calls > 1000) return 2;
    const int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
    const struct probe probes[] = {
        {"getpid", SYS_getpid, 0, 0, 0, 0, getpid(), 0},
        {"read", SYS_read, zero, (long)&byte, 1, 0, 1, 0},
        {"write", SYS_write, null, (long)&byte, 1, 0, 1, 0},
        {"futex", SYS_futex, 0, 99, 0, 0, -ENOSYS, 0},
        {"close_badfd", SYS_close, -1, 0, 0, 0, -EBADF, 0},
        {"stat", SYS_newfstatat, AT_FDCWD, (long)present, (long)&status, 0, 0, 1},
        {"openat_enoent", SYS_openat, AT_FDCWD, (long)absent, O_RDONLY, 0, -ENOENT, 1},
        {"chmod_fault", SYS_chmod, 0, 0755, 0, 0, -EFAULT, 1},
        {"unlink_fault", SYS_unlink, 0, 0, 0, 0, -EFAULT, 1},
        {"openat", SYS_openat, AT_FDCWD, (long)present, O_RDONLY, 0, descriptor, 1},
        {"chmod", SYS_chmod, (long)present, 0755, 0, 0, 0, 1},
        {"unlink_enoent", SYS_unlink, (long)absent, 0, 0, 0, -ENOENT, 1},
    };
    static char buffer[4096];
    const char* comma = "{";
    for (int k = 4; k < argc; ++k) {
        const int path = strncmp(argv[k], "path:", 5) == 0;
        if (!path && strncmp(argv[k], "call:", 5) != 0) continue;
        const struct probe p = {argv[k], atol(argv[k] + 5), path ? (long)present : 0, path ? (long)buffer : 0,
                                path ? (long)sizeof buffer : 0, 0, anything, path};
        printf("%s\"%s\": %.2f", comma, p.name, measure(&p, rounds, path ? path_calls : calls));
        comma = ", ";
    }
    for (size_t i = 0; i < sizeof probes / sizeof *probes; ++i) {
        int wanted = argc == 4;
        for (int k = 4; k < argc; ++k) wanted |= strcmp(argv[k], probes[i].name) == 0;
        if (!wanted) continue;
        printf("%s\"%s\": %.2f", comma, probes[i].name, measure(&probes[i], rounds, probes[i].path ? path_calls : calls));
        comma = ", ";
    }
    printf("}\n");
    return 0;
}
