/* Runs a chain of dependent integer steps: argv[1] times, and nothing else worth measuring. */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    uint64_t steps = strtoull(argv[1], NULL, 10);
    uint64_t state = 88172645463325252u;
    for (uint64_t i = 0; i < steps; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    /* The state never becomes 0; the compiler does not know, so the loop stays. */
    return state == 0;
}
