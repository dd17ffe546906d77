// Runs small events one at a time on the kernel under test and prints what the audit subsystem said of each.
//
//   live EVENTS WATCHED PHASE=RULES...
//
// Every PHASE loads its rules file with auditctl and runs all events. The first one must record everything: its
// records are the facts of each event (names, credentials, result). Must be started under a rule `-a never,task`, so
// that it has no audit context itself: nothing that it does is ever recorded, while its children are audited.
//
// EVENTS, by line (written by lab/live from lab/workload/events.txt; words by blanks, no quoting):
//   reset OP..            at the start of each phase, so that all phases find the same files
//   event NAME            starts one
//   fresh                 rules are loaded again before it and before the next one: watches are bound afresh
//   setup OP..            before the rules are loaded      prep OP..   after: its effect on watches is printed
//   cred UID GID AUID GROUPS                               AUID - : unset; GROUPS by comma, - : none
//   run 64|32 WORD..      words for call64 or call32
// OP: rmtree P | dir P MODE UID GID | file P MODE UID GID | copy FROM P MODE UID GID | link A B | symlink A B | mv A B |
//     rm P | bind A B | umount P
// WATCHED: the paths of the rules whose inode numbers are wanted, one a line.
//
// Output, by line: phase, load, loaded, reload, scan, load-point, fs, event, begin, result, status, rec, where, end, lost; read by
// lab/live_log.cpp.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL_TIMEOUT_MS 20000

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char* form, ...) {
    va_list list;
    va_start(list, form);
    fprintf(stderr, "live: ");
    vfprintf(stderr, form, list);
    fprintf(stderr, ": %s\n", strerror(errno));
    exit(1);
}

static void* grow(void* old, size_t bytes) {
    void* at = realloc(old, bytes);
    if (at == NULL) die("memory");
    return at;
}

// ---- netlink: control messages, and the multicast group that auditd's records are copied to ------------------------

static int control = -1, reader = -1;
static unsigned sequence;

static int open_netlink(unsigned groups) {
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    const int size = 256 << 20;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0 ||
        bind(fd, (struct sockaddr*)&address, sizeof address) != 0)
        die("netlink");
    return fd;
}

struct message {
    struct nlmsghdr head;
    char data[9000];
};

static ssize_t receive(int fd, struct message* m, int timeout_ms) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    const int ready = poll(&wait, 1, timeout_ms);
    if (ready <= 0) return 0;
    const ssize_t got = recv(fd, m, sizeof *m - 1, 0);
    if (got < 0) die("records were lost (recv)");  // ENOBUFS: never silently
    ((char*)m)[got] = '\0';
    return got;
}

static void send_control(int type, const void* data, size_t size) {
    struct message m = {.head = {.nlmsg_len = (unsigned)(NLMSG_HDRLEN + size), .nlmsg_type = (unsigned short)type,
                                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK, .nlmsg_seq = ++sequence}};
    memcpy(m.data, data, size);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(control, &m, m.head.nlmsg_len, 0, (struct sockaddr*)&kernel, sizeof kernel) < 0) die("sendto");
    for (;;) {  // the answer
        if (receive(control, &m, 10000) <= 0) die("no answer to message %d", type);
        if (m.head.nlmsg_type != NLMSG_ERROR || m.head.nlmsg_seq != sequence) continue;
        const int code = ((struct nlmsgerr*)m.data)->error;
        if (code != 0) {
            errno = -code;
            die("message %d", type);
        }
        return;
    }
}

static void set_status(unsigned mask, unsigned value) {
    struct audit_status s = {.mask = mask};
    if (mask == AUDIT_STATUS_ENABLED) s.enabled = value;
    if (mask == AUDIT_STATUS_BACKLOG_LIMIT) s.backlog_limit = value;
    if (mask == AUDIT_STATUS_RATE_LIMIT) s.rate_limit = value;
    if (mask == AUDIT_STATUS_FAILURE) s.failure = value;
    send_control(AUDIT_SET, &s, sizeof s);
}

static unsigned lost_records(void) {
    struct message m = {.head = {.nlmsg_len = NLMSG_HDRLEN, .nlmsg_type = AUDIT_GET,
                                 .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = ++sequence}};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(control, &m, m.head.nlmsg_len, 0, (struct sockaddr*)&kernel, sizeof kernel) < 0) die("sendto");
    for (;;) {
        if (receive(control, &m, 10000) <= 0) die("no status");
        if (m.head.nlmsg_type == AUDIT_GET) return ((struct audit_status*)m.data)->lost;
    }
}

