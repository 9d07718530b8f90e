// Programs of three or four ranks that differ in how they wait: `cases NAME EXTRA`, where EXTRA are the milliseconds that one
// rank needs more in each of three rounds. Ranks sleep where real programs compute.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "recorder.h"

static int rank, extra;
static char big[4 << 20], other[4 << 20];

static void sleep_for(enum region region, int milliseconds) {
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    enter(region);
    nanosleep(&time, NULL);
    leave(region);
}

static void work(int milliseconds) { sleep_for(WORK, milliseconds); }
static void more(int who) { if (rank == who) sleep_for(EXTRA, extra); }

// Rank 0 is late with a short message; rank 1 passes it on to rank 2.
static void short_send(void) {
    int value = 0;
    work(10);
    more(0);
    if (rank > 0) MPI_Recv(&value, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(10);
    if (rank < 2) MPI_Send(&value, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
}

// Rank 1 is late to receive a message that is too long to be buffered: rank 0 is blocked in its send.
static void long_send(void) {
    work(10);
    more(1);
    if (rank == 0) {
        MPI_Send(big, sizeof big, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        work(30);
        MPI_Send(big, 4, MPI_CHAR, 2, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(other, sizeof other, MPI_CHAR, 0, rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// Rank 1 learns the length of a message before it receives it.
static void probe(void) {
    MPI_Status status;
    int length;
    if (rank == 0) {
        work(10);
        more(0);
        MPI_Send(big, 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        MPI_Recv(other, length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        work(10);
    }
}

// Rank 0 takes messages in the order of their arrival and works for each; rank 2 is late.
static void waitany(void) {
    if (rank == 0) {
        MPI_Request requests[2];
        for (int i = 0; i < 2; i++) MPI_Irecv(other + i, 1, MPI_CHAR, i + 1, 1, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0, which; i < 2; i++) {
            MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
            work(5);
        }
    } else {
        work(10);
        more(2);
        MPI_Send(big, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

// Everyone sends to the right and receives from the left; rank 1 is late.
static void sendrecv(void) {
    work(10);
    more(1);
    MPI_Sendrecv(big, 100, MPI_CHAR, (rank + 1) % 3, 1, other, 100, MPI_CHAR, (rank + 2) % 3, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// The root is late.
static void broadcast(void) {
    work(10);
    more(0);
    MPI_Bcast(big, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
    work(10);
}

// Rank 2 is late to the fence that completes what the others put.
static void fence(MPI_Win window) {
    MPI_Win_fence(0, window);
    work(10);
    more(2);
    MPI_Put(other, 8, MPI_CHAR, (rank + 1) % 3, 0, 8, MPI_CHAR, window);
    MPI_Win_fence(0, window);
}

// Rank 0 works for long while it has the lock of rank 2's window. Without that it would have the lock three times before
// rank 1 asks for it, and its work after the last round would begin earlier.
static void window_lock(MPI_Win window, int is_last) {
    if (rank == 2) return;
    work(rank == 0 ? 10 : 40);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
    more(0);
    if (rank == 1) work(15);
    MPI_Put(other, 8, MPI_CHAR, 2, 0, 8, MPI_CHAR, window);
    MPI_Win_unlock(2, window);
    if (rank == 0 && is_last) work(150);
}

// Rank 1 works while it waits, and looks now and then whether the message has come; rank 0 is late.
static void test(void) {
    MPI_Request request;
    int done = 0;
    if (rank == 0) {
        work(10);
        more(0);
        MPI_Send(big, 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(other, 100, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        work(10);
    }
}

// Rank 3 is late to a reduction. Of four ranks, rank 1 or rank 2 passes its number on to rank 0 and waits for it.
static void reduce(void) {
    int number = rank, sum;
    work(10);
    more(3);
    MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

// Blocks go through all ranks one after the other; rank 2 is slow. Its neighbour sends ahead until there is no more
// room, and then waits until rank 2 calls the library.
static void wavefront(void) {
    for (int block = 0; block < 6; block++) {
        if (rank > 0) MPI_Recv(other, 1600, MPI_CHAR, rank - 1, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(5);
        if (rank == 2) sleep_for(EXTRA, extra / 4);
        if (rank < 3) MPI_Send(big, 1600, MPI_CHAR, rank + 1, block, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3) return 2;
    extra = atoi(argv[2]);
    const int has_window = !strcmp(argv[1], "fence") || !strcmp(argv[1], "window_lock");
    if (has_window) MPI_Win_create(big, sizeof big, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < 3; round++) {
        if (!strcmp(argv[1], "short_send")) short_send();
        else if (!strcmp(argv[1], "long_send")) long_send();
        else if (!strcmp(argv[1], "probe")) probe();
        else if (!strcmp(argv[1], "waitany")) waitany();
        else if (!strcmp(argv[1], "sendrecv")) sendrecv();
        else if (!strcmp(argv[1], "broadcast")) broadcast();
        else if (!strcmp(argv[1], "fence")) fence(window);
        else if (!strcmp(argv[1], "window_lock")) window_lock(window, round == 2);
        else if (!strcmp(argv[1], "test")) test();
        else if (!strcmp(argv[1], "reduce")) reduce();
        else if (!strcmp(argv[1], "wavefront")) wavefront();
        else return 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (window != MPI_WIN_NULL) MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
