// One system call under observation, with nothing around it: no libc, built for 64 and for 32 bits (gcc -m32), so
// that the same words make an x86_64 or an i386 call.
//
//   call CALL... : CALL... : CALL       each CALL is NUMBER ARGUMENT...; the last one is observed
//
// ARGUMENT: 12, -1, 0x1f   a number           $2       the result of call 2 (from 0)
//           =TEXT          its address        %6f6b    the address of these bytes
//           ~64            64 zero bytes      [ .. ]   the address of an array of machine words
//           _0100..        the address of 64-bit words follows: _A,B,C (the same on both machines)
//
// Before the observed call the results so far are written to descriptor 4 and a byte is awaited on descriptor 3;
// afterwards its result is written too, unless the call replaced or ended the process.
// `@ring OPCODE FLAGS A..`: an io_uring operation as a call of its own, see ring().
typedef unsigned long word;
typedef unsigned long long word64;

enum { go = 3, report = 4, most_calls = 16, arena_size = 65536 };

#ifdef __x86_64__
enum { nr_read = 0, nr_write = 1, nr_exit = 231, nr_mmap = 9, nr_setup = 425, nr_enter = 426 };
static long call6(long nr, word a, word b, word c, word d, word e, word f) {
    long result;
    register word r10 __asm__("r10") = d;
    register word r8 __asm__("r8") = e;
    register word r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call start\n");
#else
enum { nr_read = 3, nr_write = 4, nr_exit = 252, nr_mmap = 192, nr_setup = 425, nr_enter = 426 };
static long call6(long nr, word a, word b, word c, word d, word e, word f) {
    // ebp carries the sixth argument: all six go through memory.
    long result;
    word args[6] = {a, b, c, d, e, f};
    __asm__ volatile(
        "push %%ebp\n push %%ebx\n mov %[args], %%ebp\n"
        "mov 0(%%ebp), %%ebx\n mov 4(%%ebp), %%ecx\n mov 8(%%ebp), %%edx\n"
        "mov 12(%%ebp), %%esi\n mov 16(%%ebp), %%edi\n mov 20(%%ebp), %%ebp\n"
        "int $0x80\n pop %%ebx\n pop %%ebp\n"
        : "=a"(result)
        : "0"(nr), [args] "c"(args)
        : "edx", "esi", "edi", "memory");
    return result;
}
__asm__(".globl _start\n_start: mov %esp, %eax\n and $-16, %esp\n sub $12, %esp\n push %eax\n call start\n");
#endif

static char arena[arena_size] __attribute__((aligned(64)));
static word used;
static long results[most_calls];
static unsigned calls;

__attribute__((noreturn)) static void quit(int code) {
    for (;;) call6(nr_exit, (word)code, 0, 0, 0, 0, 0);
}

static void* take(word size) {
    void* at = arena + used;
    used = (used + size + 63) & ~63UL;
    if (used > arena_size) quit(99);
    return at;
}

static int equal(const char* a, const char* b) {
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
}

static unsigned digit(char c) { return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0'); }

// Stops at the first byte that is no digit and leaves *text there.
static word64 number(const char** text) {
    const char* t = *text;
    const int negative = *t == '-';
    if (negative) ++t;
    word64 value = 0;
    if (t[0] == '0' && t[1] == 'x')
        for (t += 2; (*t >= '0' && *t <= '9') || (*t >= 'a' && *t <= 'f'); ++t) value = value << 4 | digit(*t);
    else
        for (; *t >= '0' && *t <= '9'; ++t) value = value * 10 + digit(*t);
    *text = t;
    return negative ? -value : value;
}

// memset and memcpy may be called by what the compiler makes of loops.
void* memset(void* to, int byte, word size) {
    for (word i = 0; i < size; ++i) ((volatile char*)to)[i] = (char)byte;
    return to;
}
void* memcpy(void* to, const void* from, word size) {
    for (word i = 0; i < size; ++i) ((volatile char*)to)[i] = ((const char*)from)[i];
    return to;
}

// One argument; *words moves on.
static word value(char*** words) {
    const char* text = *(*words)++;
    if (*text == '=') {
        word size = 0;
        while (text[size]) ++size;
        return (word)memcpy(take(size), text + 1, size);
    }
    if (*text == '~') {
        ++text;
        return (word)take((word)number(&text));
    }
    if (*text == '$') {
        ++text;
        return (word)results[number(&text) % most_calls];
    }
    if (*text == '%') {
        char* bytes = take(4096);
        for (word i = 0; text[1 + 2 * i] && text[2 + 2 * i]; ++i)
            bytes[i] = (char)(digit(text[1 + 2 * i]) << 4 | digit(text[2 + 2 * i]));
        return (word)bytes;
    }
    if (*text == '_') {
        word64* list = take(512);
        for (word i = 0; *text == '_' || *text == ','; ++i) {
            ++text;
            list[i] = number(&text);
        }
        return (word)list;
    }
    if (equal(text, "[")) {
        word list[64], size = 0;
        while (!equal(**words, "]")) list[size++] = value(words);
        ++*words;
        return (word)memcpy(take(size * sizeof(word)), list, size * sizeof(word));
    }
    return (word)number(&text);
}

static void say(long result) {
    char text[24];
    unsigned at = sizeof text;
    text[--at] = '\n';
    word rest = result < 0 ? -(word)result : (word)result;
    do text[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (result < 0) text[--at] = '-';
    call6(nr_write, report, (word)(text + at), sizeof text - at, 0, 0, 0);
}

static void wait_for_go(void) {
    call6(nr_write, report, (word) "ready\n", 6, 0, 0, 0);
    call6(nr_read, go, (word)take(1), 1, 0, 0, 0);
}

// @ring SETUP_FLAGS SQE_FLAGS OPCODE FD ADDR LEN OFFSET OP_FLAGS FILE_INDEX: a ring of its own with one operation, run by one
// io_uring_enter (observed when this is the last call); its result is the operation's.
struct params {
    unsigned sq_entries, cq_entries, flags, cpu, idle, features, wq, reserved[3];
    unsigned sq_head, sq_tail, sq_mask, sq_count, sq_flags, sq_dropped, sq_array, sq_reserved;
    word64 sq_address;
    unsigned cq_head, cq_tail, cq_mask, cq_count, cq_overflow, cq_cqes, cq_flags, cq_reserved;
    word64 cq_address;
};
static long ring(char*** words, int observed) {
    struct params* p = take(sizeof *p);
    p->flags = (unsigned)value(words);
    const long fd = call6(nr_setup, 1, (word)p, 0, 0, 0, 0);
    if (fd < 0) return fd;
    const word pages = 8192;
    char* rings = (char*)call6(nr_mmap, 0, pages, 3, 0x8001, (word)fd, 0);
    char* entries = (char*)call6(nr_mmap, 0, pages, 3, 0x8001, (word)fd,
                                 sizeof(word) == 8 ? 0x10000000UL : 0x10000000UL / 4096);
    if ((word)rings > -4096UL || (word)entries > -4096UL) return -1000;
    entries[1] = (char)value(words);                // flags
    entries[0] = (char)value(words);                // opcode
    *(int*)(entries + 4) = (int)value(words);       // fd
    *(word64*)(entries + 16) = value(words);        // addr
    *(unsigned*)(entries + 24) = (unsigned)value(words);  // len
    *(word64*)(entries + 8) = value(words);         // off or addr2
    *(unsigned*)(entries + 28) = (unsigned)value(words);  // the operation's flags
    *(unsigned*)(entries + 44) = (unsigned)value(words);  // file_index
    *(unsigned*)(rings + p->sq_array) = 0;
    *(volatile unsigned*)(rings + p->sq_tail) = 1;
    if (observed) wait_for_go();
    const long entered = call6(nr_enter, (word)fd, 1, 1, 1 /* IORING_ENTER_GETEVENTS */, 0, 0);
    if (entered < 0) return entered;
    return *(int*)(rings + p->cq_cqes + 8);
}

__attribute__((noreturn, used)) static void begin(word* stack) {
    const word count = stack[0];
    char** words = (char**)(stack + 2);
    char** end = (char**)(stack + 1) + count;
    while (words < end) {
        char** last = words;
        while (last < end && !equal(*last, ":")) ++last;
        const int observed = last == end;
        long result;
        if (equal(*words, "@ring")) {
            ++words;
            result = ring(&words, observed);
        } else {
            word args[7] = {0, 0, 0, 0, 0, 0, 0};
            unsigned n = 0;
            while (words < last && n < 7) args[n++] = value(&words);
            if (observed) wait_for_go();
            result = call6((long)args[0], args[1], args[2], args[3], args[4], args[5], args[6]);
        }
        results[calls++ % most_calls] = result;
        say(result);
        words = last + 1;
    }
    quit(0);
}

__attribute__((noreturn, used)) void start(word* stack) { begin(stack); }
