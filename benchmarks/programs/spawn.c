/* Runs argv[2] argv[1] times by posix_spawn and wait4. Prints nanoseconds per run of the whole loop, those of
   them from before the start to after the end, and the largest peak memory in KiB. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    uint64_t runs = strtoull(argv[1], NULL, 10), inside = 0;
    long peak = 0;
    if (runs == 0) return 2;
    uint64_t begin = now();
    for (uint64_t i = 0; i < runs; i++) {
        pid_t child;
        int status;
        struct rusage usage;
        uint64_t start = now();
        if (posix_spawn(&child, argv[2], NULL, NULL, argv + 2, environ)) return 3;
        if (wait4(child, &status, 0, &usage) != child || status != 0) return 3;
        inside += now() - start;
        if (usage.ru_maxrss > peak) peak = usage.ru_maxrss;
    }
    double whole = (double)(now() - begin);
    printf("%.1f %.1f %ld\n", whole / (double)runs, (double)inside / (double)runs, peak);
    return 0;
}
