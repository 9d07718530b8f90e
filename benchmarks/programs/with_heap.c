// with_heap on|off OBJECT COMMAND…: runs a command with its heap moved by the object and a new seed each time, or as it is with
// an environment of the same size.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    int on = !strcmp(argv[1], "on");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char seed[17];
    snprintf(seed, sizeof seed, "%016llx", (unsigned long long)now.tv_nsec * 0x9e3779b97f4a7c15ull);
    setenv(on ? "LD_PRELOAD" : "NO_PRELOAD", argv[2], 1);
    setenv(on ? "LOTSE_HEAP" : "OTHER_HEAP", seed, 1);
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 127;
}