struct record {
    int type;
    char* text;
};
static struct record* records;
static size_t record_count, record_room;

// Sends a user message and reads records until it comes back: kauditd keeps the order, so everything that was
// recorded before has arrived. The records are left in records[].
static void drain(void) {
    static unsigned number;
    char text[64];
    const int size = snprintf(text, sizeof text, "op=live-sentinel-%u", ++number);
    send_control(AUDIT_USER, text, (size_t)size + 1);
    for (size_t i = 0; i < record_count; ++i) free(records[i].text);
    record_count = 0;
    static struct message m;
    for (;;) {
        if (receive(reader, &m, 20000) <= 0) die("the sentinel did not come back (excluded?)");
        if (m.head.nlmsg_type == AUDIT_USER && strstr(m.data, text) != NULL) return;
        if (record_count == record_room) records = grow(records, (record_room = record_room * 2 + 64) * sizeof *records);
        records[record_count].type = m.head.nlmsg_type;
        if ((records[record_count++].text = strdup(m.data)) == NULL) die("memory");
    }
}

// ---- the file system as the rules see it -----------------------------------------------------------------------------

struct id {
    dev_t dev;
    ino_t ino;
    mode_t mode;
    int there;
};

static struct id look(const char* path, int follow) {
    struct stat s;
    if ((follow ? stat(path, &s) : lstat(path, &s)) != 0) return (struct id){0};
    return (struct id){s.st_dev, s.st_ino, s.st_mode, 1};
}

static struct id parent_of(const char* path) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/') folder[--size] = '\0';
    char* slash = strrchr(folder, '/');
    if (slash == NULL) return (struct id){0};
    slash[slash == folder] = '\0';
    return look(folder, 1);
}

static void print_id(struct id i) {
    if (i.there)
        printf(" %u:%u:%llu", major(i.dev), minor(i.dev), (unsigned long long)i.ino);
    else
        printf(" -");
}

static struct watched {
    char* path;
    struct id last;
    int printed;
}* watched;
static size_t watched_count;

// Prints the watched paths whose inode changed since the last scan. Between loads changes are told as they happen.
static void scan(void) {
    for (size_t i = 0; i < watched_count; ++i) {
        struct watched* w = &watched[i];
        const struct id now = look(w->path, 0);
        if (w->printed && now.there == w->last.there && now.dev == w->last.dev && now.ino == w->last.ino) continue;
        printf("scan %s", w->path);
        print_id(parent_of(w->path));
        print_id(now);
        printf(" %s\n", !now.there ? "missing" : S_ISDIR(now.mode) ? "directory" : "file");
        w->last = now;
        w->printed = 1;
    }
}

// Every name in the file system by inode, so that a record's inode can be traced to its ancestors.
struct place {
    struct id id;
    char* path;
};
static struct place* places;
static size_t place_count, place_room;
static int places_stale = 1;

static void add_place(const char* path, struct id id) {
    if (place_count == place_room) places = grow(places, (place_room = place_room * 2 + 256) * sizeof *places);
    places[place_count++] = (struct place){id, strdup(path)};
}

static void walk_tree(const char* folder) {
    DIR* d = opendir(folder);
    if (d == NULL) return;
    for (struct dirent* e; (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, e->d_name) >= (int)sizeof path)
            continue;
        if (strcmp(path, "/proc") == 0 || strcmp(path, "/sys") == 0) continue;
        const struct id id = look(path, 0);
        if (!id.there) continue;
        add_place(path, id);
        if (S_ISDIR(id.mode)) walk_tree(path);
    }
    closedir(d);
}

static void walk(void) {
    for (size_t i = 0; i < place_count; ++i) free(places[i].path);
    place_count = 0;
    places_stale = 0;
    add_place("/", look("/", 0));
    walk_tree("/");
}

// The ancestors of a path: its own id first, then its directories up to the root of its file system.
static void print_chain(const char* path) {
    char at[4096];
    snprintf(at, sizeof at, "%s", path);
    dev_t dev = 0;
    for (int first = 1;; first = 0) {
        const struct id id = look(at, 0);
        if (first) dev = id.dev;
        if (!id.there || id.dev != dev) return;
        print_id(id);
        char* slash = strrchr(at, '/');
        if (slash == NULL || at[1] == '\0') return;
        slash[slash == at] = '\0';
    }
}

