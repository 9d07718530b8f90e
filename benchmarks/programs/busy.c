/* Keeps a CPU busy until it is killed, its parent argv[1] dies, or argv[2] seconds are over. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    unsigned seconds = (unsigned)strtoul(argv[2], NULL, 10);
    if (seconds == 0) return 2;
    alarm(seconds);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return 2;
    /* The parent may have died before it could be watched. */
    if (getppid() != (pid_t)strtol(argv[1], NULL, 10)) return 0;
    for (volatile uint64_t i = 0;; i++) {
    }
}
