/* As work.c, but makes between 70 and 130 % of argv[1] steps: a new share in every run. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return 2;
    uint64_t state = ((uint64_t)now.tv_nsec << 32) ^ ((uint64_t)getpid() << 8) ^ 88172645463325252u;
    for (int i = 0; i < 64; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    double share = 0.7 + 0.6 * (double)(state >> 11) / 9007199254740992.0;
    uint64_t steps = (uint64_t)((double)strtoull(argv[1], NULL, 10) * share);
    for (uint64_t i = 0; i < steps; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    return state == 0;
}