static int find_place(dev_t dev, ino_t ino, const char* name, char* found, size_t size) {
    const char* base = strrchr(name, '/');
    base = base != NULL && base[1] != '\0' ? base + 1 : name;
    int score = -1;
    for (size_t i = 0; i < place_count; ++i) {
        if (places[i].id.ino != ino || places[i].id.dev != dev) continue;
        const char* own = strrchr(places[i].path, '/') + 1;
        const int this_score = strcmp(places[i].path, name) == 0 ? 2 : strcmp(own, base) == 0 ? 1 : 0;
        if (this_score > score) {
            score = this_score;
            snprintf(found, size, "%s", places[i].path);
        }
    }
    return score >= 0;
}

// For each inode in PATH records: where it is. `after`: look again for what was not there before the call. Returns how many
// were not found.
static unsigned print_places(int after) {
    static char done[64][48];
    static unsigned done_count;
    unsigned unknown = 0;
    if (!after) done_count = 0;
    for (size_t i = 0; i < record_count; ++i) {
        if (records[i].type != AUDIT_PATH) continue;
        unsigned dev_major, dev_minor;
        unsigned long long ino;
        const char* inode = strstr(records[i].text, " inode=");
        const char* dev = strstr(records[i].text, " dev=");
        if (inode == NULL || dev == NULL || sscanf(inode, " inode=%llu", &ino) != 1 ||
            sscanf(dev, " dev=%x:%x", &dev_major, &dev_minor) != 2)
            continue;
        char key[48], name[4096] = "", path[4096];
        snprintf(key, sizeof key, "%u:%u:%llu", dev_major, dev_minor, ino);
        unsigned known = 0;
        while (known < done_count && strcmp(done[known], key) != 0) ++known;
        if (known < done_count || done_count == 64) continue;
        const char* quoted = strstr(records[i].text, " name=\"");
        if (quoted != NULL) sscanf(quoted, " name=\"%4095[^\"]", name);
        if (!find_place(makedev(dev_major, dev_minor), ino, name, path, sizeof path)) {
            ++unknown;
            // A file without a name (O_TMPFILE) hangs below the directory that the call named.
            if (!after || name[0] != '/' || !S_ISDIR(look(name, 0).mode)) continue;
            snprintf(path, sizeof path, "%s", name);
        }
        printf("where %s %s", key, path);
        print_chain(path);
        printf("\n");
        snprintf(done[done_count++], sizeof done[0], "%s", key);
    }
    return unknown;
}

// ---- operations around an event --------------------------------------------------------------------------------------

static void remove_tree(const char* path) {
    const struct id id = look(path, 0);
    if (!id.there) return;
    if (S_ISDIR(id.mode)) {
        DIR* d = opendir(path);
        for (struct dirent* e; d != NULL && (e = readdir(d)) != NULL;) {
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
            char below[4096];
            if (snprintf(below, sizeof below, "%s/%s", path, e->d_name) < (int)sizeof below) remove_tree(below);
        }
        if (d != NULL) closedir(d);
        if (rmdir(path) != 0) die("rmdir %s", path);
    } else if (unlink(path) != 0) {
        die("unlink %s", path);
    }
}

// What a watch on the parent directory is told.
static void print_change(const char* kind, const char* path) {
    const struct id id = look(path, 0);
    printf("fs %s %s", kind, path);
    print_id(parent_of(path));
    if (strcmp(kind, "delete") == 0 || strcmp(kind, "moved_from") == 0)
        printf(" -\n");
    else {
        print_id(id);
        printf("\n");
    }
}

static void own(const char* path, char** w) {
    if (chown(path, (uid_t)atoi(w[1]), (gid_t)atoi(w[2])) != 0 || chmod(path, (mode_t)strtoul(w[0], NULL, 8)) != 0)
        die("chown %s", path);
}

