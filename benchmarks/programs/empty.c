/* Ends at once: no C library, no dynamic linker. */
void _start(void) {
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number __asm__("x8") = 93;
    register long status __asm__("x0") = 0;
    __asm__ volatile("svc 0" : : "r"(number), "r"(status) : "memory");
#else
#error "not known how to end a program here"
#endif
    __builtin_unreachable();
}
