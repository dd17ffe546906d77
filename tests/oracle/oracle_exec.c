/*
 * oracle_exec.c - fail-closed launcher:  oracle_exec PRELOAD.so PROG ARGS...
 *
 * Installs a seccomp filter that kills the process if it ever tries to open a
 * real NETLINK_AUDIT socket, and makes kill(2)/pidfd_send_signal(2) fail with
 * EPERM; then execs PROG with LD_PRELOAD set.  If the preload library does not
 * take effect the tool dies (SIGSYS) instead of reaching the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MY_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MY_ARCH AUDIT_ARCH_AARCH64
#else
#error "add this architecture"
#endif
#define LD(o) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, o))
#define ARGLO(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))
#define JEQ(v, t, f) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (v), (t), (f))
#define RET(v) BPF_STMT(BPF_RET | BPF_K, (v))

int main(int argc, char** argv) {
    struct sock_filter prog[] = {
        LD(arch),
        JEQ(MY_ARCH, 1, 0),
        RET(SECCOMP_RET_KILL_PROCESS),
        LD(nr),
        JEQ(__NR_kill, 9, 0),
        JEQ(__NR_pidfd_send_signal, 8, 0),
        JEQ(__NR_socket, 1, 0),
        RET(SECCOMP_RET_ALLOW),
        ARGLO(0),
        JEQ(AF_NETLINK, 1, 0),
        RET(SECCOMP_RET_ALLOW),
        ARGLO(2),
        JEQ(NETLINK_AUDIT, 2, 0),
        RET(SECCOMP_RET_ALLOW),
        RET(SECCOMP_RET_ERRNO | EPERM),
        RET(SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog fp = {sizeof(prog) / sizeof(prog[0]), prog};

    if (argc < 3) {
        fprintf(stderr, "usage: oracle_exec PRELOAD.so PROG ARGS...\n");
        return 125;
    }
    if (access(argv[1], R_OK)) {
        perror(argv[1]);
        return 125;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fp)) {
        perror("oracle_exec: seccomp");
        return 125;
    }
    if (setenv("LD_PRELOAD", argv[1], 1)) return 125;
    execv(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