static void operate(char** w, int count, int told) {
    const char* op = w[0];
    if (count < 2) die("operation %s", op);
    int there = look(w[1], 0).there;
    if (strcmp(op, "file") == 0 && there && !S_ISREG(look(w[1], 0).mode)) {  // something else has the name
        remove_tree(w[1]);
        if (told) print_change("delete", w[1]);
        there = 0;
    }
    if (strcmp(op, "rmtree") == 0) {
        remove_tree(w[1]);
        if (told && there) print_change("delete", w[1]);
    } else if (strcmp(op, "dir") == 0 && count == 5) {
        if (mkdir(w[1], 0700) != 0 && errno != EEXIST) die("mkdir %s", w[1]);
        own(w[1], w + 2);
        if (told && !there) print_change("create", w[1]);
    } else if (strcmp(op, "file") == 0 && count == 5) {
        const int fd = open(w[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) die("open %s", w[1]);
        close(fd);
        own(w[1], w + 2);
        if (told && !there) print_change("create", w[1]);
    } else if (strcmp(op, "copy") == 0 && count == 6) {
        static char bytes[1 << 17];
        const int from = open(w[1], O_RDONLY | O_CLOEXEC), to = open(w[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        const ssize_t size = from < 0 ? -1 : read(from, bytes, sizeof bytes);
        if (to < 0 || size < 0 || write(to, bytes, (size_t)size) != size) die("copy %s %s", w[1], w[2]);
        close(from);
        close(to);
        own(w[2], w + 3);
    } else if (strcmp(op, "link") == 0 && count == 3) {
        if (link(w[1], w[2]) != 0) die("link %s", w[2]);
        if (told) print_change("create", w[2]);
    } else if (strcmp(op, "symlink") == 0 && count == 3) {
        if (symlink(w[1], w[2]) != 0) die("symlink %s", w[2]);
        if (told) print_change("create", w[2]);
    } else if (strcmp(op, "mv") == 0 && count == 3) {
        if (rename(w[1], w[2]) != 0) die("rename %s", w[1]);
        if (told) print_change("moved_from", w[1]);
        if (told) print_change("moved_to", w[2]);
    } else if (strcmp(op, "rm") == 0) {
        if (there && unlink(w[1]) != 0) die("unlink %s", w[1]);
        if (told && there) print_change("delete", w[1]);
    } else if (strcmp(op, "bind") == 0 && count == 3) {
        if (mount(w[1], w[2], NULL, MS_BIND, NULL) != 0) die("bind %s", w[2]);
    } else if (strcmp(op, "umount") == 0) {
        if (umount2(w[1], MNT_DETACH) != 0) die("umount %s", w[1]);
    } else {
        errno = EINVAL;
        die("operation %s", op);
    }
}

// ---- rules -------------------------------------------------------------------------------------------------------------

static void auditctl(const char* option, const char* argument, int quiet) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        const int out = open(quiet ? "/lab/auditctl.out" : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, 1);
        if (quiet) dup2(out, 2);
        execl("/lab/ld.so", "/lab/ld.so", "--library-path", "/lab/lib", "/lab/auditctl", option, argument, NULL);
        _exit(127);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) die("auditctl");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) die("auditctl cannot run");
}

// A file of "ADD_RULE HEX" lines (auopt compile --format wire): for what this auditctl has no words for.
static int load_wire(const char* file) {
    FILE* in = fopen(file, "r");
    char* text = NULL;
    size_t room = 0;
    int found = 0;
    while (in != NULL && getline(&text, &room, in) > 0 && strncmp(text, "ADD_RULE ", 9) == 0) {
        static unsigned char bytes[8192];
        size_t size = 0;
        for (const char* h = text + 9; size < sizeof bytes && sscanf(h, "%2hhx", &bytes[size]) == 1; h += 2) ++size;
        send_control(AUDIT_ADD_RULE, bytes, size);
        found = 1;
    }
    if (in != NULL) fclose(in);
    free(text);
    return found;
}

static unsigned count_rules(void) {
    struct message m = {.head = {.nlmsg_len = NLMSG_HDRLEN, .nlmsg_type = AUDIT_LIST_RULES,
                                 .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = ++sequence}};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(control, &m, m.head.nlmsg_len, 0, (struct sockaddr*)&kernel, sizeof kernel) < 0) die("sendto");
    for (unsigned rules = 0;;) {
        if (receive(control, &m, 10000) <= 0) die("no list of rules");
        if (m.head.nlmsg_seq != sequence) continue;
        if (m.head.nlmsg_type == NLMSG_DONE) return rules;
        rules += m.head.nlmsg_type == AUDIT_LIST_RULES;
    }
}

static void load(const char* file, int report) {
    set_status(AUDIT_STATUS_ENABLED, 0);  // the loading itself need not be recorded
    auditctl("-D", NULL, 1);
    if (!load_wire(file)) auditctl("-R", file, 1);
    if (report) {
        char line[8192];
        FILE* in = fopen("/lab/auditctl.out", "r");
        while (in != NULL && fgets(line, sizeof line, in) != NULL)
            if (strstr(line, "rror") != NULL) printf("load %s", line);
        if (in != NULL) fclose(in);
        const unsigned rules = count_rules();
        printf("loaded %u\n", rules);
    }
    set_status(AUDIT_STATUS_ENABLED, 1);
}

