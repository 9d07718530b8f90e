/* Four ranks that sleep where real programs compute, so that how long each part takes can be chosen.
 *
 *   sleepers ITERATIONS PREPARE SOLVE FINISH
 *
 * Each of the last three is a list of milliseconds, one for each rank: 20,60,40,80. The lists turn by one rank with
 * each iteration, so that the rank all others wait for changes. */

#include "regions.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_RANKS = 64 };

static int rank, ranks;

static struct region prepare_region = { .name = "prepare" };
static struct region solve_region = { .name = "solve" };
static struct region finish_region = { .name = "finish" };

static void rest(long milliseconds)
{
    struct timespec left = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

static void prepare(long milliseconds)
{
    region_enter(&prepare_region);
    rest(milliseconds);
    region_leave(&prepare_region);
}

static void solve(long milliseconds)
{
    region_enter(&solve_region);
    rest(milliseconds);
    region_leave(&solve_region);
}

static void finish(long milliseconds)
{
    region_enter(&finish_region);
    rest(milliseconds);
    region_leave(&finish_region);
}

/* Gives a number to the next rank and takes one from the previous. The message is small, so sending does not block. */
static int pass_on(int number)
{
    int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks, taken;
    MPI_Send(&number, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Recv(&taken, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return taken;
}

static void read_list(const char *text, long list[MAX_RANKS])
{
    char *rest_of_text = (char *)text;
    for (int at = 0; at < ranks; at++) {
        list[at] = strtol(rest_of_text, &rest_of_text, 10);
        if (*rest_of_text == ',')
            rest_of_text++;
    }
}

int main(int argc, char **argv)
{
    long prepare_times[MAX_RANKS], solve_times[MAX_RANKS], finish_times[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 5 || ranks > MAX_RANKS) {
        fprintf(stderr, "usage: sleepers ITERATIONS PREPARE SOLVE FINISH, on at most %d ranks\n", MAX_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    read_list(argv[2], prepare_times);
    read_list(argv[3], solve_times);
    read_list(argv[4], finish_times);
    MPI_Barrier(MPI_COMM_WORLD);
    int number = rank, sum = 0;
    for (int iteration = 0; iteration < atoi(argv[1]); iteration++) {
        int place = (rank + iteration) % ranks;
        prepare(prepare_times[place]);
        number = pass_on(number);
        solve(solve_times[place]);
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        finish(finish_times[place]);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum == ranks * (ranks - 1) / 2 ? 0 : 1;
}
