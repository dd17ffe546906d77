// A program that ends at once, for the events that run one.
__attribute__((noreturn)) void _start(void) {
    for (;;) __asm__ volatile("syscall" : : "a"(231L), "D"(0L) : "rcx", "r11", "memory");
}