// ---- one event ---------------------------------------------------------------------------------------------------------

// Kept small: every event forks this process.
enum { most_words = 200 };
struct line {
    char** words;
    int count;
};
struct lines {
    struct line* line;
    int count;
};
struct event {
    char* name;
    int fresh;
    struct lines setup, prep;
    int uid, gid, bits;
    char* auid;
    char* groups;
    struct line call;
};

// The words of `text` after the first `skip`.
static struct line split(char* text, int skip) {
    char* words[most_words];
    int count = 0;
    for (char* word = strtok(text, " \n"); word != NULL && count < most_words; word = strtok(NULL, " \n")) words[count++] = word;
    struct line l = {NULL, count > skip ? count - skip : 0};
    l.words = grow(NULL, (size_t)(l.count + 1) * sizeof *l.words);
    for (int i = 0; i < l.count; ++i) l.words[i] = words[i + skip];
    l.words[l.count] = NULL;
    return l;
}

static void append(struct lines* to, struct line l) {
    to->line = grow(to->line, (size_t)(to->count + 1) * sizeof l);
    to->line[to->count++] = l;
}

static void write_text(const char* file, const char* text) {
    const int fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0) die("%s", file);
    close(fd);
}

__attribute__((noreturn)) static void become(const struct event* e, int go, int report) {
    if (strcmp(e->auid, "-") != 0) write_text("/proc/self/loginuid", e->auid);
    gid_t groups[32];
    size_t count = 0;
    if (strcmp(e->groups, "-") != 0)
        for (char* g = strtok(e->groups, ","); g != NULL && count < 32; g = strtok(NULL, ",")) groups[count++] = (gid_t)atoi(g);
    // Few calls, since each of them may be recorded.
    if (count > 0 && setgroups(count, groups) != 0) die("setgroups");
    if (e->gid != 0 && setresgid((gid_t)e->gid, (gid_t)e->gid, (gid_t)e->gid) != 0) die("setresgid");
    if (e->uid != 0 && setresuid((uid_t)e->uid, (uid_t)e->uid, (uid_t)e->uid) != 0) die("setresuid");
    if (dup2(go, 3) < 0 || dup2(report, 4) < 0) die("dup2");
    char* argv[most_words + 2] = {e->bits == 64 ? "/lab/call64" : "/lab/call32"};
    for (int i = 0; i < e->call.count; ++i) argv[i + 1] = e->call.words[i];
    char* environment[] = {NULL};
    execve(argv[0], argv, environment);
    die("%s", argv[0]);
}

// Reads the helper's report until `end` ("ready\n") or, with NULL, to its end. False: the time is up.
static int read_report(int fd, const char* end, char* text, size_t* size, size_t room) {
    for (;;) {
        if (end != NULL && *size >= strlen(end) && memcmp(text + *size - strlen(end), end, strlen(end)) == 0) return 1;
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, CALL_TIMEOUT_MS) <= 0) return 0;
        const ssize_t got = read(fd, text + *size, end != NULL ? 1 : room - *size - 1);
        if (got <= 0) return end == NULL;
        *size += (size_t)got;
        text[*size] = '\0';
    }
}

static void run(struct event* e, int facts) {
    int go[2], report[2];
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0) die("pipe");
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0) die("fork");
    if (pid == 0) {
        become(e, go[0], report[1]);
    }
    close(go[0]);
    close(report[1]);
    char text[4096] = "";
    size_t size = 0;
    const int ready = read_report(report[0], "ready\n", text, &size, sizeof text);
    int done = 0, status = 0;
    if (ready) {
        drain();  // what came before is not looked at
        if (write(go[1], "x", 1) != 1) die("write");
        done = read_report(report[0], NULL, text, &size, sizeof text);
    }
    if (!ready || !done) kill(pid, SIGKILL);
    if (waitpid(pid, &status, 0) != pid) die("waitpid");
    close(go[1]);
    close(report[0]);
    drain();
    for (char* c = text; *c; ++c)
        if (*c == '\n') *c = ' ';
    printf("result %d %s\n", pid, text);
    printf("status %s %d\n", !ready ? "not-ready" : !done ? "timeout" : WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    for (size_t i = 0; i < record_count; ++i) printf("rec %d %s\n", records[i].type, records[i].text);
    if (facts) {
        if (print_places(0) > 0) {  // something new: look again
            walk();
            print_places(1);
        }
        for (size_t i = 0; i < record_count; ++i)
            if (records[i].type == AUDIT_PATH &&
                (strstr(records[i].text, "nametype=CREATE") != NULL || strstr(records[i].text, "nametype=DELETE") != NULL))
                places_stale = 1;
    }
}

static struct event* events;
static size_t event_count;
static struct lines reset;

static void read_events(const char* file) {
    FILE* in = fopen(file, "r");
    if (in == NULL) die("%s", file);
    char* text = NULL;
    size_t room = 0;
    while (getline(&text, &room, in) > 0) {
        struct line l = split(strdup(text), 0);
        struct event* e = event_count > 0 ? &events[event_count - 1] : NULL;
        errno = EINVAL;
        if (l.count == 0) continue;
        const char* head = l.words[0];
        struct line rest = {l.words + 1, l.count - 1};
        if (strcmp(head, "event") == 0 && l.count == 2) {
            events = grow(events, (event_count + 1) * sizeof *events);
            events[event_count++] = (struct event){.name = l.words[1], .auid = "-", .groups = "-", .bits = 64};
        } else if (strcmp(head, "reset") == 0) {
            append(&reset, rest);
        } else if (e == NULL) {
            die("%s: no event yet", file);
        } else if (strcmp(head, "fresh") == 0) {
            e->fresh = 1;
        } else if (strcmp(head, "setup") == 0) {
            append(&e->setup, rest);
        } else if (strcmp(head, "prep") == 0) {
            append(&e->prep, rest);
        } else if (strcmp(head, "cred") == 0 && l.count == 5) {
            e->uid = atoi(l.words[1]);
            e->gid = atoi(l.words[2]);
            e->auid = l.words[3];
            e->groups = l.words[4];
        } else if (strcmp(head, "run") == 0 && l.count > 2) {
            e->bits = atoi(l.words[1]);
            e->call = (struct line){l.words + 2, l.count - 2};
        } else {
            die("%s: %s", file, head);
        }
    }
    fclose(in);
    free(text);
}

static void read_watched(const char* file) {
    FILE* in = fopen(file, "r");
    if (in == NULL) die("%s", file);
    char path[4200];
    while (fgets(path, sizeof path, in) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        watched = grow(watched, (watched_count + 1) * sizeof *watched);
        watched[watched_count++] = (struct watched){.path = strdup(path)};
    }
    fclose(in);
}

int main(int argc, char** argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: live EVENTS WATCHED PHASE=RULES...\n");
        return 2;
    }
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    read_events(argv[1]);
    read_watched(argv[2]);
    // Descriptors 3 and 4 belong to the helper.
    while (open("/dev/null", O_RDWR | O_CLOEXEC) < 4) {
    }
    control = open_netlink(0);
    reader = open_netlink(1U << (AUDIT_NLGRP_READLOG - 1));
    set_status(AUDIT_STATUS_RATE_LIMIT, 0);
    set_status(AUDIT_STATUS_BACKLOG_LIMIT, 1000000);
    set_status(AUDIT_STATUS_FAILURE, 1);
    for (int p = 3; p < argc; ++p) {
        char name[256];
        const char* rules = strchr(argv[p], '=');
        if (rules == NULL || rules - argv[p] >= (int)sizeof name) die("%s", argv[p]);
        snprintf(name, (size_t)(rules++ - argv[p]) + 1, "%s", argv[p]);
        const int facts = p == 3;
        printf("phase %s\n", name);
        for (int r = 0; r < reset.count; ++r) operate(reset.line[r].words, reset.line[r].count, 0);
        int loaded = 0;
        for (size_t i = 0; i < event_count; ++i) {
            struct event* e = &events[i];
            const int afresh = !loaded || e->fresh || events[i - 1].fresh;
            for (int s = 0; s < e->setup.count; ++s) operate(e->setup.line[s].words, e->setup.line[s].count, facts && !afresh);
            if (afresh) {
                if (facts) {
                    printf("reload\n");
                    scan();
                    printf("load-point\n");
                }
                load(rules, !loaded);
                loaded = 1;
            }
            printf("event %s\n", e->name);
            for (int s = 0; s < e->prep.count; ++s) operate(e->prep.line[s].words, e->prep.line[s].count, facts);
            printf("begin\n");
            if (e->setup.count > 0 || e->prep.count > 0) places_stale = 1;
            if (facts && places_stale) walk();
            run(e, facts);
            printf("end\n");
        }
    }
    set_status(AUDIT_STATUS_ENABLED, 0);
    printf("lost %u\n", lost_records());
    return 0;
}
